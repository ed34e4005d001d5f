package resolwe

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"runtime/pprof"
	"strings"

	"resolwe/format/subgraph"
	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat"
	"resolwe/pool"
)

// Run is how a computation is carried out, on which its results do not depend.
type Run struct {
	Workers  int       // goroutines that work on subgraphs, 0 for GOMAXPROCS
	Progress func(int) // called with the number of subgraphs that were done since the last call; may be nil
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

// with loads a piece and calls f with the subgraph, unless it is damaged and to be skipped. What goes wrong in f, a
// panic too, is a *SubgraphError.
func (s *Stream) with(p piece, f func(*subgraph.Subgraph) error) error {
	sub, err := s.load(p)
	if sub == nil || err != nil {
		return err
	}
	if err := caught(p.index, func() error { return f(sub) }); err != nil {
		return &SubgraphError{Name: sub.Name, Index: sub.Index, Err: err}
	}
	return nil
}

// caught turns a panic of f into an error.
func caught(index int, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &pool.PanicError{Item: uint64(index), Value: r, Stack: debug.Stack()}
		}
	}()
	return f()
}

// ordered runs work on each subgraph of a reading and hands the results to sink in stream order. Results of damaged
// subgraphs that are skipped are left out.
func ordered[Scratch, Result any](
	ctx context.Context, s *Stream, run *Run, keep func(int) bool, newScratch func() Scratch,
	work func(Scratch, *subgraph.Subgraph) (Result, error), sink func(Result) error,
) error {
	next, done, err := s.pieces(keep, nil)
	if err != nil {
		return err
	}
	defer done()
	type outcome struct {
		value Result
		ok    bool
	}
	return pool.Map(ctx, run.Workers, next, newScratch,
		func(_ context.Context, scratch Scratch, p piece) (out outcome, err error) {
			err = s.with(p, func(sub *subgraph.Subgraph) error {
				out.value, err = work(scratch, sub)
				out.ok = err == nil
				return err
			})
			return out, err
		},
		func(o outcome) error {
			run.progress(1)
			if !o.ok {
				return nil
			}
			return sink(o.value)
		})
}

// newLabels returns a function that marks the current goroutine's samples with the stage and the formula at work, nil
// where labels are off.
func newLabels(on bool, stage string, n int, formula func(int) string) func(int) {
	if !on {
		return nil
	}
	contexts := make([]context.Context, n)
	for i := range contexts {
		contexts[i] = pprof.WithLabels(context.Background(), pprof.Labels("stage", stage, "formula", formula(i)))
	}
	return func(i int) { pprof.SetGoroutineLabels(contexts[i]) }
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
		func(_ struct{}, sub *subgraph.Subgraph) (*subgraph.Subgraph, error) { return sub, nil }, visit)
}
