package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"resolwe/format/mln"
)

// Phrase is text in which names stand out: those of predicates, and of entities of the data.
type Phrase []Piece

// Piece is a part of a phrase.
type Piece struct {
	Text string
	Name bool
}

// String returns the text.
func (p Phrase) String() string {
	var b strings.Builder
	for _, piece := range p {
		b.WriteString(piece.Text)
	}
	return b.String()
}

// mostName and mostText bound names of the data and formulas on the page, in characters.
const (
	mostName = 80
	mostText = 1500
)

// clip returns text of at most so many characters, in which nothing can hide: control characters and marks that change the
// direction of text are shown as U+FFFD.
func clip(text string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range text {
		if n++; n > most {
			b.WriteString("…")
			break
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			r = unicode.ReplacementChar
		}
		b.WriteRune(r)
	}
	return b.String()
}

// narrator says in English what formulas over a schema say.
type narrator struct {
	schema *mln.Schema
	vars   []mln.Variable
	said   map[int]bool // variables whose type was told
	out    Phrase
}

func (n *narrator) put(format string, args ...any) {
	n.out = append(n.out, Piece{Text: fmt.Sprintf(format, args...)})
}

func (n *narrator) name(text string) {
	n.out = append(n.out, Piece{clip(text, mostName), true})
}

// inWords says what a formula with a weight says: when its head is more likely than it would be without it. It is the same text
// in every run.
func inWords(schema *mln.Schema, f *mln.Formula) Phrase {
	n := &narrator{schema: schema, vars: f.Vars, said: map[int]bool{}}
	headed, ok := f.Headed(schema)
	if !ok || f.Hard {
		n.general(f)
		return n.bounded()
	}
	rest, head := headed.Head()
	more := map[bool]string{true: "more", false: "less"}[f.Weight >= 0]
	if len(rest) == 0 {
		n.put("Where no other formula speaks, it is %s likely than not that ", more)
		n.literal(head)
		n.put(": the base rate.")
		return n.bounded()
	}
	n.put("That ")
	n.literal(head)
	n.put(" is %s likely ", more)
	n.condition(f.Shape, rest, head)
	n.put(".")
	return n.bounded()
}

// counting reports whether the text of a formula is of a number of things.
func counting(schema *mln.Schema, f *mln.Formula) bool {
	headed, ok := f.Headed(schema)
	if !ok {
		return true
	}
	rest, head := headed.Head()
	return len((&narrator{schema: schema, vars: f.Vars}).locals(rest, head)) > 0
}

// bounded returns what was said, cut where it is too long for a page.
func (n *narrator) bounded() Phrase {
	length := 0
	for i, p := range n.out {
		if length += len(p.Text); length > mostText {
			return append(n.out[:i:i], Piece{Text: "…"})
		}
	}
	return n.out
}

// condition says when the literals beside the head make it likelier.
func (n *narrator) condition(shape mln.Shape, rest []mln.Literal, head mln.Literal) {
	locals := n.locals(rest, head)
	if len(locals) == 0 {
		n.put("where ")
		n.conjunction(rest)
		return
	}
	switch shape {
	case mln.ShapeLog:
		n.put("the more ")
		n.many(locals)
		n.put(" there are for which ")
		n.conjunction(rest)
	case mln.ShapeMean:
		share, among := n.parted(rest)
		n.put("the larger the share is, among the ")
		n.many(locals)
		if len(among) > 0 {
			n.put(" for which ")
			n.conjunction(among)
			n.put(", of those")
		} else {
			n.put(", of those")
		}
		n.put(" for which ")
		n.conjunction(share)
	case mln.ShapeOnce:
		n.put("where there is ")
		n.one(locals)
		n.put(" for which ")
		n.conjunction(rest)
	case mln.ShapeNone:
		n.put("with each of the ")
		n.many(locals)
		n.put(" for which ")
		n.conjunction(rest)
	}
}

// parted returns the literals of targets, and the others.
func (n *narrator) parted(literals []mln.Literal) (targets, others []mln.Literal) {
	for _, l := range literals {
		if l.Atom != nil && n.schema.Predicates[l.Atom.Pred].Role.IsTarget() {
			targets = append(targets, l)
		} else {
			others = append(others, l)
		}
	}
	return targets, others
}

// locals returns the variables of literals that the head does not mention, but for numbers that are only compared: these are
// said with what they belong to.
func (n *narrator) locals(rest []mln.Literal, head mln.Literal) (vars []int) {
	for _, l := range rest {
		if l.Count != nil {
			continue // its variables are its own
		}
		mln.EachTerm(l.Expr(), func(t mln.Term) {
			if t.Kind != mln.TermVariable || slices.Contains(vars, t.Var) || mentions(head, t.Var) || n.comparedOnly(rest, t.Var) {
				return
			}
			vars = append(vars, t.Var)
		})
	}
	return vars
}

func mentions(l mln.Literal, v int) (found bool) {
	mln.EachTerm(l.Expr(), func(t mln.Term) { found = found || t.Kind == mln.TermVariable && t.Var == v })
	return found
}

// comparedOnly reports whether a variable stands in one atom, which is stated, and else in comparisons with numbers, at least one.
func (n *narrator) comparedOnly(literals []mln.Literal, v int) bool {
	atoms, compared := 0, false
	for _, l := range literals {
		switch {
		case !mentions(l, v):
		case l.Compare != nil:
			compared = true
		case l.Atom != nil && !l.Negated && len(l.Atom.Args) > 1:
			atoms++
		default:
			return false
		}
	}
	return atoms == 1 && compared
}

