// Package mcsat runs Markov chains over the atoms of a log-linear model that are left to sampling: MC-SAT (Poon and Domingos,
// 2006) or Gibbs sweeps. [Inference] gives marginals, by chains and by the exact routes for small components; a [Chain] the
// samples that contrastive divergence needs.
//
// MC-SAT begins with Gibbs sweeps of several chains side by side for components that pairs alone tie, and judges them by package
// diagnostics and by probes: only those to which these object are sampled with slices.
//
// A slice keeps parities as linear equations, whose solutions are its moves. With bilinear factors a chain draws the clusters of a
// slice without looking at each bond. Slices then come once in 32 samples, and between the sweeps atoms that the burn-in found
// undecided are drawn more often. [MethodGibbs] flips no clusters: where bilinear factors are strong it may stay in one mode.
//
// Random numbers come from the caller's source alone; equal sources give equal results. Values are reused from one
// network to the next and do not allocate while they sample. None of them may be used by two goroutines at once.
package mcsat
