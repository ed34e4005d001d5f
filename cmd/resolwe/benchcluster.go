package main

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"resolwe"
	"resolwe/bench/cluster"
	"resolwe/bench/workload"
	"resolwe/cmd/internal/report"
)

type benchClusterCmd struct {
	Stage     string    `help:"Stage to simulate: ${enum}; its measured costs are the defaults." enum:"select,learn,infer" default:"select"`
	Subgraphs []float64 `help:"Numbers of subgraphs." default:"1e6,1e8,1e9"`
	Cores     []int     `help:"Numbers of cores." default:"16,64,256,1024"`
	Shards    int       `help:"Number of shards; 0 to find the one with the least time." default:"0"`

	clusterCosts    `group:"Flags of the costs:"`
	cluster.Cluster `group:"Flags of the cluster:"`

	Runs int  `help:"Simulated runs, whose means are printed." default:"3"`
	JSON bool `help:"Print JSON." name:"json" xor:"form"`
	CSV  bool `help:"Print CSV." name:"csv" xor:"form"`
}

// clusterCosts override the default costs of a subgraph, by measuring a stream or by values.
type clusterCosts struct {
	Model  string   `help:"Measure the cost of select with this model on --stream." placeholder:"MODEL"`
	Stream []string `help:"Stream to measure." placeholder:"S"`
	K2     int      `help:"Measure on the first N subgraphs; 0 for all." default:"30" name:"k2"`

	Cost       *float64 `help:"Core seconds per subgraph." placeholder:"X"`
	CV         *float64 `help:"Standard deviation divided by mean of that cost." name:"cv" placeholder:"X"`
	ShardCV    *float64 `help:"The same for the mean cost in a shard, whatever its size." name:"shard-cv" placeholder:"X"`
	Bytes      *float64 `help:"Bytes per subgraph." placeholder:"X"`
	ShardBytes *float64 `help:"Bytes that each shard repeats." placeholder:"X"`
	Epochs     *int     `help:"Passes over the stream, with a barrier after each." placeholder:"N"`
}

func (*benchClusterCmd) Help() string {
	return `Simulates a stage over the shards of a stream on clusters, with slow and lost machines, and finds the number of shards with the
least time; docs/cluster.md explains how. The default costs were measured on the paper's WikiCollabs task; the parameters of the
cluster are assumptions.

Examples:

	resolwe bench cluster --stage learn --subgraphs 1e6 --cores 256 --loss 0.1
	resolwe bench cluster --model task.mln --stream data.rsg --k2 0 --csv`
}

func (c *benchClusterCmd) Run(ctx context.Context, e *environment) error {
	task, err := c.task(ctx, e, c.Stage, c.Runs)
	if err != nil {
		return err
	}
	var list []prediction
	run := e.runOver("simulate", "plans", int64(len(c.Subgraphs)*len(c.Cores)))
	for _, n := range c.Subgraphs {
		if n != math.Trunc(n) || math.Abs(n) > 1<<53 {
			return &resolwe.OptionError{Option: "--subgraphs", Reason: "whole numbers"}
		}
		for _, cores := range c.Cores {
			task.Subgraphs = int(n)
			on := c.Cluster
			on.Cores = cores
			p, err := c.plan(ctx, e, &task, &on)
			if err != nil {
				return err
			}
			list = append(list, prediction{p, task.Subgraphs, cores})
			run.Progress(1)
		}
	}
	d := c.document(e, &task, list)
	if c.CSV {
		return e.results(d.CSV)
	}
	return e.print(c.JSON, d)
}

// prediction is the predicted cost of a stage over a number of subgraphs on a number of cores.
type prediction struct {
	cluster.Plan
	subgraphs, cores int
}

