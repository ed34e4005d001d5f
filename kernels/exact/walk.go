package exact

// walk goes through a table in its order, together with a smaller one over some of its dimensions, the first of them included.
// Dimensions that follow each other, all of them in the smaller table or none, are one.
type walk struct {
	run    int // entries that follow each other in both tables
	repeat int // times that the same run of the smaller table comes again
	outer  []digit
}

// digit is one dimension beyond the first two.
type digit struct {
	count, step int // step in the smaller table
	at          int
}

// over prepares for tables over dimensions of these sizes; those of the mask are also dimensions of the smaller table.
func (w *walk) over(counts []int, mask uint32) {
	w.run, w.repeat, w.outer = 1, 1, w.outer[:0]
	j := 0
	for ; j < len(counts) && mask>>j&1 == 1; j++ {
		w.run *= counts[j]
	}
	for ; j < len(counts) && mask>>j&1 == 0; j++ {
		w.repeat *= counts[j]
	}
	step := w.run
	for ; j < len(counts); j++ {
		in := mask>>j&1 == 1
		if k := len(w.outer) - 1; k >= 0 && in == (w.outer[k].step > 0) {
			w.outer[k].count *= counts[j]
		} else if in {
			w.outer = append(w.outer, digit{count: counts[j], step: step})
		} else {
			w.outer = append(w.outer, digit{count: counts[j]})
		}
		if in {
			step *= counts[j]
		}
	}
}

// next moves on to the next run of the smaller table, which begins at from; it is negative behind the last one.
func (w *walk) next(from int) int {
	for i := range w.outer {
		d := &w.outer[i]
		from += d.step
		if d.at++; d.at < d.count {
			return from
		}
		from -= d.step * d.count
		d.at = 0
	}
	return -1
}

// multiply multiplies a table by a smaller one.
func (w *walk) multiply(table, by []float64) {
	for from := 0; from >= 0; from = w.next(from) {
		by := by[from : from+w.run]
		for range w.repeat {
			row := table[:len(by)]
			for i, v := range by {
				row[i] *= v
			}
			table = table[len(by):]
		}
	}
}

// sum adds to each entry of a smaller table those of the table.
func (w *walk) sum(small, table []float64) {
	for from := 0; from >= 0; from = w.next(from) {
		small := small[from : from+w.run]
		for range w.repeat {
			addTo(small, table[:len(small)])
			table = table[len(small):]
		}
	}
}

// add adds a smaller table to a table.
func add[T float64 | uint64](w *walk, table, more []T) {
	for from := 0; from >= 0; from = w.next(from) {
		more := more[from : from+w.run]
		for range w.repeat {
			addTo(table[:len(more)], more)
			table = table[len(more):]
		}
	}
}
