// Package recipe reads the language that cuts subgraphs out of tables: declarations of tables and non-recursive Datalog
// rules over them, evaluated with @center bound to one center at a time. [Parse] checks a file against a model and
// returns a [Recipe] whose names and types are resolved; package kernels/cut evaluates it.
//
// A rule whose head the model declares states facts of the subgraph, true or, for a listed target, false. Other heads
// are helper relations, whose types follow from their rules and uses.
//
// Limits keep hostile files from growing without bound: 16 MiB of text, rules of 64 literals and 256 variables,
// relations of 64 arguments. Beyond them is an error.
package recipe
