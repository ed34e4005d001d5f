package gain

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/derive"
	"resolwe/kernels/features"
	"resolwe/kernels/ground"
	"resolwe/kernels/network"
)

// Task is the candidates with one target literal, compiled for counting on subgraphs, together with the formulas of given weights.
type Task struct {
	Targets []*Target // the target predicates
	schema  *mln.Schema
	batches []batch
}

// Target is a target predicate.
type Target struct {
	Pred       int
	Candidates []*mln.Candidate // with one target literal, of the predicate
	Measures   []int            // those that have a value instead of a count: aggregates whose bounds selection chooses

	items   []derive.Item        // by measure
	program *derive.Measures     // of the measures; nil if there are none
	valued  map[int]*mln.Formula // by measure: its mln.Candidate.Valued, nil for none
	about   map[int]int          // by candidate that compares or states a number: its measure
}

// batch is formulas that are counted together. Shared parts are computed once, and take memory until all are counted.
type batch struct {
	program *ground.Program
	places  []place // by formula
}

// mostBatch is the most formulas in a batch.
const mostBatch = 256

// place says where the counts of a formula go.
type place struct {
	target    int     // -1 for a formula that has a weight
	candidate uint32  // of the target
	weight    float64 // of a weighted formula, for each unit of its coefficients
}

// NewTask compiles candidates, except those with several target literals, and those formulas that have weights. With values, for
// Options.All, every candidate that has a value is measured, once for each value.
func NewTask(schema *mln.Schema, candidates []*mln.Candidate, formulas []*mln.Formula, values bool) *Task {
	t := &Task{schema: schema}
	for pred, p := range schema.Predicates {
		if p.Role.IsTarget() {
			t.Targets = append(t.Targets, &Target{Pred: pred, valued: map[int]*mln.Formula{}, about: map[int]int{}})
		}
	}
	var batched []*mln.Formula
	var places []place
	compile := func() {
		program := ground.Compile(schema, batched, ground.Learning)
		for i, s := range program.Scale() {
			places[i].weight *= s
		}
		t.batches = append(t.batches, batch{program, places})
		batched, places = nil, nil
	}
	seen := map[string]int{} // measures
	for _, c := range candidates {
		if len(c.Enforcer) != 1 || len(c.Selector) == 0 {
			continue
		}
		at := slices.IndexFunc(t.Targets, func(to *Target) bool { return to.Pred == c.Enforcer[0].Pred })
		to := t.Targets[at]
		switch {
		case values:
			if _, ok := to.addValue(schema, c, seen); ok {
				continue
			}
		case measured(c):
			to.addMeasure(schema, c, seen)
			continue
		default:
			to.addNumber(schema, c, seen)
		}
		if len(batched) == mostBatch {
			compile()
		}
		batched = append(batched, c.Joint())
		places = append(places, place{at, uint32(len(to.Candidates)), 0}) // #nosec G115 -- a list's length
		to.Candidates = append(to.Candidates, c)
	}
	for _, f := range formulas {
		if f.HasWeight && !f.Hard {
			batched, places = append(batched, f), append(places, place{-1, 0, f.Weight})
		}
	}
	compile()
	for _, to := range t.Targets {
		to.compile(schema)
	}
	return t
}

// Formula returns the formula of a column of counts.
func (t *Target) Formula(c *Column) *mln.Formula {
	switch c.Kind {
	case KindRank, KindRelative:
		return t.compares(c)
	case KindValue:
		return t.hasValue(c.Literals[0].Candidate)
	case KindRule, KindLog, KindExtra:
	}
	first, once := t.candidate(c.Literals[0]), len(c.Literals) == 1 && c.Literals[0].AtLeast == 1
	switch {
	case len(c.Literals) == 1 && t.isMeasure(c.Literals[0].Candidate) && !c.Literals[0].Negated:
		return first.Joint()
	case c.Kind == KindLog && first.Local():
		return first.Shaped(mln.ShapeLog, 0)
	case c.Kind == KindLog || once && !first.Local():
		return first.Joint()
	case once:
		return first.Shaped(mln.ShapeOnce, 0)
	}
	thresholds := make([]mln.Threshold, len(c.Literals))
	for i, l := range c.Literals {
		thresholds[i] = mln.Threshold{Candidate: t.candidate(l), AtLeast: l.AtLeast, Negated: l.Negated}
	}
	return mln.AllOf(thresholds)
}

