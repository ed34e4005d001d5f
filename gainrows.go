package resolwe

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/gain"
	"resolwe/kernels/ground"
	"resolwe/kernels/network"
	"resolwe/pool"
)

// gainTask is a selection by gain.
type gainTask struct {
	model     *Model
	opt       GainOptions
	run       Run
	targets   []*gainTarget
	batches   []gainBatch    // the candidates of one target literal, and what has a weight
	positions map[string]int // of the subgraphs whose rows were gathered
	tieable   bool           // whether there are candidates of several target literals
}

// gainTarget is a target predicate.
type gainTarget struct {
	pred       int
	candidates []*mln.Candidate // of one target literal, which is of the predicate
	options    gain.BuilderOptions
	sampled    bool // whether there are more rows
	matrix     *gain.Matrix
	result     *gain.Result   // nil without rows
	at         map[string]int // by name of a subgraph with rows, its place among them

	second *secondStage // nil where no formula of several target literals is selected
}

// gainBatch is formulas that are counted together. What they share is computed once, and takes memory until all are counted.
type gainBatch struct {
	program *ground.Program
	columns []gainColumn // by formula
}

// gainColumn is where the counts of a formula belong.
type gainColumn struct {
	target    int     // -1 for a formula that has a weight
	candidate uint32  // of the target
	weight    float64 // of a formula that has one, for each unit of its coefficients
}

// newGainTask compiles candidates.
func newGainTask(m *Model, candidates []*mln.Candidate, opt *SelectOptions) *gainTask {
	t := &gainTask{model: m, opt: opt.Gain, run: opt.Run}
	index := map[int]int{} // by predicate
	for pred, p := range m.Schema.Predicates {
		if p.Role.IsTarget() {
			index[pred] = len(t.targets)
			t.targets = append(t.targets, &gainTarget{pred: pred})
		}
	}
	var formulas []*mln.Formula
	var columns []gainColumn
	compile := func() {
		program := ground.Compile(m.Schema, formulas, ground.Learning)
		for i, s := range program.Scale() {
			columns[i].weight *= s
		}
		t.batches = append(t.batches, gainBatch{program, columns})
		formulas, columns = nil, nil
	}
	for _, c := range candidates {
		t.tieable = t.tieable || len(c.Enforcer) > 1
		if len(c.Enforcer) != 1 || len(c.Selector) == 0 {
			continue
		}
		target := index[c.Enforcer[0].Pred]
		to := t.targets[target]
		if len(formulas) == mostBatch {
			compile()
		}
		formulas = append(formulas, c.Joint())
		columns = append(columns, gainColumn{target, uint32(len(to.candidates)), 0}) // #nosec G115 -- a list's length
		to.candidates = append(to.candidates, c)
	}
	for _, f := range m.Formulas {
		if f.HasWeight && !f.Hard {
			formulas = append(formulas, f)
			columns = append(columns, gainColumn{-1, 0, f.Weight})
		}
	}
	compile()
	for _, to := range t.targets {
		to.options = gain.BuilderOptions{Seed: t.opt.Seed, Limit: t.opt.Rows}
		for _, c := range to.candidates {
			to.options.Thresholds = append(to.options.Thresholds, c.Comparable())
		}
	}
	return t
}

// unused returns a task of the same model that nothing was chosen for.
func (t *gainTask) unused() *gainTask {
	out := *t
	out.targets = slices.Clone(t.targets)
	for i, to := range t.targets {
		out.targets[i] = &gainTarget{pred: to.pred, candidates: to.candidates, options: to.options}
	}
	return &out
}

// GainRows are the query atoms that selection by gain goes by, and how often each candidate holds for them.
type GainRows struct {
	Builders  []*gain.Builder // by target predicate
	Positions map[string]int  // in the stream, of the subgraphs by name, of which some may have no rows
}

// newRows returns no rows.
func (t *gainTask) newRows() *GainRows {
	out := &GainRows{Positions: map[string]int{}}
	for _, to := range t.targets {
		out.Builders = append(out.Builders, gain.NewBuilder(len(to.candidates), to.options))
	}
	return out
}

// options returns those of the kernel.
func (t *gainTask) options(ctx context.Context) gain.Options {
	return gain.Options{
		Formulas: t.opt.Formulas, Depth: t.opt.Depth, Support: t.opt.Support, Shrink: t.opt.Shrink, Parsimony: t.opt.Parsimony,
		Run: t.parallel(), Stop: func() error { return context.Cause(ctx) },
	}
}

// parallel returns what runs tasks on the workers.
func (t *gainTask) parallel() func(n int, task func(int)) {
	workers := pool.NewHelpers(workerCount(t.run.Workers))
	workers.Begin()
	return workers.Run
}

// identify writes all that rows depend on beside what Selector.Identity writes anyway.
func (t *gainTask) identify(w io.Writer) {
	fmt.Fprintln(w, t.opt.Seed, t.opt.Rows)
	for _, f := range t.model.given() {
		fmt.Fprintln(w, mln.FormatRule(f))
	}
	for _, to := range t.targets {
		for _, c := range to.candidates {
			fmt.Fprintln(w, to.pred, mln.FormatFormula(c.Joint()))
		}
	}
}

// gathered is the rows of a subgraph, by target.
type gathered struct {
	name  string
	index int
	rows  []gain.Subgraph // nil where none is wanted
}

