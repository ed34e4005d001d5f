// Package cluster predicts how long a cluster takes for a stage over the shards of a stream, and what that costs, by a seeded
// discrete-event simulation: machines take shards in turn, some are slow, some are lost with the shard at hand, and an epoch ends
// when its last shard does. The cost of a shard is one draw from the distribution of the sum over its subgraphs, so the length of
// the stream does not matter. Equal arguments give equal results, bit by bit.
//
// Not simulated are contention for storage, the engine's own scheduling, the loss of idle machines, and backup copies of slow
// shards.
package cluster
