package resolwe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"runtime/pprof"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat"
	"resolwe/pool"
)

// Run is how a computation is carried out, on which its results do not depend.
type Run struct {
	Workers  int       // goroutines that work on subgraphs, 0 for GOMAXPROCS
	Progress func(int) // called with the number of subgraphs begun or done since the last call, one call at a time; may be nil
	Labels   bool      // mark samples of a CPU profile by stage and formula
}

func (r *Run) progress(n int) {
	if r.Progress != nil {
		r.Progress(n)
	}
}

// OptionError says that an option is out of its range.
type OptionError struct{ Option, Reason string }

// Error names the option.
func (e *OptionError) Error() string { return fmt.Sprintf("--%s: %s", e.Option, e.Reason) }

// ordered runs work on each subgraph of a reading, without the relations that it shares, and hands the results to sink in stream order. Results of damaged
// subgraphs that are skipped are left out.
func ordered[Scratch, Result any](
	ctx context.Context, s *Stream, run *Run, keep func(int) bool, newScratch func() Scratch,
	work func(Scratch, *subgraph.Subgraph) (Result, error), sink func(Result) error,
) error {
	r, err := s.read(keep, math.MaxInt)
	if err != nil {
		return err
	}
	defer r.close()
	type outcome struct {
		piece piece
		value Result
		ok    bool
	}
	attempt := func(_ context.Context, scratch Scratch, p piece) (outcome, error) {
		out := outcome{piece: p}
		err := s.withShared(p, func(sub *subgraph.Subgraph) (err error) {
			out.value, err = work(scratch, sub)
			out.ok = err == nil
			return err
		})
		return out, err
	}
	take := func(o outcome) (err error) {
		run.progress(1)
		if !o.ok {
			return nil
		}
		defer o.piece.recoverFault(&err)
		return sink(o.value)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // the sink reads names where they lie
	return pool.Map(ctx, run.Workers, r.next, newScratch, attempt, take)
}

// tracer marks the current goroutine's samples with the stage and the formula at work. nil marks nothing.
type tracer func(formula int)

// newTracer returns the tracer of a stage, nil where labels are off.
func (r *Run) newTracer(stage string, formulas []*mln.Formula) tracer {
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

// noFormula marks the work of a stage that belongs to no single formula.
func (t tracer) noFormula() {
	if t != nil {
		t(-1)
	}
}

// UnsatisfiableError says that the hard formulas of a subgraph have no solution, or that none was found.
type UnsatisfiableError struct {
	Constraint string // a ground constraint that the others leave violated
	Proven     bool
}

// Error gives the constraint.
func (e *UnsatisfiableError) Error() string {
	if e.Proven {
		return "the hard formulas have no solution; one constraint that the others violate: " + e.Constraint
	}
	return "no solution of the hard formulas was found; one constraint that stays violated: " + e.Constraint
}

// explained names the atoms of a constraint that has no solution.
func explained(err error, net *ground.Network, atoms *ground.Atoms) error {
	e := (*mcsat.UnsatisfiableError)(nil)
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

// Each visits the subgraphs of a stream in order, as the model sees them.
func Each(ctx context.Context, s *Stream, run Run, visit func(*subgraph.Subgraph) error) error {
	return ordered(ctx, s, &run, nil, func() struct{} { return struct{}{} },
		func(_ struct{}, sub *subgraph.Subgraph) (*subgraph.Subgraph, error) {
			return sub.Complete(s.model.Schema), nil
		}, visit)
}
