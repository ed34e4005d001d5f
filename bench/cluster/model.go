package cluster

import (
	"fmt"
	"math"

	"resolwe"
	"resolwe/format/shards"
)

// Task is a stage over a stream. The times are those of a core of the machine on which they were measured.
type Task struct {
	Subgraphs  int     // in the stream, 1 to 10^12
	Cost       float64 // mean core seconds of a subgraph
	CV         float64 // standard deviation over mean of that cost, beyond what the balance of shards takes out
	ShardCV    float64 // the same of the mean cost in a shard, whatever the shard's size
	Bytes      float64 // mean of a subgraph
	ShardBytes float64 // that each shard repeats
	Epochs     int     // passes over the stream, with a barrier after each; at least 1
}

// Cluster is what a task runs on: machines of equal size, paid for from the beginning to the end.
type Cluster struct {
	Cores        int     // of all machines: a multiple of MachineCores, or one smaller machine
	MachineCores int     // of a machine, which work on one shard at a time
	JobStart     float64 // seconds before each epoch in which no machine works
	ShardStart   float64 // seconds of a machine beside the work on each shard
	Bandwidth    float64 // bytes per second at which a machine copies a shard before it begins; 0 where shards are mounted
	Disk         float64 // bytes that a shard may have at most; 0 for any number
	Slow         float64 // share of the machines that are slow, 0 to 1
	Slowdown     float64 // how many times as long these take, at least 1
	Loss         float64 // losses per machine and hour, at times that are exponentially distributed
	Restart      float64 // seconds until another machine stands in for a lost one
	Price        float64 // of a core for an hour
}

// Limits of a simulation.
const (
	maxSubgraphs = 1_000_000_000_000
	maxCores     = 1 << 20
	maxEpochs    = 1000
	maxRuns      = 1000
)

// machines returns the number of machines, and the cores of each.
func (c *Cluster) machines() (n, cores int) {
	if c.Cores < c.MachineCores {
		return 1, c.Cores
	}
	return c.Cores / c.MachineCores, c.MachineCores
}

// check returns an *resolwe.OptionError where a field is out of its range.
func (t *Task) check() error {
	switch {
	case t.Subgraphs < 1 || t.Subgraphs > maxSubgraphs:
		return &resolwe.OptionError{Option: "--subgraphs", Reason: "1 to 1e12"}
	case t.Epochs < 1 || t.Epochs > maxEpochs:
		return &resolwe.OptionError{Option: "--epochs", Reason: fmt.Sprintf("1 to %d", maxEpochs)}
	case !(t.Cost > 0) || math.IsInf(t.Cost, 0):
		return &resolwe.OptionError{Option: "--cost", Reason: "seconds, above 0"}
	}
	return notNegative([]option{
		{"cv", t.CV}, {"shard-cv", t.ShardCV}, {"bytes", t.Bytes}, {"shard-bytes", t.ShardBytes},
	})
}

// check returns an *resolwe.OptionError where a field is out of its range.
func (c *Cluster) check() error {
	switch {
	case c.MachineCores < 1 || c.MachineCores > maxCores:
		return &resolwe.OptionError{Option: "--machine-cores", Reason: fmt.Sprintf("1 to %d", maxCores)}
	case c.Cores < 1 || c.Cores > maxCores:
		return &resolwe.OptionError{Option: "--cores", Reason: fmt.Sprintf("1 to %d", maxCores)}
	case c.Cores > c.MachineCores && c.Cores%c.MachineCores != 0:
		return &resolwe.OptionError{Option: "--cores", Reason: fmt.Sprintf("%d is no multiple of --machine-cores %d", c.Cores, c.MachineCores)}
	case !(c.Slow >= 0 && c.Slow <= 1):
		return &resolwe.OptionError{Option: "--slow", Reason: "a share, 0 to 1"}
	case !(c.Slowdown >= 1) || math.IsInf(c.Slowdown, 0):
		return &resolwe.OptionError{Option: "--slowdown", Reason: "at least 1"}
	}
	return notNegative([]option{
		{"job-start", c.JobStart},
		{"shard-start", c.ShardStart},
		{"bandwidth", c.Bandwidth},
		{"disk", c.Disk},
		{"loss", c.Loss},
		{"restart", c.Restart},
		{"price", c.Price},
	})
}

// option is a number with its name on the command line.
type option struct {
	name  string
	value float64
}

func notNegative(options []option) error {
	for _, o := range options {
		if !(o.value >= 0) || math.IsInf(o.value, 0) {
			return &resolwe.OptionError{Option: "--" + o.name, Reason: "a number of at least 0"}
		}
	}
	return nil
}

// bytes returns the size of a shard of so many subgraphs.
func (t *Task) bytes(subgraphs int) float64 {
	return float64(float64(subgraphs)*t.Bytes) + t.ShardBytes
}

// least and most return how many shards a stream can have.
func (t *Task) most() int { return min(t.Subgraphs, shards.MaxShards) }

func (t *Task) least(c *Cluster) (int, error) {
	n, room := 1.0, c.Disk-t.ShardBytes
	if c.Disk > 0 && room > 0 {
		n = max(1, math.Ceil(float64(t.Subgraphs)*t.Bytes/room))
	}
	if c.Disk > 0 && room < 0 || n > float64(t.most()) {
		return 0, &resolwe.OptionError{Option: "--disk", Reason: fmt.Sprintf("%.4g bytes are too few for one of %d shards", c.Disk, t.most())}
	}
	return int(n), nil
}

// checkShards returns an *resolwe.OptionError where a stream cannot have so many shards.
func (t *Task) checkShards(c *Cluster, n int) error {
	least, err := t.least(c)
	if err != nil {
		return err
	}
	if n < least || n > t.most() {
		return &resolwe.OptionError{Option: "--shards", Reason: fmt.Sprintf("%d to %d", least, t.most())}
	}
	return nil
}
