package ground

import (
	"errors"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// Groundings are how many groundings a formula has in a subgraph. One that is beyond 2^63 - 1 is [TooMany].
type Groundings struct {
	All  int64 // bindings of all variables whose target atoms exist
	Held int64 // those of them in which the selector holds: each is a ground formula over target atoms
	// Most is a bound of the different ones among these: Held, or all bindings of the variables that target atoms share
	// where there are fewer.
	Most int64
}

// TooMany stands for a number beyond 2^63 - 1.
const TooMany = -1

// Forecaster counts groundings without listing them. It belongs to one goroutine.
type Forecaster struct {
	prog     *plan.Program
	scratch  *join.Scratch
	mode     Mode
	formulas []forecast
}

// forecast is a formula prepared for counting.
type forecast struct {
	all, held numbered
	most      *numbered // nil where a formula's selector is not all that it has of evidence
}

// numbered is a conjunction and the types of the variables that it lacks.
type numbered struct {
	query *plan.Query
	spare []int
}

// NewForecaster prepares formulas for counting in a mode, as [Compile] does for grounding.
func NewForecaster(schema *mln.Schema, formulas []*mln.Formula, mode Mode) *Forecaster {
	f := &Forecaster{prog: plan.NewProgram(schema), mode: mode}
	for _, formula := range formulas {
		f.formulas = append(f.formulas, f.prepare(formula))
	}
	f.scratch = join.NewScratch(f.prog)
	return f
}

func (f *Forecaster) prepare(formula *mln.Formula) forecast {
	schema := f.prog.Schema
	selector, rest, _ := split(schema, formula.Body)
	atoms := targets(schema, rest, nil)
	free := make([]int, formula.Free)
	for v := range free {
		free[v] = v
	}
	c := forecast{all: f.numbered(formula, nil, atoms, free), held: f.numbered(formula, selector, atoms, free)}
	if !grounded(schema, rest) {
		return c
	}
	var own []int
	eachTerm(rest, func(t mln.Term) {
		if t.Kind == mln.TermVariable && !slices.Contains(own, t.Var) {
			own = append(own, t.Var)
		}
	})
	most := f.numbered(formula, nil, atoms, own)
	c.most = &most
	return c
}

// grounded reports whether an expression is made of target atoms alone.
func grounded(schema *mln.Schema, e mln.Expr) bool {
	if a, ok := e.(*mln.Atom); ok {
		return schema.Predicates[a.Pred].Role.IsTarget()
	}
	op, kids := shape(e)
	return op != 0 && !slices.ContainsFunc(kids, func(k mln.Expr) bool { return !grounded(schema, k) })
}

// numbered prepares the number of bindings of some variables in which literals hold and target atoms exist.
func (f *Forecaster) numbered(formula *mln.Formula, lits []mln.Literal, atoms []*mln.Atom, vars []int) numbered {
	conj, binder := f.prog.Conjunction(formula.Vars[:formula.Free], lits)
	for _, a := range atoms {
		conj.Add(plan.Literal{Source: f.mode.source(), Pred: a.Pred, Args: binder.Args(a)})
	}
	n := numbered{query: f.prog.Query(conj, nil)}
	for _, v := range vars {
		if binder.Var(v) == plan.Arg(v) && !conj.Mentions(v) {
			n.spare = append(n.spare, formula.Vars[v].Type)
		}
	}
	return n
}

// Count returns the groundings of each formula in a subgraph, whose relations are in the order of the model's schema.
func (f *Forecaster) Count(sub *subgraph.Subgraph) []Groundings {
	f.scratch.Reset(sub)
	out := make([]Groundings, len(f.formulas))
	for i := range f.formulas {
		c, g := &f.formulas[i], &out[i]
		g.All, g.Held = f.total(&c.all), f.total(&c.held)
		g.Most = g.Held
		if c.most == nil {
			continue
		}
		if n := f.total(c.most); n != TooMany && (g.Held == TooMany || n < g.Held) {
			g.Most = n
		}
	}
	return out
}

// total returns a number of bindings.
func (f *Forecaster) total(n *numbered) (count int64) {
	err := f.scratch.Counting(func() error {
		factors := make([]int64, 0, len(n.spare)+len(n.query.Scalars)+1)
		for _, typ := range n.spare {
			factors = append(factors, int64(f.scratch.Size(typ)))
		}
		factors = f.factors(n.query, factors)
		if slices.Contains(factors, 0) { // however large the others are
			return nil
		}
		count = 1
		for _, k := range factors {
			count = join.Mul(count, k)
		}
		return nil
	})
	if errors.Is(err, join.ErrOverflow) {
		return TooMany
	}
	return count
}

// factors appends the factors of a query's number of bindings.
func (f *Forecaster) factors(q *plan.Query, dst []int64) []int64 {
	switch {
	case !q.Reduced:
		found := int64(0)
		f.scratch.Enumerate(q, true, func(_ []uint32, k int64) bool {
			found = k
			return true
		})
		return append(dst, found)
	case !f.scratch.Guards(q.Conj):
		return append(dst, 0)
	}
	for _, id := range q.Scalars {
		dst = append(dst, f.scratch.Count(id))
	}
	return dst
}

// Factored reports whether the ground formulas of formula i are grounded, in a subgraph, through the entities that their
// atoms meet in, so that there need not be a term for each pair of atoms.
func (p *Program) Factored(i int, sub *subgraph.Subgraph) bool {
	c := p.formulas[i]
	if c.factor == nil {
		return false
	}
	hubs := sub.Domains[c.factor.hub].Size
	for out := range c.factor.left.out {
		if hubs > maxHubs {
			return false
		}
		hubs *= c.values(p.prog.Schema, sub, out)
	}
	return hubs <= maxHubs
}

// values returns the most values that an output may have, as listed targets have them.
func (c *compiled) values(schema *mln.Schema, sub *subgraph.Subgraph, out int) int {
	n := sub.Domains[c.query.Conj.Types[c.query.Outputs[out]]].Size
	for _, s := range c.slots {
		if schema.Predicates[s.pred].Role != mln.RoleListed {
			continue
		}
		for k, a := range s.args {
			if a == plan.Arg(out) {
				n = min(n, distinct(&sub.Relations[s.pred], k))
			}
		}
	}
	return n
}

// distinct returns how many entities stand in a column of a relation.
func distinct(r *subgraph.Relation, col int) int {
	seen := map[uint32]struct{}{}
	for _, t := range []*subgraph.Table{&r.True, &r.False, &r.Unknown} {
		for i := range t.Len() {
			if v := t.Cols[col][i]; i == 0 || v != t.Cols[col][i-1] {
				seen[v] = struct{}{}
			}
		}
	}
	return len(seen)
}
