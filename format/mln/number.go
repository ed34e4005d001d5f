package mln

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"resolwe/format/lex"
)

// NumberType is the built-in type whose entities are decimal numbers; equal values are one entity.
const NumberType = "number"

// IsNumber reports whether the entities of a type are numbers: the built-in [NumberType], and types declared by a line such as "number
// points, seconds".
func (s *Schema) IsNumber(typ int) bool {
	return s.Types[typ] == NumberType || typ < len(s.Kinds) && s.Kinds[typ]
}

// TypeText returns the name of a type, or "number points" for a declared kind of numbers, a name that no other type has.
func (s *Schema) TypeText(typ int) string {
	if typ < len(s.Kinds) && s.Kinds[typ] {
		return NumberType + " " + s.Types[typ]
	}
	return s.Types[typ]
}

// HasNumbers reports whether the schema has a numeric type.
func (s *Schema) HasNumbers() bool {
	return slices.Contains(s.Types, NumberType) || slices.Contains(s.Kinds, true)
}

// AddKind makes a type a kind of numbers.
func (s *Schema) AddKind(typ int) {
	if s.IsNumber(typ) {
		return
	}
	s.Kinds = append(s.Kinds, make([]bool, max(0, typ+1-len(s.Kinds)))...)
	s.Kinds[typ] = true
}

// ParseNumber reads a decimal number, such as 34, -2.5 or 1e6. It reports whether the text is one and finite.
func ParseNumber(text string) (float64, bool) {
	if text == "" || strings.Trim(text, "+-.0123456789eE") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, false
	}
	return v + 0, true
}

// FormatNumber returns a number's name as an entity: the shortest digits that read back as the same number, with an exponent only if the
// number is very small or large.
func FormatNumber(v float64) string {
	if v == 0 {
		return "0" // also for -0
	}
	if a := math.Abs(v); a < 1e-6 || a >= 1e21 {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// Comparison is an order relation between two numbers.
type Comparison = lex.Comparison

// The comparisons. The zero value is none.
const (
	Less      = lex.Less
	SameAs    = lex.SameAs
	Greater   = lex.Greater
	AtMost    = lex.AtMost
	AtLeast   = lex.AtLeast
	OtherThan = lex.OtherThan
)
