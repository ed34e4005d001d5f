package resolwe_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/internal/test/streamtest"
	"resolwe/kernels/join"
)

// states returns the most probable states of all subgraphs as text.
func states(t *testing.T, m *resolwe.Model, s *resolwe.Stream, opt resolwe.MapOptions) string {
	t.Helper()
	var out strings.Builder
	check.OK(t, inferring.Map(t.Context(), m, s, opt, func(r *resolwe.MapState) error {
		fmt.Fprintln(&out, r.Subgraph, r.Index, r.LogWeight, r.Searched, r.X)
		for _, b := range r.Broken {
			fmt.Fprintln(&out, mln.FormatFormula(b.Formula), b.Groundings)
		}
		return nil
	}))
	return out.String()
}

// negated returns the formulas with the hard ones negated, at a weight that no soft formulas outweigh.
func negated(formulas []*mln.Formula) []*mln.Formula {
	out := slices.Clone(formulas)
	for i, f := range formulas {
		if f.Hard {
			g := *f
			g.Hard, g.HasWeight, g.Weight, g.Body = false, true, -1e5, &mln.Not{X: f.Body}
			out[i] = &g
		}
	}
	return out
}

// The state, its log-weight and the broken hard formulas are those of the definition; by search they are mostly.
func TestMap_MatchesNaive(t *testing.T) {
	t.Parallel()
	compared, broken, missed, searched := 0, 0, 0, 0
	for seed := range uint64(120) {
		text, db := random(seed, oracle.TaskOptions{General: true, Shapes: seed%2 == 0, Hard: seed%3 > 0, Counts: seed%5 > 2, Aggregates: seed%5 == 3})
		m := parse(t, text)
		subs := subgraphs(t, m, db)
		opt := resolwe.MapOptions{Given: seed%2 == 1, Sweeps: 300}
		rules := oracle.Rules{UnknownExist: true, Given: opt.Given}
		ws, at := worlds(m, subs), 0
		compare := func(r *resolwe.MapState, exact bool) (weight float64) {
			formulas := m.Formulas
			d, err := ws[r.Index].Enumerate(formulas, nil, rules)
			if errors.Is(err, oracle.ErrUnsatisfiable) {
				formulas = negated(formulas)
				d, err = ws[r.Index].Enumerate(formulas, nil, rules)
			}
			check.OK(t, err)
			want, weight := d.Mode().Atoms, d.Mode().Score
			penalty := 0.0
			for _, b := range r.Broken {
				penalty += 1e5 * float64(b.Groundings)
			}
			same := math.Abs(r.LogWeight-penalty-weight) <= 1e-9*max(1, math.Abs(weight))
			if exact && (!slices.Equal(r.X, want) || !same || r.Searched > 0) {
				t.Errorf("seed %d, %s: got %v of log-weight %v, broken %v; want %v, %v", seed, r.Subgraph, r.X, r.LogWeight, r.Broken, want, weight)
			}
			if !exact && !same {
				missed++
			}
			return weight
		}
		check.OK(t, inferring.Map(t.Context(), m, resolwe.NewStream(m, subs), opt, func(r *resolwe.MapState) error {
			if r.Index != at || r.Subgraph != subs[at].Name {
				t.Fatalf("seed %d: got %s at %d, want %s at %d", seed, r.Subgraph, r.Index, subs[at].Name, at)
			}
			at++
			compared++
			if len(r.Broken) > 0 {
				broken++
			}
			compare(r, true)
			return nil
		}))
		opt.Method = resolwe.MapSearch
		check.OK(t, inferring.Map(t.Context(), m, resolwe.NewStream(m, subs), opt, func(r *resolwe.MapState) error {
			if r.Searched > 0 {
				searched++
			}
			compare(r, false)
			return nil
		}))
	}
	t.Logf("%d subgraphs, %d with broken formulas; the search missed %d of %d", compared, broken, missed, searched)
	if compared < 150 || broken < 5 || searched < 30 || missed > searched/50 {
		t.Errorf("%d subgraphs, %d with broken formulas; the search missed %d of %d", compared, broken, missed, searched)
	}
}

