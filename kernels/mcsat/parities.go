package mcsat

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// parityMoves are the sets of clusters that flip together in a slice that keeps parities: a basis of the solutions of linear equations over
// two values, found by Gauss-Jordan elimination. For parities of two atoms they would be the clusters of Swendsen and Wang.
type parityMoves struct {
	kept    []uint32 // parities that the slice keeps
	columns []uint32 // clusters in these parities, by their first atoms, in random order
	column  []uint32 // by first atom of a cluster: its column, plus 1
	words   int      // in a row
	rows    []uint64 // reduced equations, a bit for each column
	pivots  []uint32 // by row: the column that only it has
	pivot   []bool   // by column: is a pivot
}

// keepParities draws the parities that the slice keeps.
func (c *Chain) keepParities(r *rand.Rand) {
	p, m := &c.parities, c.s.M
	p.kept, p.columns = p.kept[:0], p.columns[:0]
	for i := range m.Parities {
		f := &m.Parities[i]
		if f.Holds(c.s.X) && (math.IsInf(f.Energy, 1) || r.Float64() < -elementary.Expm1(-f.Energy)) {
			p.kept = append(p.kept, uint32(i))
		}
	}
}

// solveParities finds the moves. The order of the clusters is random, so each slice has another basis.
func (c *Chain) solveParities(r *rand.Rand) {
	p := &c.parities
	if len(p.kept) == 0 {
		return
	}
	p.column = grow.Zeroed(p.column, len(c.s.X))
	c.eachParityCluster(func(_ int, root uint32) {
		if p.column[root] == 0 {
			p.columns = append(p.columns, root)
			p.column[root] = 1
		}
	})
	r.Shuffle(len(p.columns), func(i, j int) { p.columns[i], p.columns[j] = p.columns[j], p.columns[i] })
	for i, root := range p.columns {
		p.column[root] = uint32(i) + 1
	}
	p.words = (len(p.columns) + 63) / 64
	p.rows = grow.Zeroed(p.rows, len(p.kept)*p.words)
	c.eachParityCluster(func(row int, root uint32) {
		bit := p.column[root] - 1
		p.row(row)[bit/64] ^= 1 << (bit % 64) // two atoms of one cluster cancel
	})
	p.reduce()
}

// eachParityCluster calls f with the clusters of the atoms of each kept parity, except frozen ones.
func (c *Chain) eachParityCluster(f func(row int, root uint32)) {
	s, m := &c.aux, c.s.M
	for row, i := range c.parities.kept {
		for _, a := range m.Parities[i].Atoms {
			root := s.forest[a]
			if _, fixed := m.Implications.Fixed(root); !fixed && !s.frozen[root] {
				f(row, root)
			}
		}
	}
}

func (p *parityMoves) row(i int) []uint64 { return p.rows[i*p.words:][:p.words] }

// has reports whether a row has a column.
func (p *parityMoves) has(row int, column uint32) bool {
	return p.rows[row*p.words+int(column/64)]>>(column%64)&1 == 1
}

// reduce solves the equations for as many columns as are independent.
func (p *parityMoves) reduce() {
	p.pivots, p.pivot = p.pivots[:0], grow.Zeroed(p.pivot, len(p.columns))
	for i := range p.kept {
		rank := len(p.pivots)
		row := p.row(i)
		for j, column := range p.pivots {
			if row[column/64]>>(column%64)&1 == 1 {
				exclusiveOr(row, p.row(j))
			}
		}
		pivot, ok := firstBit(row)
		if !ok {
			continue
		}
		for j := range rank {
			if p.has(j, pivot) {
				exclusiveOr(p.row(j), row)
			}
		}
		copy(p.row(rank), row)
		p.pivots, p.pivot[pivot] = append(p.pivots, pivot), true
	}
}

func exclusiveOr(dst, src []uint64) {
	for i, w := range src {
		dst[i] ^= w
	}
}

// firstBit returns the first column in a row.
func firstBit(row []uint64) (column uint32, ok bool) {
	for i, w := range row {
		if w != 0 {
			return uint32(64*i + bits.TrailingZeros64(w)), true
		}
	}
	return 0, false
}

// tied reports whether a cluster moves only with others.
func (p *parityMoves) tied(root uint32) bool { return len(p.columns) > 0 && p.column[root] > 0 }

// moving returns the first atom of a random move that flips a cluster, or of the cluster itself if it is not tied.
func (p *parityMoves) moving(root uint32, r *rand.Rand) uint32 {
	if !p.tied(root) || !p.pivot[p.column[root]-1] {
		return root
	}
	row, seen := slices.Index(p.pivots, p.column[root]-1), 0
	for i, other := range p.columns {
		if !p.pivot[i] && p.has(row, uint32(i)) {
			if seen++; r.IntN(seen) == 0 {
				root = other
			}
		}
	}
	return root
}

// moves reports whether an atom identifies a move: it is the first of a cluster that is not frozen and either moves by itself or determines
// the move of the clusters tied to it by parities.
func (c *Chain) moves(a uint32) bool {
	s, p := &c.aux, &c.parities
	return s.forest[a] == a && !s.frozen[a] && (!p.tied(a) || !p.pivot[p.column[a]-1])
}

// moveOf lists the atoms of a move. The result is valid until the next call.
func (c *Chain) moveOf(root uint32) []uint32 {
	s, p := &c.aux, &c.parities
	s.move = c.appendCluster(s.move[:0], root)
	if p.tied(root) {
		for j, pivot := range p.pivots {
			if p.has(j, p.column[root]-1) {
				s.move = c.appendCluster(s.move, p.columns[pivot])
			}
		}
	}
	return s.move
}

// appendCluster appends the atoms of a cluster.
func (c *Chain) appendCluster(dst []uint32, root uint32) []uint32 {
	for a := c.aux.head[root]; a != network.Unset; a = c.aux.next[a] {
		dst = append(dst, a)
	}
	return dst
}

// gainOf returns the change of the fields' energy in a move.
func (c *Chain) gainOf(atoms []uint32) float64 {
	gain := 0.0
	for _, a := range atoms {
		if c.s.X[a] {
			gain -= c.s.M.Centred[a]
		} else {
			gain += c.s.M.Centred[a]
		}
	}
	return gain
}

// tryParities draws each move of clusters tied by parities from its conditional distribution given the others, within the slice.
func (c *Chain) tryParities(r *rand.Rand) {
	for _, root := range c.parities.columns {
		if c.moves(root) {
			atoms := c.moveOf(root)
			c.tryMove(atoms, loglinear.Sigmoid(c.gainOf(atoms)), r)
		}
	}
}
