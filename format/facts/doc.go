// Package facts reads and writes relational data as text, the .db files of Alchemy. Unlike those, a file may hold several subgraphs,
// declare entities and leave the truth of target atoms open.
//
//	@subgraph s17 center=U7 fold=2  // both optional; a file without such a line holds one subgraph, named after the file
//	@entity user U1 U2 U3           // entities that no fact mentions
//	articleEdit(A1, U1)             // true
//	!modifies(A1, U2)               // false
//	?modifies(A1, U3)               // unknown: to be predicted only
//
// Each fact stands on its own line. A name consists of letters, digits and underscores and starts with an upper-case letter or a digit, or
// is UTF-8 text in quotes with the escapes of Go and C, such as \", \\, \n and \x1b. Comments run from // to the end of the line, or
// between /* and */ across lines; neither starts inside quotes. Entities of the type number are decimal numbers such as -2.5, quoted or
// not; equal numbers are one entity.
package facts
