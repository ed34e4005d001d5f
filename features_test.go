package resolwe_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
)

// features returns the features of each subgraph, by formula and query atom.
func featureTable(t *testing.T, m *resolwe.Model, s *resolwe.Stream, opt resolwe.FeatureOptions) [][][]float64 {
	t.Helper()
	var out [][][]float64
	columns, _ := resolwe.FeatureColumns(m, opt)
	check.OK(t, inferring.Features(t.Context(), m, s, opt, func(r *resolwe.FeatureRows) error {
		values := make([][]float64, len(columns))
		for i := range r.Len() {
			for c, v := range r.Values(i, nil) {
				values[c] = append(values[c], v)
			}
		}
		out = append(out, values)
		return nil
	}))
	return out
}

func TestFeatures_Naive(t *testing.T) {
	t.Parallel()
	for seed := range rounds(t, 300) {
		text, db := random(seed, oracle.TaskOptions{General: seed%4 > 0, Shapes: seed%4 == 2, Counts: seed%4 >= 2, Aggregates: seed%8 == 3 || seed%8 == 6})
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			m := parse(t, text)
			subs := subgraphs(t, m, db)
			s := resolwe.NewStream(m, subs)
			opt := resolwe.FeatureOptions{Others: seed%8 < 6}
			columns, leftOut := resolwe.FeatureColumns(m, opt)
			check.Equal(t, "formulas", len(columns)+len(leftOut), len(m.Formulas))
			got := featureTable(t, m, s, opt)
			for i, w := range worlds(m, subs) {
				for c, at := range columns {
					want := w.Features(m.Formulas[at])
					if !near(got[i][c], want, 1e-11) {
						t.Errorf("%s in %s: got %v, want %v\n%s\n%s", mln.FormatFormula(m.Formulas[at]), subs[i].Name, got[i][c], want, text, db)
					}
				}
			}
		})
	}
}

// Quantities are those of the definition; formulas that are about none have their features.
func TestFeatures_Quantities(t *testing.T) {
	t.Parallel()
	const declared = "number points\nlink(item, item)\nedit(item, user)\nage(item, number)\nscore(item, points)\ntarget act(item)\ntarget listed pick(item, user, item)\n"
	var b strings.Builder
	quantities := 0
	for _, head := range []string{"act(x)", "pick(x, u, y)", "!pick(x, B1, x)", "act(A1)"} {
		about := []string{"{n: score(A0, n)}", "{n, z: link(@center, z) ^ score(z, n)}"}
		if strings.Contains(head, "x") {
			about = append(about, "{n: score(x, n)}", "{n: link(x, z) ^ score(z, n)}", "{n, z: link(z, x) ^ score(z, n) ^ n < 30}", "{n, w, z: link(x, z) ^ edit(z, w) ^ score(z, n)}")
		}
		if strings.Contains(head, "y") {
			about = append(about, "{n, z: link(x, z) ^ link(z, y) ^ score(z, n)}", "{n, z: link(z, y) ^ edit(z, u) ^ score(z, n) ^ z != x}")
		}
		for _, braces := range about {
			for _, kind := range []string{"avg", "sum", "min", "!max", "#", "last"} {
				if kind == "last" {
					braces = strings.Replace(strings.Replace(braces, "n", "n, k", 1), "score(", "age(i, k) ^ score(", 1)
				}
				fmt.Fprintf(&b, "%s%s > 7 => %s\n", kind, braces, head)
				quantities++
			}
		}
		fmt.Fprintf(&b, "score(z, n) ^ n < 3 => %s\nn >= 3 ^ score(A1, n) ^ %s\n", head, head)
		fmt.Fprintf(&b, "score(A0, n) => %s\n", head)
		quantities += 3
		if strings.Contains(head, "x") {
			fmt.Fprintf(&b, "age(x, n) => %s\n", head)
			quantities++
		}
		fmt.Fprintf(&b, "score(z, n) => %s\n!age(A0, n) => %[1]s\nscore(z, n) ^ n > 3 ^ n < 40 => %[1]s\n", head) // about none
	}
	m := parse(t, declared+b.String())
	for seed := range rounds(t, 40) {
		db := quantityFacts(rand.New(rand.NewPCG(seed, 92)))
		subs := subgraphs(t, m, db)
		got := featureTable(t, m, resolwe.NewStream(m, subs), resolwe.FeatureOptions{Quantities: true})
		for i, w := range worlds(m, subs) {
			seen := 0
			for c, f := range m.Formulas {
				want, ok := w.Quantities(f)
				if seen++; !ok {
					want = w.Features(f)
					seen--
				}
				if !near(got[i][c], want, 0) {
					t.Fatalf("seed %d: %s in %s: got %v, want %v\n%s", seed, mln.FormatFormula(f), subs[i].Name, got[i][c], want, db)
				}
			}
			check.Equal(t, "columns of quantities", seen, quantities)
		}
	}
}

