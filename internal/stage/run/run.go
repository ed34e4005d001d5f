// Package run carries out a stage on a stream: it reads subgraphs, hands them to workers with scratch memory of their own, and passes results on
// in stream order, with progress, budgets, checkpoints and errors that name the subgraph. What a stage computes is in its own package.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"sync"

	"resolwe/format/mln"
	"resolwe/format/source"
	"resolwe/format/subgraph"
	"resolwe/kernels/ground"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
	"resolwe/pool"
)

// Run says how to carry out a computation. The results do not depend on it.
type Run struct {
	Workers  int       // goroutines that work on subgraphs, 0 for GOMAXPROCS
	Progress func(int) // called with the number of subgraphs begun or done since the last call, one call at a time; may be nil
	Labels   bool      // mark samples of a CPU profile by stage and formula

	// Tight, unless nil, reports whether memory is short; then subgraphs are processed one at a time. It may be called by several
	// goroutines.
	Tight func() bool

	// Watch, unless nil, returns the function that reports long groundings: see ground.Grounder. It is called for each worker.
	Watch func() func(Effort)
}

// Effort is the progress of grounding a formula in a subgraph.
type Effort = ground.Effort

// Parallel returns a function that runs tasks 0 to n-1 on the workers, of which its caller is one.
func (r *Run) Parallel() func(n int, task func(int)) {
	workers := pool.NewHelpers(WorkerCount(r.Workers))
	workers.Begin()
	return workers.Run
}

// NewGrounder returns a grounder for one worker, which ends with ctx.
func (r *Run) NewGrounder(ctx context.Context, p *ground.Program) *ground.Grounder {
	return r.TracedGrounder(ctx, p, nil)
}

// TracedGrounder is NewGrounder with a tracer, which may be nil.
func (r *Run) TracedGrounder(ctx context.Context, p *ground.Program, trace Tracer) *ground.Grounder {
	g := ground.NewGrounder(p)
	g.Trace, g.Stop = trace, func() error { return context.Cause(ctx) }
	if r.Watch != nil {
		g.Watch = r.Watch()
	}
	return g
}

// Silent returns the Run for a part of a computation whose progress is not counted.
func (r *Run) Silent() Run {
	silent := *r
	silent.Progress = nil
	return silent
}

// Advance reports that n more subgraphs were begun or done.
func (r *Run) Advance(n int) {
	if r.Progress != nil {
		r.Progress(n)
	}
}

// NeedsCallback returns an *OptionError unless a callback is there.
func NeedsCallback(callback bool) error {
	if callback {
		return nil
	}
	return errNoCallback
}

var errNoCallback = &OptionError{"callback", "it is nil: give a function"}

// OptionError says that an option, named as a field of its struct, is out of range.
type OptionError struct{ Option, Reason string }

// Error names the option.
func (e *OptionError) Error() string { return e.Option + ": " + e.Reason }

// SubgraphError is an error in the computation on one subgraph.
type SubgraphError struct {
	Name  string
	Index int // position in the stream
	Err   error
}

// Error names the subgraph.
func (e *SubgraphError) Error() string { return fmt.Sprintf("subgraph %s: %v", e.Name, e.Err) }

// Unwrap returns the cause.
func (e *SubgraphError) Unwrap() error { return e.Err }

