package loglinear

import (
	"math/bits"

	"resolwe/internal/grow"
)

// equations are linear equations over two values: each says that an even number of its unknowns is 1.
type equations struct {
	rows   []uint64 // a bit for each unknown
	words  int      // in a row
	pivots []uint32 // once reduced, by row: the unknown that only this row has
}

// reset makes n equations without unknowns.
func (e *equations) reset(n, unknowns int) {
	e.words = (unknowns + 63) / 64
	e.rows = grow.Zeroed(e.rows, n*e.words)
}

func (e *equations) row(i int) []uint64 { return e.rows[i*e.words:][:e.words] }

// has reports whether a row has an unknown.
func (e *equations) has(row int, unknown uint32) bool {
	return e.rows[row*e.words+int(unknown/64)]>>(unknown%64)&1 == 1
}

// toggle adds an unknown to a row, or removes it.
func (e *equations) toggle(row int, unknown uint32) {
	e.rows[row*e.words+int(unknown/64)] ^= 1 << (unknown % 64)
}

// reduce solves the n equations for as many unknowns as are independent (Gauss and Jordan), the first of each equation. It drops those that
// follow from earlier ones, and calls conflict with those of which only the unknown one, whose value is 1, remains.
func (e *equations) reduce(n int, one uint32, conflict func(i int)) {
	e.pivots = e.pivots[:0]
	for i := range n {
		row, rank := e.row(i), len(e.pivots)
		for j, unknown := range e.pivots {
			if row[unknown/64]>>(unknown%64)&1 == 1 {
				exclusiveOr(row, e.row(j))
			}
		}
		pivot, ok := firstBit(row)
		if !ok {
			continue
		}
		if pivot == one {
			conflict(i)
			continue
		}
		for j := range rank {
			if e.has(j, pivot) {
				exclusiveOr(e.row(j), row)
			}
		}
		copy(e.row(rank), row)
		e.pivots = append(e.pivots, pivot)
	}
}

func exclusiveOr(dst, src []uint64) {
	for i, w := range src {
		dst[i] ^= w
	}
}

// firstBit returns the first unknown of a row.
func firstBit(row []uint64) (unknown uint32, ok bool) {
	for i, w := range row {
		if w != 0 {
			return uint32(64*i + bits.TrailingZeros64(w)), true
		}
	}
	return 0, false
}