// The values of formulas with numbers of the head's are the numbers, whether they are compared or not; counts stay counts.
func TestFeatures_Numbers(t *testing.T) {
	t.Parallel()
	m := parse(t, `age(user, number)
friend(user, user)
rated(user, item, number)
target listed likes(user, item)
age(u, n) => likes(u, i)
age(u, n) ^ n >= 30 => likes(u, i)
rated(u, i, n) ^ likes(u, i)
rated(u, j, n) => likes(u, i)
friend(u, w) ^ age(w, n) => likes(u, i)
log: age(u, n) ^ likes(u, i)
0.5 rank(20, 30, 40): age(u, n) ^ likes(u, i)
relative(10): age(u, n) ^ likes(u, i)
relative: friend(u, w) ^ likes(u, i)
`)
	subs := subgraphs(t, m, `@subgraph s
age(A, 25)
age(B, 55)
friend(A, B)
friend(A, C)
friend(A, D)
friend(C, A)
rated(A, I, 4)
rated(A, J, 2)
likes(A, I)
!likes(B, I)
?likes(C, J)
`)
	nan := math.NaN()
	log := 1.            // the mean of log2(1 + 3), 0 and log2(1 + 1), of an atom of unknown truth
	want := [][]float64{ // by column, of A, B and C
		{25, 55, nan},
		{25, 55, nan},
		{4, nan, nan},
		{2, 0, 0},
		{1, 0, 1},
		{1, 1, 0},
		{.5/3 - .5, .5, 0},
		{-1.5, 1.5, 0},
		{2 - log, -log, 1 - log},
	}
	got := featureTable(t, m, resolwe.NewStream(m, subs), resolwe.FeatureOptions{Quantities: true})[0]
	for c := range want {
		if !near(got[c], want[c], 1e-11) {
			t.Errorf("%s: got %v, want %v", mln.FormatFormula(m.Formulas[c]), got[c], want[c])
		}
	}
	for counts, err := range resolwe.Counts(t.Context(), m, resolwe.NewStream(m, subs), resolwe.Run{}) {
		check.OK(t, err)
		for c, sum := range map[int]float64{6: .5/3 - .5, 7: -1.5, 8: 2 - log} { // of A, the only true atom
			if math.Abs(counts[c].Value-sum) > 1e-11 {
				t.Errorf("counts: %s: got %v, want %v", mln.FormatFormula(m.Formulas[c]), counts[c], sum)
			}
		}
	}
}

