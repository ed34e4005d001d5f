package derive_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/kernels/derive"
)

const declarations = `number points, days
of(row, user)
at(row, place)
likes(user, place)
points(row, points)
days(row, days)
latest(row, number)
age(user, points)
near(place, place, user)
target q(user, place)
`

// bodies are listed variables and conjunctions of aggregates.
var bodies = []string{
	"n, r: of(r, u) ^ points(r, n)",
	"n, r: of(r, u) ^ points(r, n) ^ days(r, d) ^ d <= 30",
	"n, r: of(r, u) ^ points(r, n) ^ days(r, d) ^ d <= 30 ^ d > 2",
	"n, r: of(r, u) ^ points(r, n) ^ latest(r, k) ^ k <= 1",
	"n, r: of(r, u) ^ points(r, n) ^ latest(r, k) ^ k <= 2 ^ days(r, d) ^ d <= 30",
	"n, r: of(r, u) ^ at(r, p) ^ points(r, n)",
	"n, r: of(r, u) ^ at(r, P0) ^ points(r, n)",
	"n, r: of(r, u) ^ at(r, @center) ^ points(r, n) ^ days(r, d) ^ d <= 30",
	"n, r: of(r0, u) ^ latest(r0, k) ^ k <= 1 ^ at(r0, x) ^ at(r, x) ^ points(r, n) ^ days(r, d) ^ d <= 30",
	"n, r: at(r, P0) ^ points(r, n)",
	"n, r: of(r, u) ^ points(r, n) ^ n >= 0",
	"n, r: of(r, u) ^ points(r, n) ^ !at(r, p)",
	"n, r, x: of(r, u) ^ at(r, x) ^ x != p ^ points(r, n)",
	"n, r, x: of(r, u) ^ at(r, x) ^ x = p ^ points(r, n)",
	"n: of(r, u) ^ points(r, n)",
	"n: age(u, n)",
	"n, v: likes(v, p) ^ age(v, n)",
	"n, r, y: of(r, y) ^ near(x, p, y) ^ at(r, x) ^ points(r, n)",
	"n, d, r: of(r, u) ^ points(r, n) ^ days(r, d)",
	"n, r: of(r, u) ^ points(r, n) ^ days(r, d) ^ latest(r2, d2) ^ of(r2, u) ^ d2 <= 2 ^ d <= 30",
	"n, r: likes(u, p) ^ of(r, u) ^ points(r, n)",
}

// shareParts are what stands before the | of shares: of the listed number, an inner variable of its own or of the body, the head.
var shareParts = []string{"n < 5", "points(z, n) ^ at(z, w)", "!likes(u, P0)", "of(r, z) ^ age(z, n)", "near(P0, P1, U0)", "of(r, u) ^ !at(r, P0)"}

func model(kinds ...string) string {
	var b strings.Builder
	b.WriteString(declarations)
	for i, body := range bodies {
		for _, kind := range kinds {
			if (kind == "last" || kind == "trend") && !strings.HasPrefix(body, "n, d, r:") {
				continue
			}
			if kind == "share" {
				list, rest, _ := strings.Cut(body, ": ")
				part := shareParts[i%len(shareParts)]
				if !strings.Contains(rest, " u)") {
					part = shareParts[0]
				}
				fmt.Fprintf(&b, "share{%s: %s | %s} >= 1 ^ q(u, p)\n", list, part, rest)
				continue
			}
			fmt.Fprintf(&b, "%s{%s} >= 1 ^ q(u, p)\n", kind, body)
		}
	}
	return b.String()
}

func database(r *rand.Rand, centered bool) string {
	var b strings.Builder
	if centered {
		b.WriteString("@subgraph s center=P1\n")
	}
	numbers := []string{"0.1", "0.2", "-3", "7", "1e17", "2", "31", "1", "30"}
	pick := func(prefix string, n int) string { return fmt.Sprint(prefix, r.IntN(n)) }
	add := func(most int, format string, args func() []any) {
		for range r.IntN(most) {
			fmt.Fprintf(&b, format, args()...)
		}
	}
	number := func() string { return numbers[r.IntN(len(numbers))] }
	add(7, "of(%s, %s)\n", func() []any { return []any{pick("R", 5), pick("U", 3)} })
	add(7, "at(%s, %s)\n", func() []any { return []any{pick("R", 5), pick("P", 3)} })
	add(5, "likes(%s, %s)\n", func() []any { return []any{pick("U", 3), pick("P", 3)} })
	add(9, "points(%s, %s)\n", func() []any { return []any{pick("R", 5), number()} })
	add(7, "days(%s, %s)\n", func() []any { return []any{pick("R", 5), number()} })
	add(7, "latest(%s, %d)\n", func() []any { return []any{pick("R", 5), 1 + r.IntN(3)} })
	add(5, "age(%s, %s)\n", func() []any { return []any{pick("U", 3), number()} })
	add(9, "near(%s, %s, %s)\n", func() []any { return []any{pick("P", 3), pick("P", 3), pick("U", 3)} })
	b.WriteString("q(U0, P0)\nq(U1, P1)\n")
	return b.String()
}

