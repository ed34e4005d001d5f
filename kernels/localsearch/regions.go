package localsearch

import "resolwe/internal/grow"

// everywhere makes all blocks active.
func (f *Search) everywhere() {
	f.clear()
	for i := range f.blocks {
		f.activate(uint32(i))
	}
}

// clear deactivates all blocks.
func (f *Search) clear() {
	if f.visit++; f.visit == 0 || len(f.visits) != len(f.blocks) {
		f.visits, f.visit = grow.Zeroed(f.visits, len(f.blocks)), 1
	}
	f.active = f.active[:0]
}

// activate activates a block.
func (f *Search) activate(i uint32) {
	if f.visits[i] != f.visit {
		f.visits[i] = f.visit
		f.active = append(f.active, i)
	}
}

// region activates a block and those nearest to it, at most size in all.
func (f *Search) region(center uint32, size int) {
	f.clear()
	f.activate(center)
	for next := 0; next < len(f.active) && len(f.active) < size; next++ {
		for _, a := range f.atoms(f.active[next]) {
			f.neighbours(a, func(b uint32) {
				if j := f.of[b]; j < uint32(len(f.blocks)) && len(f.active) < size {
					f.activate(j)
				}
			})
		}
	}
}

// atoms returns the atoms of a block.
func (f *Search) atoms(i uint32) []uint32 {
	b := &f.blocks[i]
	if b.unit {
		return f.model.Implications.Members(b.start)
	}
	return f.members[b.start:b.end]
}
