// Package oracle computes by definition what tests hold kernels against: log-linear models by enumeration of all states, the
// figures of a ranking over all orders of what is tied.
package oracle
