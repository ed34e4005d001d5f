// Package facts reads and writes relational data as text: the .db files of Alchemy, which may hold several subgraphs, declare
// entities and leave the truth of target atoms open.
//
//	@subgraph s17 center=U7 fold=2  // both optional; a file without such a line holds one subgraph, named after the file
//	@entity user U1 U2 U3           // entities that no fact mentions
//	articleEdit(A1, U1)             // true
//	!modifies(A1, U2)               // false
//	?modifies(A1, U3)               // unknown: to be predicted only
//
// A fact stands on a line of its own. Names are letters, digits and underscores, an upper-case letter or a digit
// first, or quoted UTF-8 text with the escapes of Go and C, such as \", \\, \n and \x1b. A comment is // to the end of the line, or stands
// between /* and */, over several lines where need be; neither begins inside quotes. Entities of the type number are decimal
// numbers, such as -2.5, quoted or not; equal ones are one entity.
package facts
