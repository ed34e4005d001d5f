package grow

// Lists are lists of numbers, one for each of several owners, in two slices. The zero value is ready for [Lists.Build].
type Lists struct{ start, items []uint32 }

// Build builds the lists of n owners. It calls each twice, which must emit the same pairs of owner and item in the same order both times.
// Within a list, items are in that order. Memory is reused.
func (l *Lists) Build(n int, each func(emit func(owner, item uint32))) {
	l.start = Zeroed(l.start, n+2)
	total := 0
	each(func(owner, _ uint32) {
		l.start[owner+2]++
		total++
	})
	if l.items = To(l.items, total); total == 0 {
		return
	}
	for i := range n {
		l.start[i+2] += l.start[i+1]
	}
	each(func(owner, item uint32) { // start[owner+1] moves from the start of the list to its end
		at := &l.start[owner+1]
		l.items[*at] = item
		*at++
	})
}

// Of returns the list of an owner. The slice is valid until the next Build.
func (l *Lists) Of(owner uint32) []uint32 { return l.items[l.start[owner]:l.start[owner+1]] }

// Empty reports whether all lists are empty.
func (l *Lists) Empty() bool { return len(l.items) == 0 }
