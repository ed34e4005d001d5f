// Package source opens the files and pipes of a stream of subgraphs, and goes through them: a handle for each subgraph,
// which is read there or by the worker that gets it.
package source
