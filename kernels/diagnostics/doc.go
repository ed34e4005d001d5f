// Package diagnostics says how far the means of several chains are to be trusted: split R-hat, effective sample size and Monte
// Carlo standard error, by batch means.
package diagnostics
