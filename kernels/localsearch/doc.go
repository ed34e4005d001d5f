// Package localsearch looks for the most probable state of a component that is too large to be solved exactly, by stochastic
// local search (Hoos and Stuetzle, Stochastic Local Search, 2004).
//
// A try anneals (Kirkpatrick, Gelatt and Vecchi, 1983) from a random state, and repairs hard constraints that are still
// violated as MaxWalkSAT does (Kautz, Selman and Jiang, 1997), with tabu. Then it warms the state up and cools it down, again
// and again. Where two states differ in places that no factor connects, each place takes the better of the two (partition
// crossover: Whitley, Hains and Howe, 2009), so that a large network improves everywhere at once. Of atoms of which hard
// clauses allow at most one, one becomes true as another becomes false, in one move.
//
// Random numbers come from the caller's sources alone; equal sources give equal results.
package localsearch
