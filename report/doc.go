// Package report puts the figures of the other packages on one page: an HTML file that needs no network, with the data, the path
// of selection, the formulas in words, accuracy beside baselines, curves, calibration, failures, examples and diagnostics.
//
// The charts are SVG of its own, not of a charting library: it takes a tenth of what one would bring along, the colours are
// those of the page's style, so that they follow the reader's colour scheme, and the bytes depend on the figures alone.
package report
