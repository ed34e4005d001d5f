package ground

import (
	"math"
	"math/bits"
	"slices"

	"resolwe/format/mln"
	"resolwe/internal/elementary"
	"resolwe/internal/exactsum"
	"resolwe/kernels/derive"
	"resolwe/kernels/join"
	"resolwe/kernels/network"
	"resolwe/kernels/plan"
)

// heads counts groundings for each head atom of a formula with a shape.
type heads struct {
	// The groundings for which the evidence holds; nil if not needed.
	evidence *compiled
	// Those for which all but the head holds in the data; only in modes Counting and Heading.
	rest *compiled
}

// newHeads returns nil if a formula's own query suffices.
func newHeads(prog *plan.Program, c *compiled, mode Mode) *heads {
	h := &heads{}
	literals, head := c.formula.Head()
	var others []mln.Literal // target literals
	for _, l := range literals {
		if l.Atom != nil && prog.Schema.Predicates[l.Atom.Pred].Role.IsTarget() {
			others = append(others, l)
		}
	}
	count := func(source plan.Source, state bool) *compiled {
		of := &compiled{formula: c.formula, residual: head.Atom, atoms: []*mln.Atom{head.Atom}}
		conj, binder := prog.Conjunction(c.formula.Vars[:c.formula.Free], c.selector)
		for _, l := range others {
			if !state || l.Negated {
				conj.Add(plan.Literal{Source: source, Pred: l.Atom.Pred, Args: binder.Args(l.Atom)})
			}
			if state {
				conj.Add(plan.Literal{Source: plan.SourceTrue, Pred: l.Atom.Pred, Args: binder.Args(l.Atom), Negated: l.Negated})
			}
		}
		of.outputs(prog, conj, binder, variables(of.formula, of.residual))
		of.indexed = of.newIndexed(prog)
		return of
	}
	if c.formula.Shape == mln.ShapeMean {
		h.evidence = count(mode.source(), false)
	}
	if mode.fixes() {
		h.rest = count(mode.source(), true)
	} else if h.evidence == nil {
		return nil
	}
	return h
}

// scales returns the factors of formulas' counts, nil if all are 1.
func scales(formulas []*mln.Formula) []float64 {
	var out []float64
	for i, f := range formulas {
		if f.Shape == mln.ShapeNone || f.Shape == mln.ShapeOnce {
			continue
		}
		if out == nil {
			out = make([]float64, len(formulas))
			for k := range out {
				out[k] = 1
			}
		}
		out[i] = network.Unit
	}
	return out
}

// worth returns the contribution of n groundings of one head atom to the formula's count.
func (c *compiled) worth(n int64) int64 {
	switch c.formula.Shape {
	case mln.ShapeOnce:
		return min(n, 1)
	case mln.ShapeLog:
		return int64(math.Round(network.PerUnit * elementary.Log2(1+float64(n))))
	case mln.ShapeNone, mln.ShapeMean, mln.ShapeRank, mln.ShapeRelative:
	}
	return n
}

// mostShares exceeds the sum of the shares of a few heads; those of one head sum to 1.
const mostShares = 1 << 52

// shares say what the current formula's groundings contribute for their heads.
type shares struct {
	among  []int64    // by query atom: the number of groundings for which the evidence holds
	times  int64      // factor of all numbers of groundings
	memory [2][]int64 // of rows of pairs
}

// share returns the contribution of n of the m groundings of a head: n times that of one, so that it does not depend on how groundings are
// grouped. With very many groundings, whose rounding would add up, n of them are rounded once.
func (s *shares) share(n, m int64) int64 {
	n = join.Mul(n, s.times)
	if m <= manyShares {
		return join.Mul(n, (network.PerUnit+m/2)/max(m, 1))
	}
	high, low := bits.Mul64(uint64(n), network.PerUnit)
	low, carry := bits.Add64(low, uint64(m/2), 0)
	if high += carry; high >= uint64(m) { // of an atom that does not exist
		return 0
	}
	share, _ := bits.Div64(high, low, uint64(m))
	return int64(share)
}

const (
	manyShares    = 1 << 20 // of one head
	mostRoundings = 1 << 22 // that may add up for one head
)

// dataValue returns the value of the current formula on the data.
func (g *Grounder) dataValue() float64 {
	h, sum := g.c.heads, 0.0
	_, head := g.c.formula.Head()
	totals := map[int]int64{} // by atom: groundings for which the evidence holds
	if h.evidence != nil {
		g.eachAtom(h.evidence, 1, func(atom int, m int64) { totals[atom] = m })
	}
	g.eachAtom(h.rest, 1, func(atom int, n int64) {
		switch {
		case (g.atoms.free[atom] == fixedTrue) == head.Negated:
		case g.c.formula.Shape == mln.ShapeMean:
			sum += float64(n) / float64(totals[atom])
		case g.c.formula.Shape == mln.ShapeLog:
			sum += elementary.Log2(1 + float64(n))
		default:
			sum++
		}
	})
	return sum
}

