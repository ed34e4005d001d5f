package mcsat

// incidence lists for each atom the items that mention it, in ascending order.
type incidence struct{ start, items []uint32 }

// build takes every pair of atom and item from each, which must emit the same pairs, items ascending, at each call.
func (in *incidence) build(atoms int, each func(emit func(atom, item uint32))) {
	in.start = zeroed(in.start, atoms+2)
	n := 0
	each(func(a, _ uint32) {
		in.start[a+2]++
		n++
	})
	if in.items = resized(in.items, n); n == 0 {
		return
	}
	for a := range atoms {
		in.start[a+2] += in.start[a+1]
	}
	each(func(a, item uint32) { // start[a+1] moves from the beginning of a's list to its end
		in.items[in.start[a+1]] = item
		in.start[a+1]++
	})
}

// identity lists each atom's number as its only item.
func (in *incidence) identity(atoms int) {
	in.start, in.items = resized(in.start, atoms+1), resized(in.items, atoms)
	for i := range in.items {
		in.start[i+1], in.items[i] = uint32(i+1), uint32(i)
	}
	in.start[0] = 0
}

func (in *incidence) of(atom uint32) []uint32 { return in.items[in.start[atom]:in.start[atom+1]] }

func (in *incidence) empty() bool { return len(in.items) == 0 }

// resized returns a slice of n elements of any value, in the same memory where it is large enough.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// zeroed returns a slice of n zeros, in the same memory where it is large enough.
func zeroed[T any](s []T, n int) []T {
	s = resized(s, n)
	clear(s)
	return s
}
