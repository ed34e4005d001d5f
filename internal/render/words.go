package render

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"resolwe/format/mln"
	"resolwe/internal/printable"
)

// Phrase is text in which names of predicates, and of entities in the data, are marked.
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

// MostName, MostPath and MostText bound the length of names in the data, file paths, and formulas on the page, in characters.
const (
	MostName = 80
	MostPath = 300
	MostText = 1500
)

// Join concatenates texts, names and phrases.
func Join(parts ...any) Phrase {
	var n narrator
	n.say(parts...)
	return n.out
}

// Clip returns at most the first most characters of a text, with nothing hidden: control characters and marks that change the direction
// of text appear as U+FFFD.
func Clip(text string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range text {
		if n++; n > most {
			b.WriteString("…")
			break
		}
		b.WriteRune(printable.Shown(r))
	}
	return b.String()
}

// narrator puts formulas over a schema into English.
type narrator struct {
	schema *mln.Schema
	vars   []mln.Variable
	said   map[int]bool // variables whose type was stated
	out    Phrase
}

// Ways to introduce new variables: a user u; user u; users u, or pairs of user u and tag t.
type (
	one   []int
	these []int
	many  []int
)

// Name is a name from the data or the model.
type Name string

// say appends strings and phrases to the text.
func (n *narrator) say(parts ...any) {
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			n.out = append(n.out, Piece{Text: part})
		case Name:
			n.out = append(n.out, Piece{Clip(string(part), MostName), true})
		case Phrase:
			n.out = append(n.out, part...)
		case mln.Term:
			n.term(part)
		case []mln.Term:
			for i, t := range part {
				n.say(Between(i, len(part)), t)
			}
		case mln.Literal:
			n.literal(part)
		case []mln.Literal:
			n.conjunction(part)
		case mln.Expr:
			n.logic(part, true)
		case one:
			noun := strings.ToLower(n.schema.Types[n.vars[part[0]].Type])
			n.say(Either(strings.ContainsRune("aeio", rune(noun[0])), "an ", "a "), these(part))
		case these:
			for i, v := range part {
				n.said[v] = false
				n.say(Between(i, len(part)), mln.Term{Kind: mln.TermVariable, Var: v})
			}
		case many:
			n.many(part)
		}
	}
}

