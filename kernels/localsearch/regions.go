package localsearch

import (
	"math/rand/v2"

	"resolwe/internal/grow"
)

// everywhere makes all blocks active.
func (f *Search) everywhere() {
	f.active = grow.To(f.active, len(f.blocks))
	for i := range f.active {
		f.active[i] = uint32(i)
	}
}

// regions makes the blocks around random ones active: a third of all, in regions of 8 to 256.
func (f *Search) regions(r *rand.Rand) {
	n := len(f.blocks)
	f.active, f.seen = f.active[:0], grow.Zeroed(f.seen, n)
	for len(f.active) == 0 || len(f.active) < n/3 {
		f.region(uint32(r.IntN(n)), 8<<r.IntN(6))
	}
}

// region makes active the blocks that are nearest to one, in so many in all at most.
func (f *Search) region(center uint32, size int) {
	if f.seen[center] {
		return
	}
	next := len(f.active)
	end := next + size
	f.activate(center)
	for ; next < len(f.active) && len(f.active) < end; next++ {
		f.eachAtom(f.active[next], func(a uint32) {
			f.neighbours(a, func(b uint32) {
				if j := f.of[b]; j < uint32(len(f.blocks)) && !f.seen[j] && len(f.active) < end {
					f.activate(j)
				}
			})
		})
	}
}

func (f *Search) activate(i uint32) {
	f.seen[i] = true
	f.active = append(f.active, i)
}

// eachAtom calls visit with the atoms of a block.
func (f *Search) eachAtom(i uint32, visit func(a uint32)) {
	b := &f.blocks[i]
	var atoms []uint32
	if b.unit {
		atoms = f.model.Implications.Members(b.start)
	} else {
		atoms = f.members[b.start:b.end]
	}
	for _, a := range atoms {
		visit(a)
	}
}
