package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"resolwe"
	"resolwe/bench/cluster"
	"resolwe/bench/workload"
)

type benchClusterCmd struct {
	Stage     string    `help:"Stage whose measured costs are the defaults: ${enum}." enum:"select,learn,infer" default:"select"`
	Subgraphs []float64 `help:"Numbers of subgraphs." default:"1e6,1e8,1e9"`
	Cores     []int     `help:"Numbers of cores." default:"16,64,256,1024"`
	Shards    int       `help:"Number of shards; 0 for the one that is found to take the least time." default:"0"`

	Model  string   `help:"Measure the cost of select with this model on --stream, instead of the default." group:"Flags of the costs:" placeholder:"MODEL"`
	Stream []string `help:"Stream to measure." group:"Flags of the costs:" placeholder:"S"`
	K2     int      `help:"Measure on the first so many subgraphs; 0 for all." default:"30" name:"k2" group:"Flags of the costs:"`

	Cost       *float64 `help:"Core seconds of a subgraph." group:"Flags of the costs:" placeholder:"X"`
	CV         *float64 `help:"Standard deviation over mean of that cost." name:"cv" group:"Flags of the costs:" placeholder:"X"`
	ShardCV    *float64 `help:"The same of the mean cost in a shard, whatever its size." name:"shard-cv" group:"Flags of the costs:" placeholder:"X"`
	Bytes      *float64 `help:"Bytes of a subgraph." group:"Flags of the costs:" placeholder:"X"`
	ShardBytes *float64 `help:"Bytes that each shard repeats." group:"Flags of the costs:" placeholder:"X"`
	Epochs     *int     `help:"Passes over the stream, with a barrier after each." group:"Flags of the costs:" placeholder:"N"`

	cluster.Cluster `group:"Flags of the cluster:"`

	Runs int  `help:"Simulated runs, whose means are printed." default:"3"`
	JSON bool `help:"Print JSON." name:"json" xor:"form"`
	CSV  bool `help:"Print CSV." name:"csv" xor:"form"`
}

// Help says what the command does.
func (*benchClusterCmd) Help() string {
	return `Simulates a stage over the shards of a stream on clusters, with slow and lost machines, and finds the number of shards
that takes the least time. docs/cluster.md says what is simulated. Costs are as measured on the paper's WikiCollabs task,
the cluster's parameters are assumptions.

Examples:

	resolwe bench cluster
	resolwe bench cluster --stage learn --subgraphs 1e6 --cores 256 --loss 0.1
	resolwe bench cluster --model task.mln --stream data.rsg --k2 0 --csv`
}

// Run simulates.
func (c *benchClusterCmd) Run(ctx context.Context, e *environment) error {
	task, err := c.task(ctx, e)
	if err != nil {
		return err
	}
	out := clusterJSON{
		Workload: "cluster", Stage: c.Stage, Runs: c.Runs, Seed: e.common.Seed, Cost: task.Cost, CV: task.CV, ShardCV: task.ShardCV,
		Bytes: task.Bytes, ShardBytes: task.ShardBytes, Epochs: task.Epochs,
	}
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
			out.Plans = append(out.Plans, newPredictionJSON(&task, cores, p))
			run.Progress(1)
		}
	}
	switch {
	case c.JSON:
		return e.json(out)
	case c.CSV:
		return e.results(out.csv)
	}
	return e.results(out.text)
}