// Either returns one of two texts.
func Either(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

// InWords puts a formula with a weight into English: which cases it is about, and whether what is predicted holds more or less often for them
// where that is established, or a person stated the weight. The text is the same in every run, and marks the names of the data.
func InWords(schema *mln.Schema, f *mln.Formula) Phrase {
	if f.Standing == mln.StandingAlso {
		return Described(schema, f)
	}
	return sentence(schema, f, Either(f.Weight >= 0, " more often", " less often"))
}

// Described says which cases a formula is about, and claims nothing of them.
func Described(schema *mln.Schema, f *mln.Formula) Phrase { return sentence(schema, f, "") }

// sentence says how often what is predicted holds for the cases of a formula; nothing if often is "".
func sentence(schema *mln.Schema, f *mln.Formula, often string) Phrase {
	n := &narrator{schema: schema, vars: f.Vars, said: map[int]bool{}}
	headed, ok := f.Headed(schema)
	if !ok || f.Hard {
		// it is no condition for a single head
		n.say(Either(f.Hard, "Always, ", "A state is the "+Either(f.Weight >= 0, "more", "less")+" likely, the more often "))
		n.logic(f.Body, false)
		n.say(".")
		return n.bounded()
	}
	s := NewSpeaker(schema)
	rest, head := headed.Head()
	nouns := s.Nouns(head.Atom.Pred)
	verb := Either(head.Negated, nouns.False, nouns.True)
	if len(rest) == 0 {
		return Join("Base rate: the share of " + nouns.Many + Either(nouns.Who, " who ", " that ") + verb + ".")
	}
	told := s.Tell(f)
	switch {
	case told.Plain:
		return n.formula(f, headed, rest, head, often)
	case told.Number && often == "":
		return Join(capital(told.Name) + ".")
	}
	compared := Either(f.Shape == mln.ShapeRelative, ", compared with the other cases of the same subgraph", "")
	switch {
	case told.Number:
		return Join("The higher the " + told.Name + compared + ", the" + often + " " + nouns.Many + " " + verb + ".")
	case often == "":
		return Join(capital(told.Group) + compared + ".")
	}
	more := Either(f.Shape == mln.ShapeLog && !told.Compared, ", the more so the more there are", "")
	return Join(capital(told.Group) + " " + verb + often + compared + more + ".")
}

// capital returns a text that begins with a capital letter.
func capital(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}

// formula puts a formula that has no short reading into words with its variables.
func (n *narrator) formula(f, headed *mln.Formula, rest []mln.Literal, head mln.Literal, often string) Phrase {
	n.vars = headed.Vars
	likely := map[string]string{" more often": "more likely", " less often": "less likely", "": "not established to be more or less likely"}[often]
	n.say("That ", head, " is "+likely+" ")
	if f.Measures() {
		n.value(rest[0], head)
	} else {
		n.condition(f.Shape, rest, head)
	}
	if f.Shape == mln.ShapeRelative {
		n.say(", compared with the mean over the ", Name(head.Atom.Name), " atoms of the subgraph")
	}
	n.say(".")
	return n.bounded()
}

// Counting reports whether the text of a formula is about a number of entities, or a value.
func Counting(schema *mln.Schema, f *mln.Formula) bool {
	headed, ok := f.Headed(schema)
	if !ok {
		return true
	}
	rest, head := headed.Head()
	return f.Compares() || len((&narrator{schema: schema, vars: f.Vars}).locals(rest, head)) > 0
}

// bounded returns the text so far, cut if it is too long for a page.
func (n *narrator) bounded() Phrase {
	length := 0
	for i, p := range n.out {
		if length += len(p.Text); length > MostText {
			return append(n.out[:i:i], Piece{Text: "…"})
		}
	}
	return n.out
}

// condition says when the literals besides the head make it more likely.
func (n *narrator) condition(shape mln.Shape, rest []mln.Literal, head mln.Literal) {
	locals := n.locals(rest, head)
	if len(locals) == 0 {
		n.say("where ", rest)
		return
	}
	switch shape {
	case mln.ShapeLog, mln.ShapeRelative:
		n.say("the more ", many(locals), " there are for which ", rest)
	case mln.ShapeMean:
		var share, among []mln.Literal // literals of targets, and the others
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
	case mln.ShapeNone, mln.ShapeRank:
		n.say("with each of the ", many(locals), " for which ", rest)
	}
}

// value says that a value makes the head more likely: of an aggregate, a number of entities, or a number that an atom states.
func (n *narrator) value(l, head mln.Literal) {
	if l.Count != nil {
		n.say(Either(l.Count.Kind == mln.AggregateCount, "", "the larger "))
		n.count(l.Count)
		return
	}
	of := slices.DeleteFunc(slices.Clone(l.Atom.Args), func(t mln.Term) bool { return t.Kind == mln.TermVariable && !mentions(head, t.Var) })
	n.say("the larger ", Name(l.Atom.Name))
	if len(of) > 0 {
		n.say(" of ", of)
	}
	n.say(" is")
}

// locals returns the variables of literals that the head does not mention, except numbers that are only compared, which are
// described together with what they belong to.
func (n *narrator) locals(rest []mln.Literal, head mln.Literal) (vars []int) {
	for _, l := range rest {
		if l.Count != nil {
			continue // its variables are local
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

// comparedOnly reports whether a variable occurs in one positive atom, and otherwise only in comparisons with numbers, at least
// one.
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

// conjunction puts literals into words, with numbers beside the atoms that they belong to.
func (n *narrator) conjunction(literals []mln.Literal) {
	first := true
	for i, l := range literals {
		if l.Compare != nil && n.comparedOnly(literals, l.Compare.X.Var) {
			continue
		}
		if !first {
			n.say(Either(l.Count != nil || literals[i-1].Count != nil, ", and ", " and "))
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
		// An atom with an argument that is only compared: age of user u is at least 30.
		n.say(Name(l.Atom.Name), " of ", slices.Delete(slices.Clone(l.Atom.Args), at, at+1))
		and := " is "
		for _, c := range literals {
			if c.Compare != nil && c.Compare.X.Var == l.Atom.Args[at].Var {
				n.say(and+Either(c.Negated, "not ", ""), compared(c.Compare.Op, c.Compare.Value.Name))
				and = " and "
			}
		}
	}
}

// compared puts a comparison of a number into words.
func compared(op mln.Comparison, number string) string {
	return map[mln.Comparison]string{
		mln.AtLeast: "at least ", mln.Less: "less than ", mln.Greater: "more than ", mln.AtMost: "at most ", mln.SameAs: "equal to ",
		mln.OtherThan: "other than ",
	}[op] + Clip(number, MostName)
}

// literal puts a literal into words.
func (n *narrator) literal(l mln.Literal) {
	switch {
	case l.Atom != nil:
		n.atom(l.Atom, l.Negated)
	case l.Equal != nil:
		n.say(l.Equal.A, " is "+Either(l.Negated, "not ", "the same as "), l.Equal.B)
	case l.Compare != nil:
		n.say(l.Compare.X, " is "+Either(l.Negated, "not ", "")+compared(l.Compare.Op, l.Compare.Value.Name))
	default:
		n.say(Either(l.Negated, "it is not so that ", ""))
		n.count(l.Count)
	}
}

// atom says that a predicate holds.
func (n *narrator) atom(a *mln.Atom, negated bool) {
	n.say(Name(a.Name))
	if len(a.Args) == 1 {
		n.say(Either(negated, " does not hold for ", " holds for "), a.Args)
		return
	}
	n.say(Either(negated, " does not relate ", " relates "))
	if len(a.Args) == 2 {
		n.say(a.Args[0], " to ", a.Args[1])
		return
	}
	n.say(a.Args)
}

// Between returns the text before the i-th item of a list.
func Between(i, of int) string {
	switch i {
	case 0:
		return ""
	case of - 1:
		return " and "
	}
	return ", "
}

// term puts a term into words, with its type if a variable is new.
func (n *narrator) term(t mln.Term) {
	switch t.Kind {
	case mln.TermCenter:
		n.say("the center")
	case mln.TermVariable:
		if v := n.vars[t.Var]; n.said[t.Var] {
			n.say(Name(v.Name))
		} else {
			n.said[t.Var] = true
			n.say(n.schema.Types[v.Type]+" ", Name(v.Name))
		}
	case mln.TermConstant:
		n.say(n.schema.Types[t.Type]+" ", Name(t.Name))
	}
}
