package cluster

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"resolwe/bench/draw"
	"resolwe/internal/elementary"
)

// simulate is Simulate with checked arguments.
func simulate(t *Task, c *Cluster, n int, opt Options) Plan {
	p := Plan{Shards: n, Least: math.Inf(1)}
	for k := range opt.Runs {
		s := newSimulation(t, c, n, elementary.Mix(opt.Seed)+uint64(k))
		for range t.Epochs {
			if !s.epoch() {
				inf := math.Inf(1)
				return Plan{n, inf, inf, inf, inf, inf, math.NaN(), math.NaN()}
			}
		}
		p.Wall += s.now
		p.Least, p.Most = min(p.Least, s.now), max(p.Most, s.now)
		p.Busy += s.work * float64(t.Epochs) / (s.now * float64(c.Cores))
		p.Lost += s.waste / (s.now * float64(len(s.slowdowns)))
	}
	runs := float64(opt.Runs)
	p.Wall, p.Busy, p.Lost = p.Wall/runs, p.Busy/runs, p.Lost/runs
	p.CoreHours = p.Wall * float64(c.Cores) / 3600
	p.Price = p.CoreHours * c.Price
	return p
}

// simulation is the state of a run. Between epochs it keeps the machines and the attempts.
type simulation struct {
	*Cluster
	seed      uint64
	work      float64   // core seconds of an epoch
	seconds   []float64 // time of each shard on a machine that is not slow
	attempts  []int     // at each shard, over all epochs
	slowdowns []float64 // of the machines
	replaced  []int     // how often each machine was replaced
	now       float64   // seconds
	waste     float64   // machine seconds of lost attempts
	left      int       // remaining attempts

	queue   []int // shards to begin, with the next one last
	idle    []int // machines
	pending events
}

// attemptsPerShard bounds the attempts of a run, so that an endless one is given up.
const attemptsPerShard = 30

func newSimulation(t *Task, c *Cluster, n int, seed uint64) *simulation {
	machines, cores := c.machines()
	s := &simulation{
		Cluster: c, seed: seed, attempts: make([]int, n), replaced: make([]int, machines),
		left: attemptsPerShard * (n + machines) * t.Epochs,
	}
	for i := range n {
		size := t.Subgraphs / n
		if i < t.Subgraphs%n {
			size++
		}
		work := s.shardWork(t, i, float64(size))
		s.work += work
		copying := 0.0
		if c.Bandwidth > 0 {
			copying = (float64(float64(size)*t.Bytes) + t.ShardBytes) / c.Bandwidth
		}
		// While the last subgraph is processed, the other cores are idle (Graham, 1969, with the mean instead of the largest).
		onCores := work/float64(cores) + float64(work/float64(size)*(1-1/float64(cores)))
		s.seconds = append(s.seconds, c.ShardStart+copying+onCores)
	}
	for i := range machines {
		s.slowdowns = append(s.slowdowns, s.slowdown(i))
		s.idle = append(s.idle, machines-1-i)
	}
	return s
}

// epoch runs every shard once, in order. It returns false if attempts run out.
func (s *simulation) epoch() bool {
	s.now += s.JobStart
	for i := range slices.Backward(s.seconds) {
		s.queue = append(s.queue, i)
	}
	for left := len(s.seconds); left > 0; {
		for len(s.idle) > 0 && len(s.queue) > 0 {
			if s.left--; s.left < 0 {
				return false
			}
			s.begin()
		}
		e := heap.Pop(&s.pending).(event)
		s.now = max(s.now, e.at) // a machine may have become ready between epochs
		switch {
		case e.lost: // the shard goes back to the front, and the machine is replaced
			s.queue = append(s.queue, e.shard)
			s.replaced[e.machine]++
			s.slowdowns[e.machine] = s.slowdown(e.machine)
			heap.Push(&s.pending, event{at: s.now + s.Restart, machine: e.machine, shard: -1})
			continue
		case e.shard >= 0:
			left--
		}
		s.idle = append(s.idle, e.machine)
	}
	return true
}

// begin makes an idle machine begin the next shard.
func (s *simulation) begin() {
	m, i := s.idle[len(s.idle)-1], s.queue[len(s.queue)-1]
	s.idle, s.queue = s.idle[:len(s.idle)-1], s.queue[:len(s.queue)-1]
	took, loss := s.seconds[i]*s.slowdowns[m], math.Inf(1)
	if s.Loss > 0 {
		loss = s.source(drawLoss, i, s.attempts[i]).ExpFloat64() * 3600 / s.Loss
	}
	s.attempts[i]++
	heap.Push(&s.pending, event{at: s.now + min(took, loss), machine: m, shard: i, lost: loss < took})
	if loss < took {
		s.waste += loss
	}
}

// The kinds of draws. Each has its own random stream for each index.
const (
	drawWork = iota
	drawSpeed
	drawLoss
)

// source returns the random stream for one kind and index. Draws for shards do not depend on machines, and vice versa, so that
// plans are compared under the same circumstances.
func (s *simulation) source(what, index, attempt int) draw.Source {
	return draw.New(s.seed, elementary.Mix(elementary.Mix(elementary.Mix(uint64(what))+uint64(index))+uint64(attempt)))
}

// shardWork returns the core seconds of a shard of n subgraphs. The sum of independent costs with a heavy tail is drawn from
// the log-normal distribution of its mean and variance (Fenton, 1960).
func (s *simulation) shardWork(t *Task, shard int, n float64) float64 {
	mean, variance := n*t.Cost, math.Log1p(float64(t.CV*t.CV/n)+float64(t.ShardCV*t.ShardCV))
	if variance == 0 {
		return mean
	}
	return mean * math.Exp(float64(math.Sqrt(variance)*s.source(drawWork, shard, 0).NormFloat64())-float64(variance/2))
}

// slowdown returns the factor by which a machine is slow. Each replacement draws it again.
func (s *simulation) slowdown(machine int) float64 {
	if s.Slow > 0 && s.source(drawSpeed, machine, s.replaced[machine]).Float64() < s.Slow {
		return s.Slowdown
	}
	return 1
}

// event says that a machine is done with a shard, was lost with it, or, if shard is -1, is ready again.
type event struct {
	at      float64
	machine int
	shard   int
	lost    bool
}

// events is a heap of events by time, then by machine; a machine has at most one event.
type events []event

// Len returns the number of events.
func (q *events) Len() int { return len(*q) }

// Less orders events.
func (q *events) Less(i, k int) bool {
	a, b := &(*q)[i], &(*q)[k]
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.machine, b.machine)) < 0
}

// Swap exchanges two events.
func (q *events) Swap(i, k int) { (*q)[i], (*q)[k] = (*q)[k], (*q)[i] }

// Push appends an event.
func (q *events) Push(e any) { *q = append(*q, e.(event)) }

// Pop takes the last event.
func (q *events) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
