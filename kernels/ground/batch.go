package ground

import (
	"math"
	"slices"

	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// Rows of many products over one inner type are built together: the left factors' counts are packed, two to a word, into a
// matrix over the inner type, whose rows are added up along the tuples of a right factor B. That is one pass over B for as
// many rows as a matrix has columns, in place of a pass over a part of B for each.

const (
	batchWords = 4              // of a row of the packed counts
	batchSize  = 2 * batchWords // columns of a pass
)

// batchDense is how many times more tuples of B a pass may visit than rows by themselves would: sparser left factors take
// no part.
const batchDense = 8

// batch is products over one inner type whose rows are wanted for the atoms of one listed target.
type batch struct {
	pred, inner int
	rights      []plan.NodeID
	lefts       []batchLeft
}

// batchLeft is a left factor with its products by right factor, plan.None where there is none.
type batchLeft struct {
	node     plan.NodeID
	products []plan.NodeID
}

// addBatch notes which rows of a product a formula wants, if any. It returns the position of their batch, else -1.
func (p *Program) addBatch(d *direct) int {
	if d.mat == plan.None {
		return -1
	}
	n := &p.prog.Nodes[d.mat]
	if n.Op != plan.OpMul || n.Kids[1] != plan.None || !isSet(p.prog, n.Kids[2]) || !isSmall(p.prog, n.Kids[0]) {
		return -1
	}
	inner := p.prog.Nodes[n.Kids[2]].Row
	i := slices.IndexFunc(p.batches, func(b batch) bool { return b.pred == d.pred && b.inner == inner })
	if i < 0 {
		i = len(p.batches)
		p.batches = append(p.batches, batch{pred: d.pred, inner: inner})
	}
	p.batches[i].add(n.Kids[0], n.Kids[2], d.mat)
	return i
}

// add adds the product of two factors.
func (b *batch) add(left, right, product plan.NodeID) {
	j := slices.Index(b.rights, right)
	if j < 0 {
		j = len(b.rights)
		b.rights = append(b.rights, right)
	}
	i := slices.IndexFunc(b.lefts, func(l batchLeft) bool { return l.node == left })
	if i < 0 {
		i = len(b.lefts)
		b.lefts = append(b.lefts, batchLeft{node: left})
	}
	l := &b.lefts[i]
	for len(l.products) <= j {
		l.products = append(l.products, plan.None)
	}
	l.products[j] = product
}

// product returns the product with a right factor, plan.None where there is none.
func (l *batchLeft) product(right int) plan.NodeID {
	if right >= len(l.products) {
		return plan.None
	}
	return l.products[right]
}

// isSmall reports whether the counts of a matrix are at most the number of entities of a type.
func isSmall(prog *plan.Program, id plan.NodeID) bool {
	if n := &prog.Nodes[id]; n.Op == plan.OpMul {
		return isSet(prog, n.Kids[0]) && (n.Kids[1] == plan.None || isSet(prog, n.Kids[1])) && isSet(prog, n.Kids[2])
	}
	return isSet(prog, id)
}

// batchColumn is row x of products in the making: the row of their left factor.
type batchColumn struct {
	left *batchLeft
	x    uint32
	row  join.Vec
}

// build builds the rows of a batch that are worth it, for the first arguments of a listed target's atoms. It must run
// under join's Counting.
func (r *rows) build(b *batch, firsts []uint32) {
	inner := r.scratch.Size(b.inner)
	r.columns = r.columns[:0]
	for i := range b.lefts {
		l := &b.lefts[i]
		for _, x := range firsts {
			if v := r.row(l.node, x); len(v.IDs)*batchDense > inner && weight(v) <= math.MaxUint32 {
				r.columns = append(r.columns, batchColumn{l, x, v})
			}
		}
	}
	if len(r.columns) == 0 {
		return
	}
	r.right = r.right[:0]
	for _, right := range b.rights {
		for z := uint32(0); int(z) < inner && !r.shared(right); z++ {
			r.right = append(r.right, r.scratch.CountRow(right, z).IDs)
		}
	}
	for columns := range slices.Chunk(r.columns, batchSize) {
		r.buildColumns(b, columns, inner)
	}
}

// weight returns the sum of a row's counts, each of which is below 2^32.
func weight(v join.Vec) uint64 {
	if v.N == nil {
		return uint64(len(v.IDs))
	}
	sum := uint64(0)
	for _, n := range v.N {
		sum += uint64(n)
	}
	return sum
}

// buildColumns builds the rows of a pass.
func (r *rows) buildColumns(b *batch, columns []batchColumn, inner int) {
	r.packed = resized(r.packed, inner*batchWords)
	for j, c := range columns {
		for i, z := range c.row.IDs {
			r.packed[int(z)*batchWords+j/2] |= uint64(c.row.At(i)) << (j % 2 * 32)
		}
	}
	stored := r.right
	for k, right := range b.rights {
		var lists [][]uint32 // none of a factor that is shared
		if !r.shared(right) {
			lists, stored = stored[:inner], stored[inner:]
		}
		if !slices.ContainsFunc(columns, func(c batchColumn) bool { return c.left.product(k) != plan.None }) {
			continue
		}
		out := r.addUp(right, lists, inner)
		for j, c := range columns {
			if product := c.left.product(k); product != plan.None {
				r.kept[rowKey{product, c.x}] = r.unpacked(out[j/2:], j%2*32)
			}
		}
	}
}

// addUp adds up the packed counts along the tuples of a right factor. Borrowed, until the next call.
func (r *rows) addUp(right plan.NodeID, lists [][]uint32, inner int) []uint64 {
	r.sums = resized(r.sums, r.scratch.Size(r.scratch.Prog.Nodes[right].Col)*batchWords)
	for z := range inner {
		k := (*[batchWords]uint64)(r.packed[z*batchWords:])
		switch {
		case k[0]|k[1]|k[2]|k[3] == 0:
		case lists != nil:
			addPacked(r.sums, k, lists[z])
		default:
			addPacked(r.sums, k, r.set(right, uint32(z)))
		}
	}
	return r.sums
}

// addPacked adds packed counts to those of some entities.
func addPacked(out []uint64, k *[batchWords]uint64, ids []uint32) {
	k0, k1, k2, k3 := k[0], k[1], k[2], k[3]
	for _, id := range ids {
		o := (*[batchWords]uint64)(out[int(id)*batchWords:])
		o[0] += k0
		o[1] += k1
		o[2] += k2
		o[3] += k3
	}
}

// unpacked returns a column of packed counts, which stands at a shift of every batchWords-th word.
func (r *rows) unpacked(words []uint64, shift int) join.Vec {
	begin := len(r.vecIDs)
	for i := 0; i < len(words); i += batchWords {
		if n := uint32(words[i] >> shift); n != 0 {
			r.vecIDs, r.vecN = append(r.vecIDs, uint32(i/batchWords)), append(r.vecN, int64(n))
		}
	}
	return r.vecFrom(begin)
}
