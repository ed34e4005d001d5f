package mln_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
)

const shapeHead = "a(n, m)\ns(n)\ntarget on(n)\n" // three lines

// A formula with a shape prints as a conjunction whose last literal is the head, and reads back as the same.
func TestShapes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, want string
		shape      mln.Shape
	}{
		{"0.8 log: a(x, y) ^ on(x)", "0.8 log: a(x, y) ^ on(x)", mln.ShapeLog},
		{"once: on(x) ^ a(x, y)", "once: a(x, y) ^ on(x)", mln.ShapeOnce},
		{"-2 mean: on(y) => (a(x, z) ^ a(y, z) => !on(x))", "-2 mean: on(y) ^ a(x, z) ^ a(y, z) ^ !on(x)", mln.ShapeMean},
		{"log: on(x)", "log: on(x)", mln.ShapeLog},
		{"log: on(n)", "log: on(n)", mln.ShapeLog},
		{"1 log: FORALL x a(x, y) ^ !(x = @center) => !!on(x)", "1 log: a(x, y) ^ x != @center ^ !!on(x)", mln.ShapeLog},
		{"log(x) ^ mean(x) => on(x)", "log(x) ^ mean(x) => on(x)", mln.ShapeNone},
		{"log: log(x) ^ on(x)", "log: log(x) ^ on(x)", mln.ShapeLog},
		{"2 rank(-2.5, 3e0, 1e30): age(x, y) => !on(x)", "2 rank(-2.5, 3, 1e+30): age(x, y) ^ !on(x)", mln.ShapeRank},
		{"rank(3): on(x) ^ avg{y: age(x, y)}", "rank(3): avg{y: age(x, y)} ^ on(x)", mln.ShapeRank},
		{"rank(\n3,\n5): #{y: a(x, y)} ^ on(x)", "rank(3, 5): #{y: a(x, y)} ^ on(x)", mln.ShapeRank},
		{"relative: a(x, y) => on(x)", "relative: a(x, y) ^ on(x)", mln.ShapeRelative},
		{"1 relative(2.50): age(@center, y) ^ on(x)", "1 relative(2.5): age(@center, y) ^ on(x)", mln.ShapeRelative},
		{"rank(x) ^ relative(x) => on(x)", "rank(x) ^ relative(x) => on(x)", mln.ShapeNone},
		{"log: #{y: a(x, y)} >= 3 ^ !#{y: a(x, y)} >= 9 ^ on(x)", "log: #{y: a(x, y)} >= 3 ^ #{y: a(x, y)} < 9 ^ on(x)", mln.ShapeLog},
	} {
		head := shapeHead + "log(n)\nmean(n)\nrank(n)\nrelative(n)\nage(n, number)\n"
		m, err := mln.Parse("m.mln", []byte(head+tt.text), mln.Options{CNF: tt.shape != mln.ShapeNone})
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		f := m.Formulas[0]
		if got := mln.FormatRule(f); got != tt.want || f.Shape != tt.shape {
			t.Errorf("%s: got %s of shape %v, want %s of shape %v", tt.text, got, f.Shape, tt.want, tt.shape)
		}
		again, err := mln.Parse("m.mln", []byte(head+mln.FormatRule(f)), mln.Options{})
		if err != nil || len(again.Formulas) != 1 || mln.Canonical(again.Formulas[0]) != mln.Canonical(f) {
			t.Errorf("%s: got %v, %v from what it prints", tt.text, again, err)
		}
	}
}

