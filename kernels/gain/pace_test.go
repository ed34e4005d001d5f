package gain_test

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/gain"
)

// With a budget, paths end at their share of it: the selection is the beginning of the whole path, with the weights of that many
// columns; time that suffices changes nothing, and without any nothing is selected.
func TestMatrix_Select_Pace(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 0))
	d := random(r, 40, 30, 12, .4, func(n []int64) float64 {
		return -1 + float64(n[0]) - float64(n[1]) + .5*float64(n[2]) - .5*float64(n[3]*n[4])
	})
	m := d.matrix(t, r.Perm(40))
	whole, err := m.Select(gain.Options{Formulas: 12})
	check.OK(t, err)
	var asked atomic.Int64
	until := func(calls int64) *gain.Result {
		asked.Store(0)
		opt := gain.Options{Formulas: 12, Pace: gain.Pace{Used: func() float64 { return float64(asked.Add(1)) / float64(calls) }}}
		res, err := m.Select(opt)
		check.OK(t, err)
		return res
	}
	enough := until(1 << 40)
	calls := asked.Load()
	check.Equal(t, "with time", []any{enough.Model, enough.Size, enough.Cut}, []any{whole.Model, whole.Size, false})
	none := until(1)
	check.Equal(t, "without time", []any{none.Size, none.Weights, none.Cut, none.Bias < 0}, []any{0, []float64{}, true, whole.BaseRate < .5})
	var sizes []int
	for _, share := range []int64{8, 4, 2} {
		res := until(calls / share)
		sizes = append(sizes, res.Size)
		check.Equal(t, "cut", res.Cut, true)
		for i, s := range res.Path {
			if i < len(whole.Path) && res.Family == whole.Family {
				check.Equal(t, "column", s.Column, whole.Path[i].Column)
			}
		}
		check.Equal(t, "weights", len(res.Weights), res.Size)
	}
	if !slices.IsSorted(sizes) || sizes[2] == 0 || sizes[0] > whole.Size {
		t.Errorf("sizes by time: got %v, want them to grow, up to %d", sizes, whole.Size)
	}
	t.Log(sizes, whole.Size)
}
