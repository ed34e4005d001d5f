package ground

import (
	"errors"
	"fmt"
	"slices"

	"resolwe/format/mln"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// ErrViolated is matched by the error for a hard formula that the evidence alone violates.
var ErrViolated = errors.New("a hard formula is violated by the evidence alone")

// ViolationError names a hard grounding that no state satisfies.
type ViolationError struct {
	Formula  string
	Bindings []string // "x = A", in order of the formula's variables
}

// Error names the formula and the bindings of its variables.
func (e *ViolationError) Error() string {
	return fmt.Sprintf("%v: %s. with %v", ErrViolated, e.Formula, e.Bindings)
}

// Is reports whether target is ErrViolated.
func (e *ViolationError) Is(target error) bool { return target == ErrViolated }

// witness finds bindings of a hard formula's variables for which its selector violates it.
type witness struct {
	query *plan.Query
	at    []plan.Arg // by free variable: its place among the query's outputs, or its constant
	vars  []int      // the variables in the query
}

func newWitness(prog *plan.Program, f *mln.Formula, conj *plan.Conj, binder *plan.Binder) (w witness) {
	for v := range f.Free {
		if a := binder.Var(v); !a.IsVar() || conj.Mentions(int(a)) {
			w.vars = append(w.vars, v)
		}
	}
	w.query, w.at = bindings(prog, f, conj, binder, w.vars)
	return w
}

// witnesses prepares to find bindings for which a selector holds or, if it must always hold, for which one of its literals does not.
func witnesses(prog *plan.Program, c *compiled, mode Mode) []witness {
	vars := c.formula.Vars[:c.formula.Free]
	if c.fallback {
		conj, binder := prog.Conjunction(vars, c.selector)
		return []witness{newWitness(prog, c.formula, conj, binder)}
	}
	var out []witness
	for _, l := range c.selector {
		l.Negated = !l.Negated
		conj, binder := prog.Conjunction(vars, []mln.Literal{l})
		for _, a := range c.atoms {
			conj.Add(plan.Literal{Source: mode.source(), Pred: a.Pred, Args: binder.Args(a)})
		}
		out = append(out, newWitness(prog, c.formula, conj, binder))
	}
	return out
}

// find sets the values of a witness's variables, if the known values allow. Unknown ones are -1.
func (w *witness) find(s *join.Scratch, values []int64) bool {
	found := false
	s.Enumerate(w.query, false, func(binding []uint32, _ int64) bool {
		value := func(v int) int64 {
			if a := w.at[v]; a.IsVar() {
				return int64(binding[a])
			}
			return int64(s.Const(w.at[v]))
		}
		if slices.ContainsFunc(w.vars, func(v int) bool { return values[v] >= 0 && values[v] != value(v) }) {
			return true
		}
		for _, v := range w.vars {
			values[v] = value(v)
		}
		found = true
		return false
	})
	return found
}

// violation names the hard grounding of the current binding.
func (g *Grounder) violation() error {
	values := slices.Repeat([]int64{-1}, g.c.formula.Free)
	for _, v := range variables(g.c.formula, g.c.residual) {
		values[v] = g.value(g.c.at[v])
	}
	if g.c.fallback {
		g.c.witnesses[0].find(g.scratch, values)
	}
	return g.violationOf(values)
}

// unheld names a grounding of a hard conjunction whose evidence literals do not hold.
func (g *Grounder) unheld() error {
	values := slices.Repeat([]int64{-1}, g.c.formula.Free)
	for i := range g.c.witnesses {
		if g.c.witnesses[i].find(g.scratch, values) {
			break
		}
	}
	return g.violationOf(values)
}

func (g *Grounder) violationOf(values []int64) error {
	f := g.c.formula
	e := &ViolationError{Formula: g.c.text()}
	for v, id := range values {
		if id >= 0 {
			name := g.scratch.Sub.Domains[f.Vars[v].Type].Names.Name(uint32(id))
			e.Bindings = append(e.Bindings, fmt.Sprintf("%s = %s", f.Vars[v].Name, name))
		}
	}
	return e
}
