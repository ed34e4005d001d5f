package resolwe_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"resolwe"
	"resolwe/bench/demo"
	"resolwe/format/mln"
	"resolwe/internal/check"
	"resolwe/internal/streamtest"
)

// advising is a toy of who advises whom: those who publish together.
const advising = `published(title, person)
professor(person)
phase(person, phase)
target advisedBy(person, person)
`

func advisingDB() string {
	return `@subgraph s1
published(T1, Ann)
published(T1, Bob)
professor(Ann)
phase(Bob, Late)
advisedBy(Bob, Ann)
@subgraph s2
published(T1, Cleo)
published(T1, Dan)
published(T2, Dan)
published(T2, Eve)
professor(Cleo)
professor(Eve)
phase(Dan, Early)
advisedBy(Dan, Cleo)
advisedBy(Dan, Eve)
`
}

// The printed model reads back as the same formulas, the model's own stay, and selection takes them.
func TestDiscover_FeedsSelect(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, advising+"professor(b) => advisedBy(a, b)\n0.5 !professor(a) ^ advisedBy(a, b)\n")
	s := streamtest.InMemory(t, m, advisingDB())
	found, err := resolwe.Discover(t.Context(), m, s, resolwe.DiscoverOptions{Support: 2})
	check.OK(t, err)
	check.Equal(t, "looked at", []int{found.Subgraphs, found.Length}, []int{2, 3})
	var printed bytes.Buffer
	check.OK(t, found.Model.Write(&printed, nil))
	again := streamtest.Parse(t, printed.String())
	texts := func(m *resolwe.Model) (out []string) {
		for _, f := range m.Formulas {
			out = append(out, mln.Canonical(f))
		}
		return out
	}
	check.Equal(t, "formulas", texts(again), texts(found.Model))
	check.Equal(t, "own formulas", texts(found.Model)[:2], texts(m))
	for _, want := range []string{
		"professor(a) => advisedBy(a, b)",
		"phase(a, Early) => advisedBy(a, b)",
		"published(t, a) ^ published(t, b) => advisedBy(a, b)",
		"published(t, b) ^ published(t, c) ^ advisedBy(a, c) ^ b != c => advisedBy(a, b)",
	} {
		key := mln.Canonical(streamtest.Parse(t, advising+want).Formulas[0])
		n := 0
		for _, text := range texts(found.Model) {
			if text == key {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s: found %d times", want, n)
		}
	}
	sel, err := resolwe.Select(t.Context(), found.Model, s, resolwe.SelectOptions{Criterion: resolwe.Paper})
	check.OK(t, err)
	check.Equal(t, "candidates", len(sel.Candidates), len(found.Model.Formulas)-1)
}

// A limit keeps what is short, and of equal length what says most of the truth.
func TestDiscover_Max(t *testing.T) {
	t.Parallel()
	var db strings.Builder
	for i := range 30 {
		j := i % 15
		fmt.Fprintf(&db, "e(A%d, B%d)\n", i, j)
		if j%3 == 0 {
			fmt.Fprintf(&db, "q(A%d)\nh(B%d)\n", i, j)
		}
		if j%2 == 0 {
			fmt.Fprintf(&db, "k(B%d)\n", j)
		}
	}
	m := streamtest.Parse(t, "e(a, b)\nh(b)\nk(b)\ntarget q(a)\n")
	s := streamtest.InMemory(t, m, db.String())
	for most, want := range map[int][]string{
		1: {"e(a1, b1) => q(a1)"},
		2: {"e(a1, b1) => q(a1)", "e(a1, b1) ^ h(b1) => q(a1)"},
	} {
		found, err := resolwe.Discover(t.Context(), m, s, resolwe.DiscoverOptions{Support: 1, Max: most})
		check.OK(t, err)
		check.Equal(t, "candidates", formulasOf(found), want)
		check.Equal(t, "warnings", len(found.Warnings), 1)
	}
}

