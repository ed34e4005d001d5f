// Package localsearch searches for the most probable state of a component that is too large for exact solution, by stochastic local search
// (Hoos and Stuetzle, Stochastic Local Search, 2004).
//
// A try anneals (Kirkpatrick, Gelatt and Vecchi, 1983) from a random state, and repairs hard constraints that are still violated like
// MaxWalkSAT (Kautz, Selman and Jiang, 1997), with tabu. Then it repeatedly reheats and cools the state. If two states differ in places
// that no factor connects, each place takes the better of the two (partition crossover: Whitley, Hains and Howe, 2009), so that a large
// network improves everywhere at once. If hard clauses allow at most one of some atoms, one move makes one of them true and another false.
// Moves that would violate constraints are also tried in chains that satisfy these again. Parities are solved by elimination; moves then
// keep them.
//
// Random numbers come only from the caller's sources; equal sources give equal results.
package localsearch
