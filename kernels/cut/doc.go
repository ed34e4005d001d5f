// Package cut evaluates the rules of a recipe over tables to cut out the subgraph of a center.
//
// [Compile] evaluates once what does not depend on the center, plans the other rules and builds the indexes that they need. A [Cutter] then
// works outwards from one center at a time: it starts from the center and known relations, and reads the tables only through indexes.
//
// Internally everything is a 64-bit number: an entity is its id in the dictionary of its type; codes of values preserve their order. Tables
// and indexes are columns of 32-bit codes with a codec for each column; results are sorted rows of numbers. A rule is a small graph of
// nodes (look up, join, filter), built greedily by estimated size; rules share common parts. Variables no longer needed are projected away
// at once, and resulting duplicates removed.
package cut
