// Package loglinear holds a network with weights, P(x) proportional to exp(sum of w_i n_i(x)) over the states that satisfy the clauses and
// hard features, and computes how changing an atom changes a state.
//
// Bilinear factors are never expanded: a state keeps the sums of each entity, so that changing an atom costs its incidences, not its pairs.
// If a network consists of replicas, such as one for each article whose editors are predicted, the corresponding atoms of all replicas are
// stored side by side, for vector instructions (package rows).
//
// Some fields are exported so that samplers and exact routes can read them; only this package sets them.
package loglinear
