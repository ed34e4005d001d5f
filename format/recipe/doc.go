// Package recipe reads the language that describes how to cut subgraphs from tables: declarations of tables, and non-recursive Datalog
// rules over them, evaluated with @center bound to one center at a time. [Parse] checks a file against a model and returns a [Recipe] with
// resolved names and types, which package kernels/cut evaluates.
//
// A rule whose head is declared in the model states facts of the subgraph: true ones or, for a listed target, false ones. Other heads are
// helper relations, with types inferred from their rules and uses.
//
// Limits bound the size of hostile files: 16 MiB of text, rules of 64 literals and 256 variables, relations of 64 arguments. Exceeding one
// is an error.
package recipe
