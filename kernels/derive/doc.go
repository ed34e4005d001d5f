// Package derive makes relations of a subgraph out of the counting literals and the orders of numbers that formulas hold:
// [Relations] rewrites the formulas over a schema that has an evidence predicate for each, and [Scratch] adds the relations to a
// subgraph. What comes after sees plain atoms.
package derive
