// Package naive computes, by definition and by enumeration, what a model means on a small subgraph: its atoms, the true groundings, the
// counts of Algorithm 1, and the probability of each state. The tests compare the kernels with it.
package naive
