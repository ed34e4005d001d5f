package resolwe

import (
	"context"
	"errors"
	"sync"

	"resolwe/format/subgraph"
	"resolwe/kernels/join"
	"resolwe/kernels/selection"
)

// A subgraph is large where it has so many times the bytes of the mean before it, and at least leastLarge: the work on
// it grows faster than its size, and one worker would be at it while the others have nothing left to do.
const (
	timesMean  = 4
	leastLarge = 1 << 17
)

// job is a subgraph to count, or a share of a large one.
type job struct {
	piece
	share  int
	counts *shared // nil for a whole subgraph
}

// shared is a subgraph that is counted in shares, and their counts.
type shared struct {
	buffer subgraph.Buffer // where it is read
	shares int
	claims join.Claims
	mu     sync.Mutex
	left   int
	sum    *selection.Part
}

// splitter hands out the subgraphs of a reading, large ones in as many shares as there are workers: more would repeat
// more of the work that every share does. It is not safe for concurrent use.
type splitter struct {
	reading *reading
	task    *selection.Task
	workers int
	read    int64 // subgraphs
	bytes   int64 // of these
	large   job   // with its next share
	free    chan *shared
}

// mostFree bounds the memory that is kept for further large subgraphs.
const mostFree = 2

func newSplitter(r *reading, task *selection.Task, workers int) *splitter {
	return &splitter{reading: r, task: task, workers: workers, free: make(chan *shared, mostFree)}
}

// begin returns memory for a large subgraph.
func (s *splitter) begin() *shared {
	var c *shared
	select {
	case c = <-s.free:
		c.sum.Clear()
	default:
		c = &shared{sum: s.task.NewPart()}
	}
	c.shares, c.left = s.workers, s.workers
	c.claims.Reset()
	return c
}

// end gives memory back.
func (s *splitter) end(c *shared) {
	select {
	case s.free <- c:
	default:
	}
}

// next returns the next job, and io.EOF at the end. first says that it is not the later share of a subgraph.
func (s *splitter) next(ctx context.Context) (j job, first bool, err error) {
	if c := s.large.counts; c != nil && s.large.share < c.shares {
		j = s.large
		s.large.share++
		return j, false, nil
	}
	p, err := s.reading.next(ctx)
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
		return job{piece: p}, true, nil
	}
	c := s.begin()
	if p.sub == nil { // once for all shares
		switch err := p.load(&c.buffer); {
		case s.reading.stream.opt.SkipDamaged && errors.Is(err, subgraph.ErrCorrupt):
			s.end(c)
			return job{piece: p}, true, nil // which the worker leaves out
		case err != nil:
			return job{}, false, err
		}
	}
	j = job{piece: p, counts: c}
	s.large = j
	s.large.share++
	return j, true, nil
}

// add counts a job of the splitter on a worker.
func (s *splitter) add(t *tally, j job, sub *subgraph.Subgraph) error {
	c := j.counts
	if c == nil {
		t.used++
		return t.Add(sub)
	}
	t.part.Clear()
	share := join.Share{Index: j.share, Of: c.shares, Claims: &c.claims}
	if err := t.AddPart(sub, share, t.part); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sum.Merge(t.part)
	if c.left--; c.left == 0 {
		t.used++
		t.AddCounted(c.sum)
		s.end(c)
	}
	return nil
}

// load reads the subgraph of a piece.
func (p *piece) load(b *subgraph.Buffer) (err error) {
	defer p.recoverFault(&err)
	sub, err := p.file.AtInto(b, p.record)
	if err == nil {
		p.sub = sub
	}
	return err
}

// tableBytes returns how large the tables of a subgraph are, without what it shares.
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