// quantityFacts writes random facts about few items and users.
func quantityFacts(r *rand.Rand) string {
	var b strings.Builder
	item := func() string { return fmt.Sprint("A", r.IntN(4)) }
	user := func() string { return fmt.Sprint("B", r.IntN(2)) }
	number := func() string { return []string{"30", "3e1", "2.5", "-1", "0.1", "7"}[r.IntN(6)] }
	fmt.Fprintf(&b, "@subgraph s center=%s\n@entity item A0 A1 A2\n@entity user B0\n", item())
	for range r.IntN(20) {
		fmt.Fprintf(&b, "link(%s, %s)\nedit(%s, %s)\n", item(), item(), item(), user())
	}
	for range r.IntN(8) {
		fmt.Fprintf(&b, "score(%s, %s)\nage(%s, %s)\n", item(), number(), item(), number())
	}
	for range 9 {
		fmt.Fprintf(&b, "pick(%s, %s, %s)\n", item(), user(), item())
	}
	return b.String()
}

// near reports whether numbers are the same but for rounding.
func near(got, want []float64, tolerance float64) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		if math.IsNaN(got[i]) && math.IsNaN(want[i]) {
			continue
		}
		if !(math.Abs(got[i]-want[i]) <= tolerance*math.Max(1, math.Abs(want[i]))) {
			return false
		}
	}
	return true
}

// Where the truth of all atoms is known, the features of the true ones add up to what Counts counts.
func TestFeatures_AddUpToCounts(t *testing.T) {
	t.Parallel()
	m, s := example()
	headed, _ := m.Formulas[0].Headed(m.Schema)
	check.Equal(t, "formula", mln.FormatFormula(headed), "edits(t1, u) ^ links(t1, t2) ^ modifies(t2, u)")
	m = m.With([]*mln.Formula{headed})
	var got, want []string
	check.OK(t, inferring.Features(t.Context(), m, s, resolwe.FeatureOptions{}, func(r *resolwe.FeatureRows) error {
		sum := 0.0
		for i := range r.Len() {
			pred, args := r.Args(i)
			check.Equal(t, "arguments", m.Schema.Predicates[pred].Name+"("+strings.Join(args, ", ")+")", r.Atom(i))
			if r.Truth(i) == subgraph.True {
				sum += r.Values(i, nil)[0]
			}
		}
		got = append(got, fmt.Sprint(r.Subgraph, " ", sum))
		return nil
	}))
	s = inMemory(t, m, exampleFacts)
	check.OK(t, inferring.Counts(t.Context(), m, s, resolwe.Run{}, func(name string, counts []resolwe.Count) error {
		want = append(want, fmt.Sprint(name, " ", counts[0]))
		return nil
	}))
	check.Equal(t, "sums", got, want)
}

func TestFeatureColumns_SaysWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	m := parse(t, "r(a, a)\ntarget q(a)\nr(x, y) ^ q(x) => q(y)\nr(x, y) => q(y)\nEXIST y r(x, y) ^ q(y)\nr(x, x)\nq(x) v q(y)\n")
	columns, leftOut := resolwe.FeatureColumns(m, resolwe.FeatureOptions{})
	check.Equal(t, "columns", columns, []int{1})
	var formulas []int
	for _, f := range leftOut {
		formulas = append(formulas, f.Formula)
	}
	check.Equal(t, "left out", formulas, []int{0, 2, 3, 4})
	columns, _ = resolwe.FeatureColumns(m, resolwe.FeatureOptions{Others: true})
	check.Equal(t, "columns", columns, []int{0, 1})
}

