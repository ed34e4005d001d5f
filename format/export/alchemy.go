package export

import (
	"regexp"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/internal/printable"
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
	for _, typ := range t.model.Schema.Types {
		t.claim(typ, "type "+typ, typ)
	}
	for _, p := range t.model.Schema.Predicates {
		t.claim(p.Name, "predicate "+p.Name, p.Name)
	}
	t.domains()
	for typ, constants := range t.model.Constants {
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
		t.sayable(i)
		t.words(i)
		if f.Shape != mln.ShapeNone {
			t.refuse(i, "has a shape")
		}
		t.plainly(i, f.Body)
		t.line("%s", mln.FormatRule(f))
	}
	if len(t.reasons) == 0 {
		t.fault = mln.ReadBack(t.String(), &mln.Model{Schema: unmarked, Constants: t.model.Constants, Formulas: t.model.Formulas})
	}
}

// words refuses a formula whose variables or constants Alchemy would read as something else: a word is a type if there is one, or else a
// predicate, a constant, or a variable.
func (t *text) words(formula int) {
	f := t.model.Formulas[formula]
	var words []string
	for _, c := range f.Constants() {
		if c.Number && !whole.MatchString(strings.TrimPrefix(c.Name, "-")) {
			t.refuse(formula, "has the number "+c.Name+", which is not whole, or not below 1e9")
		}
		if bare(c.Name) {
			words = append(words, c.Name)
		}
	}
	for _, v := range f.Vars {
		if why := alchemyName(v.Name); why != "" {
			t.refuse(formula, "has the variable "+printable.Clip(v.Name, maxShown)+", which "+why)
		}
		words = append(words, v.Name)
	}
	for _, w := range words {
		if of := t.claimed[w]; of != "" {
			t.refuse(formula, "has the constant or variable "+printable.Clip(w, maxShown)+", which would be one with "+of)
		}
	}
}

// bare reports whether a constant is written without quotes.
func bare(name string) bool { return mln.FormatConstant(name) == name }

// plainly refuses a formula that Alchemy cannot express.
func (t *text) plainly(formula int, x mln.Expr) {
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
			t.plainly(formula, y)
		}
		return
	}
	mln.EachTerm(x, func(term mln.Term) {
		if term.Kind == mln.TermCenter {
			t.refuse(formula, "uses @center")
		}
	})
}

// alchemyConstant is what is wrong with a constant in Alchemy, which keeps escapes as they are written, and reads what begins with a
// digit as a number, of which it keeps the value as an int.
func alchemyConstant(name string) string {
	if bare(name) && name[0] <= '9' && !whole.MatchString(name) {
		return "begins with a digit, and is no whole number below 1e9"
	}
	return barred("\"\\", "a quote, a backslash", name)
}

// alchemyName is what is wrong with a name in Alchemy, which reads v, exist and forall as operators, and names with some beginnings as
// its own.
func alchemyName(name string) string {
	if own.MatchString(name) {
		return "is a name of Alchemy's own"
	}
	return matching(dashed, name)
}

var (
	whole = regexp.MustCompile(`^(0|[1-9][0-9]{0,8})$`)
	own   = regexp.MustCompile(`^(v$|(?i:exist|forall)$|int$|string$|SK_|isReturnValueOf|greaterThan|lessThan|substr)`)
)

// tied reports whether a formula has an atom of a target predicate and another target atom.
func (t *text) tied(pred int) bool {
	for _, f := range t.model.Formulas {
		targets := slices.Concat(t.model.Schema.Targets(f.Body))
		if len(targets) > 1 && slices.ContainsFunc(targets, func(a *mln.Atom) bool { return a.Pred == pred }) {
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
