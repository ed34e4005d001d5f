// Package subgraph holds relational data in memory, one subgraph of a stream at a time: relations over dense local ids,
// with their indexes.
package subgraph
