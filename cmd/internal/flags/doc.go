// Package flags is the parameters of the stages on a command line.
package flags
