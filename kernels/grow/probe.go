package grow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"resolwe/format/mln"
)

// Probe is a kind of look-up in a relation, with one argument bound and all others free. It binds the argument to the center, to a
// constant, or to every entity of its type found before its hop, with a separate call for each.
type Probe struct {
	Pred  int    // the relation, as an index in the schema
	At    int    // the bound argument
	Bound string // "+" for all known entities, "@center", or = and a constant
	Hop   int    // from 1: it binds what probes of lower hops have found
}

// What a probe can bind, besides constants.
const (
	Known  = "+"
	Center = "@center"
)

// Pattern returns the text for each argument: Bound, or "-" if it is free.
func (p *Probe) Pattern(schema *mln.Schema) []string {
	out := slices.Repeat([]string{"-"}, len(schema.Predicates[p.Pred].Args))
	out[p.At] = p.Bound
	return out
}

// String returns the relation with its pattern, as in friends(+, -).
func (p *Probe) String(schema *mln.Schema) string {
	return fmt.Sprintf("%s(%s)", schema.Predicates[p.Pred].Name, strings.Join(p.Pattern(schema), ", "))
}

func compareProbes(p, o Probe) int {
	return cmp.Or(cmp.Compare(p.Hop, o.Hop), cmp.Compare(p.Pred, o.Pred), cmp.Compare(p.At, o.At), cmp.Compare(p.Bound, o.Bound))
}

// MostHops bounds the hop of a probe.
const MostHops = 8

// Plan is a set of probes, by hop, that together fetch all groundings of a candidate.
type Plan []Probe

const (
	mostTried = 4096 // leaves of the search for the plans of a candidate
	mostPlans = 12   // plans of a candidate
)

// Plans returns the ways to fetch a candidate's evidence, fewest probes first, none containing another. There are none if a variable cannot
// be reached from the head, the center and constants. Allowed says whether an argument of a relation may be bound; centers lists the types
// of which the center is an entity.
func Plans(schema *mln.Schema, c *mln.Candidate, centers []bool, allowed func(pred, at int) bool) []Plan {
	p := planner{schema: schema, centers: centers, allowed: allowed, hops: map[int]int{}, seen: map[string]bool{}}
	for _, q := range c.Enforcer {
		for _, t := range q.Args {
			if t.Kind == mln.TermVariable {
				p.hops[t.Var] = 0
			}
		}
	}
	for _, l := range c.Selector {
		p.collect(l.Expr(), false)
	}
	if len(p.items) > 16 {
		return nil
	}
	p.search(0, nil)
	slices.SortStableFunc(p.found, func(a, b Plan) int { return cmp.Compare(len(a), len(b)) })
	var out []Plan
	for _, plan := range p.found {
		covers := func(o Plan) bool {
			return !slices.ContainsFunc(o, func(x Probe) bool { return !slices.Contains(plan, x) })
		}
		if len(out) < mostPlans && !slices.ContainsFunc(out, covers) {
			out = append(out, plan)
		}
	}
	return out
}

// planner looks for the plans of a candidate.
type planner struct {
	schema  *mln.Schema
	centers []bool
	allowed func(pred, at int) bool
	items   []item
	hops    map[int]int // by variable: the hop that finds its entities
	done    []bool
	found   []Plan
	seen    map[string]bool
	tried   int
}

// item is an atom to fetch.
type item struct {
	atom    *mln.Atom
	negated bool // it binds no variable
}

// collect lists the atoms of an expression. Counted atoms are fetched, whatever the count is compared with.
func (p *planner) collect(x mln.Expr, negated bool) {
	switch y := x.(type) {
	case *mln.Atom:
		p.items, p.done = append(p.items, item{y, negated}), append(p.done, false)
		return
	case *mln.Not:
		_, count := y.X.(*mln.Count)
		negated = negated != !count
	case *mln.Count:
		negated = false
	}
	for _, y := range mln.Operands(x) {
		p.collect(y, negated)
	}
}

