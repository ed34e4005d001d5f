// Package loglinear is a network with weights, P(x) proportional to exp(sum of w_i n_i(x)) over the states that satisfy the
// clauses and hard features, and what the change of an atom does to a state.
//
// Bilinear factors are never written out: a state keeps the sums of each entity, so that the change of an atom costs its
// incidences and not its pairs. Where a network consists of replicas, as one for each article whose editors are predicted, the
// atoms of all replicas that are in the same place stand side by side, for vector instructions (package rows).
//
// Fields of its types that samplers and exact routes read are exported; only this package sets them.
package loglinear
