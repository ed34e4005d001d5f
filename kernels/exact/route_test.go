package exact_test

import (
	"math/rand/v2"
	"testing"

	"resolwe/kernels/exact"
	"resolwe/kernels/loglinear"
)

func TestRouter_Divide(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 3))
	var router exact.Router
	for _, test := range []struct {
		atoms, width, maxAtoms int
		bounds                 exact.Bounds
		want                   loglinear.Route
		states                 int
	}{
		{1, 0, 1, exact.Affordable, loglinear.Enumerate, 0},
		{2, 1, 1, exact.Affordable, loglinear.Sample, 0},
		{12, 1, 20, exact.Affordable, loglinear.Enumerate, 1 << 12},
		{13, 1, 20, exact.Affordable, loglinear.Eliminate, 8 * (12*4 + 2)},
		{13, 12, 20, exact.Affordable, loglinear.Enumerate, 1 << 13}, // nothing is gained
		{11, 1, 10, exact.Affordable, loglinear.Eliminate, 8 * (10*4 + 2)},
		{500, 1, 10, exact.Bounds{Entries: 1 << 20, PerAtom: 4}, loglinear.Eliminate, 8 * (499*4 + 2)},
		{500, 2, 10, exact.Bounds{Entries: 1 << 20, PerAtom: 4}, loglinear.Sample, 0},
		{500, 2, 10, exact.Bounds{Entries: 1000, PerAtom: 1000}, loglinear.Sample, 0},
		{21, 20, 20, exact.Affordable, loglinear.Sample, 0},
		{21, 20, 25, exact.Affordable, loglinear.Enumerate, 1 << 21},
	} {
		var m loglinear.Model
		m.Reset(band(r, test.atoms, test.width), []float64{1})
		router.Divide(&m, test.maxAtoms, test.bounds)
		if got := m.Route(0); got != test.want || router.Routes()[0] != got {
			t.Errorf("%+v: got route %d", test, got)
		}
		if got := router.States(); got != test.states {
			t.Errorf("%+v: got %d states", test, got)
		}
		if got := router.Width(0); got != test.width && test.want == loglinear.Eliminate {
			t.Errorf("%+v: got a width of %d", test, got)
		}
	}
}
