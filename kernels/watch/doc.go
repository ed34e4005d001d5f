// Package watch keeps logistic models current on a stream of subgraphs, and raises an alarm where the model in use falls behind: a
// ladder of experts, each of which forgets at a pace of its own, the mixture of their predictions, and tests that are valid at every
// moment of the stream, whatever the distribution.
package watch
