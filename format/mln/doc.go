// Package mln reads and prints the task language: a superset of Alchemy's Markov logic files with templates, target
// predicates and the center of a subgraph. [Parse] checks a file and expands its templates into formulas;
// [Candidates] reads the unweighted ones for selection; [Canonical] tells formulas apart up to renaming and reordering.
//
// A file passes through three forms. Statements hold [Node] trees as written; expansion rewrites those trees; the
// result is typed and becomes a [Formula], whose tree is an [Expr].
//
// Limits keep hostile files from growing without bound: 64 MiB of text, formulas of 1000 literals, 128 variables and
// 1000 levels, predicates of 64 arguments, 2^21 terms in all expansions together. Beyond them is a [ModelError].
package mln
