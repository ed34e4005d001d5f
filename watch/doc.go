// Package watch keeps a model current on a stream that may change. It predicts each block of subgraphs, then compares with its truth,
// learns from it, and reports when the model in use falls behind.
package watch
