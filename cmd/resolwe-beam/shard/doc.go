// Package shard finds the shards of a stream on any file system that Beam supports, and opens them on the worker that needs them: in place
// if they can be mapped there, otherwise from a copy on local disk.
package shard
