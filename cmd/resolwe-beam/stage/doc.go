// Package stage runs selection, learning, inference and evaluation as jobs over shards. Within a DoFn a shard uses all cores of its worker;
// its result is small, and reaches the program through the job's mailbox.
package stage
