package mln

import (
	"fmt"
	"math"
	"slices"
)

// ReadBackError says that a model was written as text that does not read as the same model: a fault of this program.
type ReadBackError struct {
	Formula string // as written, "" if it is the declarations
	Reason  string
}

// Error names the formula.
func (e *ReadBackError) Error() string {
	what := "the declarations"
	if e.Formula != "" {
		what = e.Formula
	}
	return fmt.Sprintf("internal fault: %s cannot be read back as written: %s; please report it", what, e.Reason)
}

// ReadBack parses the text of a model file, and compares it with the model that it was written from: predicates, constants, and formulas in
// order, which must be equal up to renaming variables, with equal bits of weights. The error is a *ReadBackError.
func ReadBack(text string, written *Model) error {
	fault := func(formula int, reason string) error {
		e := &ReadBackError{Reason: reason}
		if formula >= 0 {
			e.Formula = FormatRule(written.Formulas[formula])
		}
		return e
	}
	read, err := Parse("model", []byte(text), Options{})
	if err != nil {
		declarations := written.Declarations()
		for i, f := range written.Formulas {
			if _, err := Parse("formula", []byte(declarations+FormatRule(f)), Options{}); err != nil {
				return fault(i, err.Error())
			}
		}
		return fault(-1, err.Error())
	}
	for _, p := range written.Schema.Predicates {
		if i := read.Schema.Predicate(p.Name); i < 0 || read.Schema.Declaration(read.Schema.Predicates[i]) != written.Schema.Declaration(p) {
			return fault(-1, "predicate "+p.Name+" differs")
		}
	}
	for t, constants := range written.Constants {
		name := written.Schema.Types[t]
		if i := read.Schema.Type(name); i < 0 && len(constants) > 0 ||
			i >= 0 && (!slices.Equal(read.Constants[i], constants) || read.Schema.IsNumber(i) != written.Schema.IsNumber(t)) {
			return fault(-1, "type "+name+" differs")
		}
	}
	for i, f := range written.Formulas {
		if i == len(read.Formulas) {
			return fault(i, "it is not in what was read")
		}
		if g := read.Formulas[i]; !sameRule(f, g) {
			return fault(i, "it reads as "+FormatRule(g))
		}
	}
	if len(read.Formulas) > len(written.Formulas) {
		return fault(-1, "one reads as a formula")
	}
	return nil
}

// sameRule reports whether two formulas are equal up to renaming variables, with equal weights and periods.
func sameRule(f, g *Formula) bool {
	asNumbered := func(f *Formula) string {
		numbers := make([]int, len(f.Vars))
		for v := range numbers {
			numbers[v] = v
		}
		return fmt.Sprint(f.Free, f.Shape, canonicalText(headed(f), numbers))
	}
	return f.Hard == g.Hard && f.HasWeight == g.HasWeight && math.Float64bits(f.Weight) == math.Float64bits(g.Weight) &&
		(asNumbered(f) == asNumbered(g) || Canonical(f) == Canonical(g))
}
