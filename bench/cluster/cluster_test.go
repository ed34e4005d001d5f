package cluster_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"resolwe"
	"resolwe/bench/cluster"
	"resolwe/internal/test/check"
)

// simple is a task whose subgraphs all take one core second.
func simple(subgraphs int) *cluster.Task {
	return &cluster.Task{Subgraphs: subgraphs, Cost: 1, Epochs: 1}
}

// ideal is a cluster of machines of one core, without any trouble.
func ideal(cores int) *cluster.Cluster {
	return &cluster.Cluster{Cores: cores, MachineCores: 1, Slowdown: 1}
}

// assumed is a cluster with trouble, as the command line assumes it.
func assumed(cores int) cluster.Cluster {
	return cluster.Cluster{
		Cores: cores, MachineCores: 16, JobStart: 60, ShardStart: 1, Bandwidth: 250e6, Disk: 100e9,
		Slow: 0.05, Slowdown: 2, Loss: 0.005, Restart: 180, Price: 0.05,
	}
}

func plan(tb rapid.TB, t *cluster.Task, c *cluster.Cluster, shards, runs int, seed uint64) cluster.Plan {
	tb.Helper()
	p, err := cluster.Simulate(t, c, shards, cluster.Options{Runs: runs, Seed: seed})
	check.OK(tb, err)
	return p
}

func near(tb rapid.TB, what string, got, want, tolerance float64) {
	tb.Helper()
	check.Near(tb, got, want, tolerance*math.Abs(want), "%s", what)
}

func TestSimulate_EqualShards(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		shards, size := rapid.IntRange(1, 40).Draw(t, "shards"), rapid.IntRange(1, 9).Draw(t, "size")
		cores, epochs := rapid.IntRange(1, 12).Draw(t, "cores"), rapid.IntRange(1, 3).Draw(t, "epochs")
		task, c := simple(shards*size), ideal(cores)
		task.Epochs, c.JobStart, c.ShardStart, c.Price = epochs, 5, 2, 3
		task.Bytes, task.ShardBytes, c.Bandwidth = 4, 20, 8
		each := float64(size) + 2 + float64(4*size+20)/8
		want := float64(epochs) * (5 + math.Ceil(float64(shards)/float64(cores))*each)
		p := plan(t, task, c, shards, 2, 1)
		near(t, "wall", p.Wall, want, 1e-12)
		near(t, "least", p.Least, want, 1e-12)
		near(t, "most", p.Most, want, 1e-12)
		near(t, "core hours", p.CoreHours, want*float64(cores)/3600, 1e-12)
		near(t, "price", p.Price, 3*p.CoreHours, 1e-12)
		near(t, "busy", p.Busy, float64(epochs*shards*size)/(want*float64(cores)), 1e-12)
		near(t, "lost", p.Lost, 0, 0)
	})
}

// A shard of k equal subgraphs on c cores takes about k/c, and one subgraph takes as long as on one core.
func TestSimulate_CoresOfAMachine(t *testing.T) {
	t.Parallel()
	c := ideal(8)
	c.MachineCores = 8
	for subgraphs, want := range map[int]float64{1: 1, 8: 1.875, 8000: 1000.875} {
		near(t, "wall", plan(t, simple(subgraphs), c, 1, 1, 1).Wall, want, 1e-12)
	}
	c.Cores = 4 // one machine, smaller than the others would be
	near(t, "wall on 4 cores", plan(t, simple(8), c, 1, 1, 1).Wall, 2.75, 1e-12)
}

// TestSimulate_MatchesGreedy gives each shard to the machine that is free first.
func TestSimulate_MatchesGreedy(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		task := simple(rapid.IntRange(50, 500).Draw(t, "subgraphs"))
		task.CV, task.ShardCV = 2, 0.3
		c := ideal(rapid.IntRange(1, 9).Draw(t, "cores"))
		c.Slow, c.Slowdown = 0.5, 3
		n, seed := rapid.IntRange(1, 50).Draw(t, "shards"), rapid.Uint64().Draw(t, "seed")
		slow := cluster.Slowdowns(task, c, n, seed)
		free := make([]float64, len(slow))
		for _, seconds := range cluster.ShardSeconds(task, c, n, seed) {
			first := 0
			for m := range free {
				if free[m] < free[first] {
					first = m
				}
			}
			free[first] += seconds * slow[first]
		}
		want := 0.0
		for _, at := range free {
			want = max(want, at)
		}
		near(t, "wall", plan(t, task, c, n, 1, seed).Wall, want, 1e-12)
	})
}

