package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// form is a way to write a candidate's counts in SQL. All give the same counts; which is fastest depends on the candidate
// and the database.
type form string

const (
	// exists tests for each grounding of Q whether the selector has a binding.
	exists form = "exists"
	// join joins the atoms of Q with those of the selector, and takes distinct groundings of Q.
	join form = "join"
	// reduced takes the distinct bindings that the selector gives to Q's variables, from entities that stand in atoms of Q
	// at all, and joins them with Q's atoms.
	reduced form = "reduced"
)

// forms are all of them, first those that are fast most often.
var forms = []form{reduced, exists, join}

// counts is what a query returns: the groundings of Q that the selector selects; where Q has several literals, those in
// which all but the k-th are true, for each k; and those in which all are true.
type counts []int64

// query writes a candidate's counts on the subgraph at a position as SQL.
func query(c *mln.Candidate, sub *subgraph.Subgraph, position int, f form) string {
	w := writer{cand: c, sub: sub, position: position}
	q := w.enforcer()
	columns := w.truths()
	switch f {
	case exists:
		e := w.selector(maps.Clone(q.bound))
		q.where = append(q.where, "EXISTS (SELECT 1"+e.tail()+")")
	case join:
		e := w.selector(q.bound)
		q.from, q.where = append(q.from, e.from...), append(q.where, e.where...)
		columns = "DISTINCT " + outputs(columns, variables(c.Enforcer), q.bound)
	case reduced:
		e := w.selector(map[int]string{})
		both := w.reduce(&e)
		for _, v := range both {
			q.where = append(q.where, fmt.Sprintf("e.v%d = %s", v, q.bound[v]))
		}
		q.from = append(q.from, "(SELECT DISTINCT "+outputs("1 AS one", both, e.bound)+e.tail()+") e")
	}
	return "SELECT " + sums(len(c.Enforcer)) + " FROM (SELECT " + columns + q.tail() + ") g"
}

// sums adds up the truths t0, t1.. for the sets of literals that are counted.
func sums(literals int) string {
	out := []string{"COUNT(*)"}
	for without := range literals + 1 { // the last time without none
		var factors []string
		for k := range literals {
			if k != without {
				factors = append(factors, "t"+strconv.Itoa(k))
			}
		}
		if len(factors) > 0 {
			out = append(out, "COALESCE(SUM("+strings.Join(factors, " * ")+"), 0)")
		}
	}
	return strings.Join(out, ", ")
}

// variables lists the variables of atoms in order of appearance.
func variables(atoms []*mln.Atom) []int {
	var out []int
	for _, a := range atoms {
		for _, t := range a.Args {
			if t.Kind == mln.TermVariable && !slices.Contains(out, t.Var) {
				out = append(out, t.Var)
			}
		}
	}
	return out
}

// outputs writes variables as columns v0, v1.. behind another column.
func outputs(first string, vars []int, bound map[int]string) string {
	out := slices.Insert(make([]string, len(vars)), 0, first)
	for i, v := range vars {
		out[1+i] = fmt.Sprintf("%s AS v%d", bound[v], v)
	}
	return strings.Join(out, ", ")
}

// part is the tables and conditions of a query, and the columns that give its variables.
type part struct {
	from, where []string
	bound       map[int]string
}

// tail writes what follows the columns.
func (p *part) tail() string {
	out := ""
	if len(p.from) > 0 {
		out = " FROM " + strings.Join(p.from, ", ")
	}
	if len(p.where) > 0 {
		out += " WHERE " + strings.Join(p.where, " AND ")
	}
	return out
}

// writer writes a candidate on a subgraph.
type writer struct {
	cand      *mln.Candidate
	sub       *subgraph.Subgraph
	position  int
	strangers []string // constants that the subgraph does not have
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
		w.atom(&p, a, "q"+strconv.Itoa(k))
		for j, b := range w.cand.Enforcer[:k] {
			if a.Pred != b.Pred {
				continue
			}
			same := make([]string, len(a.Args))
			for i := range a.Args {
				same[i] = fmt.Sprintf("q%d.a%d = q%d.a%d", j, i, k, i)
			}
			p.where = append(p.where, "NOT ("+strings.Join(same, " AND ")+")")
		}
	}
	return p
}

// atom adds a table to a part, in which it binds the variables that are new.
func (w *writer) atom(p *part, a *mln.Atom, alias string) {
	p.from = append(p.from, predicateTable(a.Pred, w.position)+" "+alias)
	for i, t := range a.Args {
		column := fmt.Sprintf("%s.a%d", alias, i)
		if _, known := p.bound[t.Var]; t.Kind == mln.TermVariable && !known {
			p.bound[t.Var] = column
			continue
		}
		p.where = append(p.where, column+" = "+w.term(p, t))
	}
}

// selector joins the atoms of E. Variables that bound has are given from outside.
func (w *writer) selector(bound map[int]string) part {
	p := part{bound: bound}
	for i, l := range w.cand.Selector {
		if l.Atom != nil && !l.Negated {
			w.atom(&p, l.Atom, "e"+strconv.Itoa(i))
		}
	}
	for _, l := range w.cand.Selector {
		var condition string
		switch {
		case l.Atom == nil:
			condition = w.term(&p, l.Equal.A) + " = " + w.term(&p, l.Equal.B)
		case l.Negated:
			same := make([]string, len(l.Atom.Args))
			for k, t := range l.Atom.Args {
				same[k] = fmt.Sprintf("n.a%d = %s", k, w.term(&p, t))
			}
			condition = "EXISTS (SELECT 1 FROM " + predicateTable(l.Atom.Pred, w.position) + " n WHERE " + strings.Join(same, " AND ") + ")"
		default:
			continue
		}
		if l.Negated {
			condition = "NOT (" + condition + ")"
		}
		p.where = append(p.where, condition)
	}
	return p
}

// reduce keeps the variables of Q in E to entities that stand in their places in Q's atoms, and returns these variables.
func (w *writer) reduce(e *part) []int {
	both := slices.DeleteFunc(variables(w.cand.Enforcer), func(v int) bool { return e.bound[v] == "" })
	for _, a := range w.cand.Enforcer {
		for i, t := range a.Args {
			if t.Kind == mln.TermVariable && slices.Contains(both, t.Var) {
				e.where = append(e.where, fmt.Sprintf("%s IN (SELECT a%d FROM %s)", e.bound[t.Var], i, predicateTable(a.Pred, w.position)))
			}
		}
	}
	return both
}

// term writes a variable, which ranges over its domain where nothing has bound it, or a constant's local id. A constant
// that the domain does not have gets an id that nothing else has.
func (w *writer) term(p *part, t mln.Term) string {
	if t.Kind == mln.TermVariable {
		if p.bound[t.Var] == "" {
			alias := "x" + strconv.Itoa(t.Var)
			p.from = append(p.from, domainTable(w.cand.Formula.Vars[t.Var].Type, w.position)+" "+alias)
			p.bound[t.Var] = alias + ".a0"
		}
		return p.bound[t.Var]
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
	if !slices.Contains(w.strangers, name) {
		w.strangers = append(w.strangers, name)
	}
	return strconv.Itoa(-1 - slices.Index(w.strangers, name))
}
