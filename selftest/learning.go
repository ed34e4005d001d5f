package selftest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/kernels/cd"
	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/naive"
)

// learning lists the checks of gradients and of learned weights.
func (s *suite) learning() []check {
	exact := check{subject: "gradient", name: "enumerated", unit: "count"}
	for i := range s.times(10) {
		exact.cases = append(exact.cases, s.onGradient(i, s.gradientExact))
	}
	out := []check{exact}
	each := s.single()
	for _, sampler := range []mcsat.Method{mcsat.MethodMCSAT, mcsat.MethodGibbs} {
		c := check{subject: "gradient", name: "sampled by " + sampler.String(), unit: "part of the range"}
		for i := range s.times(4) {
			c.cases = append(c.cases, s.onGradient(i, func(n *grounded, f *finding) error {
				return each.gradientSampled(n, sampler, i, f)
			}))
		}
		out = append(out, c)
	}
	whole := check{subject: "learn", name: "cd, enumerated, all data at once", unit: "weight"}
	single := check{subject: "learn", name: "cd, enumerated, one by one", unit: "weight"}
	sampled := check{subject: "learn", name: "pcd, sampled", unit: "weight"}
	for i := range s.times(4) {
		whole.cases = append(whole.cases, s.onData(i, s.reaches(subgraphs, 1e-4)))
		single.cases = append(single.cases, s.onData(i, s.reaches(1, near)))
		if i%2 == 0 {
			sampled.cases = append(sampled.cases, s.onData(i, s.surrounds))
		}
	}
	return append(out, whole, single, sampled)
}

// subgraphs is how many the random data has.
const subgraphs = 4

// near is how far from the optimum learning may end after a few hundred passes whose steps are noisy.
const near = 0.05

// onGradient tests on a random network to learn from.
func (s *suite) onGradient(i int, test func(*grounded, *finding) error) trial {
	return func(ctx context.Context) (f finding, err error) {
		n, err := randomNetwork(ctx, s.source("gradient", i), i, ground.Learning, i%5 == 3)
		if err != nil {
			return f, err
		}
		n.agree(&f)
		return f, test(n, &f)
	}
}

// gradientExact compares the gradient and the information of an enumerated network with their definition.
func (s *suite) gradientExact(n *grounded, f *finding) error {
	const most = 10
	fs := n.task.model.Formulas
	var got cd.Gradient
	ex := cd.Example{Net: n.model.Net, Data: n.atoms.Data()}
	w := s.Gradient(cd.Options{Samples: 1, Sampler: mcsat.MethodMCSAT, MaxExact: most})
	if err := w.Gradient(&got, &ex, n.weights, slices.Clone(ex.Data), s.source("gradient", 0)); err != nil {
		return err
	}
	mean, _, err := n.worlds[0].Expectations(fs, n.weights, n.rules())
	if err != nil {
		return err
	}
	covariance, err := n.worlds[0].Covariance(fs, n.weights, n.rules())
	if err != nil {
		return err
	}
	for i, value := range n.worlds[0].Values(fs) {
		if fs[i].Hard {
			continue // it has no weight
		}
		want := value - mean[i]
		f.equal(got.Value[i], want, rounding*(1+math.Abs(want)+mean[i]), func() string { return mln.FormatFormula(fs[i]) })
		for j := range i + 1 {
			if !fs[j].Hard {
				want := covariance[i][j]
				f.equal(got.Information[i*len(fs)+j], want, rounding*(1+mean[i])*(1+mean[j]), func() string {
					return fmt.Sprintf("covariance of %s and %s", mln.FormatFormula(fs[i]), mln.FormatFormula(fs[j]))
				})
			}
		}
	}
	return nil
}

// gradientSampled tests the gradients of many short chains. Each begins at a state drawn from the exact distribution, so
// that the estimate of each count's expectation is unbiased, and lies between the least and the greatest count.
func (s *suite) gradientSampled(n *grounded, sampler mcsat.Method, i int, f *finding) error {
	chains := s.times(3000)
	r := s.source("gradient sampled by "+sampler.String(), i)
	ex := cd.Example{Net: n.model.Net, Data: n.atoms.Data()}
	worker := s.Gradient(cd.Options{Samples: 4, Sampler: sampler})
	ranges := n.exact.ranges()
	data := countsOf(ex.Net, len(ranges), ex.Data)
	tests := make([]eProcess, len(ranges))
	for i, c := range ranges {
		tests[i] = eProcessAround(c.part(c.mean), 0, chains)
	}
	var got cd.Gradient
	x := make([]bool, n.exact.atoms)
	for range chains {
		n.exact.draw(x, r)
		if err := worker.Gradient(&got, &ex, n.weights, x, r); err != nil {
			return err
		}
		for i, c := range ranges {
			tests[i].observe(c.part(data[i] - got.Value[i]))
		}
	}
	for i, c := range ranges {
		if fs := n.task.model.Formulas; c.least < c.greatest && !fs[i].Hard {
			f.bet(&tests[i], func() string { return mln.FormatFormula(fs[i]) })
		}
	}
	return nil
}

