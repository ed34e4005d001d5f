package selftest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/cd"
	"resolwe/kernels/ground"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
)

// near is how far from the optimum learning may end after a few hundred passes with noisy steps.
const near = 0.05

// learning lists the checks of gradients and of learned weights.
func (s *suite) learning() []check {
	exact := check{subject: "gradient", name: "enumerated", unit: "count"}
	for i := range s.times(10) {
		exact.cases = append(exact.cases, on(s.toLearn(i), s.gradientExact))
	}
	out := []check{exact}
	for _, sampler := range []mcsat.Method{mcsat.MethodMCSAT, mcsat.MethodGibbs} {
		c := check{subject: "gradient", name: "sampled by " + string(sampler), unit: "part of the range"}
		for i := range s.times(4) {
			c.cases = append(c.cases, on(s.toLearn(i), func(_ context.Context, n *grounded, f *Check) error {
				return s.single().gradientSampled(n, sampler, i, f)
			}))
		}
		out = append(out, c)
	}
	whole := check{subject: "learn", name: "cd, enumerated, all data at once", unit: "weight"}
	single := check{subject: "learn", name: "cd, enumerated, one by one", unit: "weight"}
	sampled := check{subject: "learn", name: "pcd, sampled", unit: "weight"}
	for i := range s.times(4) {
		whole.cases = append(whole.cases, on(s.data(i), s.reaches(subgraphs, 1e-4)))
		single.cases = append(single.cases, on(s.data(i), s.reaches(1, near)))
		if i%2 == 0 {
			sampled.cases = append(sampled.cases, on(s.data(i), s.surrounds))
		}
	}
	return append(out, whole, single, sampled)
}

// toLearn draws a network to learn from.
func (s *suite) toLearn(i int) func(context.Context) (*grounded, error) {
	return func(ctx context.Context) (*grounded, error) {
		opt := varied(i, oracle.TaskOptions{General: true, Hard: i%5 == 3, Subgraphs: 1})
		return randomNetwork(ctx, s.source("gradient", i), ground.Learning, opt)
	}
}

// gradientExact compares the gradient and the information of an enumerated network with the definition.
func (s *suite) gradientExact(_ context.Context, n *grounded, f *Check) error {
	n.agree(f)
	const most = 10
	fs := n.task.model.Formulas
	var got cd.Gradient
	ex := cd.Example{Net: n.model.Net, Data: n.atoms.Data()}
	w := s.Gradient(cd.Options{Samples: 1, Sampler: mcsat.MethodMCSAT, MaxExact: most})
	if err := w.Gradient(&got, &ex, n.weights, slices.Clone(ex.Data), s.source("gradient", 0)); err != nil {
		return err
	}
	mean, covariance := n.defined.Mean(), n.defined.Covariance()
	for i, value := range n.worlds[0].Values(fs) {
		if fs[i].Hard {
			continue // has no weight
		}
		want := value - mean[i]
		f.equal(got.Value[i], want, rounding*(1+math.Abs(want)+math.Abs(mean[i])), func() string { return mln.FormatFormula(fs[i]) })
		for j := range i + 1 {
			if !fs[j].Hard {
				f.equal(got.Information[i*len(fs)+j], covariance[i][j], rounding*(1+math.Abs(mean[i]))*(1+math.Abs(mean[j])), func() string {
					return fmt.Sprintf("covariance of %s and %s", mln.FormatFormula(fs[i]), mln.FormatFormula(fs[j]))
				})
			}
		}
	}
	return nil
}

// gradientSampled tests the gradients of many short chains. Each chain starts at a state drawn from the exact distribution, so the
// estimate of each count's expectation is unbiased, and lies between the least and the greatest count.
func (s *suite) gradientSampled(n *grounded, sampler mcsat.Method, i int, f *Check) error {
	n.agree(f)
	chains := s.times(3000)
	r := s.source("gradient sampled by "+string(sampler), i)
	ex := cd.Example{Net: n.model.Net, Data: n.atoms.Data()}
	worker := s.Gradient(cd.Options{Samples: 4, Sampler: sampler})
	mean := n.exact.Mean()
	data, states := countsOf(ex.Net, len(mean), ex.Data), n.exact.States
	least, greatest := slices.Clone(states[0].Counts), slices.Clone(states[0].Counts)
	for _, state := range states {
		for i, count := range state.Counts {
			least[i], greatest[i] = min(least[i], count), max(greatest[i], count)
		}
	}
	// part returns the position of a count in its range, 0 to 1.
	part := func(i int, count float64) float64 { return (count - least[i]) / max(1, greatest[i]-least[i]) }
	tests := make([]eProcess, len(mean))
	for i, m := range mean {
		tests[i] = eProcessAround(part(i, m), 0, chains)
	}
	var got cd.Gradient
	x := make([]bool, ex.Net.NumAtoms)
	for range chains {
		n.draw(x, r)
		if err := worker.Gradient(&got, &ex, n.weights, x, r); err != nil {
			return err
		}
		for i, v := range got.Value {
			tests[i].observe(part(i, data[i]-v))
		}
	}
	for i, formula := range n.task.model.Formulas {
		if least[i] < greatest[i] && !formula.Hard {
			f.bet(&tests[i], func() string { return mln.FormatFormula(formula) })
		}
	}
	return nil
}

