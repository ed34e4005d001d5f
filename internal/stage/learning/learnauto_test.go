package learning_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/stage/learning"
	"resolwe/internal/test/check"
)

// With default options the objective is within 1e-6 of the optimum that enumeration finds, on random tasks of tied atoms too.
func TestLearn_AutoReachesTheOptimum(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, db string }{
		"independent": {independent, independentDB(3, 6)},
		"tied":        {tied, tiedDB(6)},
	} {
		m := parse(t, c.text)
		subs := subgraphs(t, m, c.db)
		got, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), resolwe.LearnOptions{Objective: true})
		check.OK(t, err)
		fs := got.Model.Formulas
		mean := append(weights(m.Formulas), make([]float64, len(fs)-len(m.Formulas))...)
		best := penalised(t, worlds(m, subs), fs, optimum(t, worlds(m, subs), fs, mean, 2), mean, 2)
		if !got.Converged || !got.Exact || math.Abs(got.Objective-best) > 1e-6 || got.Gradient > 1e-6 || got.Short > 1e-6 {
			t.Errorf("%s: got %+v, want an objective of %v", name, got, best)
		}
		if own := penalised(t, worlds(m, subs), fs, weights(fs), mean, 2); math.Abs(got.Objective-own) > 1e-9*math.Abs(own) {
			t.Errorf("%s: got an objective of %v for weights that have %v", name, got.Objective, own)
		}
	}
}

// skewed is a stream whose subgraphs are sorted by base rate, in which each count of p has 1 or 100,000 beside it.
func skewed(n int) (text, db string) {
	r := rand.New(rand.NewPCG(66, 1))
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "@subgraph s%d\n", i)
		for x := range 20 {
			fmt.Fprintf(&b, "@entity a A%d\n", x)
		}
		rate := float64(i) / float64(n)
		for x := range 20 {
			likes, marks := r.IntN(2), r.IntN(3)
			if likes == 1 {
				fmt.Fprintf(&b, "likes(A%d)\n", x)
			}
			for k := range marks { // of which pairs of pairs are counted
				fmt.Fprintf(&b, "mark(A%d, M%d)\n", x, k)
			}
			if r.Float64() < .8*rate+.1*float64(likes)+.05*float64(marks) {
				fmt.Fprintf(&b, "q(A%d)\n", x)
			}
		}
		for k := range 17 {
			fmt.Fprintf(&b, "big(B%d)\n", k)
		}
	}
	return "likes(a)\nmark(a, m)\nbig(b)\ntarget q(a)\nlikes(x) => q(x)\n" +
		"mark(x, m) ^ big(b1) ^ big(b2) ^ big(b3) ^ big(b4) ^ q(x)\n", b.String()
}

// A stream sorted by base rate, and counts of 1 beside 167,042, are learned from as well as any; and the order of the stream
// and the number of workers change no bit.
func TestLearn_AutoOrderAndScale(t *testing.T) {
	t.Parallel()
	text, db := skewed(40)
	m := parse(t, text)
	subs := subgraphs(t, m, db)
	want := ""
	for i, workers := range []int{1, 2, 3, 8} {
		opt := resolwe.LearnOptions{Objective: true, CacheBytes: []int{0, -1, 5000}[i%3]}
		opt.Run.Workers = workers
		if i > 0 {
			rand.New(rand.NewPCG(67, uint64(i))).Shuffle(len(subs), func(i, j int) { subs[i], subs[j] = subs[j], subs[i] })
		}
		got, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), opt)
		check.OK(t, err)
		if !got.Converged || got.Passes > 30 {
			t.Errorf("got %+v", got)
		}
		text := fmt.Sprint(rules(got.Model.Formulas), weights(got.Model.Formulas), got.Objective, got.Gradient, got.Passes)
		if want == "" {
			want = text
		}
		check.Equal(t, "result in another order", text, want)
		if i > 0 {
			continue
		}
		if best := coordinateOptimum(db); math.Abs(got.Objective-best) > 1e-6 {
			t.Errorf("got an objective of %v, an independent solver finds %v", got.Objective, best)
		}
	}
}

