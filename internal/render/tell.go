package render

import (
	"cmp"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/internal/english"
)

// Speaker tells formulas over a schema to people who know the data and not the program: in the words of its "//=" lines, or else in words
// made from its names. Texts have no variable, no predicate's name with an underscore, and say nothing about cause.
type Speaker struct{ schema *mln.Schema }

// NewSpeaker returns a speaker.
func NewSpeaker(schema *mln.Schema) *Speaker { return &Speaker{schema} }

// Nouns are the words for the query atoms of a target, which are called cases: "loan", "loans", "went bad", "did not go bad".
type Nouns struct {
	One, Many   string
	True, False string // what many do, in the past or present tense
	Who         bool   // they are people
}

// Nouns returns the words for the cases of a target predicate.
func (s *Speaker) Nouns(pred int) Nouns {
	p := s.schema.Predicates[pred]
	n := s.noun(p.Args[0])
	if len(p.Args) > 1 {
		var of strings.Builder
		for i, t := range p.Args {
			of.WriteString(Between(i, len(p.Args)) + english.Article(s.noun(t).One))
		}
		n = Nouns{One: "pair of " + of.String(), Many: "pairs of " + of.String()}
	}
	verb, not := s.verb(pred)
	n.True, n.False = english.ForMany(verb), english.ForMany(not)
	return n
}

// verb returns what one does of whom a predicate holds, and the opposite.
func (s *Speaker) verb(pred int) (yes, no string) {
	p := s.schema.Predicates[pred]
	if w := s.schema.WordsOf(false, p.Name, nil); w != nil && !strings.Contains(w.One, "{") {
		if yes = w.One; !strings.Contains(w.Two, "{") {
			no = w.Two
		}
	}
	if yes == "" {
		yes = Either(len(p.Args) > 1, "is in ", "is ") + `"` + spoken(p.Name) + `"`
	}
	return yes, cmp.Or(no, english.Negated(yes))
}

// noun returns the nouns for a type.
func (s *Speaker) noun(typ int) Nouns {
	name := s.schema.Types[typ]
	if w := s.schema.WordsOf(true, name, nil); w != nil {
		return Nouns{One: w.One, Many: cmp.Or(w.Two, english.Plural(w.One)), Who: w.Flags.Is(mln.WordWho)}
	}
	words := english.Split(name)
	if len(words) == 0 {
		words = []string{"thing"}
	}
	last := len(words) - 1
	words[last] = english.Singular(words[last])
	one := Clip(strings.Join(words, " "), MostName)
	return Nouns{One: one, Many: english.Plural(one)}
}

// spoken returns the words of a name.
func spoken(name string) string {
	return cmp.Or(Clip(strings.Join(english.Split(name), " "), MostName), "(no name)")
}

// Question returns the question that a target asks, such as "Which loans went bad?".
func (s *Speaker) Question(pred int) Phrase {
	n := s.Nouns(pred)
	return Join("Which ", n.Many, " ", n.True, "?")
}

// Told is a formula in words.
type Told struct {
	Quantity string // equal for formulas about one number, or one condition however it is counted: they are told in one line
	Group    Phrase // the cases told about: "loans whose account had been charged overdraft interest"
	Short    Phrase // the same without their noun: "account had been charged overdraft interest"
	Name     Phrase // of the quantity: "lowest balance in the last 365 days"
	Unit     string // of its values, "" if none
	Share    bool   // its values are shares, told in per cent
	Cut      *Cut   // of a number, where the group is told by one
	Inverse  bool   // the group is the cases for which the formula does not hold
	Number   bool   // the formula uses a number as it is, or its logarithm or ranks: its group is the cases where it is not 0
	Tie      bool   // it uses the answers of other cases
	Plain    bool   // it has no short reading: Group and Short are nil, and the text of the formula has to do
}

// Cut is a comparison of a number with a threshold.
type Cut struct {
	Op    mln.Comparison
	Value float64
}

// mostGroup is the most words of a group, in which a name from the data counts as one: with its shares a sentence has at most 30.
const mostGroup = 20

