// Package cluster predicts how long a cluster takes for a stage over the shards of a stream, and what that costs, by a
// seeded simulation of discrete events: machines take shards in turn, some are slow, some are lost with the shard at hand,
// and an epoch ends when its last shard does. The cost of a shard is one draw from the distribution of the sum over its
// subgraphs, so that the length of the stream does not matter. Equal arguments give equal results, bit by bit.
//
// Not simulated: contention for storage, the engine's own scheduling, machines that are lost while they are idle, and
// backup copies of slow shards.
package cluster
