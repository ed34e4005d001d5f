// Package cut evaluates the rules of a recipe over tables: it cuts the subgraph of a center out of them.
//
// [Compile] evaluates what does not depend on the center once, plans the other rules and builds the indexes that they
// need. A [Cutter] then works outwards from one center at a time: it starts at the center and at relations that are
// known, and reaches the tables only through indexes.
//
// Inside, everything is a number of 64 bits: an entity is its id in the dictionary of its type, a value is encoded so
// that its order is that of the numbers. Tables and indexes are columns of codes of 32 bits with a codec for each
// column; results are sorted rows of numbers. A rule is a small graph of nodes (look up, join, filter), put together
// greedily by estimated size and shared where rules have parts in common. Variables that nothing needs any more are
// projected away at once, and what becomes equal by that is kept once.
package cut