func TestMap_SameForAnyWorkers(t *testing.T) {
	t.Parallel()
	m := parse(t, tiedTask)
	db := ringsDB(5, 40, 12, 23)
	for _, method := range []resolwe.MapMethod{resolwe.MapAuto, resolwe.MapSearch} {
		streamtest.SameBytes(t, "states", func(run resolwe.Run) string {
			opt := resolwe.MapOptions{Method: method, Sweeps: 50, Seed: 3, Run: run}
			return states(t, m, inMemory(t, m, db), opt)
		})
	}
}

// Of equally probable states the first is given; rounding of sums of weights does not decide.
func TestMap_Ties(t *testing.T) {
	t.Parallel()
	m := parse(t, `
		target p(x)
		target q(x)
		0.1 p(a)
		0.2 p(a)
		-0.3 p(a)
		0.1 q(a) ^ p(b)
		0.2 q(a) ^ p(b)
		-0.3 q(a) ^ p(b)
		p(a) v q(a).
	`)
	got := states(t, m, inMemory(t, m, "@entity x A B\n"), resolwe.MapOptions{})
	check.Equal(t, "state", strings.TrimSpace(got), "facts 0 0 0 [false false true true]")
}

// Weights of what the evidence decides belong to the log-weight; so do groundings that it satisfies.
func TestMap_LogWeight(t *testing.T) {
	t.Parallel()
	m := parse(t, `
		e(x)
		target p(x)
		2 e(a)
		0.5 e(a) => p(a)
		-1 p(a)
		7 p(a) ^ p(b)
		p(a) => e(a).
	`)
	// Of A, B and C, p(A) alone may be true: 2 + 3 0.5 - 1 + 7.
	got := states(t, m, inMemory(t, m, "@entity x A B C\ne(A)\n"), resolwe.MapOptions{})
	check.Equal(t, "state", strings.TrimSpace(got), "facts 0 9.5 0 [true false false]")
}

// Hard formulas that nothing satisfies leave a state that breaks as few groundings as possible.
func TestMap_Broken(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ formulas, want string }{
		{"e(a) => p(a).\n!p(a).", "facts 0 0 0 [false false]\ne(a) => p(a) 1\n"},
		{"3 p(a)\np(a) v e(b).\np(a) => e(b).", "facts 0 6 0 [true true]\np(a) => e(b) 2\n"},
		{"!e(a).", "facts 0 0 0 [false false]\n!e(a) 1\n"},
	} {
		m := parse(t, "e(x)\ntarget p(x)\n"+test.formulas)
		got := states(t, m, inMemory(t, m, "@entity x A B\ne(A)\n"), resolwe.MapOptions{})
		check.Equal(t, test.formulas, got, test.want)
	}
}

func TestMap_Errors(t *testing.T) {
	t.Parallel()
	m := parse(t, tiedTask)
	none := func(*resolwe.MapState) error { return nil }
	for _, opt := range []resolwe.MapOptions{{Method: 9}, {Sweeps: -1}, {Sweeps: 1 << 31}} {
		err := inferring.Map(t.Context(), m, inMemory(t, m, ringsDB(1)), opt, none)
		if _, ok := errors.AsType[*resolwe.OptionError](err); !ok {
			t.Errorf("%+v: got %v", opt, err)
		}
	}
	stop := errors.New("enough")
	check.ErrorIs(t, inferring.Map(t.Context(), m, inMemory(t, m, ringsDB(1)), resolwe.MapOptions{}, func(*resolwe.MapState) error { return stop }), stop, "an error of emit")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	opt := resolwe.MapOptions{Method: resolwe.MapSearch}
	check.ErrorIs(t, inferring.Map(ctx, m, inMemory(t, m, ringsDB(3)), opt, none), context.Canceled, "cancelled")
	large := parse(t, "e(x)\ntarget p(x)\n1 e(a) v e(b) v e(c) v e(d) v e(f) v e(g) v e(h) v e(i) v e(j) v e(k) v p(a)")
	var db strings.Builder
	db.WriteString("@entity x")
	for i := range 100 {
		fmt.Fprintf(&db, " A%d", i)
	}
	err := inferring.Map(t.Context(), large, inMemory(t, large, db.String()+"\n"), resolwe.MapOptions{}, none)
	check.ErrorIs(t, err, join.ErrOverflow, "10^22 groundings")
}
