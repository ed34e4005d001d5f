// Package grow computes a policy for fetching a subgraph: which look-ups a candidate needs ([Plans]), what a center knows and still has to
// ask ([State], [Replay]), in which order probes pay off ([Order]), and, by backward induction over regression trees, when a center has
// enough ([Induce]). [Dot.Less] compares policies at equal cost.
package grow
