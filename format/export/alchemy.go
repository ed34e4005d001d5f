package export

import (
	"slices"
	"strings"

	"resolwe/format/mln"
)

// alchemy writes Alchemy's .mln: the same text without marks of targets, which are named on Alchemy's command line. Alchemy splits
// soft formulas that are not clauses into clauses, which share the weight.
func alchemy(t *text) {
	var targets []string
	for i, p := range t.model.Schema.Predicates {
		if p.Role.IsTarget() {
			targets = append(targets, p.Name)
		}
		if p.Role == mln.RoleListed && t.tied(i) {
			t.reasons = append(t.reasons, p.Name+" is listed, and formulas tie its atoms to others: those that are not listed would bear on them")
		}
	}
	if len(targets) > 0 {
		t.line("// Query predicates: -q %s", strings.Join(targets, ","))
	}
	for typ, constants := range t.model.Constants {
		for _, c := range constants {
			if isEscaped(c) {
				t.reasons = append(t.reasons, "constant "+mln.FormatConstant(c)+" has a quote, a backslash or what does not print in it")
			}
		}
		if len(constants) > 0 {
			t.line("%s", t.model.Schema.FormatTypeLine(typ, constants))
		}
	}
	unmarked := *t.model.Schema
	unmarked.Predicates = slices.Clone(unmarked.Predicates)
	for i := range unmarked.Predicates {
		unmarked.Predicates[i].Role = mln.RoleEvidence
		t.line("%s", unmarked.Declaration(unmarked.Predicates[i]))
	}
	for i, f := range t.model.Formulas {
		if f.Shape != mln.ShapeNone {
			t.refuse(i, "has a shape")
		}
		t.sayable(i, f.Body)
		t.line("%s", mln.FormatRule(f))
	}
	if len(t.reasons) == 0 {
		t.fault = mln.ReadBack(t.String(), &mln.Model{Schema: unmarked, Constants: t.model.Constants, Formulas: t.model.Formulas})
	}
}

// sayable refuses a formula that Alchemy cannot express.
func (t *text) sayable(formula int, x mln.Expr) {
	switch x := x.(type) {
	case *mln.Count:
		t.refuse(formula, "has "+x.Kind.Noun())
		return
	case *mln.Compare:
		t.refuse(formula, "compares numbers")
		return
	}
	if len(mln.Operands(x)) > 0 {
		for _, y := range mln.Operands(x) {
			t.sayable(formula, y)
		}
		return
	}
	mln.EachTerm(x, func(term mln.Term) {
		switch {
		case term.Kind == mln.TermCenter:
			t.refuse(formula, "uses @center")
		case term.Kind == mln.TermConstant && isEscaped(term.Name):
			t.refuse(formula, "has a constant with a quote, a backslash or what does not print in it")
		}
	})
}

// isEscaped reports whether a constant has characters that would be escaped in a file, which Alchemy cannot read.
func isEscaped(name string) bool { return strings.Contains(mln.FormatConstant(name), `\`) }

// tied reports whether a formula has an atom of a target predicate and another target atom.
func (t *text) tied(pred int) bool {
	for _, f := range t.model.Formulas {
		n, has := 0, false
		var visit func(x mln.Expr)
		visit = func(x mln.Expr) {
			if a, ok := x.(*mln.Atom); ok && t.isTarget(a.Pred) {
				n++
				has = has || a.Pred == pred
			}
			for _, y := range mln.Operands(x) {
				visit(y)
			}
		}
		visit(f.Body)
		if has && n > 1 {
			return true
		}
	}
	return false
}

// IsClause reports whether a formula is a single clause. Alchemy splits other formulas, and divides the weight among the parts.
func IsClause(f *mln.Formula) bool {
	literals, negated, ok := conjunction(f.Body)
	return ok && (negated || len(literals) == 1)
}
