// Package naive holds what a model says of a small subgraph, by the definition and by enumeration: which atoms there are,
// which groundings are true, what Algorithm 1 counts, how probable each state is. The self-test and the tests hold the
// kernels against it.
package naive
