package ground

import (
	"math"
	"slices"

	"resolwe/format/subgraph"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// Rows of many products over one right factor B are built together: the left factors' counts are packed, two to a word,
// into a matrix over the inner type, whose rows are added up along the tuples of B. That is one pass over B for as many
// rows as a matrix has columns, in place of a pass over a part of B for each.

const (
	batchWords = 4              // of a row of the packed counts
	batchSize  = 2 * batchWords // columns of a pass
)

// batchDense is how many times more tuples of B a pass may visit than rows by themselves would: sparser left factors take
// no part.
const batchDense = 8

// batch is products with one right factor whose rows are wanted for the atoms of one listed target.
type batch struct {
	pred  int
	right plan.NodeID
	nodes []plan.NodeID
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
	i := slices.IndexFunc(p.batches, func(b batch) bool { return b.pred == d.pred && b.right == n.Kids[2] })
	if i < 0 {
		i = len(p.batches)
		p.batches = append(p.batches, batch{pred: d.pred, right: n.Kids[2]})
	}
	if b := &p.batches[i]; !slices.Contains(b.nodes, d.mat) {
		b.nodes = append(b.nodes, d.mat)
	}
	return i
}

// isSmall reports whether the counts of a matrix are at most the number of entities of a type.
func isSmall(prog *plan.Program, id plan.NodeID) bool {
	if n := &prog.Nodes[id]; n.Op == plan.OpMul {
		return isSet(prog, n.Kids[0]) && (n.Kids[1] == plan.None || isSet(prog, n.Kids[1])) && isSet(prog, n.Kids[2])
	}
	return isSet(prog, id)
}

// batchColumn is row x of a product in the making: the row of its left factor.
type batchColumn struct {
	key  rowKey
	left join.Vec
}

// build builds the rows of a batch that are worth it, for the first arguments of a listed target's atoms. It must run
// under join's Counting.
func (r *rows) build(b *batch, atoms *subgraph.Index) {
	inner := r.scratch.Size(r.scratch.Prog.Nodes[b.right].Row)
	r.columns = r.columns[:0]
	for _, id := range b.nodes {
		n := &r.scratch.Prog.Nodes[id]
		for x := range uint32(r.scratch.Size(n.Row)) {
			if len(atoms.Row(x)) == 0 {
				continue
			}
			if v := r.row(n.Kids[0], x); len(v.IDs)*batchDense > inner && weight(v) <= math.MaxUint32 {
				r.columns = append(r.columns, batchColumn{rowKey{id, x}, v})
			}
		}
	}
	if len(r.columns) == 0 {
		return
	}
	r.right = r.right[:0]
	if !r.shared(b.right) {
		for z := range uint32(inner) {
			r.right = append(r.right, r.scratch.CountRow(b.right, z).IDs)
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
	width := r.scratch.Size(r.scratch.Prog.Nodes[b.right].Col)
	r.packed = resized(r.packed, (inner+width)*batchWords)
	counts, out := r.packed[:inner*batchWords], r.packed[inner*batchWords:]
	for j, c := range columns {
		for i, z := range c.left.IDs {
			counts[int(z)*batchWords+j/2] |= uint64(c.left.At(i)) << (j % 2 * 32)
		}
	}
	for z := range inner {
		k := (*[batchWords]uint64)(counts[z*batchWords:])
		switch {
		case k[0]|k[1]|k[2]|k[3] == 0:
		case len(r.right) > 0:
			addPacked(out, k, r.right[z])
		default:
			addPacked(out, k, r.set(b.right, uint32(z)))
		}
	}
	for j, c := range columns {
		r.kept[c.key] = r.unpacked(out[j/2:], j%2*32)
	}
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
