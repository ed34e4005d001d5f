// Package watch keeps a model current on a stream that may change: it predicts each block of subgraphs, then looks at its truth, learns
// from it, and says when the model in use falls behind.
package watch