// A shard that takes t and begins anew whenever its machine is lost, at rate r, takes (exp(rt) - 1) (1/r + R) on average,
// where a machine is replaced after R.
func TestSimulate_ExponentialLosses(t *testing.T) {
	t.Parallel()
	const batches, runs = 40, 250
	for _, tt := range []struct{ seconds, perHour, restart float64 }{
		{10, 36, 0}, {100, 36, 0}, {100, 36, 50}, {60, 90, 7},
	} {
		task, c := simple(1), ideal(1)
		task.Cost, c.Loss, c.Restart = tt.seconds, tt.perHour, tt.restart
		rate := tt.perHour / 3600
		want := math.Expm1(rate*tt.seconds) * (1/rate + tt.restart)
		sum, squares := 0.0, 0.0
		for seed := range uint64(batches) {
			w := plan(t, task, c, 1, runs, seed).Wall
			sum, squares = sum+w, squares+w*w
		}
		mean := sum / batches
		deviation := math.Sqrt((squares/batches - mean*mean) / (batches - 1))
		if z := (mean - want) / deviation; math.Abs(z) > 4 {
			t.Errorf("%+v: got %v on average, want %v (z = %v)", tt, mean, want, z)
		}
	}
}

// Machines do not work while a job begins, though some become ready then.
func TestSimulate_EpochsDoNotOverlap(t *testing.T) {
	t.Parallel()
	const machines, shards, epochs, start, each = 8, 40, 20, 1000, 10
	task, c := simple(shards*each), ideal(machines)
	task.Epochs, c.JobStart, c.Loss, c.Restart = epochs, start, 36, 900
	for seed := range uint64(50) {
		p := plan(t, task, c, shards, 1, seed)
		busy := (p.Busy + p.Lost) * p.Wall * machines
		if room := (p.Wall - epochs*start) * machines; busy > room*(1+1e-12) {
			t.Errorf("seed %d: machines work for %v of %v seconds", seed, busy, room)
		}
	}
}

func TestSimulate_HopelessShards(t *testing.T) {
	t.Parallel()
	task, c := simple(1000), ideal(4)
	c.Loss = 3600 // one in a second
	p := plan(t, task, c, 4, 1, 1)
	if !math.IsInf(p.Wall, 1) || !math.IsInf(p.Price, 1) || !math.IsNaN(p.Busy) {
		t.Errorf("got %+v, want no end", p)
	}
	best, err := cluster.Recommend(t.Context(), task, c, cluster.Options{Runs: 1})
	if err != nil || math.IsInf(best.Wall, 1) {
		t.Errorf("recommended: got %+v (%v), want shards that come to an end", best, err)
	}
}

// The work of a shard has the mean and the variance of a sum.
func TestSimulate_WorkOfShards(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 10, 1000} {
		const shards = 50_000
		task := simple(size * shards)
		task.CV, task.ShardCV = 1.5, 0.2
		mean, variance := 0.0, 0.0
		work := cluster.ShardSeconds(task, ideal(1), shards, 3)
		for _, w := range work {
			mean += w / shards
		}
		for _, w := range work {
			variance += (w - mean) * (w - mean) / shards
		}
		n := float64(size)
		near(t, "mean", mean, n, 0.03)
		near(t, "deviation over mean", math.Sqrt(variance)/n, math.Sqrt(1.5*1.5/n+0.2*0.2), 0.15)
	}
}

func TestRecommend_IsTheLeast(t *testing.T) {
	t.Parallel()
	task := cluster.Measured(cluster.Learn)
	task.Subgraphs = 200_000
	c := assumed(64)
	c.Loss = 0.2
	opt := cluster.Options{Runs: 4, Seed: 9}
	got, err := cluster.Recommend(t.Context(), &task, &c, opt)
	check.OK(t, err)
	least, first := math.Inf(1), 0
	for n := 4; n < 20_000; n *= 2 {
		least = min(least, plan(t, &task, &c, n, opt.Runs, opt.Seed).Wall)
	}
	for n := 4; first == 0; n *= 2 {
		if plan(t, &task, &c, n, opt.Runs, opt.Seed).Wall <= least*cluster.Tolerance {
			first = n
		}
	}
	if got.Shards != first {
		t.Errorf("got %d shards in %v seconds, want %d", got.Shards, got.Wall, first)
	}
	check.Equal(t, "recommended and simulated", got, plan(t, &task, &c, first, opt.Runs, opt.Seed))
}

