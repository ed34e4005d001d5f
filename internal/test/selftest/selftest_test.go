package selftest_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"go.uber.org/goleak"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/stage/selecting"
	"resolwe/internal/test/check"
	"resolwe/internal/test/selftest"
	"resolwe/kernels/cd"
	"resolwe/kernels/mcsat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// little is a tenth of the usual work.
const little = 0.1

// TestRun_TheLibraryPasses makes each check with little work, or with SCALE times the usual one, as .ci/run does.
func TestRun_TheLibraryPasses(t *testing.T) {
	t.Parallel()
	scale := little
	if testing.Short() {
		scale = little / 10
	}
	if text := os.Getenv("SCALE"); text != "" {
		var err error
		scale, err = strconv.ParseFloat(text, 64)
		check.OK(t, err)
	}
	r, err := selftest.Run(t.Context(), selftest.Library(), 0, scale, resolwe.Run{}, "", "")
	check.OK(t, err)
	for _, c := range r.Checks {
		if !c.Passed || c.Comparisons == 0 {
			t.Errorf("got %+v", c)
		}
	}
	if len(r.Checks) < 40 || r.Failed() != 0 || r.Bets < 400 || r.Level*float64(r.Bets) > selftest.FalseAlarm {
		t.Errorf("got %d checks, %d failed, %d bets at %v", len(r.Checks), r.Failed(), r.Bets, r.Level)
	}
}

// A case with a slow definition stops when its context ends, before the next comparison.
func TestRun_Interrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := selftest.Library()
	var refused error
	s.Counts = func(ctx context.Context, m *resolwe.Model, st *resolwe.Stream, run resolwe.Run, emit func(string, []resolwe.Count) error) error {
		return inferring.Counts(ctx, m, st, run, func(name string, counts []resolwe.Count) error {
			cancel()
			refused = emit(name, counts)
			return refused
		})
	}
	_, err := selftest.Run(ctx, s, 1, little, resolwe.Run{Workers: 1}, "counts", "true groundings")
	if !errors.Is(err, context.Canceled) || !errors.Is(refused, context.Canceled) {
		t.Errorf("got %v and %v, want %v", err, refused, context.Canceled)
	}
}

