// Package mln reads and prints the task language: a superset of Alchemy's Markov logic files with templates, target
// predicates and the center of a subgraph. [Parse] checks a file and expands its templates into formulas;
// [Candidates] reads the unweighted ones for selection; [Canonical] tells formulas apart up to renaming and reordering.
//
// A file passes through three forms. Statements hold [Node] trees as written; expansion rewrites those trees; the
// result is typed and becomes a [Formula], whose tree is an [Expr].
package mln
