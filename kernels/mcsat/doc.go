// Package mcsat runs Markov chains over the atoms of a log-linear model that are to be sampled, by MC-SAT (Poon and Domingos, 2006) or
// Gibbs sweeps. [Inference] computes marginals, by chains and, for small components, exactly; a [Chain] draws the samples for contrastive
// divergence.
//
// For components connected only by pairs, MC-SAT starts with Gibbs sweeps of several chains side by side, and checks them with package
// diagnostics and with probes: only components that fail are sampled with slices.
//
// A slice keeps parities as linear equations, whose solutions are its moves; the first state solves the hard ones. With bilinear factors a chain draws the clusters of a slice
// without visiting each bond. Slices are then drawn once in 32 samples. [MethodGibbs] flips no clusters: with strong bilinear factors it may stay in one mode.
//
// Random numbers come only from the caller's sources; equal sources give equal results. Values reuse their memory between networks and do
// not allocate while sampling. None of them is safe for concurrent use.
package mcsat