func TestRecommend_Limits(t *testing.T) {
	t.Parallel()
	recommend := func(t *testing.T, task *cluster.Task, c *cluster.Cluster) int {
		t.Helper()
		p, err := cluster.Recommend(t.Context(), task, c, cluster.Options{Runs: 1})
		check.OK(t, err)
		return p.Shards
	}
	check.Is(t, recommend(t, simple(3), ideal(8)), 3, "3 subgraphs on 8 cores, shards")
	task, c := simple(1000), ideal(2)
	task.Bytes, task.ShardBytes, c.Disk = 10, 50, 150
	check.Is(t, recommend(t, task, c), 100, "10 subgraphs fill a disk, shards")
	c.ShardStart = 100
	c.Disk = 0
	if got := recommend(t, task, c); got != 2 {
		t.Errorf("shards take long to start: got %d, want one for each machine", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check.ErrorIs(t, check.Err(cluster.Recommend(ctx, task, c, cluster.Options{Runs: 1})), context.Canceled, "after a cancellation")
}

func TestSimulate_SeedsTellRunsApart(t *testing.T) {
	t.Parallel()
	task, c := cluster.Measured(cluster.Select), assumed(256)
	task.Subgraphs = 1_000_000
	p := plan(t, &task, &c, 500, 5, 1)
	check.Equal(t, "the same seed again", plan(t, &task, &c, 500, 5, 1), p)
	if other := plan(t, &task, &c, 500, 5, 2); other.Wall == p.Wall {
		t.Errorf("got %v with two seeds", p.Wall)
	}
	if !(p.Least < p.Wall && p.Wall < p.Most) {
		t.Errorf("got runs from %v to %v, mean %v", p.Least, p.Most, p.Wall)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*cluster.Task, *cluster.Cluster, *int)
		option string
	}{
		{"sound", func(*cluster.Task, *cluster.Cluster, *int) {}, ""},
		{"no subgraphs", func(t *cluster.Task, _ *cluster.Cluster, _ *int) { t.Subgraphs = 0 }, "subgraphs"},
		{"too many subgraphs", func(t *cluster.Task, _ *cluster.Cluster, _ *int) { t.Subgraphs = 1 << 60 }, "subgraphs"},
		{"no cost", func(t *cluster.Task, _ *cluster.Cluster, _ *int) { t.Cost = 0 }, "cost"},
		{"cost", func(t *cluster.Task, _ *cluster.Cluster, _ *int) { t.Cost = math.NaN() }, "cost"},
		{"cv", func(t *cluster.Task, _ *cluster.Cluster, _ *int) { t.CV = -1 }, "cv"},
		{"bytes", func(t *cluster.Task, _ *cluster.Cluster, _ *int) { t.Bytes = math.Inf(1) }, "bytes"},
		{"epochs", func(t *cluster.Task, _ *cluster.Cluster, _ *int) { t.Epochs = 0 }, "epochs"},
		{"cores", func(_ *cluster.Task, c *cluster.Cluster, _ *int) { c.Cores = 0 }, "cores"},
		{"no multiple", func(_ *cluster.Task, c *cluster.Cluster, _ *int) { c.Cores = 24 }, "cores"},
		{"too many cores", func(_ *cluster.Task, c *cluster.Cluster, _ *int) { c.Cores = 1 << 30 }, "cores"},
		{"cores of a machine", func(_ *cluster.Task, c *cluster.Cluster, _ *int) { c.MachineCores = 0 }, "machine-cores"},
		{"slow", func(_ *cluster.Task, c *cluster.Cluster, _ *int) { c.Slow = 1.1 }, "slow"},
		{"slowdown", func(_ *cluster.Task, c *cluster.Cluster, _ *int) { c.Slowdown = 0.5 }, "slowdown"},
		{"loss", func(_ *cluster.Task, c *cluster.Cluster, _ *int) { c.Loss = math.NaN() }, "loss"},
		{"disk", func(_ *cluster.Task, c *cluster.Cluster, _ *int) { c.Disk = 1 }, "disk"},
		{"no shards", func(_ *cluster.Task, _ *cluster.Cluster, n *int) { *n = 0 }, "shards"},
		{"too many shards", func(_ *cluster.Task, _ *cluster.Cluster, n *int) { *n = 100_001 }, "shards"},
		{"large shards", func(_ *cluster.Task, c *cluster.Cluster, n *int) { *n, c.Disk = 5, 1e9 }, "shards"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			task, c, n := cluster.Measured(cluster.Select), assumed(32), 50
			task.Subgraphs = 10_000
			tt.change(&task, &c, &n)
			_, err := cluster.Simulate(&task, &c, n, cluster.Options{Runs: 1})
			e := (*resolwe.OptionError)(nil)
			if tt.option == "" && err != nil || tt.option != "" && (!errors.As(err, &e) || e.Option != "--"+tt.option) {
				t.Errorf("got %v, want an error of option %q", err, tt.option)
			}
		})
	}
	check.Fails(t, check.Err(cluster.Simulate(simple(1), ideal(1), 1, cluster.Options{})), "no runs")
}