// task returns the costs, with the number of subgraphs left open.
func (c *benchClusterCmd) task(ctx context.Context, e *environment) (cluster.Task, error) {
	t := cluster.Measured(c.Stage)
	if (c.Model == "") != (len(c.Stream) == 0) {
		return t, usageError("--model and --stream go together")
	}
	if c.Model != "" {
		if c.Stage != cluster.Select {
			return t, usageError("--model and --stream measure --stage select only: give --cost")
		}
		if err := c.measure(ctx, e, &t); err != nil {
			return t, err
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

// measure puts in what selection takes of one core here for a subgraph of the stream, and its bytes with its part of what
// subgraphs share.
func (c *benchClusterCmd) measure(ctx context.Context, e *environment, t *cluster.Task) error {
	args := benchStreamArgs{
		modelArg: modelArg{Model: c.Model}, streamArg: streamArg{Stream: c.Stream}, K2: c.K2, benchArgs: benchArgs{Runs: c.Runs},
	}
	src, err := args.source(ctx, e)
	if err != nil {
		return err
	}
	opt := args.options(e)
	opt.Workers, opt.Done = 1, e.runs("bench select", c.Runs+1)
	r, err := workload.Select(ctx, src, opt)
	if err != nil {
		return err
	}
	t.Cost, t.ShardBytes = 0, 0
	for _, s := range r.Stages {
		switch {
		case s.Name == "pass":
		case s.CPU.Median > 0:
			t.Cost += s.CPU.Median / float64(r.Subgraphs)
		default: // a system that does not tell, or less than its clock resolves
			t.Cost += s.Wall.Median / float64(r.Subgraphs)
		}
	}
	if r.Bytes > 0 {
		t.Bytes = float64(r.Bytes) / float64(r.Subgraphs)
	}
	return nil
}

// plan simulates the number of shards that is given, or searches for one.
func (c *benchClusterCmd) plan(ctx context.Context, e *environment, t *cluster.Task, on *cluster.Cluster) (cluster.Plan, error) {
	opt := cluster.Options{Runs: c.Runs, Seed: e.common.Seed}
	if c.Shards != 0 {
		return cluster.Simulate(t, on, c.Shards, opt)
	}
	return cluster.Recommend(ctx, t, on, opt)
}

// clusterJSON is what bench cluster prints with --json. Times are seconds but for the core hours.
type clusterJSON struct {
	Workload   string           `json:"workload"`
	Stage      string           `json:"stage"`
	Runs       int              `json:"runs"`
	Seed       uint64           `json:"seed"`
	Cost       float64          `json:"cost"`
	CV         float64          `json:"cv"`
	ShardCV    float64          `json:"shard_cv"`
	Bytes      float64          `json:"bytes"`
	ShardBytes float64          `json:"shard_bytes"`
	Epochs     int              `json:"epochs"`
	Plans      []predictionJSON `json:"plans"`
}

type predictionJSON struct {
	Subgraphs  int    `json:"subgraphs"`
	Cores      int    `json:"cores"`
	Shards     int    `json:"shards"`
	PerShard   number `json:"subgraphs_per_shard"`
	ShardBytes number `json:"bytes_per_shard"`
	Wall       number `json:"wall"`
	Least      number `json:"wall_least"`
	Most       number `json:"wall_most"`
	CoreHours  number `json:"core_hours"`
	Price      number `json:"price"`
	Busy       number `json:"busy"`
	Lost       number `json:"lost"`
}

func newPredictionJSON(t *cluster.Task, cores int, p cluster.Plan) predictionJSON {
	per := float64(t.Subgraphs) / float64(p.Shards)
	return predictionJSON{
		Subgraphs: t.Subgraphs, Cores: cores, Shards: p.Shards, PerShard: number(per), ShardBytes: number(float64(per*t.Bytes) + t.ShardBytes),
		Wall: number(p.Wall), Least: number(p.Least), Most: number(p.Most), CoreHours: number(p.CoreHours), Price: number(p.Price),
		Busy: number(p.Busy), Lost: number(p.Lost),
	}
}

// text prints a table.
func (c *clusterJSON) text(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s core seconds a subgraph (cv %s), epochs: %d; means of %d simulated runs\n\n",
		c.Stage, number(c.Cost).Text('g', 4), number(c.CV).Text('g', 3), c.Epochs, c.Runs)
	t := newTable("rrrrrrrrrrr", "subgraphs", "cores", "shards", "GB each", "hours", "least", "most", "core hours", "price", "busy %", "lost %")
	for _, p := range c.Plans {
		hours := func(seconds number) string { return (seconds / 3600).Text('f', 3) }
		t.Row(
			number(p.Subgraphs).Text('g', -1), p.Cores, p.Shards, (p.ShardBytes/1e9).Text('f', 2), hours(p.Wall), hours(p.Least),
			hours(p.Most), p.CoreHours.Text('f', 1), p.Price.Text('f', 2), (100*p.Busy).Text('f', 1), (100*p.Lost).Text('f', 2),
		)
	}
	return t.Write(w)
}

// csv prints a line for each plan; what is undefined has no value.
func (c *clusterJSON) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{
		"stage", "subgraphs", "cores", "shards", "wall_seconds", "least", "most", "core_hours", "price", "busy", "lost",
	}) // Error has it
	text := func(n number) string {
		if n.Undefined() {
			return ""
		}
		return n.Text('g', -1)
	}
	for _, p := range c.Plans {
		_ = out.Write([]string{
			c.Stage, strconv.Itoa(p.Subgraphs), strconv.Itoa(p.Cores), strconv.Itoa(p.Shards), text(p.Wall), text(p.Least),
			text(p.Most), text(p.CoreHours), text(p.Price), text(p.Busy), text(p.Lost),
		})
	}
	out.Flush()
	return out.Error()
}
