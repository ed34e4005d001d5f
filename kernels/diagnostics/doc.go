// Package diagnostics judges how accurate the means of several chains are: split R-hat, effective sample size and Monte Carlo standard
// error, by batch means.
package diagnostics
