// Package stage is selection, learning, inference and evaluation as jobs over shards. Inside of a DoFn a shard runs
// on all cores of its worker; what comes out of one is small, and goes to the program by the job's mailbox.
package stage
