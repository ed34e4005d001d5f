// Package stage is selection, learning, inference and evaluation as pipelines over shards. Inside of a DoFn a shard runs
// on all cores of its worker; what comes out of one is small.
package stage
