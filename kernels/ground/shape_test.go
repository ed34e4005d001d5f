package ground_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/kernels/ground"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/naive"
)

// Samples of networks in which the shares of heads stand in incidence matrices have the distribution that the definition
// gives.
func TestGrounder_SharesInIncidences(t *testing.T) {
	t.Parallel()
	sum, n, weighted := 0.0, 0, 0
	for seed := uint64(0); n < 60; seed++ {
		model, db := bilinearTask(rand.New(rand.NewPCG(seed, 33)), true)
		c := jointest.Load(t, model, db)
		queries := c.World(0).QueryAtoms(naive.Rules{UnknownExist: true})
		if len(queries) > 14 {
			continue
		}
		weights := make([]float64, len(c.Model.Formulas))
		for i, f := range c.Model.Formulas {
			f.Weight *= 3
			weights[i] = f.Weight
		}
		d, err := c.World(0).Enumerate(c.Model.Formulas, nil, naive.Rules{UnknownExist: true})
		check.OK(t, err)
		net := networkOf(t, c, ground.Predicting, ground.ForceFactoring)
		for i := range net.Incidences {
			if net.Incidences[i].Mult != nil {
				weighted++
			}
		}
		var m loglinear.Model
		m.Reset(net, weights)
		opt := mcsat.DefaultOptions()
		opt.Method, opt.Samples = mcsat.MethodMCSAT, 4000
		got := make([]float64, net.NumAtoms)
		check.OK(t, check.Err(new(mcsat.Inference).Marginals(got, &m, opt, []*rand.Rand{rand.New(rand.NewPCG(seed, 1))})))
		for i, p := range d.Marginals() { // all atoms are free
			d := math.Abs(got[i] - p)
			if sum, n = sum+d, n+1; d > 0.05 {
				t.Errorf("seed %d, atom %d: got %v, want %v\n%s", seed, i, got[i], p, c.Text)
			}
		}
	}
	if sum/float64(n) > 0.005 || weighted < 5 {
		t.Errorf("got mean error %v of %d atoms, with %d weighted incidences", sum/float64(n), n, weighted)
	}
}
