package forecast_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"resolwe"
	"resolwe/forecast"
	"resolwe/format/subgraph"
	"resolwe/internal/machine"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/internal/test/streamtest"
	"resolwe/kernels/ground"
	"resolwe/kernels/network"
)

// A forecast over all subgraphs agrees, on average, with what inference meets.
func TestRun_MatchesNetworks(t *testing.T) {
	t.Parallel()
	compared := 0
	for seed := range uint64(40) {
		text, db := streamtest.Random(seed, oracle.TaskOptions{General: true, Subgraphs: 3})
		m := streamtest.Parse(t, text)
		subs := streamtest.Subgraphs(t, m, db)
		opt := forecast.Options{}
		opt.Infer.Given = seed%2 == 1
		opt.Infer.Method = []resolwe.Method{resolwe.MethodAuto, resolwe.MethodMCSAT, resolwe.MethodExact}[seed%3]
		got, err := forecast.Run(t.Context(), m, resolwe.NewStream(m, subs), opt)
		check.OKf(t, err, "seed %d", seed)
		if got.Subgraphs != 3 || got.Sampled != 3 || got.TooLarge != 0 || len(got.Formulas) != len(m.Formulas) {
			t.Errorf("seed %d: got %+v", seed, got)
		}
		exact, sampled := 0, 0
		one := resolwe.InferOptions{Given: opt.Infer.Given, Method: opt.Infer.Method, Samples: 1, BurnIn: new(0)}
		err = inferring.Infer(t.Context(), m, resolwe.NewStream(m, subs), one, func(r *resolwe.Marginals) error {
			exact += r.Diagnostics.Exact
			sampled += r.Diagnostics.Sampled
			return nil
		})
		check.OK(t, err)
		atoms := map[bool]float64{} // by whether they are sampled
		for _, r := range got.Routes {
			atoms[r.Route == forecast.RouteSampled] += 3 * r.Atoms
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

// compareFactors compares a forecast's factors with the networks.
func compareFactors(t *testing.T, seed uint64, m *resolwe.Model, s *resolwe.Stream, got *forecast.Forecast, given bool) {
	t.Helper()
	mode := ground.Predicting
	if given {
		mode = ground.Conditioning
	}
	g := ground.NewGrounder(ground.Compile(m.Schema, m.Formulas, mode))
	want := make([]forecast.Formula, len(m.Formulas))
	sum := forecast.Network{}
	err := resolwe.Each(t.Context(), s, resolwe.Run{}, func(sub *subgraph.Subgraph) error {
		net, _, err := g.Ground(sub)
		if err != nil {
			return err
		}
		sum.Atoms += float64(net.NumAtoms) / 3
		sum.Bytes += float64(net.Bytes()) / 3
		sum.Largest = max(sum.Largest, net.Bytes())
		sum.Hard += float64(len(net.Clauses)+len(net.HardFeatures)) / 3
		add := func(coefs []network.Coef, at func(*forecast.Factors) *float64) {
			for _, c := range coefs {
				*at(&want[c.Formula].Factors) += 1. / 3
			}
		}
		add(net.Unary, func(f *forecast.Factors) *float64 { return &f.Unary })
		add(net.PairCoefs, func(f *forecast.Factors) *float64 { return &f.Pairs })
		for _, c := range net.Conjunctions {
			add(c.Coefs, func(f *forecast.Factors) *float64 { return &f.Others })
		}
		for _, c := range net.Features {
			add(c.Coefs, func(f *forecast.Factors) *float64 { return &f.Others })
		}
		return nil
	})
	check.OKf(t, err, "seed %d", seed)
	for i := range want {
		check.Equal(t, fmt.Sprintf("seed %d, formula %d", seed, i), got.Formulas[i].Factors, want[i].Factors, cmpopts.EquateApprox(0, 1e-9))
	}
	check.Equal(t, fmt.Sprintf("seed %d", seed), got.Network, sum, cmpopts.EquateApprox(0, 1e-6))
}

// The sampled subgraphs are spread over the stream, and the forecast does not depend on workers.
func TestRun_Take(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, streamtest.TiedTask)
	sizes := make([]int, 100)
	for i := range sizes {
		sizes[i] = 4 + i
	}
	subs := streamtest.Subgraphs(t, m, streamtest.RingsDB(sizes...))
	for _, test := range []struct{ take, looked int }{{1, 1}, {7, 7}, {100, 100}, {1000, 100}} {
		var want *forecast.Forecast
		for _, workers := range []int{1, 3} {
			opt := forecast.Options{}
			opt.Sample, opt.Run.Workers = test.take, workers
			got, err := forecast.Run(t.Context(), m, resolwe.NewStream(m, subs), opt)
			check.OK(t, err)
			if got.Sampled != test.looked || math.Abs(got.Network.Atoms-53.5) > 1 {
				t.Errorf("take %d: got %d subgraphs with %v atoms in the mean, want %d with about 53.5",
					test.take, got.Sampled, got.Network.Atoms, test.looked)
			}
			if want == nil {
				want = got
			}
			check.Equal(t, fmt.Sprintf("take %d, %d workers", test.take, workers), got, want)
		}
	}
}

// A network that may be too large is not built.
func TestRun_TooLarge(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, "e(a)\ntarget q(a)\n1 q(x) ^ q(y) ^ e(z)\n")
	var b strings.Builder
	b.WriteString("@subgraph small\n@entity a A\n@subgraph large\ne(A)\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "@entity a B%d\n", i)
	}
	s := streamtest.InMemory(t, m, b.String())
	opt := forecast.Options{}
	p, err := forecast.Run(t.Context(), m, s, opt)
	check.OK(t, err)
	f := p.Formulas[0]
	if p.Sampled != 2 || p.TooLarge != 1 || f.Most != 5001*5001/2. || f.Groundings != (5001*5001*5001+1)/2 || p.Network.Atoms != 1 {
		t.Errorf("got %+v", p)
	}
}

// Components that inference by elimination could not solve are told.
func TestRun_TooWide(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, streamtest.TiedTask)
	opt := forecast.Options{}
	opt.Infer.Method = resolwe.MethodExact
	p, err := forecast.Run(t.Context(), m, streamtest.InMemory(t, m, streamtest.FullDB(60)), opt)
	check.OK(t, err)
	if r := p.Routes[len(p.Routes)-1]; r.Route != forecast.RouteTooLarge || r.Atoms != 60 || r.Width < 20 {
		t.Errorf("got %+v, want 60 atoms without a route", r)
	}
}

