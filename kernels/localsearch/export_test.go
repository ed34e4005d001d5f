package localsearch

import "math"

// Drift returns the largest difference between the fields and recomputed ones, and whether the list of violated constraints is wrong.
func (f *Search) Drift(atoms []uint32) (drift float64, other bool) {
	f.s.SetFields()
	for _, a := range atoms {
		drift = max(drift, math.Abs(f.fieldOf(a)-f.s.Field(a)))
		for _, ref := range f.constraints.on(a) {
			other = other || f.s.Satisfied(ref>>1) == f.constraints.violated.Has(ref>>1)
		}
	}
	return drift, other
}

// Blocks returns the numbers of values of the blocks.
func (f *Search) Blocks() []int {
	var out []int
	for i := range f.blocks {
		out = append(out, int(f.blocks[i].values))
	}
	return out
}
