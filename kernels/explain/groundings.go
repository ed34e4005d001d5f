package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/derive"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// Atom is a predicate over entities of a subgraph: a target atom or a stated fact.
type Atom struct {
	Pred int
	Args []uint32
}

// Finder finds the groundings of formulas that contain an atom. It belongs to one goroutine.
type Finder struct {
	schema   *mln.Schema
	derived  *derive.Relations
	scratch  *derive.Scratch
	formulas []finding
	given    *subgraph.Subgraph
	sub      *subgraph.Subgraph // with the derived relations
}

// finding is a formula whose groundings are to be found.
type finding struct {
	formula  *mln.Formula  // nil unless it is a conjunction of literals; others have no groundings to find
	literals []mln.Literal // with derived relations
	counts   []counting

	aggregates []aggregated
	measure    *derive.Measurer // of the aggregates, by the formula's free variables; nil if there are none
}

// aggregated is an aggregate whose value is reported.
type aggregated struct {
	name     string
	compared string // " >= 6.5"
}

// counting is a counting literal or aggregate that requires a minimum number of bindings.
type counting struct {
	count    *mln.Count
	literals []mln.Literal
	counted  []mln.Literal // of a share, with the part that is counted
	vars     []int         // the formula's free variables, then the listed and the inner ones
	least    int64
}

// NewFinder returns a finder for the formulas of a model. Groundings are found only for conjunctions of literals, and for implications of
// target literals by conjunctions.
func NewFinder(schema *mln.Schema, formulas []*mln.Formula) *Finder {
	x := &Finder{schema: schema, derived: derive.New(schema)}
	for _, f := range formulas {
		headed, ok := f.Headed(schema)
		if !ok {
			x.formulas = append(x.formulas, finding{})
			continue
		}
		rest, head := headed.Head()
		all := append(slices.Clip(rest), head)
		out := finding{formula: headed, literals: x.derived.Literals(headed, all)}
		free := make([]mln.Term, headed.Free)
		for i, v := range headed.FreeVariables() {
			free[i] = mln.Term{Kind: mln.TermVariable, Var: v}
		}
		var measured []derive.Item
		for _, l := range all {
			if c := l.Count; c != nil && c.Kind != mln.AggregateCount {
				compared := ""
				if c.Op != 0 {
					compared = fmt.Sprintf(" %v %s", c.Op, mln.FormatNumber(c.K))
				}
				name := strings.TrimSuffix(mln.FormatLiteral(mln.Literal{Count: c}, headed.Vars), compared)
				if l.Negated {
					compared = ", not" + compared
				}
				out.aggregates = append(out.aggregates, aggregated{name, compared})
				measured = append(measured, derive.Item{Vars: headed.Vars, Count: c, Head: free})
			}
			if c := l.Count; c != nil && !l.Negated && (c.Kind != mln.AggregateCount || c.Op == mln.AtLeast || c.Op == 0) {
				body, _ := c.Parts()
				counted := counting{
					count: c, literals: x.derived.Literals(headed, body), vars: slices.Concat(headed.FreeVariables(), c.Listed, c.Inner), least: int64(c.K),
				}
				if c.Kind == mln.AggregateShare {
					_, part := c.Parts()
					counted.counted = x.derived.Literals(headed, slices.Concat(body, part))
				}
				if c.Kind != mln.AggregateCount || c.Op == 0 {
					counted.least = 1 // without bindings it is false, or of another value
				}
				out.counts = append(out.counts, counted)
			}
		}
		if len(measured) > 0 {
			out.measure = derive.NewMeasurer(derive.NewMeasures(schema, measured))
		}
		x.formulas = append(x.formulas, out)
	}
	x.scratch = derive.NewScratch(x.derived)
	return x
}

// Reset sets the subgraph, of the model's schema, and keeps it. The error is that of derive.Scratch.Extend.
func (x *Finder) Reset(sub *subgraph.Subgraph) (err error) {
	x.given = sub.Complete(x.schema)
	x.sub, err = x.scratch.Extend(x.given)
	return err
}

// Find returns an atom by the names of its entities, false if the subgraph lacks one.
func (x *Finder) Find(pred int, names []string) (a Atom, ok bool) {
	a.Pred = pred
	for i, typ := range x.schema.Predicates[pred].Args {
		id, found := x.sub.Domains[typ].Names.Lookup(names[i])
		if !found {
			return a, false
		}
		a.Args = append(a.Args, id)
	}
	return a, true
}

