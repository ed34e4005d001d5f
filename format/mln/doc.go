// Package mln reads and prints the task language: Alchemy's Markov logic files extended by templates, target predicates and the center of a
// subgraph. [Parse] checks a file and expands its templates into formulas; [Candidates] prepares the unweighted ones for selection;
// [Canonical] returns a form equal for formulas that differ only in names and order.
//
// A file passes through three forms: statements hold [Node] trees as written; expansion rewrites those trees; type checking turns the
// result into a [Formula], whose tree is an [Expr].
//
// Limits bound the size of hostile files: 64 MiB of text; formulas of 1000 literals, 128 variables and 1000 levels; predicates of 64
// arguments; 2^21 terms in all expansions together. Exceeding one is a [ModelError].
package mln
