package resolwe_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"resolwe"
	"resolwe/format/subgraph"
	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/naive"
)

// A plan that looks at every subgraph says what inference meets, on average.
func TestMakePlan_MatchesNetworks(t *testing.T) {
	t.Parallel()
	compared := 0
	for seed := range uint64(40) {
		text, db := random(seed, naive.TaskOptions{General: true, Subgraphs: 3})
		m := parse(t, text)
		subs := subgraphs(t, m, db)
		opt := resolwe.DefaultPlanOptions()
		opt.Infer.Given = seed%2 == 1
		opt.Infer.Method = []resolwe.Method{resolwe.MethodAuto, resolwe.MethodMCSAT, resolwe.MethodExact}[seed%3]
		got, err := resolwe.MakePlan(t.Context(), m, resolwe.NewStream(m, subs), opt)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got.Subgraphs != 3 || got.Looked != 3 || got.TooLarge != 0 || got.Times != nil || len(got.Formulas) != len(m.Formulas) {
			t.Errorf("seed %d: got %+v", seed, got)
		}
		rs, _ := all(t, m, resolwe.NewStream(m, subs), inferOptions(opt.Infer.Given, opt.Infer.Method))
		exact, sampled := 0, 0
		for _, r := range rs {
			exact += r.Diagnostics.Exact
			sampled += r.Diagnostics.Sampled
		}
		atoms := map[bool]float64{} // by whether they are sampled
		for _, r := range got.Routes {
			atoms[r.Route == resolwe.RouteSampled] += 3 * r.Atoms
			if r.Atoms < r.Components*float64(r.Least)-1e-9 || r.Most > 0 && r.Atoms > r.Components*float64(r.Most)+1e-9 {
				t.Errorf("seed %d: got %v atoms in %v components of %d to %d", seed, r.Atoms, r.Components, r.Least, r.Most)
			}
		}
		if math.Abs(atoms[false]-float64(exact)) > 1e-6 || math.Abs(atoms[true]-float64(sampled)) > 1e-6 {
			t.Errorf("seed %d: got %v exact and %v sampled atoms, want %d and %d", seed, atoms[false], atoms[true], exact, sampled)
		}
		compareFactors(t, seed, m, resolwe.NewStream(m, subs), got, opt.Infer.Given)
		compared += sampled
	}
	if compared == 0 {
		t.Error("nothing was sampled")
	}
}

func inferOptions(given bool, method resolwe.Method) resolwe.InferOptions {
	opt := resolwe.DefaultInferOptions()
	opt.Given, opt.Method, opt.Samples, opt.BurnIn = given, method, 1, 0
	return opt
}

// compareFactors holds a plan's factors against the networks themselves.
func compareFactors(t *testing.T, seed uint64, m *resolwe.Model, s *resolwe.Stream, got *resolwe.Plan, given bool) {
	t.Helper()
	mode := ground.Predicting
	if given {
		mode = ground.Conditioning
	}
	g := ground.NewGrounder(ground.Compile(m.Schema, m.Formulas, mode))
	want := make([]resolwe.FormulaPlan, len(m.Formulas))
	network := resolwe.NetworkPlan{}
	err := resolwe.Each(t.Context(), s, resolwe.Run{}, func(sub *subgraph.Subgraph) error {
		net, _, err := g.Ground(sub)
		if err != nil {
			return err
		}
		network.Atoms += float64(net.NumAtoms) / 3
		network.Bytes += float64(net.Bytes()) / 3
		network.Largest = max(network.Largest, net.Bytes())
		network.Hard += float64(len(net.Clauses)+len(net.HardFeatures)) / 3
		add := func(coefs []ground.Coef, at func(*resolwe.Factors) *float64) {
			for _, c := range coefs {
				*at(&want[c.Formula].Factors) += 1. / 3
			}
		}
		add(net.Unary, func(f *resolwe.Factors) *float64 { return &f.Unary })
		add(net.PairCoefs, func(f *resolwe.Factors) *float64 { return &f.Pairs })
		for _, c := range net.Cubes {
			add(c.Coefs, func(f *resolwe.Factors) *float64 { return &f.Others })
		}
		for _, c := range net.Features {
			add(c.Coefs, func(f *resolwe.Factors) *float64 { return &f.Others })
		}
		return nil
	})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	for i := range want {
		if diff := cmp.Diff(got.Formulas[i].Factors, want[i].Factors, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Errorf("seed %d, formula %d (-got +want):\n%s", seed, i, diff)
		}
	}
	if diff := cmp.Diff(got.Network, network, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Errorf("seed %d (-got +want):\n%s", seed, diff)
	}
}