// subgraphs is the number of subgraphs in the random data to learn from.
const subgraphs = 4

// data draws data, in which formulas tie atoms.
func (s *suite) data(i int) func(context.Context) (*task, error) {
	return func(ctx context.Context) (*task, error) {
		n, err := randomNetwork(ctx, s.source("data", i), ground.Learning, varied(i, oracle.TaskOptions{
			General: i%2 == 1, Known: true, Formulas: 3, Subgraphs: subgraphs, Entities: 3, MaxAtoms: 9,
		}))
		if err != nil {
			return nil, err
		}
		return n.task, nil
	}
}

// learned returns formulas with learned weights.
func (s *suite) learned(ctx context.Context, t *task, opt resolwe.LearnOptions) (fs []*mln.Formula, err error) {
	opt.Sigma, opt.Run.Workers = sigma, 1
	got, err := s.Learn(ctx, t.model, t.stream(), opt)
	if err != nil {
		return nil, err
	}
	return got.Model.Formulas, nil
}

// sigma is the standard deviation of the prior of learned weights.
const sigma = 2

// optimum returns the optimal weights of the formulas fs. These begin with the task's formulas, whose weights are the means of the
// prior; the other means are 0.
func (t *task) optimum(fs []*mln.Formula) ([]float64, error) {
	mean := make([]float64, len(fs))
	copy(mean, weights(t.model.Formulas))
	return oracle.Optimum(t.worlds, fs, mean, sigma)
}

// reaches tests whether learning with enumerated expectations, which needs no random numbers, ends at the optimum.
func (s *suite) reaches(batch int, tolerance float64) func(context.Context, *task, *Check) error {
	return func(ctx context.Context, t *task, f *Check) error {
		fs, err := s.learned(ctx, t, resolwe.LearnOptions{Method: resolwe.CD, Passes: 300, Batch: batch, Seed: s.seed})
		if err != nil {
			return err
		}
		want, err := t.optimum(fs)
		if err != nil {
			return err
		}
		for i, w := range weights(fs) {
			f.equal(w, want[i], tolerance, func() string { return mln.FormatFormula(fs[i]) })
		}
		return nil
	}
}

// surrounds tests whether learning with sampled expectations gives weights around the optimum: over many seeds, no more than half
// exceed it by more than near, and no more than half fall below it by more than near.
func (s *suite) surrounds(ctx context.Context, t *task, f *Check) error {
	const runs = 48
	var fs []*mln.Formula
	learned := make([][]float64, runs) // by seed and formula
	for i := range learned {
		var err error
		fs, err = s.learned(ctx, t, resolwe.LearnOptions{Method: resolwe.PCD, Passes: 200, Sample: true, Seed: s.seed*runs + uint64(i)})
		if err != nil {
			return err
		}
		learned[i] = weights(fs)
	}
	want, err := t.optimum(fs)
	if err != nil {
		return err
	}
	for i := range fs {
		above, below := newEProcess(0, 0.5, runs), newEProcess(0, 0.5, runs)
		for _, w := range learned {
			above.observe(loglinear.Indicator(w[i] > want[i]+near))
			below.observe(loglinear.Indicator(w[i] < want[i]-near))
		}
		slices.SortFunc(learned, func(a, b []float64) int { return cmp.Compare(a[i], b[i]) })
		f.Bets++
		f.note(difference(learned[runs/2][i], want[i]), min(1, 2*above.level(), 2*below.level()), func() string {
			return "median weight of " + mln.FormatFormula(fs[i])
		})
	}
	return nil
}