// conjunction says literals, numbers with the atoms that they belong to.
func (n *narrator) conjunction(literals []mln.Literal) {
	first := true
	for i, l := range literals {
		if l.Compare != nil && n.comparedOnly(literals, l.Compare.X.Var) {
			continue
		}
		if !first {
			n.put("%s", map[bool]string{true: ", and ", false: " and "}[l.Count != nil || literals[i-1].Count != nil])
		}
		first = false
		if l.Atom != nil && !l.Negated {
			if at := slices.IndexFunc(l.Atom.Args, func(t mln.Term) bool {
				return t.Kind == mln.TermVariable && n.comparedOnly(literals, t.Var)
			}); at >= 0 {
				n.measured(l.Atom, at, literals)
				continue
			}
		}
		n.literal(l)
	}
}

// measured says an atom of which an argument is only compared: age of user u is at least 30.
func (n *narrator) measured(a *mln.Atom, at int, literals []mln.Literal) {
	n.name(a.Name)
	n.put(" of ")
	n.list(slices.Delete(slices.Clone(a.Args), at, at+1))
	and := " is "
	for _, l := range literals {
		if l.Compare != nil && l.Compare.X.Var == a.Args[at].Var {
			n.put("%s%s", and, map[bool]string{true: "not ", false: ""}[l.Negated])
			n.put("%s %s", comparison(l.Compare.Op), clip(l.Compare.Value.Name, mostName))
			and = " and "
		}
	}
}

func comparison(op mln.Comparison) string {
	return map[mln.Comparison]string{
		mln.AtLeast: "at least", mln.Less: "less than", mln.Greater: "more than", mln.AtMost: "at most", mln.SameAs: "equal to",
		mln.OtherThan: "other than",
	}[op]
}

// literal says a literal.
func (n *narrator) literal(l mln.Literal) {
	not := map[bool]string{true: "not ", false: ""}[l.Negated]
	switch {
	case l.Atom != nil:
		n.atom(l.Atom, l.Negated)
	case l.Equal != nil:
		n.term(l.Equal.A)
		n.put(" is %s", map[bool]string{true: "not ", false: "the same as "}[l.Negated])
		n.term(l.Equal.B)
	case l.Compare != nil:
		n.term(l.Compare.X)
		n.put(" is %s%s %s", not, comparison(l.Compare.Op), clip(l.Compare.Value.Name, mostName))
	default:
		n.put("%s", map[bool]string{true: "it is not so that ", false: ""}[l.Negated])
		n.count(l.Count)
	}
}

// atom says that a predicate holds.
func (n *narrator) atom(a *mln.Atom, negated bool) {
	n.name(a.Name)
	switch {
	case len(a.Args) == 1 && negated:
		n.put(" does not hold for ")
	case len(a.Args) == 1:
		n.put(" holds for ")
	case negated:
		n.put(" does not relate ")
	default:
		n.put(" relates ")
	}
	if len(a.Args) == 2 {
		n.term(a.Args[0])
		n.put(" to ")
		n.term(a.Args[1])
		return
	}
	n.list(a.Args)
}

// list says terms with commas and an and.
func (n *narrator) list(terms []mln.Term) {
	for i, t := range terms {
		n.put("%s", between(i, len(terms)))
		n.term(t)
	}
}

// between returns what stands before the i-th of so many.
func between(i, of int) string {
	switch i {
	case 0:
		return ""
	case of - 1:
		return " and "
	}
	return ", "
}

// term says a term, with its type where a variable is new.
func (n *narrator) term(t mln.Term) {
	switch t.Kind {
	case mln.TermCenter:
		n.put("the center")
	case mln.TermVariable:
		n.variable(t.Var)
	case mln.TermConstant:
		n.put("%s ", n.schema.Types[t.Type])
		n.name(t.Name)
	}
}

func (n *narrator) variable(v int) {
	if !n.said[v] {
		n.said[v] = true
		n.put("%s ", n.schema.Types[n.vars[v].Type])
	}
	n.name(n.vars[v].Name)
}

// count says a counting literal.
func (n *narrator) count(c *mln.Count) {
	literals, _ := conjuncts(c.X)
	switch {
	case c.Op == mln.AtLeast && c.K == 1:
		n.put("there is ")
		n.one(c.Listed)
	case c.Op == mln.Less && c.K == 1:
		n.put("there is no ")
		n.these(c.Listed)
	default:
		n.put("there are %s %d ", map[mln.Comparison]string{
			mln.AtLeast: "at least", mln.Less: "fewer than", mln.Greater: "more than", mln.AtMost: "at most", mln.SameAs: "exactly",
			mln.OtherThan: "not exactly",
		}[c.Op], c.K)
		n.many(c.Listed)
	}
	n.put(" for which ")
	n.conjunction(literals)
	for i, v := range c.Inner {
		if !n.comparedOnly(literals, v) {
			n.put("%s", map[bool]string{true: ", for some ", false: " and "}[i == 0])
			n.name(n.vars[v].Name)
		}
	}
}

// conjuncts returns the literals of a conjunction, false where it is none.
func conjuncts(x mln.Expr) ([]mln.Literal, bool) {
	xs := []mln.Expr{x}
	if and, ok := x.(*mln.And); ok {
		xs = and.Xs
	}
	out := make([]mln.Literal, 0, len(xs))
	for _, x := range xs {
		l, ok := mln.LiteralOf(x)
		if !ok {
			return nil, false
		}
		out = append(out, l)
	}
	return out, true
}
