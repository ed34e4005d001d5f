// Package shard finds the shards of a stream on any file system that Beam opens, and opens them on the worker that needs
// them: in place where it can be mapped there, else from a copy on local disk.
package shard
