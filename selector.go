package resolwe

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"sync"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/selection"
	"resolwe/pool"
)

// Selector evaluates the candidates of a model on parts of a stream, for a selection that is cut up: wherever the parts
// lie, and in whatever order their counts are added, Select gives the Selection of the function Select on the whole.
// Its methods may be called by several goroutines, whose workers keep their memory from one call to the next.
type Selector struct {
	model      *Model
	opt        SelectOptions
	task       *selection.Task
	candidates []*mln.Candidate
	warnings   []mln.Diagnostic
	identity   string

	mu   sync.Mutex
	idle []*tally // with totals of 0
}

// NewSelector compiles the candidates of a model. The errors are those of the function Select.
func NewSelector(m *Model, opt SelectOptions) (*Selector, error) {
	if err := m.predicts(); err != nil {
		return nil, err
	}
	if err := opt.validate(); err != nil {
		return nil, err
	}
	task := m.task
	if !m.asRead() {
		task = &mln.Model{Schema: *m.Schema, Formulas: m.Formulas}
	}
	candidates, warnings, err := mln.Candidates(task)
	if err != nil {
		return nil, err
	}
	compiled, err := selection.Compile(m.Schema, candidates, opt.Criterion)
	if err != nil {
		return nil, err
	}
	out := &Selector{model: m, opt: opt, task: compiled, candidates: candidates, warnings: warnings}
	out.identity = out.digest()
	return out, nil
}

// digest stands for all that counts depend on beside the stream.
func (s *Selector) digest() string {
	h := sha256.New()
	for i := range s.model.Schema.Predicates {
		fmt.Fprintln(h, describe(s.model.Schema, i))
	}
	for _, constants := range s.model.Constants {
		fmt.Fprintf(h, "%q\n", constants)
	}
	for _, c := range s.candidates {
		fmt.Fprintln(h, mln.FormatFormula(c.Formula))
	}
	fmt.Fprintln(h, s.opt.Criterion)
	return sum(h)
}

// Candidates returns the candidates that are counted, merged up to renaming of variables, in the model's order.
func (s *Selector) Candidates() []*mln.Candidate { return s.candidates }

// Count counts on all subgraphs of a stream, opened for the selector's model; the options' number of subgraphs has no
// effect.
func (s *Selector) Count(ctx context.Context, stream *Stream) (*SelectionCounts, error) {
	if err := s.model.check(stream); err != nil {
		return nil, err
	}
	return s.count(ctx, stream, nil, math.MaxInt)
}

// count counts on the subgraphs at positions before end, of those that keep accepts where it is not nil, on every worker
// by itself.
func (s *Selector) count(ctx context.Context, stream *Stream, keep func(int) bool, end int) (*SelectionCounts, error) {
	r, err := stream.read(keep, end)
	if err != nil {
		return nil, err
	}
	defer r.close()
	run := s.opt.Run
	formulas := make([]*mln.Formula, len(s.candidates))
	for i, c := range s.candidates {
		formulas[i] = c.Formula
	}
	trace := run.newTracer("select", formulas)
	jobs := newSplitter(r, s.task, workerCount(run.Workers))
	add := func(_ context.Context, t *tally, j job) error {
		return stream.within(&t.memory, j.piece, func(sub *subgraph.Subgraph) error { return jobs.add(t, j, sub) })
	}
	next := func(ctx context.Context) (job, error) {
		j, first, err := jobs.next(ctx)
		if first {
			run.progress(1)
		}
		return j, err
	}
	tallies, err := pool.Reduce(ctx, run.Workers, next, func() *tally { return s.tally(trace) }, add)
	if err != nil {
		return nil, err
	}
	r.close() // which counts the damaged records at the end
	out := &SelectionCounts{Skipped: uint64(stream.Skipped()), identity: s.identity, sums: s.task.NewSums()}
	for _, t := range tallies {
		s.release(t, out)
	}
	return out, nil
}

// tally returns a worker's counts.
func (s *Selector) tally(trace tracer) *tally {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.idle)
	if n == 0 {
		t := &tally{Counter: selection.NewCounter(s.task), part: s.task.NewPart()}
		t.Trace = trace
		return t
	}
	t := s.idle[n-1]
	s.idle = s.idle[:n-1]
	t.Trace = trace
	return t
}

// release adds a worker's counts, and keeps its memory.
func (s *Selector) release(t *tally, to *SelectionCounts) {
	total := t.Work()
	to.Work.Add(total.Sub(t.work))
	to.Subgraphs += uint64(t.used)
	_ = to.sums.Add(t.Totals) // of one task
	t.Totals, t.used, t.work = s.task.NewSums(), 0, total
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, t)
}

// Select decides on counts of the selector's model, of any process. The error is a *CountsError.
func (s *Selector) Select(c *SelectionCounts) (*Selection, error) {
	total := &SelectionCounts{identity: s.identity, sums: s.task.NewSums()}
	if err := total.Add(c); err != nil {
		return nil, err
	}
	out := &Selection{
		Subgraphs: int(total.Subgraphs), Threshold: s.opt.Threshold, Criterion: s.opt.Criterion, Warnings: s.warnings,
		Work: c.Work,
	}
	for i, candidate := range s.candidates {
		out.Candidates = append(out.Candidates, Scored{Candidate: candidate, Totals: total.sums[i]})
	}
	out.choose()
	return out, nil
}
