package cluster

import (
	"context"
	"fmt"
	"math"

	"resolwe"
	"resolwe/format/shards"
)

// Task is a stage over a stream. Times are for one core of the machine on which they were measured.
type Task struct {
	Subgraphs  int     // in the stream, 1 to 10^12
	Cost       float64 // mean core seconds per subgraph
	CV         float64 // standard deviation divided by mean of that cost, after balancing of shards
	ShardCV    float64 // the same for the mean cost in a shard, whatever the shard's size
	Bytes      float64 // mean per subgraph
	ShardBytes float64 // repeated in each shard
	Epochs     int     // passes over the stream, with a barrier after each; at least 1
}

// Stages that have been measured.
const (
	Select = "select"
	Learn  = "learn"
	Infer  = "infer"
)

// Measured returns the cost of a stage as measured on the generated WikiCollabs stream at the paper's size (1785 subgraphs), on one
// core of a virtual machine, as user and system time divided by subgraphs. The caller must set Subgraphs. An unknown stage has no
// cost.
//
//	resolwe gen wikicollabs -o W.rsg && resolwe pack wikicollabs.mln W.rsg --shards 8 -o W
//	time resolwe select wikicollabs.mln --stream W.rsg --k2 1785                        # 3.6 to 4.3 s
//	time resolwe learn selected.mln --stream W.rsg --skip 30                            # 24 to 25 s, 1755 subgraphs
//	time resolwe infer weighted.mln --stream A.rsg                                      # 39 s, 53 subgraphs
//
// CV is that of the counting time of single subgraphs (1.8 on the Delicious stream), ShardCV that of the time of select on each of
// the eight shards (0.02 for learn), Bytes that of the stream, and ShardBytes what each further shard repeats.
func Measured(stage string) Task {
	t := Task{CV: 0.8, ShardCV: 0.05, Bytes: 0.92e6, ShardBytes: 29e6, Epochs: 1}
	switch stage {
	case Select:
		t.Cost = 0.0021
	case Learn:
		t.Cost, t.Epochs = 0.014, 5
	case Infer:
		t.Cost = 0.74
	}
	return t
}

// Cluster is what a task runs on: machines of equal size, paid for from the beginning to the end. Defaults that were not measured
// are assumptions.
type Cluster struct {
	Cores        int     `kong:"-"` // in all machines: a multiple of MachineCores, or one smaller machine
	MachineCores int     `help:"Cores of a machine, which work on one shard." default:"16"`
	JobStart     float64 `help:"Seconds before each epoch in which nothing runs." default:"60"`
	ShardStart   float64 `help:"Seconds that each shard takes besides its subgraphs." default:"1"`
	Bandwidth    float64 `help:"Bytes per second at which a machine copies shards; 0 if all machines mount them." default:"250e6"`
	Disk         float64 `help:"Bytes of a machine's disk for shards; 0 for no limit." default:"100e9"`
	Slow         float64 `help:"Share of slow machines." default:"0.05"`
	Slowdown     float64 `help:"Factor by which these are slower." default:"2"`
	Loss         float64 `help:"Losses per machine and hour." default:"0.005"` // at exponentially distributed times
	Restart      float64 `help:"Seconds until a lost machine is replaced." default:"180"`
	Price        float64 `help:"Price of a core for an hour." default:"0.05"`
}

// Options say how often to simulate a plan, and with which seed.
type Options struct {
	Runs int // simulated runs, whose means are reported, 1 to 1000
	Seed uint64
}

// Plan is the time and cost of a task with its stream in a number of shards, as means over the runs. If shards take so long that
// machines hardly survive them, everything but Shards is infinite or NaN.
type Plan struct {
	Shards      int
	Wall        float64 // seconds from the beginning to the end
	Least, Most float64 // wall of a run
	CoreHours   float64 // paid core hours
	Price       float64
	Busy        float64 // share of the paid core time that the work alone takes, without starts, copies, slowness and losses
	Lost        float64 // share of the paid core time spent in lost attempts
}

// Simulate predicts the time and cost of a task with its stream in a number of shards. The error is a *resolwe.OptionError.
func Simulate(t *Task, c *Cluster, n int, opt Options) (Plan, error) {
	least, most, err := check(t, c, opt)
	if err != nil {
		return Plan{}, err
	}
	if n < least || n > most {
		return Plan{}, &resolwe.OptionError{Option: "--shards", Reason: fmt.Sprintf("%d to %d", least, most)}
	}
	return simulate(t, c, n, opt), nil
}

