package cluster

import (
	"math"
	"math/rand/v2"
)

// What is drawn; each has a random stream of its own for each index.
const (
	drawWork = iota
	drawSpeed
	drawLoss
)

// draws gives the random numbers of a run. What befalls a shard does not depend on the machines, nor the reverse, so that
// plans are compared under the same circumstances.
type draws struct{ seed uint64 }

// source returns the random stream of one thing.
func (d draws) source(what, index, attempt int) *rand.Rand {
	return rand.New(rand.NewPCG(d.seed, scramble(scramble(scramble(uint64(what))+uint64(index))+uint64(attempt))))
}

// scramble is the finalizer of SplitMix64 (Steele, Lea and Flood, 2014), a bijection.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// work returns the core seconds of shard i of n subgraphs. The sum of independent costs with a heavy tail is drawn from
// the log-normal distribution of its mean and variance (Fenton, 1960).
func (d draws) work(t *Task, i, n int) float64 {
	mean := float64(n) * t.Cost
	variance := math.Log1p(float64(t.CV*t.CV/float64(n)) + float64(t.ShardCV*t.ShardCV))
	if variance == 0 {
		return mean
	}
	return mean * math.Exp(float64(math.Sqrt(variance)*d.source(drawWork, i, 0).NormFloat64())-float64(variance/2))
}

// slowdown returns how many times as long a machine takes. Every time that it is replaced is another incarnation.
func (d draws) slowdown(c *Cluster, machine, incarnation int) float64 {
	if c.Slow > 0 && d.source(drawSpeed, machine, incarnation).Float64() < c.Slow {
		return c.Slowdown
	}
	return 1
}

// loss returns the seconds after which the machine is lost that works on a shard, counted from the beginning of the
// attempt.
func (d draws) loss(c *Cluster, shard, attempt int) float64 {
	if c.Loss == 0 {
		return math.Inf(1)
	}
	return d.source(drawLoss, shard, attempt).ExpFloat64() * 3600 / c.Loss
}