// Tell puts a formula with a head into words: the group of cases for which it holds or, inverse, of the others. Of a number that is
// compared, inverse is the other side; of what is there or not, those without it.
func (s *Speaker) Tell(f *mln.Formula, inverse bool) Told {
	text := mln.FormatFormula(f)
	plain := Told{Quantity: text, Name: Join(Name(Clip(text, MostText))), Plain: true, Inverse: inverse}
	headed, ok := f.Headed(s.schema)
	if !ok || f.Hard {
		return plain
	}
	rest, head := headed.Head()
	plain.Quantity = s.quantityOf(headed, rest, head)
	for _, l := range rest {
		plain.Tie = plain.Tie || l.Atom != nil && s.schema.Predicates[l.Atom.Pred].Role.IsTarget()
	}
	nouns := s.Nouns(head.Atom.Pred)
	if len(rest) == 0 {
		plain.Plain = false
		plain.Group, plain.Short, plain.Name = Join(Either(inverse, "no ", "all ")+nouns.Many), Join(Either(inverse, "none", "all")), Join("base rate")
		return plain
	}
	for most := 3; most > 0; most-- {
		t := teller{Speaker: s, vars: f.Vars, most: most, nouns: nouns}
		told, ok := t.group(headed, rest, head, inverse)
		if !ok {
			return plain
		}
		if told.Group.words()+len(head.Atom.Args) <= mostGroup+1 {
			told.Quantity, told.Tie = plain.Quantity, plain.Tie
			return told
		}
	}
	return plain
}

// quantityOf returns a text that is equal for formulas about one quantity.
func (s *Speaker) quantityOf(f *mln.Formula, rest []mln.Literal, head mln.Literal) string {
	key := func(kind string, literals []mln.Literal) string {
		g := &mln.Formula{Vars: f.Vars, Free: len(f.Vars)}
		xs := make([]mln.Expr, 0, len(literals)+1)
		for _, l := range append(slices.Clip(literals), head) {
			xs = append(xs, l.Expr())
		}
		g.Body = xs[0]
		if len(xs) > 1 {
			g.Body = &mln.And{Xs: xs}
		}
		return kind + " " + mln.Canonical(g)
	}
	if len(rest) == 1 && rest[0].Count != nil {
		c := *rest[0].Count
		if c.Kind == mln.AggregateCount {
			body, _ := c.Parts()
			return key("#", body)
		}
		c.Op, c.K = mln.AtLeast, 0
		return key("value", []mln.Literal{{Count: &c}})
	}
	if kind := s.cutKind(rest, head); kind != "" {
		return key(kind, slices.DeleteFunc(slices.Clone(rest), func(l mln.Literal) bool { return l.Compare != nil }))
	}
	switch f.Shape {
	case mln.ShapeMean:
		return key("mean", rest)
	case mln.ShapeRank, mln.ShapeRelative, mln.ShapeNone, mln.ShapeOnce, mln.ShapeLog:
	}
	if f.Measures() && len(rest) == 1 && rest[0].Atom != nil {
		return key("value", rest)
	}
	return key("#", rest)
}

// cutKind says what literals are about that compare one number with thresholds, "" for others: a value of the head's, or, of a thing of which
// there may be several, the greatest or the least. Ages and ranks are no such numbers, but say which things are meant.
func (s *Speaker) cutKind(literals []mln.Literal, head mln.Literal) string {
	v, kind := -1, ""
	for _, l := range literals {
		if l.Compare == nil {
			continue
		}
		if v >= 0 && l.Compare.X.Var != v {
			return ""
		}
		v = l.Compare.X.Var
		kind = Either((l.Compare.Op == mln.AtLeast || l.Compare.Op == mln.Greater) != l.Negated, "greatest", "least")
	}
	for _, l := range literals {
		if l.Atom == nil || v < 0 || !mentions(l, v) {
			continue
		}
		if s.schema.IsAge(l.Atom.Pred) || s.schema.IsRank(l.Atom.Pred) {
			return ""
		}
		if x := l.Atom.Args[0]; x.Kind == mln.TermVariable && mentions(head, x.Var) {
			kind = "value"
		}
	}
	return kind
}

func mentions(l mln.Literal, v int) (found bool) {
	mln.EachTerm(l.Expr(), func(t mln.Term) { found = found || t.Kind == mln.TermVariable && t.Var == v })
	return found
}

func isVariable(t mln.Term, v int) bool { return t.Kind == mln.TermVariable && t.Var == v }
