// Package bench generates tasks and streams on which selection, learning and inference can be tried and timed.
package bench
