// Package demo generates a small task with planted formulas, on which selection, learning and inference can be tried and timed.
package demo
