package gain

import (
	"maps"
	"slices"

	"resolwe/format/subgraph"
)

// Blocks divide rows by the times of their subgraphs: they are the first times of all blocks but the first, which has what is before
// them. Fold f is block f + 2, and is judged by what the blocks before it tell. Nil deals folds at random.
type Blocks []subgraph.Time

// leastTimes is the least number of different times that blocks are made of.
const leastTimes = 2 * (Folds + 1)

// Timed returns how many of the subgraphs with rows have a time, and how many there are.
func (r *Rows) Timed() (timed, all int) {
	for _, b := range r.Builders {
		for i := range b.parts {
			all++
			if b.parts[i].time.Known {
				timed++
			}
		}
	}
	return timed, all
}

// Divide returns so many blocks of about equal numbers of rows, which are given by time: those of one time are in the block that has
// the middle one of them.
func Divide(rows map[subgraph.Time]int, blocks int) (out Blocks) {
	total, before := 0, 0
	for _, n := range rows {
		total += n
	}
	for _, t := range slices.SortedFunc(maps.Keys(rows), subgraph.Time.Compare) {
		middle := 2*before + rows[t] // of twice as many rows
		for len(out) < blocks-1 && middle*blocks >= 2*total*(len(out)+1) {
			out = append(out, t)
		}
		before += rows[t]
	}
	return out
}

// Blocks returns those of the folds, all subgraphs having times. It returns why not where there are fewer than 12 times, or the first
// block has fewer true rows of a target than support.
func (r *Rows) Blocks(support int) (Blocks, string) {
	rows := map[subgraph.Time]int{}
	for _, b := range r.Builders {
		b.prune()
		for i := range b.parts {
			p := &b.parts[i]
			rows[p.time] += len(p.truth)
		}
	}
	if len(rows) < leastTimes {
		return nil, "the subgraphs have fewer than 12 different times"
	}
	out := Divide(rows, Folds+1)
	for _, b := range r.Builders {
		if b.rows > 0 && b.positives(out) < support {
			return nil, "the first of six blocks in time has too few true atoms"
		}
	}
	return out, ""
}

// Of returns the block of a time, from 0.
func (b Blocks) Of(t subgraph.Time) (n int) {
	for _, first := range b {
		if t.Compare(first) >= 0 {
			n++
		}
	}
	return n
}

// positives returns how many true rows the first block has.
func (b *Builder) positives(of Blocks) (n int) {
	for i := range b.parts {
		if p := &b.parts[i]; of.Of(p.time) == 0 {
			for _, t := range p.truth {
				if t {
					n++
				}
			}
		}
	}
	return n
}

// Beside the numbers of folds: rows that are in none, but train those of all folds; and rows that are left out.
const (
	never   = -1
	leftOut = -2
)

// fold returns the fold of a time.
func (b Blocks) fold(t subgraph.Time) int8 { return int8(b.Of(t) - 1) } // #nosec G115 -- at most 4

// used returns the places of the rows that are not left out.
func (m *Matrix) used() []uint32 {
	return slices.DeleteFunc(m.all(), func(i uint32) bool { return m.fold[i] == leftOut })
}

// stacked returns a matrix for columns that are made of held-out predictions: without the rows that have none, and where the first
// rows that have are in no fold.
func (m *Matrix) stacked() *Matrix {
	if !m.forward {
		return m
	}
	out := *m
	out.fold, out.unit, out.units = make([]int8, len(m.fold)), slices.Clone(m.unit), 0
	last := int32(-1)
	for i, f := range m.fold {
		if out.fold[i] = f; f <= 0 {
			out.fold[i], out.unit[i] = f-1, -1
			continue
		}
		if m.unit[i] != last {
			last = m.unit[i]
			out.units++
		}
		out.unit[i] = int32(out.units - 1) // #nosec G115 -- at most the rows
	}
	return &out
}
