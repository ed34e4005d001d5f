package resolwe_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/test/check"
)

// writable declares what selected models are made of: kinds of numbers, a type line, names that need quotes.
const writable = `number points, days
b = {B1, "o'hara", "-3", x}
e(a, b)
f(b, a)
g(a)
s(a, points)
ago(a, days)
target q(a)
target listed w(a, b)
`

// writer makes random candidates, in which variables of every scope have the same few names.
type writer struct {
	*rand.Rand
	names map[string][]string // by type
}

func (w *writer) pick(list ...string) string { return list[w.IntN(len(list))] }

// term returns a variable, mostly, or a constant.
func (w *writer) term(typ string) string {
	switch {
	case typ == "points" || typ == "days":
		if w.IntN(8) == 0 {
			return w.pick("-2.5", "1e21", "0", "7")
		}
	case w.IntN(10) == 0 && typ == "a":
		return w.pick("@center", "A1", `"two words"`, `"B1\\"`)
	case w.IntN(10) == 0:
		return w.pick("B1", `"o'hara"`, `"-3"`, `"x"`, "9")
	}
	return w.pick(w.names[typ]...)
}

// literals returns n literals of evidence; numbers are bounded at times.
func (w *writer) literals(n int) (out []string) {
	for range n {
		switch a := w.term("a"); w.IntN(6) {
		case 0:
			out = append(out, w.pick("", "!")+fmt.Sprintf("e(%s, %s)", a, w.term("b")))
		case 1:
			out = append(out, fmt.Sprintf("f(%s, %s)", w.term("b"), a))
		case 2:
			out = append(out, w.pick("", "!")+fmt.Sprintf("g(%s)", a))
		default:
			typ := w.pick("points", "days")
			n := w.term(typ)
			out = append(out, fmt.Sprintf("%s(%s, %s)", map[string]string{"points": "s", "days": "ago"}[typ], a, n))
			if slices.Contains(w.names[typ], n) && w.IntN(2) == 0 {
				out = append(out, n+w.pick(" >= ", " < ", " != ")+w.pick("-1", "2.50", "7"))
			}
		}
	}
	return out
}

// counting returns a counting literal or an aggregate.
func (w *writer) counting() string {
	body := strings.Join(w.literals(1+w.IntN(3)), " ^ ")
	var listed []string
	for _, typ := range []string{"points", "days", "a", "b"} { // numbers first, as aggregates need
		for _, v := range w.names[typ] {
			if w.IntN(2) == 0 && strings.ContainsAny(body, "("+v+")") {
				listed = append(listed, v)
			}
		}
	}
	kind := w.pick("#", "#", "avg", "sum", "min", "max", "last")
	return w.pick("", "", "!") + fmt.Sprintf("%s{%s: %s}%s%d", kind, strings.Join(listed, ", "), body, w.pick(" >= ", " < ", " = "), w.IntN(4))
}

// candidate returns the text of a candidate, which may be wrong.
func (w *writer) candidate() string {
	var body []string
	if w.IntN(3) > 0 {
		body = append(body, w.counting())
	}
	if len(body) == 0 || w.IntN(3) == 0 {
		body = append(body, w.literals(1+w.IntN(2))...)
	}
	a, b := w.pick(w.names["a"]...), w.pick(w.names["b"]...)
	head := w.pick(fmt.Sprintf("q(%s)", a), fmt.Sprintf("w(%s, %s)", a, b))
	if w.IntN(4) == 0 {
		head = fmt.Sprintf("q(%s) ^ %s", w.pick(w.names["a"]...), head)
	}
	return strings.Join(body, " ^ ") + w.pick(" ^ ", " => ") + head
}

// candidates returns some candidates of a model with the declarations.
func (w *writer) candidates(n int) (out []*mln.Candidate) {
	for len(out) < n {
		if m, err := mln.Parse("c", []byte(writable+w.candidate()), mln.Options{}); err == nil {
			list, _, err := mln.Candidates(m)
			if err == nil {
				out = append(out, list...)
			}
		}
	}
	return out
}

