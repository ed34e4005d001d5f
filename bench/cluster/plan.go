package cluster

import (
	"context"
	"math"

	"resolwe"
)

// Options say how often and from which seed a plan is simulated.
type Options struct {
	Runs int // whose means are told, 1 to 1000
	Seed uint64
}

// Plan is what a task takes with its stream in so many shards: means over the runs. Where shards are so long that machines
// hardly live to see their ends, all but Shards is infinite or NaN.
type Plan struct {
	Shards      int
	Wall        float64 // seconds from the beginning to the end
	Least, Most float64 // wall of a run
	CoreHours   float64 // that are paid for
	Price       float64
	Busy        float64 // share of the paid core time that a machine without start, copies, slowness and losses would take
	Lost        float64 // share of the paid core time in attempts that were lost
}

// Simulate predicts what a task takes with its stream in so many shards. The error is an *resolwe.OptionError.
func Simulate(t *Task, c *Cluster, n int, opt Options) (Plan, error) {
	if err := check(t, c, opt); err != nil {
		return Plan{}, err
	}
	if err := t.checkShards(c, n); err != nil {
		return Plan{}, err
	}
	return simulate(t, c, n, opt), nil
}

// Recommend searches for the number of shards with which a task takes the least time, doubling it from one for each
// machine on. Of several within 1% it takes the least number: they are larger files. The error is an *resolwe.OptionError, or
// the context's.
func Recommend(ctx context.Context, t *Task, c *Cluster, opt Options) (Plan, error) {
	if err := check(t, c, opt); err != nil {
		return Plan{}, err
	}
	least, err := t.least(c)
	if err != nil {
		return Plan{}, err
	}
	machines, _ := c.machines()
	n, most := max(least, min(machines, t.most())), t.most()
	var plans []Plan
	best := math.Inf(1)
	for worse := 0; worse < enough; n = min(2*n, most) {
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

// Recommend's search ends when so many plans took more than so many times the least.
const (
	enough    = 3
	tolerance = 1.01
)

func check(t *Task, c *Cluster, opt Options) error {
	if err := t.check(); err != nil {
		return err
	}
	if opt.Runs < 1 || opt.Runs > maxRuns {
		return &resolwe.OptionError{Option: "--runs", Reason: "1 to 1000"}
	}
	return c.check()
}

// simulate is Simulate with checked arguments.
func simulate(t *Task, c *Cluster, n int, opt Options) Plan {
	p := Plan{Shards: n, Least: math.Inf(1)}
	for k := range opt.Runs {
		work, s, ok := run(t, c, n, draws{scramble(opt.Seed) + uint64(k)})
		if !ok {
			inf := math.Inf(1)
			return Plan{n, inf, inf, inf, inf, inf, math.NaN(), math.NaN()}
		}
		paid := s.now * float64(len(s.machines)) // machine seconds
		p.Wall += s.now
		p.Least, p.Most = min(p.Least, s.now), max(p.Most, s.now)
		p.Busy += work / (s.now * float64(c.Cores))
		p.Lost += s.waste / paid
	}
	runs := float64(opt.Runs)
	p.Wall, p.Busy, p.Lost = p.Wall/runs, p.Busy/runs, p.Lost/runs
	p.CoreHours = p.Wall * float64(c.Cores) / 3600
	p.Price = p.CoreHours * c.Price
	return p
}

// attemptsPerShard bounds the attempts of a run over its shards, so that one without end is given up.
const attemptsPerShard = 30

// run simulates a task once, and returns the core seconds of its work beside the state at the end.
func run(t *Task, c *Cluster, n int, d draws) (work float64, s *simulation, ok bool) {
	machines, cores := c.machines()
	s = &simulation{
		cluster: c, draws: d, shards: make([]shard, n), machines: make([]machine, machines),
		attempts: attemptsPerShard * (n + machines) * t.Epochs,
	}
	for i := range s.shards {
		size := t.Subgraphs / n
		if i < t.Subgraphs%n {
			size++
		}
		w := d.work(t, i, size)
		work += w
		s.shards[i].seconds = c.ShardStart + t.copying(c, size) + onCores(w, w/float64(size), cores)
	}
	for i := range s.machines {
		s.machines[i].slowdown = d.slowdown(c, i, 0)
		s.idle = append(s.idle, machines-1-i)
	}
	for range t.Epochs {
		if !s.epoch() {
			return work, s, false
		}
	}
	return work * float64(t.Epochs), s, true
}

// copying returns the seconds in which a machine copies a shard of so many subgraphs.
func (t *Task) copying(c *Cluster, subgraphs int) float64 {
	if c.Bandwidth == 0 {
		return 0
	}
	return t.bytes(subgraphs) / c.Bandwidth
}

// onCores returns the seconds that work takes on the cores of a machine that share it: while the last subgraph is worked
// on the others are idle (Graham, 1969, with the mean in place of the largest).
func onCores(work, subgraph float64, cores int) float64 {
	return work/float64(cores) + float64(subgraph*(1-1/float64(cores)))
}