// Names returns the names of an atom's entities.
func (x *Finder) Names(a Atom) []string {
	names := make([]string, len(a.Args))
	for i, typ := range x.schema.Predicates[a.Pred].Args {
		names[i] = x.sub.Domains[typ].Names.Name(a.Args[i])
	}
	return names
}

// aggregated returns the values of a formula's aggregates in a grounding.
func (x *Finder) aggregated(f *finding, grounding []uint32) (out []Binding) {
	if f.measure == nil {
		return nil
	}
	var atoms [][]uint32
	for _, id := range append(slices.Clip(grounding), 0) { // the last, of no variable, is there for a grounding without any
		atoms = append(atoms, []uint32{id})
	}
	values, _ := f.measure.Values(x.given, atoms) // Extend succeeded
	for i, a := range f.aggregates {
		b := Binding{a.name, "undefined"}
		if v := values[i][0]; !math.IsNaN(v) {
			b.Entity = mln.FormatNumber(v) + a.compared
		}
		out = append(out, b)
	}
	return out
}

// Groundings returns bindings of a formula's free variables for which the grounding exists, its non-target literals hold, and one of its
// target literals is over the atom. It returns the first ones, in order of the entities.
func (x *Finder) Groundings(formula int, atom Atom, limit int) [][]uint32 {
	f := &x.formulas[formula]
	if f.formula == nil {
		return nil
	}
	var out [][]uint32
	for i, l := range f.literals {
		if !x.isTarget(l) || l.Atom.Pred != atom.Pred {
			continue
		}
		literals := x.over(l.Atom.Args, atom)
		var exist []*mln.Atom
		for k, other := range f.literals {
			if !x.isTarget(other) {
				literals = append(literals, other)
			} else if k != i {
				exist = append(exist, other.Atom)
			}
		}
		out = append(out, x.solutions(f.formula.Vars[:f.formula.Free], literals, exist, f.formula.FreeVariables(), limit)...)
	}
	slices.SortFunc(out, slices.Compare[[]uint32])
	out = slices.CompactFunc(out, slices.Equal[[]uint32])
	return out[:min(limit, len(out))]
}

func (x *Finder) isTarget(l mln.Literal) bool {
	return l.Atom != nil && x.derived.Schema().Predicates[l.Atom.Pred].Role.IsTarget()
}

// over returns literals that equate arguments with those of an atom.
func (x *Finder) over(args []mln.Term, atom Atom) []mln.Literal {
	out := make([]mln.Literal, len(args))
	for i, a := range args {
		out[i] = mln.Literal{Equal: &mln.Equal{A: a, B: x.entity(a.Type, atom.Args[i])}}
	}
	return out
}

// entity returns an entity as a term.
func (x *Finder) entity(typ int, id uint32) mln.Term {
	return mln.Term{Kind: mln.TermConstant, Name: x.sub.Domains[typ].Names.Name(id), Type: typ}
}

// solutions returns bindings of the wanted variables, in order of the entities, that extend to solutions of the literals in which the
// target atoms exist. A binding is by variable, 0 for the others.
func (x *Finder) solutions(vars []mln.Variable, literals []mln.Literal, exist []*mln.Atom, wanted []int, limit int) [][]uint32 {
	prog := plan.NewProgram(x.derived.Schema())
	conj, binder := prog.Conjunction(vars, literals)
	for _, a := range exist {
		conj.Add(plan.Literal{Source: plan.SourceAll, Pred: a.Pred, Args: binder.Args(a)})
	}
	var outputs []int
	at := make([]plan.Arg, len(wanted))
	for i, v := range wanted {
		at[i] = binder.Output(&outputs, v)
	}
	query := prog.Query(conj, outputs)
	scratch := join.NewScratch(prog)
	scratch.Reset(x.sub)
	var out [][]uint32
	scratch.Enumerate(query, false, func(found []uint32, _ int64) bool {
		binding := make([]uint32, len(vars))
		for i, v := range wanted {
			if at[i].IsVar() {
				binding[v] = found[at[i]]
			} else {
				binding[v] = uint32(scratch.Const(at[i])) // #nosec G115 -- a guard ensures that it exists
			}
		}
		out = append(out, binding)
		return len(out) < limit
	})
	return out
}
