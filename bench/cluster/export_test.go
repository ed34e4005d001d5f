package cluster

import (
	"resolwe/internal/elementary"
)

// Limits that tests know.
const Tolerance = tolerance

// ShardSeconds returns what the shards take in a run, on machines that are not slow.
func ShardSeconds(t *Task, c *Cluster, n int, seed uint64) []float64 {
	return newSimulation(t, c, n, elementary.Mix(seed)).seconds
}

// Slowdowns returns how many times as long the machines take in a run, at its beginning.
func Slowdowns(t *Task, c *Cluster, n int, seed uint64) []float64 {
	return newSimulation(t, c, n, elementary.Mix(seed)).slowdowns
}
