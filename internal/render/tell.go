package render

import (
	"strings"

	"resolwe/format/mln"
)

// Speaker tells formulas over a schema to people who know the data and not the program: in the words of its "//=" lines, or else in words
// made from its names. Texts have no variable, no predicate's name with an underscore, and say nothing about cause.
type Speaker struct{ schema *mln.Schema }

// NewSpeaker returns a speaker.
func NewSpeaker(schema *mln.Schema) *Speaker { return &Speaker{schema} }

// Nouns are the words for the query atoms of a target, which are called cases: "loan", "loans", "went bad", "did not go bad".
type Nouns struct {
	One, Many   string
	True, False string // what one does, in the past or present tense
	Who         bool   // they are people
}

// Nouns returns the words for the cases of a target predicate.
func (s *Speaker) Nouns(pred int) Nouns {
	p := s.schema.Predicates[pred]
	noun := strings.ReplaceAll(s.schema.Types[p.Args[0]], "_", " ")
	name := strings.ReplaceAll(p.Name, "_", " ")
	return Nouns{One: noun, Many: noun + "s", True: "have " + name, False: "do not have " + name}
}

// Question returns the question that a target asks: "Which loans went bad?"
func (s *Speaker) Question(pred int) Phrase {
	n := s.Nouns(pred)
	return Join("Which ", Name(n.Many), " ", Name(n.True), "?")
}

// Told is a formula in words.
type Told struct {
	Quantity string // equal for formulas about one number, or one condition however it is counted: they are told in one line
	Group    Phrase // the cases told about: "loans whose account had been charged overdraft interest"
	Short    Phrase // the same without their noun: "account had been charged overdraft interest"
	Name     Phrase // of the quantity: "lowest balance in the last 365 days"
	Unit     string // of its values, "" if none
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

// Tell puts a formula with a head into words: the group of cases for which it holds or, inverse, of the others. Of a number that is
// compared, inverse is the other side; of what is there or not, those without it.
func (s *Speaker) Tell(f *mln.Formula, inverse bool) Told {
	text := mln.FormatFormula(f)
	return Told{Quantity: text, Name: Join(Name(text)), Plain: true, Inverse: inverse, Tie: false}
}
