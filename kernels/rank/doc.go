// Package rank measures how well marginals order and predict the truth of
// atoms, and compares two systems by a paired test.
//
// Atoms whose marginals are equal after rounding to 12 decimals are tied. A
// measure that depends on the order of tied atoms is its expectation over all
// their orders. No figure depends on the order of its input: sums run along
// the ranking, so that even their rounding is the same.
package rank
