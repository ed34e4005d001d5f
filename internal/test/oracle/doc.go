// Package oracle computes, by definition, reference values for tests of kernels: log-linear models by enumeration of all states, and the
// figures of a ranking over all orders of tied atoms.
package oracle
