// Package rows operates on matrices whose columns are equal replicas of one network: an index list for one replica is applied to all of
// them at once. A matrix is stored row by row, with rows of length [Width].
//
// The Go code is the reference. Vector kernels, where available, do the same operations on each value in the same order, and give the
// same bytes.
package rows