// Values agree with the definition, by enumeration of all bindings.
func TestMeasurer_Values_MatchDefinition(t *testing.T) {
	t.Parallel()
	defined := 0
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 90))
		task := jointest.Load(t, model("avg", "sum", "min", "max", "last", "trend", "share", "#"), database(r, seed%2 == 0))
		schema := &task.Model.Schema
		var items []derive.Item
		var counts []*mln.Count
		for _, f := range task.Model.Formulas {
			and := f.Body.(*mln.And)
			c, q := and.Xs[0].(*mln.Count), and.Xs[1].(*mln.Atom)
			items, counts = append(items, derive.Item{Vars: f.Vars, Count: c, Head: q.Args}), append(counts, c)
		}
		scratch := derive.NewMeasurer(derive.NewMeasures(schema, items))
		for _, sub := range task.Subs {
			w := world{schema, sub}
			atoms := make([][]uint32, 2)
			users, places := sub.Domains[schema.Type("user")].Size, sub.Domains[schema.Type("place")].Size
			for u := range uint32(users) {
				for p := range uint32(places) {
					atoms[0], atoms[1] = append(atoms[0], u), append(atoms[1], p)
				}
			}
			got, err := scratch.Values(sub, atoms)
			check.OKf(t, err, "seed %d", seed)
			for i, f := range task.Model.Formulas {
				for a := range atoms[0] {
					bound := map[int]uint32{items[i].Head[0].Var: atoms[0][a], items[i].Head[1].Var: atoms[1][a]}
					want := w.value(f, counts[i], bound)
					if g := got[i][a]; g != want && !(math.IsNaN(g) && math.IsNaN(want)) {
						t.Fatalf("seed %d, %s, atom %d: got %v, want %v", seed, mln.FormatFormula(f), a, g, want)
					}
					if !math.IsNaN(want) && want != 0 {
						defined++
					}
				}
			}
		}
	}
	check.AtLeast(t, defined, 2000, "values that are not 0")
}

// world is a subgraph evaluated atom by atom.
type world struct {
	schema *mln.Schema
	sub    *subgraph.Subgraph
}

func (w world) value(f *mln.Formula, c *mln.Count, bound map[int]uint32) float64 {
	seen, holds := map[string]bool{}, map[string]bool{}
	var list [][2]float64 // of the first two listed variables
	n := 0
	w.each(f, slices.Concat(c.Listed, c.Inner), bound, func() {
		var ids []uint32
		for _, v := range c.Listed {
			ids = append(ids, bound[v])
		}
		body, part := c.X, mln.Expr(nil)
		if both, ok := c.X.(*mln.Implies); ok {
			body, part = both.L, both.R
		}
		key := fmt.Sprint(ids)
		if w.holds(body, bound) && part != nil && w.holds(part, bound) {
			holds[key] = true
		}
		if w.holds(body, bound) && !seen[key] {
			seen[key] = true
			n++
			if c.Kind.Leading() > 0 {
				pair := [2]float64{w.number(f, c.Listed[0], bound)}
				if c.Kind.Leading() == 2 {
					pair[1] = w.number(f, c.Listed[1], bound)
				}
				list = append(list, pair)
			}
		}
	})
	if c.Kind == mln.AggregateCount {
		return float64(n)
	}
	if c.Kind == mln.AggregateShare {
		return float64(len(holds)) / float64(n) // NaN of none
	}
	if len(list) == 0 || len(list) == 1 && c.Kind == mln.AggregateTrend {
		return math.NaN()
	}
	sum, least, most, last := new(big.Rat), list[0][0], list[0][0], list[0]
	for _, v := range list {
		sum.Add(sum, new(big.Rat).SetFloat64(v[0]))
		least, most = min(least, v[0]), max(most, v[0])
		if v[1] > last[1] || v[1] == last[1] && v[0] > last[0] {
			last = v
		}
	}
	switch c.Kind {
	case mln.AggregateMin:
		return least
	case mln.AggregateMax:
		return most
	case mln.AggregateLast:
		return last[0]
	case mln.AggregateTrend:
		sum.Sub(sum, new(big.Rat).SetFloat64(last[0]))
		mean, _ := sum.Quo(sum, big.NewRat(int64(len(list)-1), 1)).Float64()
		return last[0] - mean
	case mln.AggregateAvg:
		sum.Quo(sum, big.NewRat(int64(len(list)), 1))
	case mln.AggregateSum, mln.AggregateCount, mln.AggregateShare:
	}
	v, _ := sum.Float64()
	return v
}

// each visits the bindings of the variables.
func (w world) each(f *mln.Formula, vars []int, bound map[int]uint32, visit func()) {
	if len(vars) == 0 {
		visit()
		return
	}
	for id := range uint32(w.sub.Domains[f.Vars[vars[0]].Type].Size) {
		bound[vars[0]] = id
		w.each(f, vars[1:], bound, visit)
	}
}

func (w world) number(f *mln.Formula, v int, bound map[int]uint32) float64 {
	x, _ := mln.ParseNumber(w.sub.Domains[f.Vars[v].Type].Names.Name(bound[v]))
	return x
}

