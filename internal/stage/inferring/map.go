package inferring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/internal/stage/run"
	"resolwe/kernels/ground"
	"resolwe/kernels/localsearch"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// MapMethod is a method of finding the most probable state.
type MapMethod uint8

// The methods of Map.
const (
	MapAuto   MapMethod = iota + 1 // exact for components of the ground network that allow it, search for others
	MapExact                       // exact; a component that is too large is an error
	MapSearch                      // search for every component of two or more atoms
)

// MapOptions are the parameters of Map. The zero value is valid.
type MapOptions struct {
	Method MapMethod // 0 for MapAuto
	Given  bool      // condition on the target atoms that the data state; by default all are free
	Sweeps int       // most moves tried per atom in all searches together, at least 1; 0 for 80,000. More never give a worse state
	Seed   uint64    // of all random numbers; 0 for 1
	Run    run.Run
}

// search returns the options of the search. The error is an *OptionError.
func (o *MapOptions) search() (localsearch.Options, error) {
	const most = 1 << 30 // sweeps
	out := localsearch.DefaultOptions()
	out.Sweeps = cmp.Or(o.Sweeps, out.Sweeps)
	switch {
	case o.Method > MapSearch:
		return out, &run.OptionError{Option: "MapOptions.Method", Reason: "one of the constants"}
	case out.Sweeps < 1 || out.Sweeps > most:
		return out, &run.OptionError{Option: "MapOptions.Sweeps", Reason: fmt.Sprintf("1 to %d", most)}
	}
	return out, nil
}

// Validate returns an *OptionError for the first option that is out of range.
func (o *MapOptions) Validate() error {
	_, err := o.search()
	return err
}

// MapState is the most probable state of a subgraph's query atoms, by predicate in the order of the model's schema, then by
// arguments. It may refer to the stream's memory, which is valid until the stream is closed.
type MapState struct {
	Subgraph string
	Index    int    // position in the stream
	X        []bool // by query atom
	// LogWeight is the sum over the soft formulas of weight times count, with the counts that Counts would give for this state.
	LogWeight float64
	Searched  int      // atoms whose state was found by search; 0 if no other state is more probable
	Broken    []Broken // violated hard formulas, in the model's order

	run.QueryAtoms
}

// Broken is a hard formula that a state violates.
type Broken struct {
	Formula    *mln.Formula
	Groundings int64 // violated groundings
}

// Map is resolwe.Map, except that it passes results to emit, whose error ends it.
func Map(ctx context.Context, m *run.Model, s *run.Stream, opt MapOptions, emit func(*MapState) error) error {
	s, err := m.On(s)
	if err = cmp.Or(err, run.NeedsCallback(emit != nil)); err != nil {
		return err
	}
	search, err := opt.search()
	if err != nil {
		return err
	}
	search.Stop = func() error { return context.Cause(ctx) }
	infer := Options{Given: opt.Given}
	trace := opt.Run.NewTracer("map", m.Formulas)
	task := &mapTask{
		model: m, opt: &opt, search: search, trace: trace,
		newGrounder: func(p *ground.Program) *ground.Grounder { return opt.Run.TracedGrounder(ctx, p, trace) },
		program:     ground.Compile(m.Schema, m.Formulas, infer.Mode()),
		relaxed:     ground.Compile(m.Schema, relaxed(m.Formulas), infer.Mode()),
	}
	task.program.Constants, task.relaxed.Constants = true, true
	return run.Process(ctx, s, &opt.Run, task.worker, (*mapper).state, emit)
}

// relaxed returns the formulas with the hard ones negated and soft, which count violated groundings.
func relaxed(formulas []*mln.Formula) []*mln.Formula {
	out := make([]*mln.Formula, len(formulas))
	for i, f := range formulas {
		if out[i] = f; f.Hard {
			g := *f
			g.Hard, g.Body = false, &mln.Not{X: f.Body}
			out[i] = &g
		}
	}
	return out
}

// mapTask is what the workers share.
type mapTask struct {
	model            *run.Model
	opt              *MapOptions
	search           localsearch.Options
	program, relaxed *ground.Program
	trace            run.Tracer
	newGrounder      func(*ground.Program) *ground.Grounder
}

