package ground

import (
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/derive"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// Groundings counts the groundings of a formula in a subgraph. Numbers beyond 2^63 - 1 are [TooMany].
type Groundings struct {
	All  int64 // bindings of all variables for which the target atoms exist
	Body int64 // those for which the selector holds: each is a ground formula over target atoms
	// Most bounds the number of distinct ones among these: Body or, if smaller, the number of bindings of the variables in target atoms,
	// which each have a term if the formula compares values.
	Most int64
}

// TooMany stands for a number beyond 2^63 - 1.
const TooMany = -1

// Forecaster counts groundings without listing them. It must not be used by several goroutines at once.
type Forecaster struct {
	derived  *derive.Relations
	derive   *derive.Scratch
	prog     *plan.Program // over the schema of derived
	scratch  *join.Scratch
	mode     Mode
	formulas []forecast
}

// forecast is a formula prepared for counting.
type forecast struct {
	all, body *total
	most      *total // nil if the formula has evidence outside its selector
	everyHead bool   // atoms without groundings have a term too
}

// NewForecaster prepares formulas for counting in a mode, as [Compile] does for grounding.
func NewForecaster(schema *mln.Schema, formulas []*mln.Formula, mode Mode) *Forecaster {
	f := &Forecaster{derived: derive.New(schema), mode: mode}
	f.prog = plan.NewProgram(f.derived.Schema())
	for _, formula := range formulas {
		f.formulas = append(f.formulas, f.prepare(f.derived.Formula(formula)))
	}
	f.derive = derive.NewScratch(f.derived)
	f.scratch = join.NewScratch(f.prog)
	return f
}

func (f *Forecaster) prepare(formula *mln.Formula) forecast {
	schema := f.prog.Schema
	selector, rest, _ := split(schema, formula.Body)
	atoms, _ := schema.Targets(rest)
	bindings := func(selector []mln.Literal, vars []int) *total {
		return newTotal(f.prog, f.mode, formula, selector, atoms, vars)
	}
	c := forecast{all: bindings(nil, formula.FreeVariables()), body: bindings(selector, formula.FreeVariables()), everyHead: formula.Compares()}
	if !grounded(schema, rest) {
		return c
	}
	c.most = bindings(nil, variables(formula, rest))
	return c
}

// grounded reports whether an expression consists of target atoms only.
func grounded(schema *mln.Schema, e mln.Expr) bool {
	if a, ok := e.(*mln.Atom); ok {
		return schema.Predicates[a.Pred].Role.IsTarget()
	}
	op, kids := shape(e)
	return op != 0 && !slices.ContainsFunc(kids, func(k mln.Expr) bool { return !grounded(schema, k) })
}

// Count returns the groundings of each formula in a subgraph, whose relations are in the order of the model's schema. If a relation cannot
// be derived, an error in [Grounder.Ground], they are TooMany.
func (f *Forecaster) Count(sub *subgraph.Subgraph) []Groundings {
	sub, err := f.derive.Extend(sub)
	if err != nil {
		return slices.Repeat([]Groundings{{TooMany, TooMany, TooMany}}, len(f.formulas))
	}
	f.scratch.Reset(sub)
	out := make([]Groundings, len(f.formulas))
	for i := range f.formulas {
		c, g := &f.formulas[i], &out[i]
		g.All, g.Body = f.total(c.all), f.total(c.body)
		g.Most = g.Body
		if c.most == nil {
			continue
		}
		if n := f.total(c.most); n != TooMany && (c.everyHead || g.Body == TooMany || n < g.Body) {
			g.Most = n
		}
	}
	return out
}

// Stop makes Count call ask now and then; after an error it returns soon, with meaningless results.
func (f *Forecaster) Stop(ask func() error) {
	f.scratch.Stop = ask
	f.derive.Stop(ask)
}

// total returns a number of bindings.
func (f *Forecaster) total(t *total) (count int64) {
	err := f.scratch.Counting(func() error {
		count = t.count(f.scratch)
		return nil
	})
	if err != nil {
		return TooMany
	}
	return count
}

// Factored reports whether formula i is grounded in a subgraph through the entities that its atoms share, which avoids a term for each pair
// of atoms.
func (p *Program) Factored(i int, sub *subgraph.Subgraph) bool {
	c := p.formulas[i]
	if c.factor == nil {
		return false
	}
	entities := sub.Domains[c.factor.entity].Size
	for out := range c.factor.left.out {
		if entities > maxEntities {
			return false
		}
		entities *= c.values(p.prog.Schema, sub, out)
	}
	return entities <= maxEntities
}

// values returns the largest number of values of an output in listed targets.
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

// distinct returns the number of distinct entities in a column of a relation.
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
