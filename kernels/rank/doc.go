// Package rank measures how well marginals rank and predict the truth of atoms, with bootstrap intervals, and compares two systems by a
// paired test.
//
// Atoms whose marginals are equal after rounding to 12 decimals are tied. A measure that depends on the order of tied atoms is its
// expectation over all orders. No measure depends on the order of its input: sums follow the ranking, so that even rounding is the same.
package rank
