package mcsat_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"resolwe/kernels/mcsat"
)

// Binding with a division between exact routes and sampling is binding and dividing, whatever the model was bound to before.
func TestModel_BindExact(t *testing.T) {
	t.Parallel()
	const seed = 9
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var got mcsat.Model
	for i := range 40 {
		w, weights := randomWorld(r, 6+r.IntN(6), 0.5, i%2 == 0)
		net := w.network()
		var want mcsat.Model
		want.Bind(net)
		want.SetExact(i % 8)
		got.BindExact(net, i%8)
		if diff := diffOf(got.SampledAtoms(), want.SampledAtoms()); diff != "" {
			t.Fatalf("network %d (-want +got):\n%s", i, diff)
		}
		got.SetWeights(weights)
		want.SetWeights(weights)
		marginals := make([][]float64, 2)
		for k, m := range []*mcsat.Model{&got, &want} {
			marginals[k] = make([]float64, w.atoms)
			opt := mcsat.DefaultOptions()
			opt.Method, opt.Samples, opt.BurnIn = mcsat.MethodMCSAT, 10, 0
			_, err := new(mcsat.Inference).Marginals(marginals[k], m, opt, []*rand.Rand{source(i, 0)})
			var unsatisfiable *mcsat.UnsatisfiableError
			if err != nil && !errors.As(err, &unsatisfiable) {
				t.Fatal(err)
			}
		}
		if diff := diffOf(marginals[0], marginals[1]); diff != "" {
			t.Fatalf("network %d, marginals (-want +got):\n%s", i, diff)
		}
	}
}
