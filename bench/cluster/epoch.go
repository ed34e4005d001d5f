package cluster

import (
	"cmp"
	"container/heap"
	"slices"
)

// shard is a part of the work. The seconds are those on a machine that is not slow.
type shard struct {
	seconds  float64
	attempts int // begun, over all epochs
}

// machine works on one shard at a time.
type machine struct {
	slowdown     float64
	incarnations int
}

// event says that a machine is done with a shard, lost with it, or ready again where shard is -1.
type event struct {
	at      float64
	machine int
	shard   int
	lost    bool
}

// simulation is the state of a run. Between epochs it keeps the machines and the attempts.
type simulation struct {
	cluster  *Cluster
	draws    draws
	shards   []shard
	machines []machine
	now      float64 // seconds
	waste    float64 // machine seconds of attempts that were lost
	attempts int     // that may still be made

	queue   []int // shards to begin, the next one last
	idle    []int // machines
	pending events
}

// epoch runs every shard once, in order. It reports false where attempts run out.
func (s *simulation) epoch() bool {
	s.now += s.cluster.JobStart
	for i := range slices.Backward(s.shards) {
		s.queue = append(s.queue, i)
	}
	for left := len(s.shards); left > 0; {
		for len(s.idle) > 0 && len(s.queue) > 0 {
			if s.attempts == 0 {
				return false
			}
			s.attempts--
			s.begin()
		}
		e := heap.Pop(&s.pending).(event)
		s.now = max(s.now, e.at) // a machine may have become ready between epochs
		switch {
		case e.lost:
			s.lose(e)
			continue
		case e.shard >= 0:
			left--
		}
		s.idle = append(s.idle, e.machine)
	}
	return true
}

// begin lets an idle machine begin the next shard.
func (s *simulation) begin() {
	m := s.idle[len(s.idle)-1]
	i := s.queue[len(s.queue)-1]
	s.idle, s.queue = s.idle[:len(s.idle)-1], s.queue[:len(s.queue)-1]
	sh := &s.shards[i]
	took := sh.seconds * s.machines[m].slowdown
	loss := s.draws.loss(s.cluster, i, sh.attempts)
	sh.attempts++
	heap.Push(&s.pending, event{at: s.now + min(took, loss), machine: m, shard: i, lost: loss < took})
	if loss < took {
		s.waste += loss
	}
}

// lose puts a shard back in front, and has its machine replaced.
func (s *simulation) lose(e event) {
	s.queue = append(s.queue, e.shard)
	m := &s.machines[e.machine]
	m.incarnations++
	m.slowdown = s.draws.slowdown(s.cluster, e.machine, m.incarnations)
	heap.Push(&s.pending, event{at: s.now + s.cluster.Restart, machine: e.machine, shard: -1})
}

// events is a heap of events by time; those at one time go by machine, each of which has one event at most.
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
	last := len(*q) - 1
	e := (*q)[last]
	*q = (*q)[:last]
	return e
}
