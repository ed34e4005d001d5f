// Package crossval compares systems by cross-validation: ways to train a model, each tested on the same subgraphs that it
// has not seen.
package crossval
