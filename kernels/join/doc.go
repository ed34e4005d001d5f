// Package join runs a plan's operator graph on one subgraph at a time: over the boolean semiring, as sets and rows of
// bits, and over the counting semiring, as sparse rows of multiplicities. Nodes are evaluated when they are asked for,
// row by row, and kept until the next subgraph: what several formulas share is computed once, and what no query atom
// asks for is not computed. Rows of products that share a factor are built together where they are announced, and what
// the subgraphs of a stream share is evaluated once for all of them.
package join