// Recommend's search ends when a number of plans in a row took more than a multiple of the least time.
const (
	enough    = 3
	tolerance = 1.01
)

// Recommend searches for the number of shards with which a task takes the least time, by doubling from one shard per machine. Of
// several numbers within 1% it takes the smallest, which gives larger files. The error is a *resolwe.OptionError, or the context's.
func Recommend(ctx context.Context, t *Task, c *Cluster, opt Options) (Plan, error) {
	least, most, err := check(t, c, opt)
	if err != nil {
		return Plan{}, err
	}
	machines, _ := c.machines()
	var plans []Plan
	best := math.Inf(1)
	for n, worse := max(least, min(machines, most)), 0; worse < enough; n = min(2*n, most) {
		if ctx.Err() != nil {
			return Plan{}, context.Cause(ctx)
		}
		p := simulate(t, c, n, opt)
		plans = append(plans, p)
		if p.Wall > best*tolerance {
			worse++
		}
		best = min(best, p.Wall)
		if n == most {
			break
		}
	}
	for _, p := range plans {
		if p.Wall <= best*tolerance {
			return p, nil
		}
	}
	return plans[len(plans)-1], nil // all are infinite
}

// Limits of a simulation.
const (
	maxSubgraphs = 1_000_000_000_000
	maxCores     = 1 << 20
	maxEpochs    = 1000
	maxRuns      = 1000
)

// check returns how many shards the stream can have, or a *resolwe.OptionError if a field is out of range.
func check(t *Task, c *Cluster, opt Options) (least, most int, err error) {
	const anyNumber = "a number of at least 0"
	number := func(x, least float64) bool { return x >= least && !math.IsInf(x, 0) }
	whole := func(n, most int) bool { return n >= 1 && n <= most }
	for _, o := range []struct {
		option string
		ok     bool
		reason string
	}{
		{"subgraphs", whole(t.Subgraphs, maxSubgraphs), "1 to 1e12"},
		{"epochs", whole(t.Epochs, maxEpochs), fmt.Sprintf("1 to %d", maxEpochs)},
		{"cost", number(t.Cost, 0) && t.Cost > 0, "seconds, above 0"},
		{"cv", number(t.CV, 0), anyNumber},
		{"shard-cv", number(t.ShardCV, 0), anyNumber},
		{"bytes", number(t.Bytes, 0), anyNumber},
		{"shard-bytes", number(t.ShardBytes, 0), anyNumber},
		{"runs", whole(opt.Runs, maxRuns), fmt.Sprintf("1 to %d", maxRuns)},
		{"machine-cores", whole(c.MachineCores, maxCores), fmt.Sprintf("1 to %d", maxCores)},
		{"cores", whole(c.Cores, maxCores), fmt.Sprintf("1 to %d", maxCores)},
		{
			"cores", c.Cores <= c.MachineCores || c.Cores%max(1, c.MachineCores) == 0,
			fmt.Sprintf("%d is not a multiple of --machine-cores %d", c.Cores, c.MachineCores),
		},
		{"slow", number(c.Slow, 0) && c.Slow <= 1, "a share, 0 to 1"},
		{"slowdown", number(c.Slowdown, 1), "at least 1"},
		{"job-start", number(c.JobStart, 0), anyNumber},
		{"shard-start", number(c.ShardStart, 0), anyNumber},
		{"bandwidth", number(c.Bandwidth, 0), anyNumber},
		{"disk", number(c.Disk, 0), anyNumber},
		{"loss", number(c.Loss, 0), anyNumber},
		{"restart", number(c.Restart, 0), anyNumber},
		{"price", number(c.Price, 0), anyNumber},
	} {
		if !o.ok {
			return 0, 0, &resolwe.OptionError{Option: "--" + o.option, Reason: o.reason}
		}
	}
	most = min(t.Subgraphs, shards.MaxShards)
	n, room := 1.0, c.Disk-t.ShardBytes
	if c.Disk > 0 && room > 0 {
		n = max(1, math.Ceil(float64(t.Subgraphs)*t.Bytes/room))
	}
	if c.Disk > 0 && room < 0 || n > float64(most) {
		return 0, 0, &resolwe.OptionError{Option: "--disk", Reason: fmt.Sprintf("%.4g bytes are too few for one of %d shards", c.Disk, most)}
	}
	return int(n), most, nil
}

// machines returns the number of machines, and the cores of each.
func (c *Cluster) machines() (n, cores int) {
	if c.Cores < c.MachineCores {
		return 1, c.Cores
	}
	return c.Cores / c.MachineCores, c.MachineCores
}
