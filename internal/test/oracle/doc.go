// Package oracle computes by definition, slowly and obviously, what the kernels compute: what a model means on a small subgraph (its
// atoms, true groundings, the counts of Algorithm 1, the probability of each state), log-linear models over ground networks by
// enumeration of all states, and the figures of a ranking over all orders of tied atoms. It also draws random tasks and networks.
package oracle