// search extends a plan by each atom that can be fetched next.
func (p *planner) search(n int, plan Plan) {
	if n == len(p.items) {
		p.keep(plan)
		return
	}
	for i, it := range p.items {
		if p.done[i] || p.tried >= mostTried || it.negated && !p.bound(it.atom) {
			continue
		}
		for at, t := range it.atom.Args {
			if p.schema.IsNumber(t.Type) || !p.allowed(it.atom.Pred, at) {
				continue
			}
			for _, probe := range p.probes(it.atom.Pred, at, t) {
				if probe.Hop > MostHops {
					continue
				}
				var fresh []int
				for _, o := range it.atom.Args {
					if _, ok := p.hops[o.Var]; o.Kind == mln.TermVariable && !ok {
						p.hops[o.Var] = probe.Hop
						fresh = append(fresh, o.Var)
					}
				}
				p.done[i] = true
				p.search(n+1, append(slices.Clip(plan), probe))
				p.done[i] = false
				for _, v := range fresh {
					delete(p.hops, v)
				}
			}
		}
	}
}

// probes returns the ways to bind a term.
func (p *planner) probes(pred, at int, t mln.Term) (out []Probe) {
	switch t.Kind {
	case mln.TermVariable:
		if hop, ok := p.hops[t.Var]; ok {
			out = append(out, Probe{pred, at, Known, hop + 1})
		}
	case mln.TermCenter:
		if p.centers[t.Type] {
			out = append(out, Probe{pred, at, Known, 1})
		}
		out = append(out, Probe{pred, at, Center, 1})
	case mln.TermConstant:
		out = append(out, Probe{pred, at, "=" + t.Name, 1})
	}
	return out
}

// bound reports whether all variables of an atom are bound.
func (p *planner) bound(a *mln.Atom) bool {
	return !slices.ContainsFunc(a.Args, func(t mln.Term) bool {
		_, ok := p.hops[t.Var]
		return t.Kind == mln.TermVariable && !ok
	})
}

// keep adds a plan unless an equal one has been found.
func (p *planner) keep(plan Plan) {
	p.tried++
	plan = slices.Clone(plan)
	slices.SortFunc(plan, compareProbes)
	plan = slices.Compact(plan)
	if key := fmt.Sprint(plan); !p.seen[key] {
		p.seen[key] = true
		p.found = append(p.found, plan)
	}
}

// CenterTypes reports, by type, whether the center is an entity of it, judging by the formulas.
func CenterTypes(schema *mln.Schema, formulas []*mln.Formula) []bool {
	out := make([]bool, len(schema.Types))
	for _, f := range formulas {
		mln.EachTerm(f.Body, func(t mln.Term) {
			if t.Kind == mln.TermCenter && !schema.IsNumber(t.Type) { // numbers come with facts
				out[t.Type] = true
			}
		})
	}
	return out
}

// Costs are the costs of look-ups, by relation and bound argument.
type Costs [][]Cost

// Cost is the price of a call, and of each fact that it returns. Neither is negative.
type Cost struct{ Call, Fact float64 }

// UnitCosts returns a cost of 1 for each call and 0 for each fact.
func UnitCosts(schema *mln.Schema) Costs {
	out := make(Costs, len(schema.Predicates))
	for i, p := range schema.Predicates {
		out[i] = slices.Repeat([]Cost{{Call: 1}}, len(p.Args))
	}
	return out
}

// Of returns the cost of so many calls of a probe that return so many facts.
func (c Costs) Of(p *Probe, calls, facts int) float64 {
	cost := c[p.Pred][p.At]
	return float64(cost.Call*float64(calls)) + float64(cost.Fact*float64(facts))
}

// Step is a list of probes that are made together, ordered by hop.
type Step []Probe

// History is the steps made so far, in order.
type History []Step

// Lacks returns the probes of a plan that still have to be made: those never made, and those made before a probe of a lower hop had found
// everything that they bind.
func (h History) Lacks(plan Plan) (out Step) {
	first, last := make([]int, len(plan)), make([]int, len(plan))
	for i, p := range plan {
		first[i], last[i] = len(h), -1
		for k, step := range h {
			if slices.Contains(step, p) {
				first[i], last[i] = min(first[i], k), k
			}
		}
	}
	for i, p := range plan {
		missing := last[i] < 0
		for j, q := range plan {
			missing = missing || q.Hop < p.Hop && last[i] < first[j]
		}
		if missing {
			out = append(out, p)
		}
	}
	return out
}