// span is the range of a formula's count, and its mean.
type span struct{ least, greatest, mean float64 }

// part returns where in the range a count lies, 0 to 1.
func (c *span) part(n float64) float64 { return (n - c.least) / max(1, c.greatest-c.least) }

// ranges returns those of the counts, by formula.
func (d *exactDistribution) ranges() []span {
	out := make([]span, len(d.counts[0]))
	for i := range out {
		out[i].least, out[i].greatest = math.Inf(1), math.Inf(-1)
	}
	d.each(func(state int, _ uint32, p float64) {
		for i, n := range d.counts[state] {
			c := &out[i]
			c.least, c.greatest, c.mean = min(c.least, n), max(c.greatest, n), c.mean+float64(p*n)
		}
	})
	return out
}

// dataTest tests learning on a task.
type dataTest func(context.Context, *task, *finding) error

// onData tests learning from random data, in which formulas tie atoms.
func (s *suite) onData(i int, test dataTest) trial {
	return func(ctx context.Context) (f finding, err error) {
		r := s.source("data", i)
		n, err := fitNetwork(ctx, ground.Learning, func() (*task, error) {
			return randomTask(r, varied(i, naive.TaskOptions{
				General: i%2 == 1, Known: true, Formulas: 3, Subgraphs: subgraphs, Entities: 3, MaxAtoms: 9,
			}))
		})
		if err != nil {
			return f, err
		}
		return f, test(ctx, n.task, &f)
	}
}

// options returns those of learning.
func (s *suite) options(method resolwe.LearnMethod, passes int) resolwe.LearnOptions {
	opt := resolwe.LearnOptions{}
	opt.Method, opt.Passes, opt.Seed, opt.Sigma, opt.Run.Workers = method, passes, s.seed, 2, 1
	return opt
}

// reaches tests whether learning with enumerated expectations, in which there is no chance, ends at the optimum.
func (s *suite) reaches(batch int, tolerance float64) dataTest {
	return func(ctx context.Context, t *task, f *finding) error {
		opt := s.options(resolwe.CD, 300)
		opt.Batch = batch
		got, err := s.Learn(ctx, t.model, t.stream(), opt)
		if err != nil {
			return err
		}
		fs := got.Model.Formulas
		want, err := t.optimum(fs, opt.Sigma)
		if err != nil {
			return err
		}
		for i, w := range weights(fs) {
			f.equal(w, want[i], tolerance, func() string { return mln.FormatFormula(fs[i]) })
		}
		return nil
	}
}

// surrounds tests whether learning with sampled expectations comes to weights around the optimum: over many seeds, no more
// than half of them lie above it, and no more than half below it, by more than near.
func (s *suite) surrounds(ctx context.Context, t *task, f *finding) error {
	const runs = 48
	opt := s.options(resolwe.PCD, 200)
	opt.Sample = true
	var fs []*mln.Formula
	var learned [][]float64 // by seed and formula
	for seed := range uint64(runs) {
		opt.Seed = s.seed*runs + seed
		got, err := s.Learn(ctx, t.model, t.stream(), opt)
		if err != nil {
			return err
		}
		fs = got.Model.Formulas
		learned = append(learned, weights(fs))
	}
	want, err := t.optimum(fs, opt.Sigma)
	if err != nil {
		return err
	}
	for i := range fs {
		above, below := newEProcess(0, 0.5, runs), newEProcess(0, 0.5, runs)
		for _, w := range learned {
			above.observe(indicator(w[i] > want[i]+near))
			below.observe(indicator(w[i] < want[i]-near))
		}
		slices.SortFunc(learned, func(a, b []float64) int { return cmp.Compare(a[i], b[i]) })
		f.bets++
		f.note(difference(learned[runs/2][i], want[i]), min(1, 2*above.level(), 2*below.level()), func() string {
			return "median weight of " + mln.FormatFormula(fs[i])
		})
	}
	return nil
}

func indicator(v bool) float64 {
	if v {
		return 1
	}
	return 0
}