// faults are faults of the library, each with a check that must detect it.
var faults = []struct {
	name, subject, check string
	scale                float64
	put                  func(*selftest.System)
}{
	{"a count is one too many", "counts", "true groundings", little, func(s *selftest.System) {
		s.Counts = func(ctx context.Context, m *resolwe.Model, st *resolwe.Stream, run resolwe.Run, emit func(string, []resolwe.Count) error) error {
			return inferring.Counts(ctx, m, st, run, func(name string, counts []resolwe.Count) error {
				counts[len(counts)-1].N++
				return emit(name, counts)
			})
		}
	}},
	{"the value of a shape is off by a millionth", "counts", "true groundings", little, func(s *selftest.System) {
		s.Counts = func(ctx context.Context, m *resolwe.Model, st *resolwe.Stream, run resolwe.Run, emit func(string, []resolwe.Count) error) error {
			return inferring.Counts(ctx, m, st, run, func(name string, counts []resolwe.Count) error {
				for i := range counts {
					counts[i].Value *= 1 + 1e-6
				}
				return emit(name, counts)
			})
		}
	}},
	{"a true grounding is missed", "select", "selected groundings", little, onSelection(func(c *selecting.Scored) {
		c.Joint.True--
	})},
	{"base rates are one off", "select", "selected groundings", little, onSelection(func(c *selecting.Scored) {
		c.Joint.Expected.AddRatio(1, 1, 1)
	})},
	{"a logistic that is clipped", "closed form", "unit weights -3 to 3, each method", little, onMarginals(
		func(p float64, _ resolwe.Method) float64 { return min(p, 0.95) })},
	{"an exact marginal is off by 1e-6", "auto", "random tasks", little, onMarginals(
		func(p float64, _ resolwe.Method) float64 { return p + 1e-6 })},
	{"no number for a marginal", "exact", "random tasks", little, onMarginals(
		func(float64, resolwe.Method) float64 { return math.NaN() })},
	{"a state that is not the most probable", "map", "random tasks", little, func(s *selftest.System) {
		s.Map = func(ctx context.Context, m *resolwe.Model, st *resolwe.Stream, opt resolwe.MapOptions, emit func(*resolwe.MapState) error) error {
			return inferring.Map(ctx, m, st, opt, func(r *resolwe.MapState) error {
				if r.Searched == 0 && len(r.X) > 0 {
					r.X[0] = !r.X[0]
				}
				return emit(r)
			})
		}
	}},
	{"steps favour true by .02", "mcsat", "hard H v S, each 2/3", 1, onSteps(func(x []bool, r *rand.Rand) {
		x[1] = x[1] || r.Float64() < 0.06
	})},
	{"steps favour true by .03 or less on one of nine atoms or fewer", "mcsat", "random networks", 1, onSteps(
		func(x []bool, r *rand.Rand) { x[0] = x[0] || r.Float64() < 0.06 })},
	{"steps break a hard formula", "gibbs", "hard chain", little, onSteps(func(x []bool, r *rand.Rand) {
		if r.Float64() < 0.1 {
			x[0] = true
		}
	})},
	{"steps break a hard formula once in a thousand", "mcsat", "hard chain", 1, onSteps(func(x []bool, r *rand.Rand) {
		x[0] = x[0] || r.Float64() < 0.001
	})},
	{"steps lose ties", "mcsat", "far modes of two colours", little, onSteps(func(x []bool, r *rand.Rand) {
		for a := range x {
			x[a] = r.Float64() < 0.5
		}
	})},
	{"marginals are off by .02", "mcsat", "frustrated ring", 1, onMarginals(
		func(p float64, _ resolwe.Method) float64 { return max(0, p-0.02) })},
	{"marginals of the first solution, 5/8 for 2/3", "gibbs", "hard H v S, each 2/3", 1, onMarginals(
		func(p float64, _ resolwe.Method) float64 { return p - 2./3 + 5./8 })},
	{"chains stay in a mode", "mcsat", "far modes", 1, func(s *selftest.System) {
		s.Infer = func(
			ctx context.Context, m *resolwe.Model, st *resolwe.Stream, opt resolwe.InferOptions, emit func(*resolwe.Marginals) error,
		) error {
			opt.Method = resolwe.MethodGibbs
			return inferring.Infer(ctx, m, st, opt, emit)
		}
	}},
	{"a gradient is off by a millionth", "gradient", "enumerated", little, onGradient(func(g *cd.Gradient) {
		g.Value[0] += 1e-6
	})},
	{"a covariance is off by a millionth", "gradient", "enumerated", little, onGradient(func(g *cd.Gradient) {
		g.Information[0] += 1e-6
	})},
	{"sampled gradients are a tenth too long", "gradient", "sampled by gibbs", 1, onGradient(func(g *cd.Gradient) {
		for i := range g.Value {
			g.Value[i] *= 1.1
		}
	})},
	{"a learned weight is off by a thousandth", "learn", "cd, enumerated, all data at once", little, onWeights(0.001)},
	{"a learned weight is off by .1", "learn", "cd, enumerated, one by one", little, onWeights(0.1)},
	{"weights from samples are off by .1", "learn", "pcd, sampled", little, onWeights(0.1)},
	{"the prior is too wide", "learn", "cd, enumerated, all data at once", little, func(s *selftest.System) {
		s.Learn = func(
			ctx context.Context, m *resolwe.Model, st *resolwe.Stream, opt resolwe.LearnOptions,
		) (*resolwe.Learned, error) {
			opt.Sigma *= 1.01
			return resolwe.Learn(ctx, m, st, opt)
		}
	}},
	{"the prior's means are lost", "learn", "cd, enumerated, all data at once", 1, func(s *selftest.System) {
		s.Learn = func(
			ctx context.Context, m *resolwe.Model, st *resolwe.Stream, opt resolwe.LearnOptions,
		) (*resolwe.Learned, error) {
			n := *m
			n.Formulas = slices.Clone(m.Formulas)
			for i, f := range n.Formulas {
				unweighted := *f
				unweighted.Weight = 0
				n.Formulas[i] = &unweighted
			}
			return resolwe.Learn(ctx, &n, st, opt)
		}
	}},
	{"results depend on workers", "workers", "1, 2 and 8: same results", little, func(s *selftest.System) {
		s.Infer = func(
			ctx context.Context, m *resolwe.Model, st *resolwe.Stream, opt resolwe.InferOptions, emit func(*resolwe.Marginals) error,
		) error {
			opt.Seed += uint64(opt.Run.Workers / 8)
			return inferring.Infer(ctx, m, st, opt, emit)
		}
	}},
	{"a subgraph is lost", "streams", "written and read: same subgraphs", little, func(s *selftest.System) {
		s.Pack = func(schema *mln.Schema, subs []*subgraph.Subgraph, opt rsg.WriterOptions) ([]byte, error) {
			return selftest.Pack(schema, subs[:len(subs)-1], opt)
		}
	}},
	{"a fold is lost", "streams", "written and read: same subgraphs", little, func(s *selftest.System) {
		s.Pack = func(schema *mln.Schema, subs []*subgraph.Subgraph, opt rsg.WriterOptions) ([]byte, error) {
			changed := *subs[0]
			changed.Fold = 3
			return selftest.Pack(schema, append([]*subgraph.Subgraph{&changed}, subs[1:]...), opt)
		}
	}},
}