// Shapes and heads tell formulas apart; renaming and reordering do not.
func TestCanonical_Shapes(t *testing.T) {
	t.Parallel()
	for _, group := range [][]string{
		{"log: a(x, y) ^ s(x) ^ on(x)", "log: s(u) ^ a(u, w) => on(u)"},
		{"once: a(x, y) ^ s(x) ^ on(x)"},
		{"a(x, y) ^ s(x) ^ on(x)"},
		{"mean: b(x, y) ^ on(x) ^ on(y)", "mean: on(u) ^ b(u, w) ^ on(w)"},
		{"mean: b(x, y) ^ on(y) ^ on(x)"},
		{"rank(3, 5): #{y: a(x, y)} ^ on(x)", "rank(3, 5): on(u) ^ #{w: a(u, w)}"},
		{"rank(3): #{y: a(x, y)} ^ on(x)"},
		{"relative(3): #{y: a(x, y)} ^ on(x)"},
		{"relative: a(x, y) ^ on(x)"},
	} {
		m, err := mln.Parse("m.mln", []byte(shapeHead+"b(n, n)\n"+strings.Join(group, "\n")), mln.Options{})
		if err != nil || len(m.Formulas) != 1 {
			t.Errorf("%v: got %d formulas, %v, want one", group, len(m.Formulas), err)
		}
	}
	m, err := mln.Parse("m.mln", []byte(shapeHead+"b(n, n)\nmean: b(x, y) ^ on(x) ^ on(y)\nmean: b(x, y) ^ on(y) ^ on(x)\nb(x, y) ^ on(x) ^ on(y)\n"), mln.Options{})
	if err != nil || len(m.Formulas) != 3 {
		t.Errorf("got %v, want three formulas", err)
	}
}

// A shape is kept by every choice of a template.
func TestShapes_Templates(t *testing.T) {
	t.Parallel()
	m, err := mln.Parse("m.mln", []byte(shapeHead+"b(n, n)\ntemplate T(x, y) extend 2 = a(x, z) ^ a(y, z) | b(x, y)\n0.5 log: T(x, y) ^ on(x)\n"), mln.Options{})
	check.OK(t, err)
	var got []string
	for _, f := range m.Formulas {
		got = append(got, mln.FormatRule(f))
	}
	if len(got) != 6 || got[1] != "0.5 log: b(x, y) ^ on(x)" {
		t.Errorf("got %q", got)
	}
}