// The subgraphs that are looked at are spread over the stream, and the plan does not depend on workers.
func TestMakePlan_Take(t *testing.T) {
	t.Parallel()
	m := parse(t, tiedTask)
	sizes := make([]int, 100)
	for i := range sizes {
		sizes[i] = 4 + i
	}
	subs := subgraphs(t, m, ringsDB(sizes...))
	for _, test := range []struct{ take, looked int }{{1, 1}, {7, 7}, {100, 100}, {1000, 100}} {
		var want *resolwe.Plan
		for _, workers := range []int{1, 3} {
			opt := resolwe.DefaultPlanOptions()
			opt.Take, opt.Run.Workers = test.take, workers
			got, err := resolwe.MakePlan(t.Context(), m, resolwe.NewStream(m, subs), opt)
			if err != nil {
				t.Fatal(err)
			}
			if got.Looked != test.looked || math.Abs(got.Network.Atoms-53.5) > 1 {
				t.Errorf("take %d: got %d subgraphs with %v atoms in the mean, want %d with about 53.5",
					test.take, got.Looked, got.Network.Atoms, test.looked)
			}
			if want == nil {
				want = got
			}
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("take %d, %d workers (-got +want):\n%s", test.take, workers, diff)
			}
		}
	}
}

// Times grow with the work, and lie within their ranges; a clock that stands still gives none.
func TestMakePlan_Times(t *testing.T) {
	t.Parallel()
	m := parse(t, tiedTask)
	sizes := make([]int, 30)
	for i := range sizes {
		sizes[i] = 25 + i%5
	}
	subs := subgraphs(t, m, ringsDB(sizes...))
	steps := func(m *resolwe.Model, chains int, now func() time.Time) map[string]resolwe.TimePlan {
		opt := resolwe.DefaultPlanOptions()
		opt.Now, opt.Run.Workers, opt.Infer.Chains, opt.Learn.Passes = now, 1, chains, 3
		p, err := resolwe.MakePlan(t.Context(), m, resolwe.NewStream(m, subs), opt)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]resolwe.TimePlan{}
		for _, s := range p.Times {
			if !(s.Low <= s.Seconds && s.Seconds <= s.High) {
				t.Errorf("got %+v", s)
			}
			out[s.Step] = s
		}
		return out
	}
	tick := time.Time{}
	clock := func() time.Time { // a second for each look at it
		tick = tick.Add(time.Second)
		return tick
	}
	open := steps(m.With(unweighted(m)), 1, clock)
	if s := open["select"]; s.Subgraphs != 30 || s.Seconds != 30 {
		t.Errorf("select: got %+v, want 30 seconds for 30 subgraphs", s)
	}
	if s := open["learn"]; s.Subgraphs != 90 || s.Seconds != 90 {
		t.Errorf("learn: got %+v, want 90 seconds for 90 subgraphs", s)
	}
	if s := open["infer"]; s.Subgraphs != 30 || s.Seconds != 30 {
		t.Errorf("infer: got %+v, want 30 seconds for 30 subgraphs", s)
	}
	if _, ok := steps(m, 1, clock)["select"]; ok {
		t.Error("a model without candidates has a time for select")
	}
	for step, s := range steps(m, 1, func() time.Time { return time.Time{} }) {
		if s.Seconds != 0 || s.High != 0 {
			t.Errorf("%s: got %+v from a clock that stands still", step, s)
		}
	}
}

// A network that could be too large is not built.
func TestMakePlan_TooLarge(t *testing.T) {
	t.Parallel()
	m := parse(t, "e(a)\ntarget q(a)\n1 q(x) ^ q(y) ^ e(z)\n")
	var b strings.Builder
	b.WriteString("@subgraph small\n@entity a A\n@subgraph large\ne(A)\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "@entity a B%d\n", i)
	}
	s := inMemory(t, m, b.String())
	opt := resolwe.DefaultPlanOptions()
	opt.Now = func() time.Time { return time.Time{} }
	p, err := resolwe.MakePlan(t.Context(), m, s, opt)
	if err != nil {
		t.Fatal(err)
	}
	f := p.Formulas[0]
	if p.Looked != 2 || p.TooLarge != 1 || f.Most != 5001*5001/2. || f.Groundings != (5001*5001*5001+1)/2 || p.Network.Atoms != 1 {
		t.Errorf("got %+v", p)
	}
}

// What fails on the subgraphs that are looked at is told in place of its time.
func TestMakePlan_FailingStep(t *testing.T) {
	t.Parallel()
	m := parse(t, tiedTask)
	opt := resolwe.DefaultPlanOptions()
	opt.Infer.Method, opt.Now = resolwe.MethodExact, time.Now
	p, err := resolwe.MakePlan(t.Context(), m, inMemory(t, m, ringsDB(60)), opt)
	if err != nil {
		t.Fatal(err)
	}
	if last := p.Times[len(p.Times)-1]; last.Step != "infer" || !errors.As(last.Err, new(*mcsat.SizeError)) {
		t.Errorf("got %+v, want that infer fails", p.Times)
	}
	if r := p.Routes[len(p.Routes)-1]; r.Route != resolwe.RouteTooLarge || r.Atoms != 60 {
		t.Errorf("got %+v, want 60 atoms without a route", r)
	}
}

