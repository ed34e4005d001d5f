// Package derive turns the counting literals, aggregates and number comparisons in formulas into relations of a subgraph: [Relations]
// rewrites the formulas over a schema with an evidence predicate for each of them, and [Scratch] adds the relations to a subgraph. Later
// stages see only atoms. [Measures] are the values of many aggregates at once for the query atoms of a subgraph: aggregates over the same
// path share the enumeration of its rows; their numbers and windows are looked up.
package derive
