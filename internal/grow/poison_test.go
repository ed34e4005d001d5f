//go:build poison

package grow_test

import (
	"math"
	"testing"

	"resolwe/internal/grow"
	"resolwe/internal/test/check"
)

// With poison, elements of arbitrary contents hold nothing that could be taken for a result, but keep the memory behind them.
func TestTo_Poison(t *testing.T) {
	t.Parallel()
	type element struct {
		value float64
		list  []int
		parts [2]struct{ on bool }
		n     int16
	}
	memory := []element{{list: make([]int, 0, 5)}, {}, {}}
	for i, e := range grow.To(memory, 3) {
		if !math.IsNaN(e.value) || !e.parts[1].on || e.n != math.MinInt16 || i == 0 && cap(e.list) != 5 {
			t.Errorf("element %d: got %+v", i, e)
		}
	}
	for _, v := range grow.By([]float64{1}, 9)[1:] {
		check.Is(t, math.IsNaN(v), true, "what By adds is poisoned")
	}
	check.Slices(t, grow.To[uint32](nil, 3), []uint32{0xfffffffe, 0xfffffffe, 0xfffffffe}, "numbers")
	check.Slices(t, grow.Zeroed[uint32](nil, 3), []uint32{0, 0, 0}, "zeros")
}