func ExampleFeatures() {
	m, s := example()
	columns, _ := resolwe.FeatureColumns(m, resolwe.FeatureOptions{})
	for _, i := range columns {
		fmt.Println(mln.FormatFormula(m.Formulas[i]))
	}
	err := inferring.Features(context.Background(), m, s, resolwe.FeatureOptions{}, func(r *resolwe.FeatureRows) error {
		for i := range r.Len() {
			if r.Subgraph == "monday" && r.Truth(i) == subgraph.True {
				fmt.Println(r.Atom(i), r.Values(i, nil))
			}
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// edits(t1, u) ^ links(t1, t2) => modifies(t2, u)
	// edits(t1, u) ^ links(t2, t1) => modifies(t2, u)
	// modifies(C, Ann) [1 0]
}

// With All the weights of counts, of ranks of values and of whether there is a value are where the penalised likelihood is flat.
func TestSelect_ByGain_Values(t *testing.T) {
	t.Parallel()
	m := parse(t, `age(user, number)
friend(user, user)
target listed likes(user)
age(u, n) => likes(u)
age(u, n) ^ n >= 30 => likes(u)
friend(u, w) => likes(u)
avg{n, w: friend(u, w) ^ age(w, n)} >= 40 => likes(u)
#{w: friend(u, w)} < 3 => likes(u)
friend(u, w) ^ age(w, n) ^ n >= 35 => likes(u)
`)
	r := rand.New(rand.NewPCG(5, 93))
	var db strings.Builder
	for s := range 40 {
		fmt.Fprintf(&db, "@subgraph s%d\n", s)
		for u := range 8 {
			age := 10 * r.IntN(8)
			if r.IntN(4) > 0 {
				fmt.Fprintf(&db, "age(U%d, %d)\n", u, age)
			}
			for range r.IntN(5) {
				fmt.Fprintf(&db, "friend(U%d, U%d)\n", u, r.IntN(8))
			}
			fmt.Fprintf(&db, "%slikes(U%d)\n", []string{"!", ""}[r.IntN(80+age)/80], u)
		}
	}
	subs := subgraphs(t, m, db.String())
	s := resolwe.NewStream(m, subs)
	all, err := resolwe.Select(t.Context(), m, s, resolwe.SelectOptions{Gain: resolwe.GainOptions{All: true, Shrink: 7}})
	check.OK(t, err)
	kinds := map[string]int{}
	for _, f := range all.Selected {
		text, values, _ := strings.Cut(mln.FormatFormula(f), "): ")
		if f.Shape == mln.ShapeRank {
			check.AtLeast(t, len(f.Numbers), 50, "knots")
			text = "rank: " + values
		}
		kinds[text]++
	}
	check.Equal(t, "formulas", kinds, map[string]int{
		"rank: age(u, n) ^ likes(u)": 1, "once: age(u, n) ^ likes(u)": 1, "log: friend(u, w) ^ likes(u)": 1,
		"rank: avg{n, w: friend(u, w) ^ age(w, n)} ^ likes(u)": 1, "#{n, w: friend(u, w) ^ age(w, n)} >= 1 ^ likes(u)": 1,
		"rank: #{w: friend(u, w)} ^ likes(u)": 1, "log: friend(u, w) ^ age(w, n) ^ n >= 35 ^ likes(u)": 1,
	})

	model, _ := all.Model(m)
	var columns [][]float64 // by formula
	var truth []bool
	for i, values := range featureTable(t, model, s, resolwe.FeatureOptions{}) {
		columns = append(columns, make([][]float64, len(values)-len(columns))...)
		for c := range values {
			columns[c] = append(columns[c], values[c]...)
		}
		for _, a := range worlds(m, subs)[i].QueryAtoms(oracle.Rules{}) {
			truth = append(truth, a.Truth == subgraph.True)
		}
	}
	residual := make([]float64, len(truth))
	for i := range truth {
		z := 0.0
		for c, f := range model.Formulas {
			z += f.Weight * columns[c][i]
		}
		if residual[i] = -1 / (1 + math.Exp(-z)); truth[i] {
			residual[i]++
		}
	}
	for c, f := range model.Formulas {
		slope, sum, squares, n := 0.0, 0.0, 0.0, float64(len(truth))
		for i, v := range columns[c] {
			slope += residual[i] * v
			sum += v
			squares += v * v
		}
		slope -= 7 * (squares/n - sum/n*sum/n) * f.Weight
		if math.Abs(slope) > 1e-2 || f.Weight == 0 {
			t.Errorf("%s: weight %v, slope %v", mln.FormatFormula(f), f.Weight, slope)
		}
	}
}