func TestShapes_Errors(t *testing.T) {
	t.Parallel()
	for text, msg := range map[string]string{
		"loog: on(x)":         `4:1: unknown shape "loog": there are once, log, mean, rank and relative; did you mean "log"?`,
		"log: on(x).":         "4:11: a formula with a shape is soft",
		"1 log: s(x)":         "4:1: log: needs 1 target literal, found 0",
		"once: on(x) ^ on(y)": "4:1: once: needs 1 target literal, found 2",
		"mean: s(x) ^ on(x)":  "4:1: mean: needs 2 target literals, found 1",
		"log: s(x) v on(x)":   "4:1: log: needs a conjunction of literals",
		"log: (s(x) => on(x)) ^ (EXIST y a(x, y))":        "4:1: log: needs a conjunction of literals",
		"log: !(s(x) ^ s(x)) ^ on(x)":                     "4:1: log: needs a conjunction of literals",
		"rank: age(x, y) ^ on(x)":                         "4:1: rank: needs knots, as in rank(3, 5, 8):",
		"1 rank(3, 3): age(x, y) ^ on(x)":                 "4:3: rank: the knots ascend, and none is listed twice",
		"rank(1, 0): age(x, y) ^ on(x)":                   "4:1: rank: the knots ascend",
		"rank(0, -0): age(x, y) ^ on(x)":                  "4:1: rank: the knots ascend",
		"rank(1e999): age(x, y) ^ on(x)":                  "4:6: expected a number",
		"rank(y): age(x, y) ^ on(x)":                      "4:6: expected a number",
		"log(2): age(x, y) ^ on(x)":                       "4:1: log: takes no numbers",
		"relative(0): age(x, y) ^ on(x)":                  "4:1: relative: takes one number above 0",
		"relative(1, 2): age(x, y) ^ on(x)":               "4:1: relative: takes one number above 0",
		"relative: on(x)":                                 "4:1: relative: needs evidence",
		"relative: #{y: age(x, y)} ^ on(x)":               `4:27: expected ">="`,
		"rank(1): s(x) ^ on(x)":                           "4:1: rank: needs one literal beside the target's",
		"rank(1): a(x, y) ^ on(x)":                        "4:1: rank: needs one literal beside the target's",
		"rank(1): on(x)":                                  "4:1: rank: needs one literal beside the target's",
		"rank(1): s(x) ^ age(x, y) ^ on(x)":               "4:1: rank: needs one literal beside the target's",
		"rank(1): age(y, z) ^ on(x)":                      "4:1: rank: needs one literal beside the target's",
		"rank(1): !age(x, y) ^ on(x)":                     "4:1: rank: needs one literal beside the target's",
		"rank(1): !#{y: a(x, y)} ^ on(x)":                 "4:1: rank: needs one literal beside the target's",
		"rank(1): #{y: a(x, y)} >= 2 ^ on(x)":             "4:1: rank: needs one literal beside the target's",
		"relative(1): age(x, y) ^ on(x) ^ on(z)":          "4:1: relative: needs 1 target literal, found 2",
		"rank(1): age(x, y) ^ on(x).":                     "4:27: a formula with a shape is soft",
		"avg{y: age(x, y)} ^ on(x)":                       `4:19: expected ">="`,
		"template T(x) = s(x) | on(x)\nlog: T(x) ^ on(x)": "5:1: log: needs 1 target literal, found 2",
	} {
		_, err := mln.Parse("m.mln", []byte(shapeHead+text+"\nage(n, number)\n"), mln.Options{})
		if err == nil || !strings.Contains(err.Error(), msg) {
			t.Errorf("%s: got %v, want %s", text, err, msg)
		}
	}
	m, err := mln.Parse("m.mln", []byte(shapeHead+"log: s(x) ^ on(x)\n"), mln.Options{})
	check.OK(t, err)
	if _, _, err := mln.Candidates(m); err == nil || !strings.Contains(err.Error(), "a candidate has no shape") {
		t.Errorf("as a candidate: got %v", err)
	}
}

// Phi follows its definition, at and between knots of any size.
func TestFormula_Phi(t *testing.T) {
	t.Parallel()
	const tiny, huge = math.SmallestNonzeroFloat64, math.MaxFloat64
	for _, tt := range []struct {
		shape         mln.Shape
		numbers       []float64
		v, mean, want float64
	}{
		{mln.ShapeRank, []float64{3, 5, 8, 13}, 2, 0, -.5},
		{mln.ShapeRank, []float64{3, 5, 8, 13}, 3, 0, -.5},
		{mln.ShapeRank, []float64{3, 5, 8, 13}, 4, 0, -.375},
		{mln.ShapeRank, []float64{3, 5, 8, 13}, 5, 0, -.25},
		{mln.ShapeRank, []float64{3, 5, 8, 13}, 13, 0, .25},
		{mln.ShapeRank, []float64{3, 5, 8, 13}, 13.5, 0, .5},
		{mln.ShapeRank, []float64{7}, 7, 0, -.5},
		{mln.ShapeRank, []float64{7}, 8, 0, .5},
		{mln.ShapeRank, []float64{0, tiny}, tiny, 0, 0},
		{mln.ShapeRank, []float64{-huge, huge}, 0, 0, -.25},
		{mln.ShapeRank, []float64{-huge, huge}, huge, 0, 0},
		{mln.ShapeRelative, nil, 3, 1.5, 1.5},
		{mln.ShapeRelative, []float64{2.5}, 3, 8, -2},
		{mln.ShapeRelative, []float64{tiny}, 3, 8, -1e6},
		{mln.ShapeRelative, []float64{1}, huge, -huge, 1e6},
	} {
		f := mln.Formula{Shape: tt.shape, Numbers: tt.numbers}
		check.Equal(t, fmt.Sprint(tt.shape, tt.numbers, " of ", tt.v), f.Phi(tt.v, tt.mean), tt.want)
	}
}
