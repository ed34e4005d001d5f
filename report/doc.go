// Package report presents the results of the other packages on one page: an HTML file that needs no network, with the data, the path of
// selection, the formulas in words, accuracy compared with baselines, curves, calibration, failures, examples and diagnostics.
//
// The package draws its charts itself, as SVG. This takes a tenth of the code of a charting library, the colours come from the page's
// style and so follow the reader's colour scheme, and the bytes depend only on the figures.
package report
