// Package flags defines the command-line flags of the stages, and turns them into options.
package flags
