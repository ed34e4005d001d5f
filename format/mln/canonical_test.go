package mln_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
)

// leastText is the oracle of Canonical: the least text over all renamings, tried one by one.
func leastText(f *mln.Formula) string {
	best := ""
	permute(len(f.Vars), func(perm []int) {
		if text := textOf(f.Body, perm); best == "" || text < best {
			best = text
		}
	})
	return best
}

// textOf writes a tree with numbers for variables and the operands of ^, v and = in order.
func textOf(x mln.Expr, number []int) string {
	term := func(t mln.Term) string {
		if t.Kind == mln.TermVariable {
			return strconv.Itoa(number[t.Var])
		}
		return fmt.Sprintf("%d:%q", t.Kind, t.Name)
	}
	numbers := func(vars []int, inPlace int) (out []int) {
		for _, v := range vars {
			out = append(out, number[v])
		}
		slices.Sort(out[inPlace:])
		return out
	}
	var parts []string
	for _, y := range mln.Operands(x) {
		parts = append(parts, textOf(y, number))
	}
	var kind string
	switch x := x.(type) {
	case *mln.Atom:
		kind = x.Name
		for _, t := range x.Args {
			parts = append(parts, term(t))
		}
	case *mln.Equal:
		kind, parts = "=", []string{term(x.A), term(x.B)}
		slices.Sort(parts)
	case *mln.And:
		kind = "^"
		slices.Sort(parts)
	case *mln.Or:
		kind = "v"
		slices.Sort(parts)
	case *mln.Count:
		kind = fmt.Sprint(x.Kind, numbers(x.Listed, x.Kind.Leading()), x.Op, x.K)
	case *mln.Exists:
		kind = fmt.Sprint("exist", numbers(x.Vars, 0))
	case *mln.ForAll:
		kind = fmt.Sprint("forall", numbers(x.Vars, 0))
	default:
		kind = fmt.Sprintf("%T", x)
	}
	return kind + "{" + strings.Join(parts, ";") + "}"
}

// randomFormula draws a formula over few variables, so that pairs are often equal up to renaming.
func randomFormula(t *rapid.T, label string) string {
	variable := rapid.SampledFrom([]string{"x", "y", "z", "u", "w"})
	var formula func(depth int) string
	formula = func(depth int) string {
		kind := rapid.IntRange(0, 11).Draw(t, label)
		if depth == 0 {
			kind = min(kind, 2)
		}
		v := func() string { return variable.Draw(t, label) }
		switch kind {
		case 0:
			return "s(" + v() + ")"
		case 1:
			return "a(" + v() + ", " + v() + ")"
		case 2:
			x, y := v(), v()
			return "s(" + x + ") ^ s(" + y + ") ^ " + x + " != " + y
		case 3:
			return "!(" + formula(depth-1) + ")"
		case 4:
			return "(" + formula(depth-1) + ") => " + formula(depth-1)
		case 5:
			return "(" + formula(depth-1) + ") <=> (" + formula(depth-1) + ")"
		case 6:
			x := v()
			return "s(A) ^ (EXIST " + x + " s(" + x + ") ^ (" + formula(depth-1) + "))"
		case 7:
			x, y := v(), v()
			return "a(" + x + ", " + y + ") ^ #{c: a(" + x + ", c) ^ b(c, " + y + ")} >= " + rapid.SampledFrom([]string{"2", "3"}).Draw(t, label)
		case 8:
			x, y := v(), v()
			return "a(" + x + ", " + y + ") ^ " + rapid.SampledFrom([]string{
				"avg{m, c, d, k: ", "avg{k, d, m, c: ", "last{m, k, c, d: ", "last{k, m, c, d: ",
			}).Draw(t, label) + "m(c, m, k) ^ a(" + x + ", c) ^ a(d, " + y + ")} > 2.5"
		case 9:
			return "(" + formula(depth-1) + ") v " + formula(depth-1)
		default:
			return "(" + formula(depth-1) + ") ^ " + formula(depth-1)
		}
	}
	return formula(2)
}

