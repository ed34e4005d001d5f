package selftest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"resolwe"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/ground"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
)

// silence lists the checks that sampling does not err silently: if a marginal is off by more than five times the largest reported
// standard error, there must be a warning, except for one network in a thousand.
func (s *suite) silence() []check {
	const silentShare = 0.001
	methods := []resolwe.Method{resolwe.MethodMCSAT, resolwe.MethodGibbs}
	out := make([]check, len(methods))
	for i, method := range methods {
		out[i] = check{string(method), "no error in silence", "networks", []trial{func(ctx context.Context, f *Check) error {
			networks := s.times(60)
			e := newEProcess(0, silentShare, networks)
			for i := range networks {
				v, err := s.verdict(ctx, i, method)
				if err != nil {
					return err
				}
				wrong := v.Sampled > 0 && !(v.worst <= 5*v.MaxError)
				e.observe(loglinear.Indicator(wrong && !v.Any()))
			}
			f.bet(&e, func() string { return "networks that are wrong without a warning" })
			return nil
		}}}
	}
	return out
}

// verdict describes how well sampling did on a network.
type verdict struct {
	mcsat.Diagnostics
	mean, worst float64 // error
}

// verdict samples the i-th random network: one of a kind that samplers find hard or, every third time, any network.
func (s *suite) verdict(ctx context.Context, i int, method resolwe.Method) (verdict, error) {
	for try := 0; ; try++ {
		r := s.source("silence", 1000*i+try)
		t, err := drawHard(r, i)
		if err != nil {
			return verdict{}, err
		}
		v, err := s.judge(ctx, t, method, r)
		if !errors.As(err, new(*resolwe.UnsatisfiableError)) && !errors.As(err, new(*ground.ViolationError)) {
			return v, err
		}
	}
}

// drawHard draws the i-th network's task.
func drawHard(r *rand.Rand, i int) (*task, error) {
	const least, most = 8, 20
	if i%3 == 2 {
		opt := oracle.TaskOptions{General: true, Hard: i%2 == 1, Subgraphs: 1, MaxAtoms: 14}
		return newTask(oracle.RandomTask(r, varied(i, opt)))
	}
	all := kinds()
	return all[i%len(all)].task(r, least+r.IntN(most-least+1))
}

// task draws a task with roughly the given number of atoms.
func (k *kind) task(r *rand.Rand, atoms int) (*task, error) {
	d := &drawing{Rand: r}
	model := k.draw(d, atoms)
	return newTask(model, d.db.String())
}

// judge samples the first subgraph of a task.
func (s *suite) judge(ctx context.Context, t *task, method resolwe.Method, r *rand.Rand) (v verdict, err error) {
	infer := func(method resolwe.Method, seed uint64) (p []float64, d mcsat.Diagnostics, err error) {
		opt := resolwe.InferOptions{Method: method, Seed: seed, Run: resolwe.Run{Workers: 1}}
		err = s.Infer(ctx, t.model, t.copies(1), opt, func(m *resolwe.Marginals) error {
			p, d = m.P, m.Diagnostics
			return nil
		})
		return p, d, err
	}
	exact, _, err := infer(resolwe.MethodExact, 0)
	if err != nil {
		return v, err
	}
	p, d, err := infer(method, r.Uint64())
	v.Diagnostics = d
	for k := range p {
		off := math.Abs(p[k] - exact[k])
		v.mean += off / float64(len(p))
		v.worst = max(v.worst, off)
	}
	return v, err
}