// coordinateOptimum is the optimum of a skewed stream, by bisection along one weight after another, of counts that are read off
// the text.
func coordinateOptimum(db string) float64 {
	var rows [][3]float64
	var truth []bool
	for part := range strings.SplitSeq(db, "@subgraph ") {
		for x := range 20 {
			if part == "" {
				break
			}
			has := func(f string) float64 { return float64(strings.Count(part, fmt.Sprintf(f, x))) }
			q := has("q(A%d)\n")
			rows = append(rows, [3]float64{has("likes(A%d)\n"), has("mark(A%d, ") * 17 * 17 * 17 * 17, 1})
			truth = append(truth, q > 0)
		}
	}
	w, z := [3]float64{}, make([]float64, len(rows))
	for far := 1.; far > 1e-11; {
		far = 0
		for i := range w {
			low, high := -20/max(1, rows[0][i]), 20/max(1, rows[0][i])
			if i == 1 {
				low, high = -1e-3, 1e-3
			}
			scale := high
			for range 80 {
				d := (low + high) / 2
				slope := -(w[i] + d) / 4
				for a, row := range rows {
					x := 0.
					if truth[a] {
						x = 1
					}
					slope += row[i] * (x - 1/(1+math.Exp(-z[a]-d*row[i])))
				}
				if slope > 0 {
					low = d
				} else {
					high = d
				}
			}
			w[i] += low
			far = max(far, math.Abs(low)/scale)
			for a, row := range rows {
				z[a] += low * row[i]
			}
		}
	}
	sum := 0.
	for _, v := range w {
		sum -= v * v / 8
	}
	for a, h := range z {
		if truth[a] {
			h = -h
		}
		sum -= max(h, 0) + math.Log1p(math.Exp(-math.Abs(h)))
	}
	return sum
}

// Where components are too large for exact sums, it settles near the optimum from that of the pseudo-likelihood.
func TestLearn_AutoSettles(t *testing.T) {
	t.Parallel()
	m := parse(t, tied)
	subs := subgraphs(t, m, tiedDB(9))
	want, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), resolwe.LearnOptions{Objective: true})
	check.OK(t, err)
	got, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), resolwe.LearnOptions{Objective: true, Sample: true})
	check.OK(t, err)
	if math.IsNaN(got.Drift) || !math.IsNaN(got.Gradient) || got.Converged != (got.Drift <= .01 && got.Converged) || got.Passes < 12 {
		t.Errorf("got %+v", got)
	}
	if !got.Exact || want.Objective-got.Objective > .01 || want.Objective-got.Objective < -1e-9 {
		t.Errorf("got an objective of %v, want %v", got.Objective, want.Objective)
	}
	for i, f := range want.Model.Formulas {
		if g := got.Model.Formulas[i]; math.Abs(f.Weight-g.Weight) > .05 {
			t.Errorf("%s: got %v, want %v", mln.FormatFormula(f), g.Weight, f.Weight)
		}
	}
}

// A run with a given number of passes says how far from the optimum it ends.
func TestLearn_ShortOfTheOptimum(t *testing.T) {
	t.Parallel()
	m := parse(t, tied)
	subs := subgraphs(t, m, tiedDB(9))
	best, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), resolwe.LearnOptions{Objective: true})
	check.OK(t, err)
	for _, passes := range []int{1, 5, 40} {
		got, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), resolwe.LearnOptions{Objective: true, Passes: passes})
		check.OK(t, err)
		gap := best.Objective - got.Objective
		if got.Converged || got.Passes != passes || got.Short < gap/2 || got.Short > 2*gap {
			t.Errorf("%d passes: got %v nats short (%+v), want about %v", passes, got.Short, got, gap)
		}
	}
}

// Time that is over ends any phase, with the best weights so far.
func TestLearn_AutoStops(t *testing.T) {
	t.Parallel()
	m := parse(t, tied)
	subs := subgraphs(t, m, tiedDB(66))
	for _, sample := range []bool{false, true} {
		start := penalised(t, worlds(m, subs), append(slices.Clone(m.Formulas), m.Formulas[0]), []float64{0, .7, 0}, []float64{0, .7, 0}, 2)
		last := start
		for _, after := range []int{1, 2, 5, 40, 200} {
			left := after
			opt := resolwe.LearnOptions{Sample: sample, Stop: func() bool {
				left--
				return left == 0
			}}
			got, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), opt)
			check.OK(t, err)
			ws := weights(got.Model.Formulas)
			if slices.ContainsFunc(ws, math.IsNaN) {
				t.Fatalf("got weights %v", ws)
			}
			value := penalised(t, worlds(m, subs), got.Model.Formulas, ws, []float64{0, .7, 0}, 2)
			if value < start || !sample && value < last-1e-9 && after > 5 {
				t.Errorf("sampled %v, stopped after %d: got an objective of %v, before %v", sample, after, value, last)
			}
			last = value
		}
	}
}