// Learning that would take more memory than is allowed is not begun, and the forecast gives the numbers. The bound is the process's.
func TestRun_TooManyWeights(t *testing.T) { //nolint:paralleltest // see above
	const formulas = 6000
	text := strings.Builder{}
	text.WriteString("ev(a, b)\ntarget listed q(a)\n")
	for i := range formulas {
		fmt.Fprintf(&text, "ev(x, C%d) => q(x)\n", i)
	}
	m := streamtest.Parse(t, text.String())
	stream := streamtest.InMemory(t, m, "@subgraph s\nev(A, C1)\nq(A)\n")
	stop := machine.Watch(1<<30, "--memory", func(err error) { t.Error(err) })
	defer stop()
	p, err := forecast.Run(t.Context(), m, stream, forecast.Options{})
	check.OK(t, err)
	check.ErrorAs[*machine.MemoryError](t, p.Learn, "forecast")
	opt := resolwe.LearnOptions{Passes: 2}
	_, err = resolwe.Learn(t.Context(), m, stream, opt)
	check.ErrorAs[*machine.MemoryError](t, err, "learn")
	check.Contains(t, err.Error(), "of 6001 formulas takes 4 matrices of 6001 x 6001 numbers, 1.1 GiB", "learn")
	opt.Method = resolwe.AdaGrad
	check.OK(t, check.Err(resolwe.Learn(t.Context(), m, stream, opt)))
}

// Counts that overflow are reported, without an error: learning and inference fail on them.
func TestRun_Beyond(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, "e(a)\ntarget q(a)\n1 !e(r) ^ !e(s) ^ !e(u) ^ !e(v) ^ !e(w) ^ !e(x) => q(y)\n")
	var b strings.Builder
	b.WriteString("@subgraph small\n@entity a A\n@subgraph large\ne(A)\n")
	for i := range 2000 {
		fmt.Fprintf(&b, "@entity a B%d\n", i)
	}
	opt := forecast.Options{}
	p, err := forecast.Run(t.Context(), m, streamtest.InMemory(t, m, b.String()), opt)
	check.OK(t, err)
	if f := p.Formulas[0]; p.Sampled != 2 || p.Beyond != 1 || p.Built() != 1 || !math.IsInf(f.Groundings, 1) || !math.IsInf(f.Body, 1) {
		t.Errorf("got %+v", p)
	}
	none := func(*resolwe.Marginals) error { return nil }
	err = inferring.Infer(t.Context(), m, streamtest.InMemory(t, m, b.String()), resolwe.InferOptions{}, none)
	if e, ok := errors.AsType[*resolwe.SubgraphError](err); !ok || e.Name != "large" {
		t.Errorf("inference: got %v", err)
	}
}