// task returns the costs of a stage without the number of subgraphs; if they are measured, over the given number of runs.
func (c *clusterCosts) task(ctx context.Context, e *environment, stage string, runs int) (cluster.Task, error) {
	t := cluster.Measured(stage)
	switch {
	case (c.Model == "") != (len(c.Stream) == 0):
		return t, usageError("--model and --stream go together")
	case c.Model != "" && stage != cluster.Select:
		return t, usageError("--model and --stream measure --stage select only: give --cost")
	case c.Model != "":
		args := benchArgs{modelArg: modelArg{Model: c.Model}, streamArg: streamArg{Stream: c.Stream}, K2: c.K2, Runs: runs}
		r, err := args.time(ctx, e, "select", 1, workload.Select)
		if err != nil {
			return t, err
		}
		t.Cost, t.ShardBytes = r.Cost(), 0
		if r.Bytes > 0 {
			t.Bytes = float64(r.Bytes) / float64(r.Subgraphs)
		}
	}
	for _, o := range []struct{ given, of *float64 }{
		{c.Cost, &t.Cost}, {c.CV, &t.CV}, {c.ShardCV, &t.ShardCV}, {c.Bytes, &t.Bytes}, {c.ShardBytes, &t.ShardBytes},
	} {
		if o.given != nil {
			*o.of = *o.given
		}
	}
	if c.Epochs != nil {
		t.Epochs = *c.Epochs
	}
	return t, nil
}

// plan simulates the given number of shards, or searches for the best one.
func (c *benchClusterCmd) plan(ctx context.Context, e *environment, t *cluster.Task, on *cluster.Cluster) (cluster.Plan, error) {
	opt := cluster.Options{Runs: c.Runs, Seed: e.common.Seed}
	if c.Shards != 0 {
		return cluster.Simulate(t, on, c.Shards, opt)
	}
	return cluster.Recommend(ctx, t, on, opt)
}

// document is what bench cluster prints. Times are in seconds, except for the core hours.
func (c *benchClusterCmd) document(e *environment, task *cluster.Task, list []prediction) *report.Document {
	digits := func(v float64, precision int) string { return report.Number(v).Text('f', precision) }
	t := report.NewTable("rrrrrrrrrrr", "subgraphs", "cores", "shards", "GB each", "hours", "least", "most", "core hours", "price", "busy %", "lost %")
	lines := [][]any{{"stage", "subgraphs", "cores", "shards", "wall_seconds", "least", "most", "core_hours", "price", "busy", "lost"}}
	plans := report.Objects(list, func(p *prediction) report.Object {
		per := float64(p.subgraphs) / float64(p.Shards)
		bytes := float64(per*task.Bytes) + task.ShardBytes
		t.Row(strconv.FormatFloat(float64(p.subgraphs), 'g', -1, 64), p.cores, p.Shards, digits(bytes/1e9, 2), digits(p.Wall/3600, 3),
			digits(p.Least/3600, 3), digits(p.Most/3600, 3), digits(p.CoreHours, 1), digits(p.Price, 2), digits(100*p.Busy, 1), digits(100*p.Lost, 2))
		lines = append(lines, []any{c.Stage, p.subgraphs, p.cores, p.Shards, p.Wall, p.Least, p.Most, p.CoreHours, p.Price, p.Busy, p.Lost})
		return report.Object{
			"subgraphs", p.subgraphs, "cores", p.cores, "shards", p.Shards, "subgraphs_per_shard", per, "bytes_per_shard", bytes, "wall", p.Wall,
			"wall_least", p.Least, "wall_most", p.Most, "core_hours", p.CoreHours, "price", p.Price, "busy", p.Busy, "lost", p.Lost,
		}
	})
	head := fmt.Sprintf("%s: %s core seconds a subgraph (cv %s), epochs: %d; means of %d simulated runs\n\n",
		c.Stage, report.Number(task.Cost).Text('g', 4), report.Number(task.CV).Text('g', 3), task.Epochs, c.Runs)
	return &report.Document{Page: report.Page{report.Plain(head), t}, Lines: lines, Data: report.Object{
		"workload", "cluster", "stage", c.Stage, "runs", c.Runs, "seed", e.common.Seed, "cost", task.Cost, "cv", task.CV,
		"shard_cv", task.ShardCV, "bytes", task.Bytes, "shard_bytes", task.ShardBytes, "epochs", task.Epochs, "plans", plans,
	}}
}