// rules returns thresholds of candidates, by target, each twice.
func (w *writer) rules(candidates []*mln.Candidate) (out [2][]mln.Threshold) {
	for _, c := range candidates {
		if !c.Comparable() {
			continue
		}
		t := mln.Threshold{Candidate: c, AtLeast: 1, Negated: w.IntN(2) == 0}
		if c.Local() {
			t.AtLeast += int64(w.IntN(3))
		}
		target := len(c.Enforcer[0].Args) - 1
		out[target] = append(out[target], t, t)
	}
	return out
}

// formulas returns what selection makes of candidates: joint and conditional formulas, shapes, and rules.
func (w *writer) formulas(candidates []*mln.Candidate) (out []*mln.Formula) {
	for _, c := range candidates {
		n := len(c.Enforcer)
		out = append(out, c.Joint(), c.Conditional(w.IntN(n)))
		if n == 1 {
			out = append(out, c.Shaped(mln.ShapeLog, 0), c.Shaped(mln.ShapeOnce, 0))
		} else {
			out = append(out, c.Shaped(mln.ShapeMean, w.IntN(n)))
		}
	}
	for _, thresholds := range w.rules(candidates) {
		for range thresholds {
			w.Shuffle(len(thresholds), func(i, j int) { thresholds[i], thresholds[j] = thresholds[j], thresholds[i] })
			out = append(out, mln.AllOf(thresholds[:1+w.IntN(min(4, len(thresholds)))]))
		}
	}
	return out
}

// weighted gives formulas random weights, some of them extreme.
func (w *writer) weighted(formulas []*mln.Formula) (out []*mln.Formula) {
	for _, f := range formulas {
		weight := math.Ldexp(w.NormFloat64(), w.IntN(40)-20)
		switch w.IntN(8) {
		case 0:
			weight = []float64{0, math.Copysign(0, -1), mln.MaxWeight, -mln.MaxWeight, math.SmallestNonzeroFloat64, 1e21, 1e-7}[w.IntN(7)]
		case 1:
			if f.Shape == mln.ShapeNone {
				hard := *f
				hard.Hard = true
				out = append(out, &hard)
				continue
			}
		}
		out = append(out, f.WithWeight(weight))
	}
	return out
}

// facts returns a small random subgraph.
func (w *writer) facts() string {
	var b strings.Builder
	fmt.Fprintln(&b, "@subgraph s center=A1\n@entity a A1 A2")
	said := map[string]bool{}
	for range 14 {
		a, x, n := w.pick("A1", "A2", "A1", `"two words"`), w.pick("B1", `"o'hara"`), w.pick("-2.5", "7", "2.5", "1")
		atom := w.pick(fmt.Sprintf("e(%s, %s)", a, x), fmt.Sprintf("f(%s, %s)", x, a), fmt.Sprintf("g(%s)", a), fmt.Sprintf("s(%s, %s)", a, n),
			fmt.Sprintf("ago(%s, %s)", a, n), fmt.Sprintf("q(%s)", a), fmt.Sprintf("w(%s, %s)", a, x))
		if !said[atom] {
			said[atom] = true
			fmt.Fprintln(&b, atom)
		}
	}
	return b.String()
}

