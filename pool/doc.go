// Package pool runs a function over a stream on a bounded number of goroutines.
//
// Items are numbered as they are read. For any number of workers and any scheduling, [Map] passes on the same results in the same
// order and stops with the same error; [Reduce] folds the same items and stops with the same error. At most four items per worker
// are held at a time, so memory does not grow with the stream.
//
// The package does not depend on the type of the items.
package pool