func onSelection(spoil func(*selecting.Scored)) func(*selftest.System) {
	return func(s *selftest.System) {
		s.Select = func(
			ctx context.Context, m *resolwe.Model, st *resolwe.Stream, opt resolwe.SelectOptions,
		) (*resolwe.Selection, error) {
			out, err := resolwe.Select(ctx, m, st, opt)
			if err == nil {
				spoil(&out.Candidates[0])
			}
			return out, err
		}
	}
}

func onMarginals(spoil func(p float64, method resolwe.Method) float64) func(*selftest.System) {
	return func(s *selftest.System) {
		s.Infer = func(
			ctx context.Context, m *resolwe.Model, st *resolwe.Stream, opt resolwe.InferOptions, emit func(*resolwe.Marginals) error,
		) error {
			return inferring.Infer(ctx, m, st, opt, func(m *resolwe.Marginals) error {
				for i, p := range m.P {
					m.P[i] = spoil(p, opt.Method)
				}
				return emit(m)
			})
		}
	}
}

// chain corrupts the state after each step.
type chain struct {
	*mcsat.Chain
	spoil func(x []bool, r *rand.Rand)
}

// Step draws a sample and corrupts it; the next step starts from the result.
func (c chain) Step(r *rand.Rand) {
	c.Chain.Step(r)
	c.spoil(c.State(), r)
}

func onSteps(spoil func(x []bool, r *rand.Rand)) func(*selftest.System) {
	return func(s *selftest.System) {
		s.Chain = func() selftest.Chain { return chain{new(mcsat.Chain), spoil} }
	}
}

// gradient corrupts each gradient.
type gradient struct {
	*cd.Worker
	spoil func(*cd.Gradient)
}

func (g gradient) Gradient(
	dst *cd.Gradient, ex *cd.Example, weights []float64, state []bool, r *rand.Rand,
) error {
	err := g.Worker.Gradient(dst, ex, weights, state, r)
	g.spoil(dst)
	return err
}

func onGradient(spoil func(*cd.Gradient)) func(*selftest.System) {
	return func(s *selftest.System) {
		s.Gradient = func(opt cd.Options) selftest.Gradient { return gradient{cd.NewWorker(opt), spoil} }
	}
}

// onWeights adds shift to the last weight.
func onWeights(shift float64) func(*selftest.System) {
	return func(s *selftest.System) {
		s.Learn = func(
			ctx context.Context, m *resolwe.Model, st *resolwe.Stream, opt resolwe.LearnOptions,
		) (*resolwe.Learned, error) {
			out, err := resolwe.Learn(ctx, m, st, opt)
			if err == nil {
				fs := out.Model.Formulas
				fs[len(fs)-1].Weight += shift
			}
			return out, err
		}
	}
}

// TestRun_FindsFaults runs the checks on faulty libraries; TestRun_TheLibraryPasses runs them on the correct one.
func TestRun_FindsFaults(t *testing.T) {
	t.Parallel()
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			if fault.scale > little && testing.Short() {
				t.Skip("too much work")
			}
			t.Parallel()
			s := selftest.Library()
			fault.put(&s)
			r, err := selftest.Run(t.Context(), s, 1, fault.scale, resolwe.Run{}, fault.subject, fault.check)
			check.OK(t, err)
			if len(r.Checks) != 1 || r.Checks[0].Comparisons == 0 {
				t.Fatalf("got %+v, want one check", r.Checks)
			}
			if c := r.Checks[0]; c.Passed {
				t.Errorf("not found: %+v", c)
			}
		})
	}
}

func TestRun_SameForWorkers(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("too much work")
	}
	var want *selftest.Report
	for _, workers := range []int{1, 3} {
		cases := 0
		run := resolwe.Run{Workers: workers, Progress: func(n int) { cases += n }}
		r, err := selftest.Run(t.Context(), selftest.Library(), 5, little/10, run, "", "")
		check.OK(t, err)
		if cases != r.Cases {
			t.Errorf("%d workers: progress of %d cases, want %d", workers, cases, r.Cases)
		}
		if want == nil {
			want = r
		}
		check.Equal(t, fmt.Sprintf("%d workers", workers), r, want)
	}
}

// An error of the library names the check in which it occurred.
func TestRun_Error(t *testing.T) {
	t.Parallel()
	s := selftest.Library()
	broken := errors.New("broken")
	s.Learn = func(context.Context, *resolwe.Model, *resolwe.Stream, resolwe.LearnOptions) (*resolwe.Learned, error) {
		return nil, broken
	}
	_, err := selftest.Run(t.Context(), s, 1, little, resolwe.Run{}, "learn", "pcd, sampled")
	if !errors.Is(err, broken) || err.Error() != "learn, pcd, sampled: broken" {
		t.Errorf("got %v", err)
	}
}

func TestRun_Cancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	run := resolwe.Run{Workers: 2, Progress: func(int) { cancel() }}
	_, err := selftest.Run(ctx, selftest.Library(), 1, 1, run, "", "")
	check.ErrorIs(t, err, context.Canceled, "error")
}