func ExampleRun() {
	m, err := resolwe.ParseModel("task.mln", []byte(`
		friends(person, person)
		target smokes(person)
		friends(x, y) ^ smokes(x) => smokes(y)`), resolwe.ModelOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	facts := streamtest.Try(os.CreateTemp("", "*.db"))
	defer os.Remove(facts.Name())
	if _, err := facts.WriteString("friends(Anna, Bob)\nfriends(Bob, Carl)\nsmokes(Dora)\n"); err != nil {
		fmt.Println(err)
		return
	}
	s := streamtest.Try(resolwe.OpenStream(m, []string{facts.Name()}, resolwe.StreamOptions{}))
	defer s.Close()
	p := streamtest.Try(forecast.Run(context.Background(), m, s, forecast.Options{}))
	f := p.Formulas[0]
	fmt.Printf("%v groundings, %v selected: %v pairs\n", f.Groundings, f.Body, f.Factors.Pairs)
	for _, r := range p.Routes {
		fmt.Printf("%s: %v of %d to %d atoms\n", r.Route, r.Components, r.Least, r.Most)
	}
	// Output:
	// 16 groundings, 2 selected: 2 pairs
	// closed form: 1 of 1 to 1 atoms
	// enumerated: 1 of 2 to 5 atoms
}

func TestRun_Errors(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, streamtest.TiedTask)
	for _, test := range []struct {
		name string
		db   string
		set  func(*forecast.Options)
	}{
		{"sample", streamtest.RingsDB(3), func(o *forecast.Options) { o.Sample = -1 }},
		{"k2", streamtest.RingsDB(3), func(o *forecast.Options) { o.Select.Subgraphs = -1 }},
		{"samples", streamtest.RingsDB(3), func(o *forecast.Options) { o.Infer.Samples = -1 }},
	} {
		opt := forecast.Options{}
		test.set(&opt)
		_, err := forecast.Run(t.Context(), m, streamtest.InMemory(t, m, test.db), opt)
		check.ErrorAs[*resolwe.OptionError](t, err, "%s", test.name)
	}
	_, err := forecast.Run(t.Context(), m, resolwe.NewStream(m, nil), forecast.Options{})
	check.ErrorAs[*resolwe.OptionError](t, err, "no subgraph")
	hard := streamtest.Parse(t, streamtest.TiedTask+"e(x, y) => x = y.\n")
	_, err = forecast.Run(t.Context(), hard, streamtest.InMemory(t, hard, streamtest.RingsDB(3)), forecast.Options{})
	check.ErrorIs(t, err, ground.ErrViolated, "violated")
}

// A forecast stops when its time is up: with an error if it has no results, otherwise with those it has.
func TestRun_Budget(t *testing.T) {
	t.Parallel()
	text, db := streamtest.Random(1, oracle.TaskOptions{Subgraphs: 12})
	m := streamtest.Parse(t, text)
	subs := streamtest.Subgraphs(t, m, db)
	run := func(opt forecast.Options) (*forecast.Forecast, error) {
		return forecast.Run(t.Context(), m, resolwe.NewStream(m, subs), opt)
	}
	check.ErrorIs(t, check.Err(run(forecast.Options{Budget: 1})), forecast.ErrBudget, "no time")
	check.ErrorAs[*resolwe.OptionError](t, check.Err(run(forecast.Options{Budget: -1})), "negative")
	got, err := run(forecast.Options{Budget: time.Hour})
	check.OK(t, err)
	check.Equal(t, "sampled", got.Sampled, 12)
	check.Equal(t, "over", got.Over, false)

	slow := forecast.Options{Budget: 500 * time.Millisecond, Run: resolwe.Run{Workers: 1, Progress: func(int) { time.Sleep(200 * time.Millisecond) }}}
	got, err = run(slow)
	check.OK(t, err)
	if !got.Over || got.Sampled < 1 || got.Sampled >= 12 || len(got.Formulas) != len(m.Formulas) {
		t.Errorf("a little time: got %+v", got)
	}
	lacks := []string{fmt.Sprintf("%d of 12 subgraphs", 12-got.Sampled)}
	if got.Gain != nil {
		lacks = append(lacks, "the rows of select")
	}
	check.Equal(t, "lacks", got.Lacks(20), lacks)
}