func parseOne(tb testing.TB, text string) *mln.Formula {
	tb.Helper()
	return parse(tb, "a(n, n)\nb(n, n)\ns(n)\nm(n, number, number)\n1 "+text).Formulas[0]
}

func TestCanonical_MatchesLeastText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		f, g := parseOne(t, randomFormula(r, "f")), parseOne(t, randomFormula(r, "g"))
		if len(f.Vars) > 6 || len(g.Vars) > 6 {
			return
		}
		got, want := mln.Canonical(f) == mln.Canonical(g), leastText(f) == leastText(g)
		if got != want {
			r.Fatalf("equal: got %v, want %v\n%s\n%s", got, want, mln.FormatFormula(f), mln.FormatFormula(g))
		}
	})
}

// TestCanonical_RandomGraphs compares conjunctions that draw graphs: regular ones are the hard cases.
func TestCanonical_RandomGraphs(t *testing.T) {
	t.Parallel()
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range 400 {
		n := 3 + rng.IntN(4)
		f, g := randomGraph(rng, n), randomGraph(rng, n)
		got, want := mln.Canonical(parseOne(t, f)) == mln.Canonical(parseOne(t, g)), leastText(parseOne(t, f)) == leastText(parseOne(t, g))
		if got != want {
			t.Fatalf("seed %d, pair %d: got %v, want %v\n%s\n%s", seed, i, got, want, f, g)
		}
	}
}

// randomGraph returns a conjunction over n variables, each of which one edge leaves.
func randomGraph(rng *rand.Rand, n int) string {
	parts := make([]string, n)
	to := rng.Perm(n)
	for v := range parts {
		parts[v] = fmt.Sprintf("%c(x%d, x%d)", "ab"[rng.IntN(8)/7], v, to[v])
	}
	return strings.Join(parts, " ^ ")
}

func TestCanonical_RenamedAndReordered(t *testing.T) {
	t.Parallel()
	star := func(n int) (parts []string) {
		for i := range n {
			parts = append(parts, fmt.Sprintf("s(x%d)", i))
		}
		return parts
	}
	pairs := func(n int) (parts []string) {
		for i := range n {
			parts = append(parts, fmt.Sprintf("a(x%d, x%d)", 2*i, 2*i+1), fmt.Sprintf("b(x%d, x%d)", 2*i+1, 2*i))
		}
		return parts
	}
	ring := func(n int) (parts []string) {
		for i := range n {
			parts = append(parts, fmt.Sprintf("a(x%d, x%d)", i, (i+1)%n))
		}
		return parts
	}
	clique := func(n int) (parts []string) {
		for i := range n {
			for j := range n {
				if i != j {
					parts = append(parts, fmt.Sprintf("a(x%d, x%d)", i, j))
				}
			}
		}
		return parts
	}
	tests := []struct {
		name  string
		parts []string
	}{
		{"12 interchangeable variables", star(12)},
		{"100 interchangeable variables", star(100)},
		{"12 interchangeable pairs", pairs(12)},
		{"ring of 24", ring(24)},
		{"clique of 12", clique(12)},
		{"4 rings of 5", strings.Split(strings.Join([]string{
			strings.Join(ring(5), "^"), strings.ReplaceAll(strings.Join(ring(5), "^"), "x", "y"),
			strings.ReplaceAll(strings.Join(ring(5), "^"), "x", "z"), strings.ReplaceAll(strings.Join(ring(5), "^"), "x", "w"),
		}, "^"), "^")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, uint64(len(tt.parts))))
			want := mln.Canonical(parseOne(t, strings.Join(tt.parts, " ^ ")))
			parts := slices.Clone(tt.parts)
			rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			check.Equal(t, "result", mln.Canonical(parseOne(t, strings.Join(parts, " ^ "))), want)
		})
	}
	two, one := mln.Canonical(parseOne(t, strings.Join(ring(6), "^"))), mln.Canonical(parseOne(t, "a(x,y)^a(y,z)^a(z,x)^a(u,v)^a(v,w)^a(w,u)"))
	if two == one {
		t.Error("a ring of 6 and two rings of 3: got one canonical form, want two")
	}
}
