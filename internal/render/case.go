package render

import (
	"strconv"
	"strings"

	"resolwe/format/mln"
)

// Case names a query atom by its arguments: "loan 4967", "article A, user B". A name that begins with the noun stands alone.
func (s *Speaker) Case(pred int, names []string) (out Phrase) {
	for i, t := range s.schema.Predicates[pred].Args {
		out = Join(out, Either(i > 0, ", ", ""), s.Thing(t, names[i]))
	}
	return out
}

// Thing names an entity of a type.
func (s *Speaker) Thing(typ int, name string) Phrase {
	noun := s.noun(typ).One
	return Join(Either(strings.HasPrefix(strings.ToLower(name), strings.ToLower(noun)), "", noun+" "), Name(name))
}

// Field returns what a predicate of one entity is called as a column: the number that it states, or what holds.
func (s *Speaker) Field(pred int) string { return s.numberOf(pred).name }

// Stated prints a number that a predicate states, with its unit, in a number of significant digits.
func (s *Speaker) Stated(pred int, v float64, digits int) string {
	return s.numberOf(pred).text(significant(v, digits))
}

// Fact tells a number that a predicate states: "balance 5 CZK", "5 days ago".
func (s *Speaker) Fact(pred int, v float64, digits int) string {
	if s.schema.IsAge(pred) {
		return ago(Cut{mln.SameAs, v})
	}
	return s.Field(pred) + " " + s.Stated(pred, v, digits)
}

// Value prints a value of the quantity, to a number of significant digits, with its unit or without; shares are in per cent.
func (t *Told) Value(v float64, digits int, unit bool) string {
	if t.Share {
		return number{unit: "%"}.text(significant(100*v, min(digits, 3)))
	}
	return number{unit: Either(unit || t.Unit == "year", t.Unit, "")}.text(significant(v, digits))
}

// significant rounds to a number of significant digits.
func significant(v float64, digits int) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil { // infinite
		return v
	}
	return out
}