func formulasOf(d *resolwe.Discovery) (out []string) {
	for _, c := range d.Candidates {
		out = append(out, mln.FormatFormula(c.Formula))
	}
	return out
}

// Products are left to selection by gain unless they are asked for.
func TestDiscover_Products(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, advising)
	s := streamtest.InMemory(t, m, advisingDB())
	for _, products := range []bool{false, true} {
		found, err := resolwe.Discover(t.Context(), m, s, resolwe.DiscoverOptions{Support: 1, Length: 2, Products: products})
		check.OK(t, err)
		there := slices.ContainsFunc(formulasOf(found), func(f string) bool {
			return strings.Contains(f, "professor(") && strings.Contains(f, "phase(")
		})
		check.Equal(t, "a product", there, products)
	}
}

// Options out of range, a pipe, no subgraph, no time.
func TestDiscover_Edges(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, advising)
	s := streamtest.InMemory(t, m, advisingDB())
	for want, opt := range map[string]resolwe.DiscoverOptions{
		"DiscoverOptions.Subgraphs": {Subgraphs: -1},
		"DiscoverOptions.Length":    {Length: 7},
		"DiscoverOptions.Support":   {Support: -1},
		"DiscoverOptions.Max":       {Max: -1},
		"DiscoverOptions.Budget":    {Budget: -1},
	} {
		_, err := resolwe.Discover(t.Context(), m, s, opt)
		if e, ok := errors.AsType[*resolwe.OptionError](err); !ok || e.Option != want {
			t.Errorf("%s: got %v", want, err)
		}
	}
	pipe, err := resolwe.OpenStream(m, []string{"-"}, resolwe.StreamOptions{Stdin: strings.NewReader(advisingDB())})
	check.OK(t, err)
	if _, err := resolwe.Discover(t.Context(), m, pipe, resolwe.DiscoverOptions{}); !errors.Is(err, resolwe.ErrReadOnce) {
		t.Errorf("a pipe: got %v", err)
	}
	none, err := resolwe.Discover(t.Context(), m, resolwe.NewStream(m, nil), resolwe.DiscoverOptions{})
	check.OK(t, err)
	check.Equal(t, "of an empty stream", []int{len(none.Candidates), len(none.Warnings)}, []int{0, 1})
	late, err := resolwe.Discover(t.Context(), m, s, resolwe.DiscoverOptions{Budget: time.Nanosecond})
	check.OK(t, err)
	check.Equal(t, "without time", []int{late.Length, len(late.Candidates)}, []int{0, 0})
	aimless := streamtest.Parse(t, "e(a)")
	_, err = resolwe.Discover(t.Context(), aimless, resolwe.NewStream(aimless, nil), resolwe.DiscoverOptions{})
	if !errors.As(err, new(*resolwe.NoTargetError)) {
		t.Errorf("no target: got %v", err)
	}
}

// The demo's declarations alone give what was planted in its data, within the length.
func TestDiscover_Demo(t *testing.T) {
	t.Parallel()
	declared, _, _ := strings.Cut(demo.New().Model, "template")
	m := streamtest.Parse(t, declared)
	s := resolwe.NewStream(m, streamtest.Demo(t, m, 30, 0))
	found, err := resolwe.Discover(t.Context(), m, s, resolwe.DiscoverOptions{Length: 2})
	check.OK(t, err)
	there := map[string]bool{}
	for _, c := range found.Candidates {
		there[mln.Canonical(c.Formula)] = true
	}
	for _, planted := range []string{
		"member(u, c) ^ level2Topic(t, c) => modifies(t, u)",
		"userTalk(u1, u2) ^ modifies(t, u1) ^ u1 != u2 => modifies(t, u2)",
		"articleEdit(t1, u) ^ hyperLink(t1, t2) => modifies(t2, u)",
	} {
		check.Equal(t, planted, there[mln.Canonical(streamtest.Parse(t, declared+planted).Formulas[0])], true)
	}
}