// mapper is a worker's memory.
type mapper struct {
	*mapTask
	grounder, relaxer *ground.Grounder // the latter is made when needed
	weights           []float64
	counts            []float64
	solver            localsearch.Solver
}

func (t *mapTask) worker() *mapper {
	solver := localsearch.Solver{Always: t.opt.Method == MapSearch, Never: t.opt.Method == MapExact}
	return &mapper{mapTask: t, grounder: t.newGrounder(t.program), solver: solver}
}

// state finds the most probable state of a subgraph.
func (w *mapper) state(sub *subgraph.Subgraph) (*MapState, error) {
	w.weights = grow.Zeroed(w.weights, len(w.model.Formulas))
	for i, f := range w.model.Formulas {
		if !f.Hard {
			w.weights[i] = f.Weight
		}
	}
	net, atoms, err := w.grounder.Ground(sub)
	var x []bool
	searched := 0
	if err == nil {
		w.trace.NoFormula()
		x = make([]bool, net.NumAtoms)
		var holds bool
		if searched, holds, err = w.solve(net, x, sub.Index); holds {
			return w.result(sub, atoms, searched, net, x), nil
		}
	}
	if e := (*loglinear.UnsatisfiableError)(nil); errors.As(err, &e) || errors.Is(err, ground.ErrViolated) {
		x, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	return w.broken(sub, searched, x)
}

// broken returns a state that violates few groundings of hard formulas: x, which a search over the given number of atoms found, or
// the best one if x is nil.
func (w *mapper) broken(sub *subgraph.Subgraph, searched int, x []bool) (*MapState, error) {
	if w.relaxer == nil {
		w.relaxer = w.newGrounder(w.relaxed)
	}
	net, atoms, err := w.relaxer.Ground(sub)
	if err != nil {
		return nil, err
	}
	w.trace.NoFormula()
	if x == nil {
		penalty := 1 + net.Span(w.weights)
		for i, f := range w.model.Formulas {
			if f.Hard {
				w.weights[i] = -penalty
			}
		}
		x = make([]bool, net.NumAtoms)
		if searched, _, err = w.solve(net, x, sub.Index); err != nil {
			return nil, err
		}
	}
	out := w.result(sub, atoms, searched, net, x)
	for i, f := range w.model.Formulas {
		if f.Hard && w.counts[i] > 0 {
			out.Broken = append(out.Broken, Broken{f, int64(w.counts[i])})
		}
	}
	return out, nil
}

// solve sets x to the most probable state of a network: see [localsearch.Solver.Solve].
func (w *mapper) solve(net *network.Network, x []bool, index int) (searched int, holds bool, err error) {
	return w.solver.Solve(net, w.weights, x, w.search, func(first uint32, try int) *rand.Rand {
		return run.RandomFor(run.ForMaximizing, cmp.Or(w.opt.Seed, 1)^uint64(first)*elementary.Golden, index, try)
	})
}

// result returns the MapState for a state of the network. It sets the counts.
func (w *mapper) result(sub *subgraph.Subgraph, atoms *ground.Atoms, searched int, net *network.Network, x []bool) *MapState {
	out := &MapState{
		Subgraph: sub.Name, Index: sub.Index, X: make([]bool, atoms.Len()), Searched: searched, QueryAtoms: run.QueryAtoms{Atoms: atoms},
	}
	w.counts = grow.Zeroed(w.counts, len(w.model.Formulas))
	loglinear.AddCounts(w.counts, net, x)
	for i, f := range w.model.Formulas {
		w.counts[i] += float64(net.Constant[i])
		if net.Scale != nil {
			w.counts[i] *= net.Scale[i]
		}
		if !f.Hard {
			out.LogWeight += float64(f.Weight * w.counts[i])
		}
	}
	for i := range out.X {
		if at, free := atoms.Free(i); free {
			out.X[i] = x[at]
		} else {
			out.X[i], _ = atoms.Fixed(i)
		}
	}
	return out
}
