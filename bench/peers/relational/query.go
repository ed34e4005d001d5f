package relational

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// Form is a way to write a candidate's counts in SQL. All give the same counts; which is fastest depends on the candidate
// and the database.
type Form uint8

// The forms.
const (
	// FormExists tests for each grounding of Q whether the selector has a binding.
	FormExists Form = iota + 1
	// FormJoin joins the atoms of Q with those of the selector, and takes distinct groundings of Q.
	FormJoin
	// FormReduced takes the distinct bindings that the selector gives to Q's variables, from entities that stand in
	// atoms of Q at all, and joins them with Q's atoms.
	FormReduced
)

// Forms returns all forms, first those that are fast most often.
func Forms() []Form { return []Form{FormReduced, FormExists, FormJoin} }

// String returns the form's name.
func (f Form) String() string {
	switch f {
	case FormExists:
		return "exists"
	case FormJoin:
		return "join"
	case FormReduced:
		return "reduced"
	}
	return "no form"
}

// Counts is what a query returns: the groundings of Q that the selector selects; where Q has several literals, those in
// which all but the k-th are true, for each k; and those in which all are true.
type Counts []int64

// Query returns a candidate's counts on a subgraph, whose position among the tables' subgraphs is s, as SQL.
func Query(c *mln.Candidate, sub *subgraph.Subgraph, s int, form Form) string {
	w := writer{cand: c, sub: sub, s: s}
	q := w.enforcer()
	sums := sums(len(c.Enforcer))
	switch form {
	case FormExists:
		e := w.selector(q.bound, false)
		if len(e.from) > 0 {
			q.where = append(q.where, "EXISTS (SELECT 1"+e.tail()+")")
		} else {
			q.where = append(q.where, e.where...)
		}
		return "SELECT " + sums + " FROM (SELECT " + w.truths() + q.tail() + ") g"
	case FormJoin:
		e := w.selector(q.bound, false)
		q.from, q.where = append(q.from, e.from...), append(q.where, e.where...)
		columns := append(outputs(w.vars(), q.bound), w.truths())
		return "SELECT " + sums + " FROM (SELECT DISTINCT " + strings.Join(columns, ", ") + q.tail() + ") g"
	case FormReduced:
		e := w.selector(map[int]string{}, true)
		shared := w.shared()
		for _, v := range shared {
			q.where = append(q.where, fmt.Sprintf("e.v%d = %s", v, q.bound[v]))
		}
		columns := append(outputs(shared, e.bound), "1 AS one")
		q.from = append(q.from, "(SELECT DISTINCT "+strings.Join(columns, ", ")+e.tail()+") e")
		return "SELECT " + sums + " FROM (SELECT " + w.truths() + q.tail() + ") g"
	}
	panic("relational: no such form")
}

// sums adds up the truths t0, t1.. for the sets of literals that are counted.
func sums(l int) string {
	all := make([]int, l)
	for i := range all {
		all[i] = i
	}
	out := []string{"COUNT(*)"}
	if l > 1 {
		for k := range l {
			out = append(out, sum(slices.Delete(slices.Clone(all), k, k+1)))
		}
	}
	return strings.Join(append(out, sum(all)), ", ")
}

func sum(literals []int) string {
	factors := make([]string, len(literals))
	for i, k := range literals {
		factors[i] = "t" + strconv.Itoa(k)
	}
	return "COALESCE(SUM(" + strings.Join(factors, " * ") + "), 0)"
}

// part is the tables and conditions of a query, and the columns that give its variables.
type part struct {
	from, where []string
	bound       map[int]string
}

// tail writes what follows the columns.
func (p *part) tail() string {
	var b strings.Builder
	if len(p.from) > 0 {
		b.WriteString(" FROM " + strings.Join(p.from, ", "))
	}
	if len(p.where) > 0 {
		b.WriteString(" WHERE " + strings.Join(p.where, " AND "))
	}
	return b.String()
}

// writer writes a candidate on a subgraph.
type writer struct {
	cand      *mln.Candidate
	sub       *subgraph.Subgraph
	s         int
	strangers []string // constants that the subgraph does not have
}

// vars returns the variables of Q in order of appearance.
func (w *writer) vars() []int {
	var out []int
	for _, a := range w.cand.Enforcer {
		for _, t := range a.Args {
			if t.Kind == mln.TermVariable && !slices.Contains(out, t.Var) {
				out = append(out, t.Var)
			}
		}
	}
	return out
}

// shared returns the variables of Q that E mentions too.
func (w *writer) shared() []int {
	var inE []int
	for _, l := range w.cand.Selector {
		for _, t := range terms(l) {
			if t.Kind == mln.TermVariable {
				inE = append(inE, t.Var)
			}
		}
	}
	return slices.DeleteFunc(w.vars(), func(v int) bool { return !slices.Contains(inE, v) })
}

// Writes reports whether queries have what an expression holds.
func Writes(x mln.Expr) bool {
	switch x.(type) {
	case *mln.Compare, *mln.Count:
		return false
	}
	return !slices.ContainsFunc(mln.Operands(x), func(y mln.Expr) bool { return !Writes(y) })
}

func terms(l mln.Literal) []mln.Term {
	if l.Equal != nil {
		return []mln.Term{l.Equal.A, l.Equal.B}
	}
	return l.Atom.Args
}

// outputs writes variables as columns v0, v1..
func outputs(vars []int, bound map[int]string) []string {
	out := make([]string, len(vars))
	for i, v := range vars {
		out[i] = fmt.Sprintf("%s AS v%d", bound[v], v)
	}
	return out
}

