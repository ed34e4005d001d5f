package report

import (
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

// clip returns at most a number of characters of a text, in which nothing can hide: control characters and marks that change the
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

// The variables that are named anew: a user u; user u; users u, or pairs of user u and tag t.
type (
	one   []int
	these []int
	many  []int
)

// name is a name of the data, or of the model.
type name string

// say adds to the text: strings, and what has words of its own.
func (n *narrator) say(parts ...any) {
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			n.out = append(n.out, Piece{Text: part})
		case name:
			n.out = append(n.out, Piece{clip(string(part), mostName), true})
		case mln.Term:
			n.term(part)
		case []mln.Term:
			for i, t := range part {
				n.say(between(i, len(part)), t)
			}
		case mln.Literal:
			n.literal(part)
		case []mln.Literal:
			n.conjunction(part)
		case mln.Expr:
			n.logic(part, true)
		case one:
			n.say(article(n.schema.Types[n.vars[part[0]].Type]), these(part))
		case these:
			for i, v := range part {
				n.said[v] = false
				n.say(between(i, len(part)), mln.Term{Kind: mln.TermVariable, Var: v})
			}
		case many:
			n.many(part)
		}
	}
}

// either returns one of two texts.
func either(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

// InWords says in English what a formula with a weight says: when its head is more likely than it would be without it. It is the same text
// in every run, in which the names of the model and the data are marked.
func InWords(schema *mln.Schema, f *mln.Formula) Phrase {
	n := &narrator{schema: schema, vars: f.Vars, said: map[int]bool{}}
	headed, ok := f.Headed(schema)
	if !ok || f.Hard {
		n.general(f)
		return n.bounded()
	}
	rest, head := headed.Head()
	more := either(f.Weight >= 0, "more", "less")
	if len(rest) == 0 {
		n.say("Where no other formula speaks, it is "+more+" likely than not that ", head, ": the base rate.")
		return n.bounded()
	}
	n.say("That ", head, " is "+more+" likely ")
	n.condition(f.Shape, rest, head)
	n.say(".")
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
		n.say("where ", rest)
		return
	}
	switch shape {
	case mln.ShapeLog:
		n.say("the more ", many(locals), " there are for which ", rest)
	case mln.ShapeMean:
		var share, among []mln.Literal // those of targets, and the others
		for _, l := range rest {
			if l.Atom != nil && n.schema.Predicates[l.Atom.Pred].Role.IsTarget() {
				share = append(share, l)
			} else {
				among = append(among, l)
			}
		}
		n.say("the larger the share is, among the ", many(locals))
		if len(among) > 0 {
			n.say(" for which ", among)
		}
		n.say(", of those", " for which ", share)
	case mln.ShapeOnce:
		n.say("where there is ", one(locals), " for which ", rest)
	case mln.ShapeNone:
		n.say("with each of the ", many(locals), " for which ", rest)
	}
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
			n.say(either(l.Count != nil || literals[i-1].Count != nil, ", and ", " and "))
		}
		first = false
		at := -1
		if l.Atom != nil && !l.Negated {
			at = slices.IndexFunc(l.Atom.Args, func(t mln.Term) bool { return t.Kind == mln.TermVariable && n.comparedOnly(literals, t.Var) })
		}
		if at < 0 {
			n.literal(l)
			continue
		}
		// An atom of which an argument is only compared: age of user u is at least 30.
		n.say(name(l.Atom.Name), " of ", slices.Delete(slices.Clone(l.Atom.Args), at, at+1))
		and := " is "
		for _, c := range literals {
			if c.Compare != nil && c.Compare.X.Var == l.Atom.Args[at].Var {
				n.say(and+either(c.Negated, "not ", ""), compared(c.Compare.Op, c.Compare.Value.Name))
				and = " and "
			}
		}
	}
}

// compared says what a number is compared with.
func compared(op mln.Comparison, number string) string {
	return map[mln.Comparison]string{
		mln.AtLeast: "at least ", mln.Less: "less than ", mln.Greater: "more than ", mln.AtMost: "at most ", mln.SameAs: "equal to ",
		mln.OtherThan: "other than ",
	}[op] + clip(number, mostName)
}

// literal says a literal.
func (n *narrator) literal(l mln.Literal) {
	switch {
	case l.Atom != nil:
		n.atom(l.Atom, l.Negated)
	case l.Equal != nil:
		n.say(l.Equal.A, " is "+either(l.Negated, "not ", "the same as "), l.Equal.B)
	case l.Compare != nil:
		n.say(l.Compare.X, " is "+either(l.Negated, "not ", "")+compared(l.Compare.Op, l.Compare.Value.Name))
	default:
		n.say(either(l.Negated, "it is not so that ", ""))
		n.count(l.Count)
	}
}

// atom says that a predicate holds.
func (n *narrator) atom(a *mln.Atom, negated bool) {
	n.say(name(a.Name))
	if len(a.Args) == 1 {
		n.say(either(negated, " does not hold for ", " holds for "), a.Args)
		return
	}
	n.say(either(negated, " does not relate ", " relates "))
	if len(a.Args) == 2 {
		n.say(a.Args[0], " to ", a.Args[1])
		return
	}
	n.say(a.Args)
}

// between returns what stands before the i-th item of a list.
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
		n.say("the center")
	case mln.TermVariable:
		if v := n.vars[t.Var]; n.said[t.Var] {
			n.say(name(v.Name))
		} else {
			n.said[t.Var] = true
			n.say(n.schema.Types[v.Type]+" ", name(v.Name))
		}
	case mln.TermConstant:
		n.say(n.schema.Types[t.Type]+" ", name(t.Name))
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