// gather counts on a stream.
func (t *gainTask) gather(ctx context.Context, s *Stream) (*SelectionCounts, error) {
	counts := &SelectionCounts{Rows: t.newRows()}
	builders := counts.Rows.Builders
	newGrounder := func(p *ground.Program) *ground.Grounder { return t.run.newGrounder(ctx, p, nil) }
	newCounter := func() *gainCounter { return &gainCounter{gainTask: t, newGrounder: newGrounder} }
	var mu sync.RWMutex // of the builders
	wanted := func(name string) bool {
		mu.RLock()
		defer mu.RUnlock()
		return slices.ContainsFunc(builders, func(b *gain.Builder) bool { return b.Wants(name) })
	}
	work := func(c *gainCounter, sub *subgraph.Subgraph) (*gathered, error) {
		out := &gathered{name: strings.Clone(sub.Name), index: sub.Index}
		if !wanted(sub.Name) {
			return out, nil
		}
		var err error
		out.rows, err = c.count(out.name, sub)
		return out, err
	}
	err := Process(ctx, s, &t.run, newCounter, work, func(got *gathered) error {
		mu.Lock()
		defer mu.Unlock()
		counts.Subgraphs++
		if got.rows == nil {
			return nil
		}
		counts.Rows.Positions[got.name] = got.index
		for i, b := range builders {
			if err := b.Add(&got.rows[i]); err != nil {
				return err
			}
		}
		return nil
	})
	counts.Skipped = uint64(s.Skipped())
	return counts, err
}

// gainCounter counts on subgraphs, for one goroutine.
type gainCounter struct {
	*gainTask
	newGrounder func(*ground.Program) *ground.Grounder
	grounder    *ground.Grounder // of the only batch
}

// count returns the rows of a subgraph, by target.
func (c *gainCounter) count(name string, sub *subgraph.Subgraph) ([]gain.Subgraph, error) {
	out := make([]gain.Subgraph, len(c.targets))
	for i := range c.batches {
		b := &c.batches[i]
		g := c.grounder
		if g == nil {
			g = c.newGrounder(b.program)
		}
		net, atoms, err := g.Ground(sub)
		if err != nil {
			return nil, err
		}
		b.addTo(out, name, c.targets, net, atoms)
		if len(c.batches) == 1 { // else the memory of one batch is not kept beside that of another
			c.grounder = g
		}
	}
	return out, nil
}

// addTo adds what a network counts to rows, by target.
func (b *gainBatch) addTo(out []gain.Subgraph, name string, targets []*gainTarget, net *network.Network, atoms *ground.Atoms) {
	data := atoms.Data()
	for i, to := range targets {
		lo, hi := atoms.FreeOf(to.pred)
		s := &out[i]
		s.Name, s.Truth = name, data[lo:hi]
		if atoms.Sub.Fold >= 0 {
			s.Group = strconv.Itoa(atoms.Sub.Fold)
		}
		for a := lo; a < hi; a++ {
			for _, c := range net.Unary[net.UnaryStart[a]:net.UnaryStart[a+1]] {
				switch column := b.columns[c.Formula]; {
				case column.target == i:
					cell := gain.Cell{Atom: uint32(a - lo), Candidate: column.candidate, Count: max(c.Mult, -c.Mult)} // #nosec G115 -- below 2^31
					s.Cells = append(s.Cells, cell)
				case column.target < 0:
					if s.Offset == nil {
						s.Offset = make([]float64, hi-lo)
					}
					s.Offset[a-lo] += float64(column.weight * float64(c.Mult))
				}
			}
		}
	}
}

// choose selects on rows, which are not to be used any more.
func (t *gainTask) choose(ctx context.Context, rows *GainRows) error {
	t.positions = rows.Positions
	for i, to := range t.targets {
		var err error
		to.sampled = rows.Builders[i].Sampled()
		if to.matrix, err = rows.Builders[i].Matrix(); err != nil {
			return err
		}
		if to.matrix.Rows() == 0 {
			continue
		}
		to.at = make(map[string]int, to.matrix.Subgraphs())
		for i, name := range to.matrix.Names() {
			to.at[name] = i
		}
		if to.result, err = t.selected(ctx, to.matrix); err != nil {
			return err
		}
	}
	return nil
}

// selected returns a selection, or a model of all logarithms as one.
func (t *gainTask) selected(ctx context.Context, m *gain.Matrix) (*gain.Result, error) {
	if !t.opt.All {
		opt := t.options(ctx)
		if t.tieable {
			opt.Formulas -= t.mostTied()
		}
		return m.Select(opt)
	}
	opt := t.options(ctx)
	opt.Shrink = cmp.Or(opt.Shrink, allShrink)
	return m.Ridge(opt)
}

// rowsOf returns the first of a subgraph's rows, and their number.
func (t *gainTarget) rowsOf(name string) (first, n int) {
	i, ok := t.at[name]
	if !ok {
		return 0, 0
	}
	start := t.matrix.Start()
	return start[i], start[i+1] - start[i]
}

// formula returns the formula of a column.
func (t *gainTarget) formula(c *gain.Column) *mln.Formula {
	first := t.candidates[c.Literals[0].Candidate]
	once := len(c.Literals) == 1 && c.Literals[0].AtLeast == 1
	switch {
	case c.Kind == gain.KindLog && first.Local():
		return first.Shaped(mln.ShapeLog, 0)
	case c.Kind == gain.KindLog || once && !first.Local():
		return first.Joint()
	case once:
		return first.Shaped(mln.ShapeOnce, 0)
	}
	thresholds := make([]mln.Threshold, len(c.Literals))
	for i, l := range c.Literals {
		thresholds[i] = mln.Threshold{Candidate: t.candidates[l.Candidate], AtLeast: l.AtLeast, Negated: l.Negated}
	}
	return mln.AllOf(thresholds)
}

// without returns how many candidates have no grounding for any row.
func (t *gainTarget) without() (n int) {
	for c := range t.candidates {
		if !t.matrix.Occurs(c) {
			n++
		}
	}
	return n
}
