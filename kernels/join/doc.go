// Package join evaluates a plan's operator graph on one subgraph at a time: over the boolean semiring, as sets and rows of bits, and over
// the counting semiring, as sparse rows of multiplicities. Nodes are evaluated on demand, row by row, and kept until the next subgraph:
// work common to several formulas is done once, and unneeded work never. Announced rows of products with a common factor are built
// together, and data shared by the subgraphs of a stream is evaluated once for all.
package join
