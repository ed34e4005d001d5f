// Package watch keeps logistic models current on a stream of subgraphs, and raises an alarm when the model in use falls behind. It has a
// ladder of experts that forget at different rates, the mixture of their predictions, and tests that are valid at any time,
// whatever the distribution.
package watch
