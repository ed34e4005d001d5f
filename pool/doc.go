// Package pool runs a function over a stream on a bounded number of goroutines.
//
// Items are numbered as they are read. Whatever the number of workers and
// however they are scheduled, [Map] hands over the same results in the same
// order and stops with the same error; [Reduce] folds the same items and
// stops with the same error. At most four items for each worker are held at a
// time, so memory does not grow with the stream.
//
// The package knows nothing of what the items are.
package pool
