// Package shards splits a stream into files of consecutive subgraphs and about equal work, its shards, so that machines can
// share it. A manifest beside them says in which order they are the stream, and what each holds.
package shards
