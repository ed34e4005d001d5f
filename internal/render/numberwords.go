package render

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"resolwe/format/mln"
	"resolwe/internal/english"
)

// number is a number of which a predicate states the value.
type number struct {
	name, unit string
	low        bool // the lower, the better
	share      bool // it is told in per cent
}

// numberOf returns the number that a predicate states by its last argument.
func (s *Speaker) numberOf(pred int) number {
	p := s.schema.Predicates[pred]
	if w := s.schema.WordsOf(false, p.Name, nil); w != nil {
		return number{name: strings.TrimPrefix(w.One, "its "), unit: w.Unit, low: w.Flags.Is(mln.WordLow)}
	}
	return number{name: s.column(pred)}
}

// column returns the name of a predicate without that of its first argument's type.
func (s *Speaker) column(pred int) string {
	p := s.schema.Predicates[pred]
	words := english.Split(p.Name)
	for _, t := range english.Split(s.schema.Types[p.Args[0]]) {
		if len(words) > 1 && english.Singular(words[0]) == english.Singular(t) {
			words = words[1:]
		}
	}
	return cmp.Or(Clip(strings.Join(words, " "), MostName), "(no name)")
}

// text returns a value with its unit: digits as stated, and commas from 10,000 on, with a unit from 1,000 on.
func (n number) text(v float64) string {
	digits := -1
	if _, decimals, ok := strings.Cut(n.unit, "."); ok && strings.Trim(n.unit, "0.") == "" {
		digits = len(decimals)
	}
	text := strconv.FormatFloat(v, 'f', digits, 64)
	if math.Abs(v) >= 1e15 || v != 0 && math.Abs(v) < 1e-6 {
		text = strconv.FormatFloat(v, 'g', -1, 64)
	}
	switch {
	case n.unit != "year" && (math.Abs(v) >= 10000 || n.behind() != "" && math.Abs(v) >= 1000):
		text = typeset(text)
	case strings.HasPrefix(text, "-"):
		text = "−" + text[1:]
	}
	return text + n.behind()
}

// behind returns the unit as it stands behind a value.
func (n number) behind() string {
	switch {
	case n.unit == "%":
		return "%"
	case n.unit == "" || n.unit == "year" || n.unit == "date" || strings.Trim(n.unit, "0.") == "":
		return ""
	}
	return " " + n.unit
}

// cut says how a value compares with a threshold: "7,290 CZK or more".
func (n number) cut(c Cut) string {
	v := n.text(c.Value)
	switch c.Op {
	case mln.AtLeast:
		return v + Either(n.low, " or worse", " or more")
	case mln.AtMost:
		return v + Either(n.low, " or better", " or less")
	case mln.Greater:
		return Either(n.low, "worse than ", "more than ") + v
	case mln.Less:
		return Either(n.low, "better than ", "under ") + v
	case mln.OtherThan:
		return "not " + v
	case mln.SameAs:
	}
	return v
}

// within says that a value is in a range, or not.
func (n number) within(cuts []Cut, not bool) string {
	if len(cuts) == 1 {
		c := cuts[0]
		if not {
			c.Op = c.Op.Opposite()
		}
		return n.cut(c)
	}
	if low, high := cuts[0], cuts[1]; len(cuts) == 2 {
		if low.Op == mln.AtMost || low.Op == mln.Less {
			low, high = high, low
		}
		if low.Op == mln.AtLeast && high.Op == mln.AtMost && low.Value <= high.Value {
			return Either(not, "outside ", "") + strings.TrimSuffix(n.text(low.Value), n.behind()) + " to " + n.text(high.Value)
		}
	}
	var all []string
	for _, c := range cuts {
		all = append(all, n.cut(c))
	}
	return Either(not, "not ", "") + strings.Join(all, " and ")
}

// ago says how long ago something was, of which the age in days is compared.
func ago(c Cut) string {
	days := number{}.text(c.Value) + Either(c.Value == 1, " day", " days") + " ago"
	switch c.Op {
	case mln.AtLeast:
		return "at least " + days
	case mln.AtMost:
		return "at most " + days
	case mln.Greater:
		return "more than " + days
	case mln.Less:
		return "less than " + days
	case mln.OtherThan:
		return "not " + days
	case mln.SameAs:
	}
	return days
}
