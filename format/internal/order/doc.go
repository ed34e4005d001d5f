// Package order checks the order of ids in bulk, as far as it goes without branches that depend on them: these would cost
// more than the rest. Any content of the lists is safe; none is longer than 2^32 - 1. With the Go loops alone, without vectors, a
// command that does little with a stream, as counts of one formula, takes half as long again.
package order