func (w world) name(t mln.Term, bound map[int]uint32) string {
	switch t.Kind {
	case mln.TermVariable:
		return w.sub.Domains[t.Type].Names.Name(bound[t.Var])
	case mln.TermCenter:
		return w.sub.Center
	case mln.TermConstant:
	}
	return t.Name
}

func (w world) holds(x mln.Expr, bound map[int]uint32) bool {
	switch x := x.(type) {
	case *mln.And:
		return !slices.ContainsFunc(x.Xs, func(y mln.Expr) bool { return !w.holds(y, bound) })
	case *mln.Not:
		return !w.holds(x.X, bound)
	case *mln.Equal:
		return w.name(x.A, bound) == w.name(x.B, bound)
	case *mln.Compare:
		a, _ := mln.ParseNumber(w.name(x.X, bound))
		b, _ := mln.ParseNumber(x.Value.Name)
		return x.Op.Holds(a, b)
	case *mln.Atom:
		t := &w.sub.Relations[x.Pred].True
		for i := range t.Len() {
			same := true
			for c, arg := range x.Args {
				same = same && w.sub.Domains[arg.Type].Names.Name(t.Cols[c][i]) == w.name(arg, bound)
			}
			if same {
				return true
			}
		}
	}
	return false
}

// Items over the same rows are enumerated together.
func TestCompile_Shares(t *testing.T) {
	t.Parallel()
	task := jointest.Load(t, declarations+`avg{n, r: of(r, u) ^ points(r, n)} >= 1 ^ q(u, p)
max{n, r: of(r, u) ^ points(r, n) ^ days(r, d) ^ d <= 30} >= 1 ^ q(u, p)
min{n, s: of(s, v) ^ latest(s, k) ^ k <= 3 ^ points(s, n)} >= 1 ^ q(v, p)
#{r: of(r, u) ^ days(r, d) ^ d <= 365} >= 2 ^ q(u, p)
sum{n, r: at(r, p) ^ points(r, n)} >= 1 ^ q(u, p)
`, "of(R, U)\n")
	var items []derive.Item
	for _, f := range task.Model.Formulas {
		and := f.Body.(*mln.And)
		items = append(items, derive.Item{Vars: f.Vars, Count: and.Xs[0].(*mln.Count), Head: and.Xs[1].(*mln.Atom).Args})
	}
	if got := derive.NewMeasures(&task.Model.Schema, items).Groups(); got != 2 {
		t.Errorf("got %d groups, want 2: of users and of places", got)
	}
}

func TestMeasurer_Values_Overflow(t *testing.T) {
	t.Parallel()
	task := jointest.Load(t, declarations+"sum{n, r: of(r, u) ^ points(r, n)} >= 1 ^ q(u, p)\n",
		"of(R, U)\nof(S, U)\npoints(R, 1.7e308)\npoints(S, 1.6e308)\nq(U, P)\n")
	_, err := values(t, task.Model, task.Subs[0])
	if _, ok := errors.AsType[*derive.OverflowError](err); !ok {
		t.Errorf("got %v, want a *derive.OverflowError", err)
	}
}

func TestMeasurer_Values_ManyWindows(t *testing.T) {
	t.Parallel()
	var windows strings.Builder
	for i := range 65 {
		fmt.Fprintf(&windows, " ^ days(r, d%d) ^ d%d <= %d", i, i, 30+i)
	}
	task := jointest.Load(t, declarations+"sum{n, r: of(r, u) ^ points(r, n)"+windows.String()+"} >= 1 ^ q(u, p)\n", "of(R, U)\npoints(R, 5)\ndays(R, 7)\nq(U, P)\n")
	if got, err := values(t, task.Model, task.Subs[0]); err != nil || got[0][0] != 5 {
		t.Errorf("got %v, %v, want 5", got, err)
	}
}

func TestMeasurer_Values_NoNumber(t *testing.T) {
	t.Parallel()
	task := jointest.Load(t, declarations+"sum{n, r: of(r, u) ^ points(r, n)} >= 1 ^ q(u, p)\n", "of(R, U)\npoints(R, 1)\nq(U, P)\n")
	task.Subs[0].Domains[task.Model.Schema.Type("points")].Names = named("one")
	_, err := values(t, task.Model, task.Subs[0])
	if e, ok := errors.AsType[*derive.NumberError](err); !ok || e.Name != "one" {
		t.Errorf("got %v, want a *derive.NumberError", err)
	}
}

func values(tb testing.TB, m *mln.Model, sub *subgraph.Subgraph) ([][]float64, error) {
	tb.Helper()
	and := m.Formulas[0].Body.(*mln.And)
	item := derive.Item{Vars: m.Formulas[0].Vars, Count: and.Xs[0].(*mln.Count), Head: and.Xs[1].(*mln.Atom).Args}
	return derive.NewMeasurer(derive.NewMeasures(&m.Schema, []derive.Item{item})).Values(sub, [][]uint32{{0}, {0}})
}
