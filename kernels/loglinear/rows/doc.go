// Package rows works on matrices whose columns are equal replicas of one network: what an index list says of one replica is
// done to all of them at once. A matrix is stored row by row, and [Width] says how long a row is.
//
// The Go code is the reference. Where there are vector kernels, they do the same operations on each value in the same
// order, and give the same bytes.
package rows
