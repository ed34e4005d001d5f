// Package shards splits a stream into shards, files of consecutive subgraphs and about equal work, so that several machines can process it.
// A manifest beside them lists their order and contents.
package shards