// truths writes the truths of Q's literals as columns t0, t1..
func (w *writer) truths() string {
	out := make([]string, len(w.cand.Enforcer))
	for k := range out {
		out[k] = fmt.Sprintf("q%d.truth AS t%d", k, k)
	}
	return strings.Join(out, ", ")
}

// enforcer joins the atoms of Q, which have to be distinct.
func (w *writer) enforcer() part {
	p := part{bound: map[int]string{}}
	for k, a := range w.cand.Enforcer {
		alias := "q" + strconv.Itoa(k)
		w.atom(&p, a, alias)
		for j, b := range w.cand.Enforcer[:k] {
			if a.Pred != b.Pred {
				continue
			}
			same := make([]string, len(a.Args))
			for i := range a.Args {
				same[i] = fmt.Sprintf("q%d.%s = %s.%s", j, column(i), alias, column(i))
			}
			p.where = append(p.where, "NOT ("+strings.Join(same, " AND ")+")")
		}
	}
	return p
}

// atom adds a table to a part, in which it binds the variables that are new.
func (w *writer) atom(p *part, a *mln.Atom, alias string) {
	p.from = append(p.from, predicateTable(a.Pred)+" "+alias)
	p.where = append(p.where, w.here(alias))
	for i, t := range a.Args {
		col := alias + "." + column(i)
		if t.Kind == mln.TermVariable {
			if _, ok := p.bound[t.Var]; !ok {
				p.bound[t.Var] = col
				continue
			}
		}
		p.where = append(p.where, col+" = "+w.term(t, p.bound))
	}
}

// selector joins the atoms of E. Variables that bound has are given from outside. What is left unbound ranges over its
// domain; reduced keeps the variables of Q to entities that stand in its atoms.
func (w *writer) selector(bound map[int]string, reduced bool) part {
	p := part{bound: bound}
	for i, l := range w.cand.Selector {
		if l.Atom != nil && !l.Negated {
			w.atom(&p, l.Atom, "e"+strconv.Itoa(i))
		}
	}
	for i, l := range w.cand.Selector {
		switch {
		case l.Atom == nil:
			w.comparison(&p, l)
		case l.Negated:
			w.absent(&p, l.Atom, "n"+strconv.Itoa(i))
		}
	}
	if reduced {
		w.reduce(&p)
	}
	return p
}

// reduce keeps the variables of Q to entities that stand in their places in its atoms.
func (w *writer) reduce(p *part) {
	shared := w.shared()
	for _, a := range w.cand.Enforcer {
		for i, t := range a.Args {
			if t.Kind == mln.TermVariable && slices.Contains(shared, t.Var) {
				p.where = append(p.where, fmt.Sprintf("%s IN (SELECT %s FROM %s WHERE s = %d)",
					p.bound[t.Var], column(i), predicateTable(a.Pred), w.s))
			}
		}
	}
}

// comparison adds a condition.
func (w *writer) comparison(p *part, l mln.Literal) {
	op := " = "
	if l.Negated {
		op = " <> "
	}
	w.rangeOver(p, l.Equal.A, l.Equal.B)
	p.where = append(p.where, w.term(l.Equal.A, p.bound)+op+w.term(l.Equal.B, p.bound))
}

// absent demands that an atom is false.
func (w *writer) absent(p *part, a *mln.Atom, alias string) {
	w.rangeOver(p, a.Args...)
	conditions := append(make([]string, 0, 1+len(a.Args)), w.here(alias))
	for i, t := range a.Args {
		conditions = append(conditions, alias+"."+column(i)+" = "+w.term(t, p.bound))
	}
	p.where = append(p.where, fmt.Sprintf("NOT EXISTS (SELECT 1 FROM %s %s WHERE %s)",
		predicateTable(a.Pred), alias, strings.Join(conditions, " AND ")))
}

// rangeOver binds the variables among terms that nothing has bound to their domains.
func (w *writer) rangeOver(p *part, terms ...mln.Term) {
	for _, t := range terms {
		if t.Kind == mln.TermVariable {
			w.domain(p, t.Var)
		}
	}
}

// domain binds a variable to its domain unless it is bound.
func (w *writer) domain(p *part, v int) {
	if _, ok := p.bound[v]; ok {
		return
	}
	alias := "x" + strconv.Itoa(v)
	p.from = append(p.from, domainTable(w.cand.Formula.Vars[v].Type)+" "+alias)
	p.where = append(p.where, w.here(alias))
	p.bound[v] = alias + "." + column(0)
}

// here keeps a table to the subgraph.
func (w *writer) here(alias string) string { return fmt.Sprintf("%s.s = %d", alias, w.s) }

// term writes a bound variable, or a constant's local id. A constant that the domain does not have gets an id that
// nothing else has.
func (w *writer) term(t mln.Term, bound map[int]string) string {
	if t.Kind == mln.TermVariable {
		return bound[t.Var]
	}
	name := t.Name
	if t.Kind == mln.TermCenter {
		name = w.sub.Center
	}
	if names := w.sub.Domains[t.Type].Names; names != nil {
		if id, ok := names.Lookup(name); ok {
			return strconv.Itoa(int(id))
		}
	}
	i := slices.Index(w.strangers, name)
	if i < 0 {
		i = len(w.strangers)
		w.strangers = append(w.strangers, name)
	}
	return strconv.Itoa(-1 - i)
}
