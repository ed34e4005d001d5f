// Package measure computes the values of many aggregates on a subgraph at once, for query atoms: those over one path share the
// enumeration of its rows, whose numbers and windows are looked up. [Program] compiles them, [Scratch] is one goroutine's memory.
package measure