// Selected models read back as what they were: formulas up to renaming, weights bit by bit, and counts on small subgraphs.
func TestModel_Write_ReadsBack(t *testing.T) {
	t.Parallel()
	task := parse(t, writable)
	clashes, counted := 0, 0
	for seed := range rounds(t, 2000) {
		w := &writer{rand.New(rand.NewPCG(seed, 46)), map[string][]string{"a": {"x", "y", "o2"}, "b": {"u", "o1"}, "points": {"n", "n1"}, "days": {"d"}}}
		m := task.With(w.weighted(w.formulas(w.candidates(2))))
		var out strings.Builder
		check.OKf(t, m.Write(&out, nil), "seed %d", seed)
		back, err := resolwe.ParseModel("written.mln", []byte(out.String()), resolwe.ModelOptions{})
		check.OKf(t, err, "seed %d: %s", seed, out.String())
		check.MustIs(t, len(back.Formulas), len(m.Formulas), "formulas of seed %d", seed)
		for i, f := range m.Formulas {
			g := back.Formulas[i]
			if mln.Canonical(f) != mln.Canonical(g) || math.Float64bits(f.Weight) != math.Float64bits(g.Weight) || f.Hard != g.Hard {
				t.Fatalf("seed %d: %s\nreads as %s", seed, mln.FormatRule(f), mln.FormatRule(g))
			}
			if strings.Count(mln.FormatFormula(f), "{") > 1 {
				clashes++
			}
		}
		if seed%4 > 0 {
			continue
		}
		subs := subgraphs(t, task, w.facts())
		got, want := worlds(back, subs)[0].Values(back.Formulas), worlds(m, subs)[0].Values(m.Formulas)
		check.MustEqual(t, fmt.Sprintf("counts of seed %d of\n%s", seed, out.String()), got, want)
		for _, v := range want {
			if v != 0 {
				counted++
			}
		}
	}
	check.AtLeast(t, clashes, 100, "formulas with several counting literals")
	check.AtLeast(t, counted, 100, "values other than 0")
}

// A rule is true of an atom if each of its thresholds holds: if the candidate has that many groundings, or fewer, in which the atom is the
// head. Heads have constants, and variables twice.
func TestAllOf_Holds(t *testing.T) {
	t.Parallel()
	task := parse(t, writable)
	atoms := []string{"q(A1)", "q(A2)", `q("two words")`, "w(A1, B1)", "w(A2, B1)", `w(A2, "o'hara")`}
	var held [2]int // whether, of rules with a constant in a head
	for seed := range rounds(t, 600) {
		w := &writer{rand.New(rand.NewPCG(seed, 48)), map[string][]string{"a": {"x", "y", "@center", "A2"}, "b": {"u", "B1"}, "points": {"n", "n1"}, "days": {"d"}}}
		rules := w.rules(w.candidates(2))
		for target, thresholds := range rules {
			if len(thresholds) == 0 {
				continue
			}
			w.Shuffle(len(thresholds), func(i, j int) { thresholds[i], thresholds[j] = thresholds[j], thresholds[i] })
			thresholds = thresholds[:1+w.IntN(min(3, len(thresholds)))]
			f := mln.AllOf(thresholds)
			formulas := []*mln.Formula{f}
			for _, th := range thresholds {
				formulas = append(formulas, th.Candidate.Joint())
			}
			facts := strings.Split(w.facts(), "\n")
			facts = slices.DeleteFunc(facts, func(f string) bool { return strings.HasPrefix(f, "q(") || strings.HasPrefix(f, "w(") })
			for _, atom := range atoms[3*target : 3*target+3] {
				subs := subgraphs(t, task, strings.Join(facts, "\n")+atom+"\n")
				got := worlds(task.With(formulas), subs)[0].Values(formulas)
				want := 1.
				for i, th := range thresholds {
					if (got[i+1] >= float64(th.AtLeast)) == th.Negated {
						want = 0
					}
				}
				if got[0] != want {
					t.Fatalf("seed %d: %s holds %v times for %s, and its candidates %v times:\n%s", seed, mln.FormatFormula(f), got[0], atom, got[1:], strings.Join(facts, "\n"))
				}
				if slices.ContainsFunc(thresholds, func(th mln.Threshold) bool { return !mln.DistinctVariables(th.Candidate.Enforcer[0].Args) }) {
					held[int(want)]++
				}
			}
		}
	}
	check.AtLeast(t, min(held[0], held[1]), 50, "atoms for which such rules hold, and do not")
}
