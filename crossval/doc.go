// Package crossval compares systems, which are ways to train a model, by cross-validation. All are tested on the same subgraphs,
// which they have not seen in training.
package crossval
