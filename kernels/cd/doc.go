// Package cd learns weights on a stream: the gradient of the conditional log-likelihood of one subgraph, by closed forms
// where its atoms are independent and by contrastive divergence where they are not (Hinton, 2002; Lowd and Domingos,
// 2007), or of its pseudo-likelihood (Besag, 1975), the conditional distributions of single atoms; and the steps that turn
// gradients into weights.
package cd
