// Package selftest tests the library as a whole: samplers and learners against enumeration on small networks, counts against their
// definition, and streams and numbers of workers against one another. Its own tests show which faults of a library it finds.
//
// Comparisons that involve chance test the mean of independent observations between 0 and 1 by betting against it (Waudby-Smith and
// Ramdas, Estimating means of bounded random variables by betting, 2024). Their p-values hold for every distribution and number of
// observations, and each must be below its share of [FalseAlarm] (Bonferroni): a correct library fails with at most that probability.
// Everything else must be equal, or equal up to rounding.
//
// Each network is sampled in two ways. Steps keep the distribution: chains start at states drawn from the exact distribution, so that all
// later states have it too, however slowly the chain mixes, if and only if the sampler is right. Inference arrives: the marginals of many
// short runs, each from a random start, average to the exact ones, up to a bias of .005 that the start may leave.
package selftest
