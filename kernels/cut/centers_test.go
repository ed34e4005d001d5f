package cut_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

func TestCentersAndFolds(t *testing.T) {
	t.Parallel()
	const model = "named(a)\n"
	r := parse(t, model, "table k(a, a, int) from \"k\" (c, x, fold)\ncenter c fold f :- k(c, _, f)\nnamed(x) :- k(@center, x, _)\n")
	u, tables := fill(t, r, "B A 1; A B 0; C A 3; B C 1")
	plan := compile(t, r, u, tables)
	var got []string
	for _, c := range plan.Centers() {
		got = append(got, fmt.Sprint(c.Name, c.Fold))
	}
	check.Equal(t, "centers", got, []string{"B1", "A0", "C3"}) // by first appearance, in any column
	var s subgraph.Subgraph
	if ok, err := plan.NewCutter().Cut(&s, 0); !ok || err != nil || s.Name != "B" || s.Center != "B" || s.Fold != 1 {
		t.Errorf("got %v, %v, %+v", ok, err, s)
	}
	id, ok := s.Domains[0].Names.Lookup("C")
	if name := s.Domains[0].Names.Name(id); !ok || name != "C" {
		t.Errorf("got %q for id %d of C, want C", name, id)
	}
	if _, ok := s.Domains[0].Names.Lookup("B"); ok {
		t.Error("the domain holds the center, which no fact mentions")
	}
}

func TestCentersInOrder(t *testing.T) {
	t.Parallel()
	for head, want := range map[string][]string{
		"c by t":        {"C-1", "A-1", "D-1", "B-1"}, // of B's two places the first counts
		"c fold f by t": {"C3", "A0", "D0", "B1"},
	} {
		r := parse(t, "named(a)\n", "table k(a, int, int) from \"k\" (c, fold, time)\ncenter "+head+" :- k(c, f, t), f >= 0\nnamed(x) :- k(x, _, _)\n")
		u, tables := fill(t, r, "B 1 7; A 0 -5; B 1 9; C 3 -6; D 0 -5")
		var got []string
		for _, c := range compile(t, r, u, tables).Centers() {
			got = append(got, fmt.Sprint(c.Name, c.Fold))
			check.Equal(t, "time, as the order is by a number", c.Time.Known, false)
		}
		check.Equal(t, head, got, want)
	}
}

// A date or a time that orders centers is theirs.
func TestCenters_Times(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string][]string{
		"day":  {"C1969-12-30", "A1970-01-05", "B1970-01-08"},
		"time": {"C1969-12-31T23:59:58Z", "A1970-01-01T00:00:04Z", "B1970-01-01T00:00:07Z"},
	} {
		column := map[string]string{"day": "date(t)", "time": "time(t)"}[kind]
		r := parse(t, "named(a)\n", "table k(a, "+kind+") from \"k\" (c, "+column+")\ncenter c by t :- k(c, t)\nnamed(x) :- k(x, _)\n")
		u, tables := fill(t, r, "B 7; A 4; B 9; C -2")
		plan := compile(t, r, u, tables)
		var got []string
		for i := range plan.Centers() {
			var s subgraph.Subgraph
			_, err := plan.NewCutter().Cut(&s, i)
			check.OK(t, err)
			got = append(got, s.Name+s.Time.String())
		}
		check.Equal(t, kind, got, want)
	}
}

// A sample of the centers keeps as many, in their order; which ones does not depend on the order of the rows. Each is drawn as
// often as the others.
func TestCentersSampled(t *testing.T) {
	t.Parallel()
	const tables = "table k(a, int) from \"k\" (c, time)\ncenter c by t :- k(c, t)\nnamed(x) :- k(x, _)\n"
	names := func(text, rows string) (out []string) {
		r := parse(t, "named(a)\n", tables+text)
		u, tables := fill(t, r, rows)
		for _, c := range compile(t, r, u, tables).Centers() {
			out = append(out, c.Name)
		}
		return out
	}
	times := map[string]int{}
	const seeds, rows, reversed = 400, "A 4; B 3; C 2; D 1", "D 1; C 2; B 3; A 4"
	for seed := range seeds {
		sample := fmt.Sprintf("sample center 2 seed %d\n", seed)
		got := names(sample, rows)
		check.Equal(t, sample, names(sample, reversed), got)
		if len(got) != 2 || got[0] < got[1] {
			t.Fatalf("seed %d: got %v, want two in the order of time", seed, got)
		}
		times[got[0]]++
		times[got[1]]++
	}
	for name, n := range times {
		if n < seeds*2/5 || n > seeds*3/5 {
			t.Errorf("%s was drawn %d times of %d, want about half", name, n, seeds)
		}
	}
	check.Equal(t, "a larger sample", names("sample center 9 seed 1\n", rows), []string{"D", "C", "B", "A"})
}

// TestSamples checks sizes, that a sample does not depend on the order of the rows, and that tuples are equally likely.
func TestSamples(t *testing.T) {
	t.Parallel()
	const text = "table e(a, a) from \"e\" (x, y)\ncenter c :- e(c, c)\nnear(x) :- e(@center, x), x != @center\n" +
		"one(@center) :- e(@center, @center)\nsample near 2 per one seed 7\nnamed(x) :- near(x)\n"
	r := parse(t, "named(a)\n", text)
	const centers, others = 3000, 6
	var rows []string
	for c := range centers {
		rows = append(rows, fmt.Sprintf("C%d C%d", c, c))
		for o := range others {
			rows = append(rows, fmt.Sprintf("C%d X%d", c, o))
		}
	}
	samples := cutAll(t, r, strings.Join(rows, ";"))
	counts := map[string]int{}
	for _, s := range samples {
		chosen := slices.DeleteFunc(strings.Fields(s), func(word string) bool { return !strings.HasPrefix(word, "named(") })
		if len(chosen) != 2 {
			t.Fatalf("got %q, want 2 of them", s)
		}
		for _, c := range chosen {
			counts[c]++
		}
	}
	for c, n := range counts { // binomial(3000, 1/3): standard deviation 26
		if n < 870 || n > 1130 {
			t.Errorf("%s is in %d of %d samples, want a third", c, n, centers)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	shuffled := cutAll(t, r, strings.Join(rows, ";"))
	slices.Sort(samples)
	slices.Sort(shuffled)
	check.Equal(t, "rows in another order", shuffled, samples)
}
