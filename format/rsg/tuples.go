package rsg

import (
	"cmp"
	"slices"

	"resolwe/format/subgraph"
)

// tuples is a set of pairs of global ids, ascending: the first argument in the upper half of a word, the second in the
// lower.
type tuples []uint64

func pair(row, col uint32) uint64 { return uint64(row)<<32 | uint64(col) }

// tuplesOf returns the tuples of a binary table, given the global ids of its local ids.
func tuplesOf(t *subgraph.Table, rows, cols []uint32) tuples {
	out := make(tuples, t.Len())
	for i, row := range t.Cols[0] {
		out[i] = pair(rows[row], cols[t.Cols[1][i]])
	}
	slices.Sort(out)
	return out
}

// table returns the tuples as an indexed table with other ids of the same order, below nrows and ncols.
func (u tuples) table(rows, cols []uint32, nrows, ncols int) subgraph.Table {
	t := subgraph.Table{Cols: [][]uint32{make([]uint32, len(u)), make([]uint32, len(u))}}
	for i, p := range u {
		t.Cols[0][i], t.Cols[1][i] = rows[p>>32], cols[uint32(p)]
	}
	t.BuildIndex(nrows, ncols)
	return t
}

// merge returns the union of two sets, in memory of its own.
func (u tuples) merge(v tuples) tuples {
	out := make(tuples, 0, len(u)+len(v))
	for len(u) > 0 && len(v) > 0 {
		switch c := cmp.Compare(u[0], v[0]); {
		case c < 0:
			out, u = append(out, u[0]), u[1:]
		case c > 0:
			out, v = append(out, v[0]), v[1:]
		default:
			out, u, v = append(out, u[0]), u[1:], v[1:]
		}
	}
	return append(append(out, u...), v...)
}

// row returns the first argument of the first tuple, and how many tuples have it.
func (u tuples) row() (id uint32, n int) {
	id = uint32(u[0] >> 32)
	for n = 1; n < len(u) && uint32(u[n]>>32) == id; n++ {
	}
	return id, n
}

// marks is a set of local ids that can be emptied in constant time.
type marks struct {
	epochs []uint32 // by id: when it was last in the set
	epoch  uint32
}

// set makes ids the set. The marks have room for them.
func (m *marks) set(ids []uint32) {
	if m.epoch++; m.epoch == 0 {
		clear(m.epochs)
		m.epoch = 1
	}
	for _, id := range ids {
		m.epochs[id] = m.epoch
	}
}

// has reports whether an id is in the set.
func (m *marks) has(id uint32) bool { return m.epochs[id] == m.epoch }

// overlap counts the tuples whose arguments both have a local id, and those of them in the table with the given index. It may stop at the
// first one the table lacks. rows and cols map global to local ids; m has room for the local ids of cols.
func (u tuples) overlap(forward *subgraph.Index, rows, cols []uint32, m *marks) (present, common int) {
	for len(u) > 0 && present == common {
		id, n := u.row()
		if local := rows[id]; local != subgraph.NoEntity {
			m.set(forward.Row(local))
			for _, t := range u[:n] {
				if c := cols[uint32(t)]; c != subgraph.NoEntity {
					present++
					if m.has(c) {
						common++
					}
				}
			}
		}
		u = u[n:]
	}
	return present, common
}
