package rsg

import (
	"cmp"
	"slices"

	"resolwe/format/subgraph"
)

// tuples is a set of pairs of global ids, ascending: the first argument in the upper half of a word, the second in the
// lower.
type tuples []uint64

// tuplesOf returns the tuples of a binary table, given the global ids of its local ids.
func tuplesOf(t *subgraph.Table, rows, cols []uint32) tuples {
	out := make(tuples, t.Len())
	for i, row := range t.Cols[0] {
		out[i] = uint64(rows[row])<<32 | uint64(cols[t.Cols[1][i]])
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

// overlap counts the tuples whose arguments both have a local id, and those of them in the table with the given index. It may stop at the
// first one the table lacks. rows and cols map global to local ids; marks are by local id of cols, and unset before and after.
func (u tuples) overlap(forward *subgraph.Index, rows, cols []uint32, marks []bool) (present, common int) {
	for len(u) > 0 && present == common {
		id, n := u[0]>>32, 1
		for n < len(u) && u[n]>>32 == id {
			n++
		}
		if local := rows[id]; local != subgraph.NoEntity {
			partners := forward.Row(local)
			for _, c := range partners {
				marks[c] = true
			}
			for _, t := range u[:n] {
				if c := cols[uint32(t)]; c != subgraph.NoEntity {
					present++
					if marks[c] {
						common++
					}
				}
			}
			for _, c := range partners {
				marks[c] = false
			}
		}
		u = u[n:]
	}
	return present, common
}
