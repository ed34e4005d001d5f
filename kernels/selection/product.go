package selection

import (
	"math/bits"
	"slices"

	"resolwe/kernels/bitset"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// A candidate whose last two outputs x and y meet in one matrix R only, its target literals completed by x apart from
// those completed by y, is counted by products of sets: the groundings in which the literals of a mask are true are the
// entries of R in X times Y, for sets X and Y that depend on the outputs before x. Where R is over one type and the two
// sides may become one atom, that is so on the diagonal.

// product is what a candidate of this shape is counted by.
type product struct {
	matrix   plan.NodeID // None for other shapes
	mirrored bool        // the diagonal is left out
	at       int         // of the matrix in Task.matrices
}

// findProduct recognises the shape.
func (c *candidate) findProduct() product {
	p := product{matrix: plan.None}
	y := len(c.query.Outputs) - 1
	x := y - 1
	if !c.dense || x < 0 {
		return p
	}
	for _, t := range c.targets {
		if t.level == y && t.other == x {
			return p
		}
	}
	for _, pair := range c.pairs {
		a, b := &c.targets[pair[0]], &c.targets[pair[1]]
		if a.level > b.level {
			a, b = b, a
		}
		switch {
		case b.level < x:
		case a.level != x || b.level != y || !mirrors(a.args, b.args, x, y):
			return p
		default:
			p.mirrored = true
		}
	}
	for _, m := range c.query.Mats {
		if m.Row == x && m.Col == y {
			p.matrix = m.Node
		}
	}
	return p
}

// multiplies reports whether a factor is the matrix of the candidate's product.
func (c *candidate) multiplies(m plan.Matrix) bool {
	return c.product.matrix != plan.None && m.Col == len(c.query.Outputs)-1 && m.Row == m.Col-1
}

// mirrors reports whether two atoms are equal but for x in the one where the other has y.
func mirrors(a, b []plan.Arg, x, y int) bool {
	for k := range a {
		if a[k] != b[k] && (int(a[k]) != x || int(b[k]) != y) {
			return false
		}
	}
	return true
}

// shareMatrices numbers the matrices of products.
func (t *Task) shareMatrices() {
	for _, c := range t.compiled {
		p := &c.product
		if p.matrix == plan.None {
			continue
		}
		if p.at = slices.Index(t.matrices, p.matrix); p.at < 0 {
			p.at = len(t.matrices)
			t.matrices = append(t.matrices, p.matrix)
		}
	}
}

// products collects the pairs of sets that candidates are counted by. Candidates with equal target literals share sets,
// and those with one matrix its rows.
type products struct {
	sets  [][]uint64 // distinct
	free  [][]uint64 // memory for sets
	cut   []uint64
	pairs [][]join.Pair // by position in Task.matrices
	uses  []use
}

// use adds a pair's entries to a candidate's count of the mask at a position.
type use struct{ matrix, pair, cand, mask int }

// Bounds of what is collected: the sets times the rows, which take 64 MB, and the uses.
const (
	maxDegrees = 1 << 24
	maxUses    = 1 << 16
)

// collect notes the sets that the last two outputs range over under the current binding of those before.
func (c *Counter) collect(x int) {
	rows, cols := c.candidates(x), c.candidates(x+1)
	if !bitset.Any(rows) || !bitset.Any(cols) {
		return
	}
	for m, mask := range c.cand.masks {
		if c.holdBefore(mask, x) {
			c.pair(m, c.restricted(rows, mask, x), c.restricted(cols, mask, x+1))
		}
	}
	if n := len(c.sets); n > join.MaxSets/2 || n*c.scratch.Size(c.typeOf(x)) > maxDegrees || len(c.uses) > maxUses {
		c.multiply()
	}
}

// holdBefore reports whether the literals of a mask that are complete before output d are true.
func (c *Counter) holdBefore(mask uint32, d int) bool {
	for ; mask != 0; mask &= mask - 1 {
		if i := bits.TrailingZeros32(mask); c.cand.targets[i].level < d && !c.holds[i] {
			return false
		}
	}
	return true
}

// restricted returns the index of the members of set for which the literals of a mask that output d completes are true.
func (c *Counter) restricted(set []uint64, mask uint32, d int) int {
	p := &c.products
	p.cut = append(p.cut[:0], set...)
	for ; mask != 0; mask &= mask - 1 {
		if t := &c.cand.targets[bits.TrailingZeros32(mask)]; t.level == d {
			bitset.AndInto(p.cut, c.atoms(t.truth, t))
		}
	}
	for i, s := range p.sets {
		if slices.Equal(s, p.cut) {
			return i
		}
	}
	var s []uint64
	if n := len(p.free); n > 0 {
		s, p.free = p.free[n-1], p.free[:n-1]
	}
	p.sets = append(p.sets, append(s[:0], p.cut...))
	return len(p.sets) - 1
}

// pair notes that the entries within two sets count for the mask at position m.
func (c *Counter) pair(m, rows, cols int) {
	at := c.cand.product.at
	pairs := &c.pairs[at]
	i := slices.IndexFunc(*pairs, func(q join.Pair) bool { return q.Rows == rows && q.Cols == cols })
	if i < 0 {
		i = len(*pairs)
		*pairs = append(*pairs, join.Pair{Rows: rows, Cols: cols})
	}
	c.uses = append(c.uses, use{matrix: at, pair: i, cand: c.index, mask: m})
}

// multiply counts what has been collected.
func (c *Counter) multiply() {
	p := &c.products
	for i, pairs := range p.pairs {
		if len(pairs) > 0 {
			c.traceMatrix(i)
			c.scratch.Pairs(c.task.matrices[i], p.sets, pairs)
		}
	}
	for _, u := range p.uses {
		pair := &p.pairs[u.matrix][u.pair]
		n := pair.N
		if c.task.compiled[u.cand].product.mirrored {
			n -= pair.Same
		}
		c.selected[u.cand][u.mask] += n
	}
	p.free = append(p.free, p.sets...)
	p.sets, p.uses = p.sets[:0], p.uses[:0]
	for i := range p.pairs {
		p.pairs[i] = p.pairs[i][:0]
	}
}

// traceMatrix attributes what follows to the first candidate that a matrix serves.
func (c *Counter) traceMatrix(at int) {
	if c.Trace == nil {
		return
	}
	if i := slices.IndexFunc(c.uses, func(u use) bool { return u.matrix == at }); i >= 0 {
		c.Trace(c.uses[i].cand)
	}
}
