package exact

import "resolwe/internal/elementary"

// walk traverses a table in order together with a smaller one over some of its dimensions, including the first. Consecutive dimensions that
// are all in the smaller table, or all not, are merged.
type walk struct {
	run    int // entries that are consecutive in both tables
	repeat int // number of repetitions of a run of the smaller table
	outer  []digit
	tile   []float64 // memory of multiply
}

// digit is one dimension beyond the first two.
type digit struct {
	count, step int // step in the smaller table
	at          int
}

// over prepares for tables with dimensions of the given sizes; those in the mask are also dimensions of the smaller table.
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

// next returns the start of the next run of the smaller table, given that of the current one; it is negative after the last.
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

// longRun is the number of entries from which a run deserves its own loop.
const longRun = 32

// multiply multiplies a table by a smaller one.
func (w *walk) multiply(table, by []float64) {
	for from := 0; from >= 0; from = w.next(from) {
		by := by[from : from+w.run]
		if w.repeat > 1 && w.run < longRun { // otherwise loops are too short
			w.tile = w.tile[:0]
			for range min(w.repeat, longRun/w.run) {
				w.tile = append(w.tile, by...)
			}
			by = w.tile
		}
		for n := w.run * w.repeat; n > 0; n -= len(by) {
			by = by[:min(n, len(by))]
			row := table[:len(by)]
			for i, v := range by {
				row[i] *= v
			}
			table = table[len(by):]
		}
	}
}

// sum adds the entries of a table to those of a smaller table.
func (w *walk) sum(small, table []float64) {
	for from := 0; from >= 0; from = w.next(from) {
		small := small[from : from+w.run]
		for range w.repeat {
			elementary.Add(small, table[:len(small)])
			table = table[len(small):]
		}
	}
}

// add adds a smaller table to a table.
func add[T float64 | uint64](w *walk, table, more []T) {
	for from := 0; from >= 0; from = w.next(from) {
		more := more[from : from+w.run]
		for range w.repeat {
			elementary.Add(table[:len(more)], more)
			table = table[len(more):]
		}
	}
}
