// Package exact solves the components of a log-linear model that need no sampling. It computes the logarithm of the partition function, the
// marginals of the atoms, the expectation and covariance of the formulas' counts, and the most probable state (Dawid, 1992). Isolated atoms
// have closed forms, small components are enumerated (see [Enumerator]), others solved on a junction tree (see [Tree]); a [Router] decides
// which.
//
// Results depend only on the network and the weights.
package exact
