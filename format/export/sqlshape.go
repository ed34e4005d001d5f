package export

import (
	"fmt"
	"slices"
	"strings"

	"resolwe/format/mln"
)

// shaped returns a query for the value of a formula with a shape.
func (t *text) shaped(f *mln.Formula) string {
	if f.Compares() {
		return t.compared(f)
	}
	rest, head := f.Head()
	s := t.selection(f.Vars, f.Free)
	value := map[mln.Shape]string{mln.ShapeOnce: "CASE WHEN n > 0 THEN 1 ELSE 0 END", mln.ShapeLog: "ln(1 + n) / ln(2)", mln.ShapeMean: "1.0 * n / m"}[f.Shape]
	n := "1"
	if f.Shape == mln.ShapeMean { // groundings of the evidence, and those in which the other atom has the required truth
		i := slices.IndexFunc(rest, func(l mln.Literal) bool { return l.Atom != nil && t.isTarget(l.Atom.Pred) })
		other := rest[i]
		s.literals(append(slices.Delete(slices.Clone(rest), i, i+1), head))
		s.known(other.Atom)
		s.bindRest()
		n = "CASE WHEN " + s.literal(other) + " THEN 1 ELSE 0 END"
	} else {
		s.literals(append(slices.Clip(rest), head))
		s.bindRest()
	}
	var group []string
	for _, a := range head.Atom.Args {
		if a.Kind == mln.TermVariable { // PostgreSQL does not group by a constant
			group = append(group, s.term(a))
		}
	}
	by := ""
	if group != nil {
		by = " GROUP BY " + strings.Join(group, ", ")
	}
	return fmt.Sprintf("SELECT coalesce(sum(%s), 0) FROM (SELECT sum(%s) AS n, count(*) AS m %s%s) AS atoms", value, n, s.from(), by)
}

// compared returns a query for the value of a formula that compares values of atoms (mln.Formula.Phi).
func (t *text) compared(f *mln.Formula) string {
	_, head := f.Head()
	stated, all := t.headOf(f, head.Atom), t.headOf(f, head.Atom)
	stated.literals([]mln.Literal{head})
	values := func(s *selection) string {
		return "(SELECT " + s.valueOf(f) + " AS v " + s.from() + ") AS atoms"
	}
	from := values(stated)
	if f.Shape == mln.ShapeRelative {
		all.everyAtom(head.Atom)
		mean := "avg(v)"
		if !f.Measures() { // atoms that the head does not match have no groundings
			mean = "sum(v) / " + t.atoms(head.Atom.Pred)
		}
		from = "(SELECT v - (SELECT " + mean + " FROM " + values(all) + ") AS v FROM " + from + ") AS compared"
	}
	return "SELECT coalesce(sum(" + phi(f) + "), 0) FROM " + from + " WHERE v IS NOT NULL"
}

// headOf begins a query over the variables of a formula's head.
func (t *text) headOf(f *mln.Formula, head *mln.Atom) *selection {
	s := t.selection(f.Vars, 0)
	for _, a := range head.Args {
		if a.Kind == mln.TermVariable && !slices.Contains(s.free, a.Var) {
			s.free = append(s.free, a.Var)
		}
	}
	return s
}

// everyAtom selects the query atoms that match a target atom, whatever their truth.
func (s *selection) everyAtom(a *mln.Atom) {
	if s.model.Schema.Predicates[a.Pred].Role == mln.RoleListed {
		s.join(a)
	}
	s.bindRest()
	s.inDomains(a)
}

// atoms returns an expression for the number of query atoms of a target.
func (t *text) atoms(pred int) string {
	p := t.model.Schema.Predicates[pred]
	if p.Role == mln.RoleListed {
		return "(SELECT count(*) FROM " + identifier(p.Name) + ")"
	}
	factors := make([]string, len(p.Args))
	for i, typ := range p.Args {
		factors[i] = "(SELECT count(*) FROM " + identifier("domain_"+t.model.Schema.Types[typ]) + ")"
	}
	return "(" + strings.Join(factors, " * ") + ")"
}

// valueOf returns an expression for the value of the current atom, null if undefined.
func (s *selection) valueOf(f *mln.Formula) string {
	s.bindRest()
	if c, _, ok := f.Quantity(s.model.Schema); ok {
		return "CAST(" + s.measure(c) + " AS DOUBLE PRECISION)"
	}
	rest, _ := f.Head()
	others := slices.DeleteFunc(f.FreeVariables(), func(v int) bool { return slices.Contains(s.free, v) })
	in := s.inner(others)
	in.literals(rest)
	return "(SELECT ln(1 + count(*)) / ln(2) " + in.from() + ")"
}

// phi returns the feature of a value v, for ShapeRelative of its distance from the mean.
func phi(f *mln.Formula) string {
	switch n := f.Numbers; {
	case n == nil:
		return "v"
	case f.Shape == mln.ShapeRelative:
		return fmt.Sprintf("CASE WHEN v / %[1]s > 1e6 THEN 1e6 WHEN v / %[1]s < -1e6 THEN -1e6 ELSE v / %[1]s END", mln.FormatNumber(n[0]))
	default:
		var b strings.Builder
		fmt.Fprintf(&b, "CASE WHEN v <= %s THEN -0.5", mln.FormatNumber(n[0]))
		for i, k := range n[1:] {
			low := mln.FormatNumber(n[i])
			fmt.Fprintf(&b, " WHEN v <= %[1]s THEN (%[3]d + (v - %[2]s) / (%[1]s - %[2]s)) / %[4]d - 0.5", mln.FormatNumber(k), low, i, len(n))
		}
		return b.String() + " ELSE 0.5 END"
	}
}
