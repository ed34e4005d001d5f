// Package subgraph holds one subgraph of a stream in memory: its relations over dense local ids, and their indexes.
package subgraph