// Where hard formulas contradict each other, the data violate one, whatever they are: there is nothing to learn from.
func TestLearn_AutoUnsatisfiable(t *testing.T) {
	t.Parallel()
	m := parse(t, "e(a)\ntarget q(a)\ne(x) => q(x).\n!q(x) v !e(x).\n0.5 q(x)\n")
	s := inMemory(t, m, "@subgraph s\ne(A)\nq(A)\n")
	got, err := resolwe.Learn(t.Context(), m, s, resolwe.LearnOptions{})
	check.OK(t, err)
	violated, n := s.Violations()
	check.Equal(t, "violation", []any{violated.Subgraph, n, got.Unlabeled, weights(got.Model.Formulas)}, []any{"s", 1, true, []float64{0, 0, .5}})
}

// Where hard formulas tie every atom to others, single atoms say nothing about weights. Sampled learning settles at the frequencies of the
// data, or says that it has not, however weak the prior is.
func TestLearn_SettlesUnderHardFormulas(t *testing.T) {
	t.Parallel()
	const oneOf = "colour = {Red, Green, Blue}\ntarget picked(colour)\nEXIST c picked(c).\npicked(c) ^ picked(d) => c = d.\n"
	settled := 0
	for _, test := range []struct {
		model, db string
		want      map[string]float64 // frequency of an atom
	}{
		{
			oneOf + "0 picked(Red)\n0 picked(Green)\n0 picked(Blue)\n",
			"@subgraph a\npicked(Red)\n@subgraph b\npicked(Red)\n@subgraph c\npicked(Green)\n@subgraph d\npicked(Green)\n@subgraph e\npicked(Blue)\n",
			map[string]float64{"picked(Red)": .4, "picked(Green)": .4, "picked(Blue)": .2},
		},
		{
			"target p(a)\ntarget q(a)\np(x) <=> !q(x).\n0 p(x)\n0 q(x)\n",
			"@subgraph s\np(A)\np(B)\nq(C)\np(D)\np(E)\np(F)\nq(G)\np(H)\n@subgraph t\np(A)\nq(B)\np(C)\np(D)\n",
			map[string]float64{"p(A)": .75, "q(B)": .25},
		},
		{
			oneOf + "big(size)\n0 picked(Red)\n0 big(s) ^ picked(Blue)\n",
			"@subgraph a\nbig(S)\npicked(Red)\n@subgraph b\nbig(S)\npicked(Blue)\n@subgraph c\nbig(S)\npicked(Blue)\n@subgraph d\nbig(S)\npicked(Green)\n",
			map[string]float64{"picked(Red)": .25, "picked(Blue)": .5, "picked(Green)": .25},
		},
	} {
		m := parse(t, test.model)
		s := inMemory(t, m, test.db)
		for _, sigma := range []float64{30, 1000} {
			for seed := range uint64(3) {
				l, err := resolwe.Learn(t.Context(), m, s, resolwe.LearnOptions{Sigma: sigma, Method: resolwe.PCD, Sample: true, Seed: seed + 1})
				check.OK(t, err)
				if l.ShortOfOptimum() != "" {
					continue
				}
				settled++
				check.OK(t, inferring.Infer(t.Context(), l.Model, s.Range(0, 1), resolwe.InferOptions{}, func(r *resolwe.Marginals) error {
					for i, p := range r.P {
						if want, ok := test.want[r.Atom(i)]; ok && math.Abs(p-want) > .04 {
							t.Errorf("sigma %v, seed %d: P(%s) is %v, want %v; weights %v", sigma, seed+1, r.Atom(i), p, want, rules(l.Model.Formulas))
						}
					}
					return nil
				}))
			}
		}
	}
	check.AtLeast(t, settled, 6, "runs that settle")
}

// Weights that still drift are worth a warning only if the drift is one that matters.
func TestLearned_ShortOfOptimum(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for _, test := range []struct {
		of   learning.Learned
		want string
	}{
		{learning.Learned{Gradient: nan, Drift: nan}, ""},
		{learning.Learned{Gradient: nan, Drift: .02}, ""},
		{learning.Learned{Gradient: nan, Drift: .069}, "they still drift by up to 0.069 standard errors"},
		{learning.Learned{Gradient: nan, Drift: .069, Converged: true}, ""},
		{learning.Learned{Gradient: .5, Short: 3, Drift: nan}, "about 3 nats below it"},
		{learning.Learned{Gradient: nan, Drift: nan, Stopped: true}, ""},
	} {
		got := test.of.ShortOfOptimum()
		check.Is(t, (got == "") == (test.want == "") && strings.Contains(got, test.want), true, "%+v: %q", test.of, got)
	}
}
