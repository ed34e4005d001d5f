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
		{7, 1, 20, exact.Affordable, loglinear.Enumerate, 1 << 7},
		{8, 1, 20, exact.Affordable, loglinear.Eliminate, 20*8 + (7*4+2)/4},
		{8, 7, 20, exact.Affordable, loglinear.Enumerate, 1 << 8}, // nothing is gained
		{13, 12, 20, exact.Affordable, loglinear.Eliminate, 20*13 + (1<<14-2)/4},
		{20, 3, 20, exact.Bounds{Entries: 1 << 20, PerAtom: 4}, loglinear.Eliminate, 20*20 + (17*16+14)/4},
		{20, 3, 20, exact.Bounds{Entries: 100, PerAtom: 100}, loglinear.Enumerate, 1 << 20},
		{11, 1, 10, exact.Affordable, loglinear.Eliminate, 20*11 + (10*4+2)/4},
		{500, 1, 10, exact.Bounds{Entries: 1 << 20, PerAtom: 4}, loglinear.Eliminate, 20*500 + (499*4+2)/4},
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
