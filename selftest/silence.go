package selftest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"resolwe"
	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/naive"
)

// silence is the check that sampling does not err in silence: where a marginal is off by more than five times the standard
// error that is reported for the worst one, there has to be a warning, but for one network in a thousand.
func (s *suite) silence() []check {
	methods := []resolwe.Method{resolwe.MethodMCSAT, resolwe.MethodGibbs}
	out := make([]check, 0, len(methods))
	for _, method := range methods {
		c := check{subject: method.String(), name: "no error in silence", unit: "networks"}
		c.cases = append(c.cases, func(ctx context.Context) (f finding, err error) {
			networks := s.times(60)
			e := newEProcess(0, silentShare, networks)
			for i := range networks {
				v, err := s.verdict(ctx, i, method)
				if err != nil {
					return f, err
				}
				silent := 0.0
				if v.wrong() && !v.Any() {
					silent = 1
				}
				e.observe(silent)
			}
			f.bet(&e, func() string { return "networks that are wrong without a warning" })
			return f, nil
		})
		out = append(out, c)
	}
	return out
}

// silentShare is how many networks may be wrong without a warning.
const silentShare = 0.001

// verdict is how sampling did on a network.
type verdict struct {
	mcsat.Diagnostics
	kind        string
	mean, worst float64 // error
}

// wrong reports whether the worst error is beyond chance.
func (v *verdict) wrong() bool { return v.Sampled > 0 && !(v.worst <= 5*v.MaxError) }

// verdict samples the i-th random network: of a kind that samplers find hard, or every third one any.
func (s *suite) verdict(ctx context.Context, i int, method resolwe.Method) (verdict, error) {
	for try := 0; ; try++ {
		r := s.source("silence", 1000*i+try)
		kind, t, err := drawKind(r, i)
		if err != nil {
			return verdict{}, err
		}
		v, err := s.judge(ctx, t, method, r)
		if !errors.As(err, new(*resolwe.UnsatisfiableError)) && !errors.As(err, new(*ground.ViolationError)) {
			v.kind = kind
			return v, err
		}
	}
}

// judge samples the first subgraph of a task.
func (s *suite) judge(ctx context.Context, t *task, method resolwe.Method, r *rand.Rand) (v verdict, err error) {
	exact, _, err := s.sampled(ctx, t, resolwe.InferOptions{Method: resolwe.MethodExact})
	if err != nil {
		return v, err
	}
	p, d, err := s.sampled(ctx, t, resolwe.InferOptions{Method: method, Seed: r.Uint64()})
	v.Diagnostics = d
	for k := range p {
		off := math.Abs(p[k] - exact[k])
		v.mean += off / float64(len(p))
		v.worst = max(v.worst, off)
	}
	return v, err
}

// drawKind draws a task of the i-th kind.
func drawKind(r *rand.Rand, i int) (string, *task, error) {
	const least, most = 8, 20
	if i%3 == 2 {
		hard := i%2 == 1
		t, err := randomTask(r, varied(i, naive.TaskOptions{General: true, Hard: hard, Subgraphs: 1, MaxAtoms: 14}))
		if hard {
			return "random, hard", t, err
		}
		return "random", t, err
	}
	all := kinds()
	k := all[i%len(all)]
	t, err := newTask(k.draw(r, least+r.IntN(most-least+1)))
	return k.name, t, err
}

// sampled returns the marginals of a task's first subgraph.
func (s *suite) sampled(ctx context.Context, t *task, opt resolwe.InferOptions) (p []float64, d mcsat.Diagnostics, err error) {
	opt.Run.Workers = 1
	err = s.Infer(ctx, t.model, t.copies(1), opt, func(m *resolwe.Marginals) error {
		p, d = m.P, m.Diagnostics
		return nil
	})
	return p, d, err
}
