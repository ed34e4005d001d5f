// Package relational writes subgraphs as tables of a database, and the candidates of a selection as queries that count
// over them what package selection counts (docs/methods.md).
//
// Columns are integers: s is the subgraph, a0, a1.. are the local ids of an atom's arguments. The table of an evidence
// predicate holds the true atoms, that of a target predicate all that are known, with truth 1 or 0. A type's table
// holds its domain.
package relational
