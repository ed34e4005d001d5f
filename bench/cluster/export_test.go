package cluster

// Limits that tests know.
const Tolerance = tolerance

// ShardSeconds returns what the shards take in a run, on machines that are not slow.
func ShardSeconds(t *Task, c *Cluster, n int, seed uint64) []float64 {
	_, s, _ := run(t, c, n, draws{scramble(seed)})
	out := make([]float64, n)
	for i := range out {
		out[i] = s.shards[i].seconds
	}
	return out
}

// Slowdowns returns how many times as long the machines take in a run.
func Slowdowns(t *Task, c *Cluster, n int, seed uint64) []float64 {
	_, s, _ := run(t, c, n, draws{scramble(seed)})
	out := make([]float64, len(s.machines))
	for i := range out {
		out[i] = s.machines[i].slowdown
	}
	return out
}
