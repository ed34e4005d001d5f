package resolwe

import (
	"context"
	"errors"
	"sync"

	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/kernels/derive"
	"resolwe/kernels/join"
	"resolwe/kernels/selection"
	"resolwe/pool"
)

// A subgraph is large where it has so many times the bytes of the mean before it, and at least leastLarge: the work on
// it grows faster than its size, and one worker would be at it while the others have nothing left to do.
const (
	timesMean  = 4
	leastLarge = 1 << 17
)

// job is a subgraph to count, or a part of a large one.
type job struct {
	handle
	part   int
	counts *divided // nil for a whole subgraph
}

// divided is a subgraph that is counted in parts, and their counts.
type divided struct {
	buffer rsg.Buffer // where it is read
	parts  int
	steps  pool.Steps
	mu     sync.Mutex
	left   int
	sum    *selection.Counts

	projection projection // of the subgraph, for all parts
	deriver    *derive.Scratch
	extended   *subgraph.Subgraph // with the derived relations; nil until the first part needs it
}

// splitter hands out the subgraphs of a stream, large ones in as many parts as there are workers: more would repeat
// more of the work that every part does. It is not safe for concurrent use.
type splitter struct {
	iterator *iterator
	task     *selection.Task
	workers  int
	read     int64 // subgraphs
	bytes    int64 // of these
	large    job   // with its next part
	free     chan *divided
}

// mostFree bounds the memory that is kept for further large subgraphs.
const mostFree = 2

func newSplitter(r *iterator, task *selection.Task, workers int) *splitter {
	return &splitter{iterator: r, task: task, workers: workers, free: make(chan *divided, mostFree)}
}

// begin returns memory for a large subgraph.
func (s *splitter) begin() *divided {
	var c *divided
	select {
	case c = <-s.free:
		c.sum.Clear()
	default:
		c = &divided{sum: s.task.NewCounts(), deriver: s.task.NewDeriver()}
	}
	c.parts, c.left, c.extended = s.workers, s.workers, nil
	c.steps.Reset()
	return c
}

// end gives memory back.
func (s *splitter) end(c *divided) {
	select {
	case s.free <- c:
	default:
	}
}

// next returns the next job, and io.EOF at the end. first says that it is not the later part of a subgraph.
func (s *splitter) next(ctx context.Context) (j job, first bool, err error) {
	if c := s.large.counts; c != nil && s.large.part < c.parts {
		j = s.large
		s.large.part++
		return j, false, nil
	}
	p, err := s.iterator.next(ctx)
	if err != nil {
		return job{}, false, err
	}
	size := p.bytes
	if p.sub != nil {
		size = tableBytes(p.sub)
	}
	large := s.workers > 1 && size >= leastLarge && size*s.read > timesMean*s.bytes && s.read > 0
	s.read++
	s.bytes += size
	if !large {
		return job{handle: p}, true, nil
	}
	c := s.begin()
	if p.sub == nil { // once for all parts
		switch err := p.load(&c.buffer); {
		case s.iterator.stream.opt.SkipDamaged && errors.Is(err, subgraph.ErrCorrupt):
			s.end(c)
			return job{handle: p}, true, nil // which the worker leaves out
		case err != nil:
			return job{}, false, err
		}
	}
	j = job{handle: p, counts: c}
	s.large = j
	s.large.part++
	return j, true, nil
}

// derive returns the subgraph as the model sees it with the relations that its formulas derive. The first part makes them while
// the others wait.
func (c *divided) derive(p *handle) (*subgraph.Subgraph, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.extended != nil {
		return c.extended, nil
	}
	sub, err := p.schema.project(&c.projection, p.sub, p.Index)
	if err == nil {
		c.extended, err = c.deriver.Extend(sub)
	}
	return c.extended, err
}

// add counts a job of the splitter on a worker.
func (s *splitter) add(t *counter, j job, sub *subgraph.Subgraph) error {
	c := j.counts
	if c == nil {
		t.used++
		return t.Add(sub)
	}
	sub, err := c.derive(&j.handle)
	if err != nil {
		return err
	}
	t.part.Clear()
	partition := join.Partition{Of: c.parts, Backwards: j.part%2 == 1, Next: c.steps.Next}
	if err := t.CountPart(sub, partition, t.part); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sum.Merge(t.part)
	if c.left--; c.left == 0 {
		t.used++
		t.AddCounts(c.sum)
		s.end(c)
	}
	return nil
}

// load reads the subgraph of a handle.
func (p *handle) load(b *rsg.Buffer) (err error) {
	defer p.recoverFault(&err)
	sub, err := p.file.AtInto(b, p.record)
	if err == nil {
		p.sub = sub
	}
	return err
}

// tableBytes returns how large the tables of a subgraph are, without what it parts.
func tableBytes(s *subgraph.Subgraph) int64 {
	n := 0
	for i := range s.Relations {
		r := &s.Relations[i]
		for _, t := range []*subgraph.Table{&r.True, &r.False, &r.Unknown} {
			n += t.Len() * len(t.Cols)
			n += len(t.Forward.Offsets) + len(t.Backward.Offsets) + len(t.Backward.IDs)
		}
	}
	return 4 * int64(n)
}