// ranks returns the place of each candidate in ties: shorter ones come first, then those of the least canonical text.
func (t *Target) ranks() []int {
	text, order, ranks := map[*mln.Formula]string{}, make([]int, len(t.Candidates)), make([]int, len(t.Candidates))
	for i, c := range t.Candidates {
		if order[i] = i; text[c.Formula] == "" {
			text[c.Formula] = mln.Canonical(c.Formula)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := t.Candidates[a], t.Candidates[b]
		return cmp.Or(cmp.Compare(len(x.Selector), len(y.Selector)), strings.Compare(text[x.Formula], text[y.Formula]))
	})
	for rank, c := range order {
		ranks[c] = rank
	}
	return ranks
}

func (t *Target) isMeasure(candidate int) bool { return slices.Contains(t.Measures, candidate) }

// candidate returns the candidate of a literal; for a measure, with the literal's bound.
func (t *Target) candidate(l Literal) *mln.Candidate {
	c := t.Candidates[l.Candidate]
	switch {
	case !t.isMeasure(l.Candidate) || l.AtLeast == 0:
		return c
	case l.AtMost:
		return bounded(c, mln.AtMost, l.Bound)
	}
	return bounded(c, mln.AtLeast, l.Bound)
}

// Counter counts a task on subgraphs, for one goroutine.
type Counter struct {
	task        *Task
	newGrounder func(*ground.Program) *ground.Grounder
	grounder    *ground.Grounder   // of the only batch
	scratches   []*derive.Measurer // by target; nil if it has no measures
	stop        func() error
}

// NewCounter returns a counter.
func (t *Task) NewCounter(newGrounder func(*ground.Program) *ground.Grounder) *Counter {
	return &Counter{task: t, newGrounder: newGrounder, scratches: make([]*derive.Measurer, len(t.Targets))}
}

// Count returns the rows of a subgraph, by target. The error is that of ground.Grounder.Ground.
func (c *Counter) Count(sub *subgraph.Subgraph) ([]features.Subgraph, error) {
	out, name, facts := make([]features.Subgraph, len(c.task.Targets)), strings.Clone(sub.Name), 0
	for i, p := range c.task.schema.Predicates {
		if !p.Role.IsTarget() {
			facts += sub.Facts(i)
		}
	}
	for i := range c.task.batches {
		b := &c.task.batches[i]
		g := c.grounder
		if g == nil {
			g = c.newGrounder(b.program)
		}
		net, atoms, err := g.Ground(sub)
		if err != nil {
			return nil, err
		}
		for i, to := range c.task.Targets {
			out[i].Name, out[i].Facts = name, facts
			if b == &c.task.batches[0] {
				out[i].Clusters = clusters(atoms, to.Pred)
			}
			add(&out[i], b.places, i, to.Pred, net, atoms)
		}
		if b == &c.task.batches[0] {
			c.stop = g.Stop
			for i := range out {
				if out[i].Values, err = c.measure(i, atoms); err != nil {
					return nil, err
				}
			}
		}
		if len(c.task.batches) == 1 { // otherwise the memory of one batch is released before the next
			c.grounder = g
		}
	}
	return out, nil
}

// clusters returns the first argument of the free atoms of a predicate that differs between them, which that of a center does not.
func clusters(atoms *ground.Atoms, pred int) []uint32 {
	for _, ids := range atoms.Columns(pred) {
		if slices.ContainsFunc(ids, func(id uint32) bool { return id != ids[0] }) {
			return ids
		}
	}
	return nil
}

// add adds the counts in a network for a target.
func add(s *features.Subgraph, places []place, target, pred int, net *network.Network, atoms *ground.Atoms) {
	lo, hi := atoms.FreeOf(pred)
	s.Truth = atoms.Data()[lo:hi]
	s.Time = atoms.Sub.Time
	if atoms.Sub.Fold >= 0 {
		s.Group = strconv.Itoa(atoms.Sub.Fold)
	}
	s.Cells = slices.Grow(s.Cells, int(net.UnaryStart[hi]-net.UnaryStart[lo]))
	for a := lo; a < hi; a++ {
		for _, c := range net.Unary[net.UnaryStart[a]:net.UnaryStart[a+1]] {
			switch p := places[c.Formula]; {
			case p.target == target:
				cell := features.Cell{Atom: uint32(a - lo), Candidate: p.candidate, Count: max(c.Mult, -c.Mult)} // #nosec G115 -- below 2^31
				s.Cells = append(s.Cells, cell)
			case p.target < 0:
				if s.Offset == nil {
					s.Offset = make([]float64, hi-lo)
				}
				s.Offset[a-lo] += float64(p.weight * float64(c.Mult))
			}
		}
	}
}