// WorkerCount returns the number of goroutines for a value of Run.Workers.
func WorkerCount(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// Process runs work on each subgraph of a stream, without its shared relations (subgraph.Shared), and passes the results to sink in
// stream order. It uses several workers, each with its own scratch. Skipped damaged subgraphs have no result. The error is that of
// the first subgraph that fails after sink has received all results before its own: work is repeated, with new scratch, if it fails earlier.
func Process[Scratch, Result any](
	ctx context.Context, s *Stream, run *Run, newScratch func() Scratch,
	work func(Scratch, *subgraph.Subgraph) (Result, error), sink func(Result) error,
) error {
	if err := NeedsCallback(sink != nil); err != nil {
		return err
	}
	if s.domains == nil {
		s = s.settled(s.model.domains())
	}
	it, err := s.iterate()
	if err != nil {
		return err
	}
	defer it.Close()
	type outcome struct {
		handle source.Handle
		value  Result
		ok     bool
	}
	turns := pool.NewTurns(run.Tight)
	attempt := func(ctx context.Context, w *worker[Scratch], n numbered) (outcome, error) {
		out := outcome{handle: n.Handle}
		for {
			w.begin(ctx, turns, n.number, newScratch)
			first := turns.First(n.number)
			err := s.within(ctx, new(memory), n.Handle, func(sub *subgraph.Subgraph) (err error) {
				out.value, err = work(*w.scratch, sub)
				out.ok = err == nil
				return err
			})
			switch {
			case errors.Is(err, pool.ErrTurn):
			case first || ctx.Err() != nil || !errors.As(err, new(*SubgraphError)):
				return out, err
			default: // a subgraph that was read ahead: what sink has learned before its turn may make the failing work needless
				if turns.WaitFirst(ctx, n.number); ctx.Err() != nil {
					return out, err
				}
				w.scratch = nil
			}
		}
	}
	take := func(o outcome) (err error) {
		defer turns.Taken()
		run.Advance(1)
		if !o.ok {
			return nil
		}
		defer o.handle.RecoverFault(&err)
		return sink(o.value)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // the sink reads names in mapped memory
	newWorker := func() *worker[Scratch] { return &worker[Scratch]{} }
	if err := pool.Map(ctx, run.Workers, numbers(it), newWorker, attempt, take); err != nil {
		return err
	}
	return s.sources.Unchanged()
}

// Reduce runs fold on each subgraph of a stream, without its shared relations, with the accumulator of the worker that it runs on. It returns the
// accumulators in no particular order; so folding and merging must be associative and commutative (see pool.Reduce). Unless over is nil,
// it is asked before each subgraph is begun, and ends the iteration when it returns true.
func Reduce[Acc any](
	ctx context.Context, s *Stream, run *Run, over func() bool, newAcc func() Acc, fold func(Acc, *subgraph.Subgraph) error,
) ([]Acc, error) {
	it, err := s.iterate()
	if err != nil {
		return nil, err
	}
	defer it.Close() // which counts the damaged records at the end
	next := func(ctx context.Context) (source.Handle, error) {
		if over != nil && over() {
			return source.Handle{}, io.EOF
		}
		h, err := it.Next(ctx)
		if err == nil {
			run.Advance(1)
		}
		return h, err
	}
	type folder struct {
		acc    Acc
		memory memory // of the current subgraph
	}
	folders, err := pool.Reduce(ctx, run.Workers, next, func() *folder { return &folder{acc: newAcc()} },
		func(ctx context.Context, f *folder, h source.Handle) error {
			return s.within(ctx, &f.memory, h, func(sub *subgraph.Subgraph) error { return fold(f.acc, sub) })
		})
	if err = cmp.Or(err, s.sources.Unchanged()); err != nil {
		return nil, err
	}
	out := make([]Acc, len(folders))
	for i, f := range folders {
		out[i] = f.acc
	}
	return out, nil
}

// numbered is a subgraph with its index among those that are read.
type numbered struct {
	source.Handle

	number uint64
}

// numbers numbers the subgraphs of an iteration.
func numbers(it *source.Iterator) func(context.Context) (numbered, error) {
	next := uint64(0)
	return func(ctx context.Context) (numbered, error) {
		h, err := it.Next(ctx)
		next++
		return numbered{h, next - 1}, err
	}
}

// worker is the memory of a worker of Process.
type worker[Scratch any] struct {
	scratch *Scratch // nil for none yet
}

// stoppable is a scratch that repeatedly calls a function, whose error ends its work.
type stoppable interface{ StopWith(ask func() error) }

// begin waits until the worker may begin with a subgraph, and prepares the scratch. While memory is short it waits without a
// scratch.
func (w *worker[Scratch]) begin(ctx context.Context, turns *pool.Turns, number uint64, newScratch func() Scratch) {
	if turns.Short() {
		w.scratch = nil
	}
	turns.Wait(ctx, number)
	if w.scratch == nil {
		w.scratch = new(newScratch())
	}
	if s, ok := any(*w.scratch).(stoppable); ok {
		s.StopWith(func() error { return cmp.Or(context.Cause(ctx), turns.Ask(number)) })
	}
}

// Tracer labels the current goroutine's profile samples with the stage and the current formula. nil labels nothing.
type Tracer func(formula int)

// NewTracer returns the tracer of a stage, or nil if labels are off.
func (r *Run) NewTracer(stage string, formulas []*mln.Formula) Tracer {
	if !r.Labels {
		return nil
	}
	contexts := make([]context.Context, 0, 1+len(formulas))
	contexts = append(contexts, pprof.WithLabels(context.Background(), pprof.Labels("stage", stage)))
	for _, f := range formulas {
		contexts = append(contexts, pprof.WithLabels(contexts[0], pprof.Labels("formula", mln.FormatFormula(f))))
	}
	return func(i int) { pprof.SetGoroutineLabels(contexts[i+1]) }
}

// NoFormula labels the work of a stage that belongs to no single formula.
func (t Tracer) NoFormula() {
	if t != nil {
		t(-1)
	}
}

// QueryAtoms are the query atoms of a result.
type QueryAtoms struct{ Atoms *ground.Atoms }

// Len returns the number of query atoms.
func (q QueryAtoms) Len() int { return q.Atoms.Len() }

// Atom returns a query atom as text.
func (q QueryAtoms) Atom(i int) string { return q.Atoms.Name(i) }

// AppendAtom appends a query atom as text.
func (q QueryAtoms) AppendAtom(dst []byte, i int) []byte { return q.Atoms.AppendName(dst, i) }

// Args returns the predicate of a query atom, as an index in the model's schema, and the names of its arguments. These may refer to
// the stream's memory, which is valid until the stream is closed.
func (q QueryAtoms) Args(i int) (pred int, names []string) {
	pred, ids := q.Atoms.Args(i, nil)
	for k, id := range ids {
		names = append(names, q.Atoms.Sub.Domains[q.Atoms.Schema.Predicates[pred].Args[k]].Names.Name(id))
	}
	return pred, names
}

// Given reports whether an atom was conditioned on.
func (q QueryAtoms) Given(i int) bool {
	_, ok := q.Atoms.Fixed(i)
	return ok
}

// Truth returns the truth of an atom in the data.
func (q QueryAtoms) Truth(i int) subgraph.Truth { return q.Atoms.Truth(i) }

// UnsatisfiableError says that the hard formulas of a subgraph have no solution, or that none was found.
type UnsatisfiableError struct {
	Constraint string // a ground constraint that the others violate
	Proven     bool
}

// Error gives the constraint.
func (e *UnsatisfiableError) Error() string {
	if e.Proven {
		return "the hard formulas have no solution; one constraint that the others violate: " + e.Constraint
	}
	return "no solution of the hard formulas was found; one constraint that stays violated: " + e.Constraint
}

// Explained names the atoms of a constraint that cannot be satisfied.
func Explained(err error, net *network.Network, atoms *ground.Atoms) error {
	e := (*loglinear.UnsatisfiableError)(nil)
	if !errors.As(err, &e) {
		return err
	}
	var parts []string
	if e.Constraint < len(net.Clauses) {
		for _, l := range net.Clauses[e.Constraint] {
			sign := ""
			if l.Negated() {
				sign = "!"
			}
			parts = append(parts, sign+atoms.Name(atoms.Query(int(l.Atom()))))
		}
		return &UnsatisfiableError{strings.Join(parts, " v "), e.Proven}
	}
	for _, a := range e.Atoms {
		parts = append(parts, atoms.Name(atoms.Query(int(a))))
	}
	return &UnsatisfiableError{"a formula over " + strings.Join(parts, ", "), e.Proven}
}

// Each visits the subgraphs of a stream in order, as the model sees them. A subgraph is valid until visit returns; to keep it, see
// subgraph.Subgraph.Clone.
func Each(ctx context.Context, s *Stream, run Run, visit func(*subgraph.Subgraph) error) error {
	if err := NeedsCallback(visit != nil); err != nil {
		return err
	}
	type whole struct {
		sub    *subgraph.Subgraph
		memory *subgraph.Completion
	}
	free := sync.Pool{New: func() any { return new(subgraph.Completion) }}
	return Process(ctx, s, &run, func() struct{} { return struct{}{} },
		func(_ struct{}, sub *subgraph.Subgraph) (whole, error) {
			m := free.Get().(*subgraph.Completion)
			return whole{m.Of(sub, s.model.Schema), m}, nil
		}, func(w whole) error {
			defer free.Put(w.memory)
			return visit(w.sub)
		})
}

// Purpose is what random numbers are drawn for. The values are part of the results.
type Purpose uint64

// The purposes.
const (
	ForLearning Purpose = iota
	ForInferring
	ForMaximizing
)

// RandomFor returns the random numbers of a purpose, a subgraph's position and a pass or chain: they depend on nothing
// else, so that results do not depend on workers.
func RandomFor(what Purpose, seed uint64, index, round int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(what)<<60^uint64(index)<<24^uint64(round)))
}
