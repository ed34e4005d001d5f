// Package exact solves the components of a log-linear model that are not sampled: the logarithm of the partition function, the
// marginals of the atoms, expectation and covariance of the formulas' counts, and the most probable state (Dawid, 1992). Atoms on
// their own have closed forms, small components are enumerated (see [Enumerator]), others solved on a junction tree (see
// [Tree]); a [Router] says which.
//
// Results depend on the network and the weights alone.
package exact
