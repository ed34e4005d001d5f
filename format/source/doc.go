// Package source opens the files and pipes of a stream of subgraphs and iterates over them. It returns a handle for each subgraph,
// which is read at once or by the worker that gets it.
package source