// Counts that do not fit are told of, not an error: learning and inference fail on them.
func TestMakePlan_Beyond(t *testing.T) {
	t.Parallel()
	m := parse(t, "e(a)\ntarget q(a)\n1 !e(r) ^ !e(s) ^ !e(u) ^ !e(v) ^ !e(w) ^ !e(x) => q(y)\n")
	var b strings.Builder
	b.WriteString("@subgraph small\n@entity a A\n@subgraph large\ne(A)\n")
	for i := range 2000 {
		fmt.Fprintf(&b, "@entity a B%d\n", i)
	}
	opt := resolwe.DefaultPlanOptions()
	opt.Now = func() time.Time { return time.Time{} }
	p, err := resolwe.MakePlan(t.Context(), m, inMemory(t, m, b.String()), opt)
	if err != nil {
		t.Fatal(err)
	}
	if f := p.Formulas[0]; p.Looked != 2 || p.Beyond != 1 || p.Built() != 1 || !math.IsInf(f.Groundings, 1) || !math.IsInf(f.Held, 1) {
		t.Errorf("got %+v", p)
	}
	opt = resolwe.DefaultPlanOptions()
	_, err = infer(t, m, inMemory(t, m, b.String()), opt.Infer)
	if e, ok := errors.AsType[*resolwe.SubgraphError](err); !ok || e.Name != "large" {
		t.Errorf("inference: got %v", err)
	}
}

func ExampleMakePlan() {
	m, err := resolwe.ParseModel("task.mln", []byte(`
		friends(person, person)
		target smokes(person)
		friends(x, y) ^ smokes(x) => smokes(y)`), resolwe.ModelOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	facts, err := os.CreateTemp("", "*.db")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(facts.Name())
	if _, err := facts.WriteString("friends(Anna, Bob)\nfriends(Bob, Carl)\nsmokes(Dora)\n"); err != nil {
		fmt.Println(err)
		return
	}
	s, err := resolwe.OpenStream(m, []string{facts.Name()}, resolwe.StreamOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	p, err := resolwe.MakePlan(context.Background(), m, s, resolwe.DefaultPlanOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	f := p.Formulas[0]
	fmt.Printf("%v groundings, %v selected: %v pairs\n", f.Groundings, f.Held, f.Factors.Pairs)
	for _, r := range p.Routes {
		fmt.Printf("%s: %v of %d to %d atoms\n", r.Route, r.Components, r.Least, r.Most)
	}
	// Output:
	// 16 groundings, 2 selected: 2 pairs
	// closed form: 1 of 1 to 1 atoms
	// enumerated: 1 of 2 to 5 atoms
}

func TestMakePlan_Errors(t *testing.T) {
	t.Parallel()
	m := parse(t, tiedTask)
	for _, test := range []struct {
		name string
		db   string
		set  func(*resolwe.PlanOptions)
	}{
		{"take", ringsDB(3), func(o *resolwe.PlanOptions) { o.Take = 0 }},
		{"k2", ringsDB(3), func(o *resolwe.PlanOptions) { o.Select.Subgraphs = 0 }},
		{"passes", ringsDB(3), func(o *resolwe.PlanOptions) { o.Learn.Passes = 0 }},
		{"samples", ringsDB(3), func(o *resolwe.PlanOptions) { o.Infer.Samples = 0 }},
	} {
		opt := resolwe.DefaultPlanOptions()
		test.set(&opt)
		_, err := resolwe.MakePlan(t.Context(), m, inMemory(t, m, test.db), opt)
		if !errors.As(err, new(*resolwe.OptionError)) && !errors.As(err, new(*mcsat.OptionError)) {
			t.Errorf("%s: got %v", test.name, err)
		}
	}
	_, err := resolwe.MakePlan(t.Context(), m, resolwe.NewStream(m, nil), resolwe.DefaultPlanOptions())
	if !errors.As(err, new(*resolwe.OptionError)) {
		t.Errorf("no subgraph: got %v", err)
	}
	hard := parse(t, tiedTask+"e(x, y) => x = y.\n")
	_, err = resolwe.MakePlan(t.Context(), hard, inMemory(t, hard, ringsDB(3)), resolwe.DefaultPlanOptions())
	if !errors.Is(err, ground.ErrViolated) {
		t.Errorf("violated: got %v", err)
	}
}
