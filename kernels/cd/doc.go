// Package cd learns weights on a stream. It computes the gradient of the conditional log-likelihood of one subgraph, in closed form if its
// atoms are independent, otherwise by contrastive divergence (Hinton, 2002; Lowd and Domingos, 2007), or the gradient of its
// pseudo-likelihood (Besag, 1975), the product of single atoms' conditionals. It also computes the steps from gradients to weights.
package cd