// HeadCount is the number of groundings that an atom has as the head of a formula.
type HeadCount struct {
	Atom int   // query atom
	N    int64 // number of groundings whose rest holds in the data, above 0
}

// Heads returns, after Ground in mode Heading, the head atoms of a formula's groundings in which the rest holds in the data and, with
// ShapeMean, those in which the evidence holds. Both are borrowed until the next call of Ground. The formula is a conjunction of literals;
// its head is the last one, of a target.
func (g *Grounder) Heads(formula int) (rest, evidence []HeadCount) {
	h := g.heads[formula]
	return h[0], h[1]
}

// headCounts are what Heads returns.
type headCounts [2][]HeadCount

// countHeads computes the result of Heads for the current formula.
func (g *Grounder) countHeads(to *headCounts) {
	for k, of := range [...]*compiled{g.c.heads.rest, g.c.heads.evidence} {
		if of != nil {
			g.eachAtom(of, 1, func(atom int, n int64) { to[k] = append(to[k], HeadCount{atom, n}) })
		}
	}
}

// valued grounds a formula whose feature depends on a value of each atom, and perhaps on the mean of the values (mln.Formula.Phi).
type valued struct {
	head, rest *compiled // the head alone, and with the evidence whose groundings are counted; nil rest if a value is measured
	of, item   int       // the measured value: its place in Program.measures, and there
}

// measures are the values that formulas measure for the atoms of one predicate.
type measures struct {
	pred    int
	items   []derive.Item
	program *derive.Measures
}

// compileValued returns nil if a formula has another shape.
func (p *Program) compileValued(f *mln.Formula) *compiled {
	if !f.Compares() {
		return nil
	}
	rest, head := f.Head()
	bare := over(f, nil, head.Atom)
	if head.Negated {
		bare.Body = &mln.Not{X: bare.Body}
	}
	c := &compiled{formula: f, simple: true, valued: &valued{head: compile(p.prog, bare, p.mode)}}
	if !f.Measures() {
		literals := make([]mln.Expr, len(rest))
		for i, l := range rest {
			literals[i] = l.Expr()
		}
		c.valued.rest = compile(p.prog, p.derived.Formula(over(f, literals, head.Atom)), p.mode)
		return c
	}
	n, _, _ := f.Quantity(p.schema)
	of := slices.IndexFunc(p.measures, func(m measures) bool { return m.pred == head.Atom.Pred })
	if of < 0 {
		of = len(p.measures)
		p.measures = append(p.measures, measures{pred: head.Atom.Pred})
	}
	c.valued.of, c.valued.item = of, len(p.measures[of].items)
	p.measures[of].items = append(p.measures[of].items, derive.Item{Vars: f.Vars, Count: n, Head: head.Atom.Args})
	return c
}

// compare adds the current formula, which is valued.
func (g *Grounder) compare() error {
	f, v := g.c.formula, g.c.valued
	_, head := f.Head()
	first, end := g.atoms.Of(head.Atom.Pred)
	values, err := g.valuesOf(v, first, end)
	if err != nil {
		return err
	}
	var sum exactsum.Sum
	for _, x := range values {
		if !math.IsNaN(x) {
			sum.Add(x)
		}
	}
	if sum.Len() == 0 {
		return nil
	}
	mean := sum.Mean()
	g.eachAtom(v.head, 1, func(atom int, _ int64) {
		x := values[atom-first]
		if math.IsNaN(x) {
			return
		}
		phi := f.Phi(x, mean)
		switch n := int64(math.Round(network.PerUnit * phi)); {
		case g.p.mode == Counting && (g.atoms.free[atom] == fixedTrue) != head.Negated:
			g.shaped[g.i] += phi
		case !g.p.mode.fixes() && n != 0:
			g.addTimes(&v.head.form, atom, n)
		}
	})
	return nil
}

// valuesOf returns the values of a formula's query atoms, those from first up to end; NaN for undefined ones.
func (g *Grounder) valuesOf(v *valued, first, end int) ([]float64, error) {
	if v.rest != nil { // of all query atoms, whatever the mode, so that a mean is the same in all
		values := make([]float64, end-first)
		g.whole = true
		g.eachAtom(v.rest, 1, func(atom int, n int64) { values[atom-first] = elementary.Log2(1 + float64(n)) })
		g.whole = false
		return values, nil
	}
	m := &g.p.measures[v.of]
	if g.measured[v.of] == nil {
		if g.measurers[v.of] == nil {
			g.measurers[v.of] = derive.NewMeasurer(m.program)
			g.measurers[v.of].Stop(g.ended)
		}
		atoms := make([]int32, end-first)
		for i := range atoms {
			atoms[i] = int32(first + i) // #nosec G115 -- newAtoms numbers fewer
		}
		values, err := g.measurers[v.of].Values(g.atoms.Sub, g.atoms.columns(m.pred, atoms))
		if err != nil {
			return nil, err
		}
		g.measured[v.of] = values
	}
	return g.measured[v.of][v.item], nil
}
