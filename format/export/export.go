package export

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/internal/printable"
)

// Model is a model to write.
type Model struct {
	Schema    *mln.Schema
	Constants [][]string // by type: those of its type lines
	Formulas  []*mln.Formula
}

// Systems are the names of the systems.
var Systems = []string{"alchemy", "psl", "sql", "problog"}

// UnsupportedError says what a system cannot express in a model.
type UnsupportedError struct {
	System  string
	Reasons []string // each names a formula or a predicate
}

// Error gives all reasons.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s cannot express the whole model: %s", e.System, strings.Join(e.Reasons, "; "))
}

// IsUsage says that the model cannot be exported as it is.
func (*UnsupportedError) IsUsage() bool { return true }

// Write writes a model for the named system. If the error is an *UnsupportedError, or an *mln.ReadBackError, nothing is written. Write panics if the system
// is not one of Systems.
func Write(w io.Writer, system string, m *Model) error {
	l, ok := languages[system]
	if !ok {
		panic("format/export: no system " + system)
	}
	t := &text{language: l, model: m, claimed: map[string]string{}}
	l.write(t)
	if len(t.reasons) > 0 {
		return &UnsupportedError{system, t.reasons}
	}
	if t.fault != nil {
		return t.fault
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// text is the output being written.
type text struct {
	strings.Builder
	language
	model   *Model
	claimed map[string]string // what has the name under a key
	widest  int               // most tables of a join of a query
	reasons []string
	fault   error // what was written does not read back
}

// line writes a line.
func (t *text) line(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

// comment writes a formula as a comment, up to its first line break.
func (t *text) comment(mark string, formula int) {
	line := mln.FormatRule(t.model.Formulas[formula])
	if i := strings.IndexAny(line, "\n\r\v\f\u0085\u2028\u2029"); i >= 0 {
		line = line[:i] + " ..."
	}
	t.line("%s %d. %s", mark, formula+1, line)
}

// refuse records why the system cannot express a formula.
func (t *text) refuse(formula int, why string) {
	t.reasons = append(t.reasons, fmt.Sprintf("formula %d, %s, %s", formula+1, printable.Clip(mln.FormatFormula(t.model.Formulas[formula]), maxShown), why))
}

func (t *text) isTarget(pred int) bool { return t.model.Schema.Predicates[pred].Role.IsTarget() }

// factor is a soft formula as a conjunction of evidence and target literals, of which each true grounding adds Weight; or a hard
// formula as conjunctions of which no grounding may be true.
type factor struct {
	evidence, targets []mln.Literal
	weight            float64
	forbidden         [][]mln.Literal // for a hard formula
}

// factor returns a formula as a factor. If that is not possible, it refuses the formula and returns nil.
func (t *text) factor(i int) *factor {
	f := t.model.Formulas[i]
	literals, negated, ok := conjunction(f.Body)
	switch {
	case f.Shape != mln.ShapeNone:
		t.refuse(i, "has a shape")
	case !ok:
		t.refuse(i, "is neither a conjunction of literals nor a clause")
	case !f.HasWeight && !f.Hard:
		t.refuse(i, "has no weight")
	case !t.plain(i, literals), !t.sayable(i):
	case f.Hard && negated:
		return &factor{forbidden: [][]mln.Literal{literals}}
	case f.Hard:
		out := &factor{}
		for _, l := range literals {
			l.Negated = !l.Negated
			out.forbidden = append(out.forbidden, []mln.Literal{l})
		}
		return out
	default:
		out := &factor{weight: f.Weight}
		if negated {
			out.weight = -f.Weight
		}
		for _, l := range literals {
			if l.Atom != nil && t.isTarget(l.Atom.Pred) {
				out.targets = append(out.targets, l)
			} else {
				out.evidence = append(out.evidence, l)
			}
		}
		return out
	}
	return nil
}

// plain reports whether literals are atoms and equalities. Otherwise it refuses the formula.
func (t *text) plain(formula int, literals []mln.Literal) bool {
	for _, l := range literals {
		switch {
		case l.Count != nil:
			t.refuse(formula, "has "+l.Count.Kind.Noun())
			return false
		case l.Compare != nil:
			t.refuse(formula, "compares numbers")
			return false
		}
	}
	return true
}

// broken returns conjunctions of target literals, one of which is true if a grounding costs the absolute weight, given its
// evidence. If there is one target literal, they exclude one another.
func (f *factor) broken() [][]mln.Literal {
	switch {
	case f.forbidden != nil:
		return f.forbidden
	case f.weight < 0:
		return [][]mln.Literal{append(slices.Clip(f.evidence), f.targets...)}
	}
	var out [][]mln.Literal
	for _, l := range f.targets {
		l.Negated = !l.Negated
		out = append(out, append(slices.Clip(f.evidence), l))
	}
	return out
}

// conjunction returns the literals of a formula that is a conjunction, or, with negated, the complement of one. ok is false if it
// is neither.
func conjunction(x mln.Expr) (literals []mln.Literal, negated, ok bool) {
	if l, ok := mln.LiteralOf(x); ok {
		return []mln.Literal{l}, false, true
	}
	switch x := x.(type) {
	case *mln.And:
		literals, ok = flat(x.Xs, false)
		return literals, false, ok
	case *mln.Or:
		literals, ok = flat(x.Xs, true)
		return literals, true, ok
	case *mln.Not:
		literals, negated, ok = conjunction(x.X)
		return literals, !negated, ok
	case *mln.Implies:
		body, negated, ok := conjunction(x.L)
		if len(body) == 1 && negated {
			body[0].Negated, negated = !body[0].Negated, false
		}
		head, denied, okHead := conjunction(x.R)
		if len(head) == 1 && !denied {
			head[0].Negated, denied = !head[0].Negated, true
		}
		return append(body, head...), true, ok && okHead && !negated && denied
	}
	return nil, false, false
}

// flat returns the literals of the operands of a conjunction, or the complements of those of a disjunction.
func flat(xs []mln.Expr, negate bool) ([]mln.Literal, bool) {
	var out []mln.Literal
	for _, x := range xs {
		l, ok := mln.LiteralOf(x)
		if !ok {
			more, negated, ok := conjunction(x)
			if !ok || negated != negate {
				return nil, false
			}
			out = append(out, more...)
			continue
		}
		l.Negated = l.Negated != negate
		out = append(out, l)
	}
	return out, true
}

// dialect is the way in which Prolog or PSL writes literals.
type dialect struct {
	not, same, other string
	name             func(string) string // writes the name of a predicate
}

var (
	prolog    = dialect{`\+`, " == ", ` \== `, quoted}
	softLogic = dialect{"!", " == ", " != ", func(name string) string { return name }}
)

func (d dialect) literal(l mln.Literal) string {
	switch {
	case l.Equal != nil && l.Negated:
		return logicTerm(l.Equal.A) + d.other + logicTerm(l.Equal.B)
	case l.Equal != nil:
		return logicTerm(l.Equal.A) + d.same + logicTerm(l.Equal.B)
	case l.Negated:
		return d.not + d.atom(l.Atom.Name, l.Atom.Args)
	}
	return d.atom(l.Atom.Name, l.Atom.Args)
}

func (d dialect) atom(name string, args []mln.Term) string {
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = logicTerm(a)
	}
	return d.name(name) + "(" + strings.Join(list, ", ") + ")"
}

// logicTerm returns a term as Prolog and PSL write it.
func logicTerm(t mln.Term) string {
	switch t.Kind {
	case mln.TermVariable:
		return logicVariable(t.Name, t.Var)
	case mln.TermCenter:
		return "C_"
	case mln.TermConstant:
	}
	return quoted(t.Name)
}

// logicVariable returns a variable as Prolog and PSL write it.
func logicVariable(name string, index int) string {
	if plain.MatchString(name) {
		return "V_" + name
	}
	return fmt.Sprint("V", index)
}

// quoted returns a name without backslashes in the quotes of Prolog and PSL. ProbLog keeps the backslash before a quote, and prints it.
func quoted(name string) string { return "'" + strings.ReplaceAll(name, "'", `\'`) + "'" }
