// Package measure computes the values of many aggregates at once for the query atoms of a subgraph. Aggregates over the same path share
// the enumeration of its rows; their numbers and windows are looked up. [Program] holds the compiled aggregates; each goroutine needs a
// [Scratch].
package measure
