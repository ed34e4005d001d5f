package ground

import (
	"slices"

	"resolwe/format/subgraph"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// Rows of many products over one inner type are built together: the left factors' counts are packed, several to a word,
// into a matrix over the inner type, whose rows are added up along the tuples of a right factor B. That is one pass over B
// for as many rows as a matrix has columns, in place of a pass over a part of B for each.

// batchWords is the words of a row of the packed counts.
const batchWords = 4

// batchBits are the sizes that a packed count may have.
var batchBits = [...]int{16, 32}

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
	inner, longest := r.scratch.Size(b.inner), r.longest(b)
	for k := range r.columns {
		r.columns[k] = r.columns[k][:0]
	}
	for i := range b.lefts {
		l := &b.lefts[i]
		for _, x := range firsts {
			v := r.row(l.node, x)
			if len(v.IDs)*batchDense <= inner {
				continue
			}
			if k := slices.IndexFunc(batchBits[:], func(bits int) bool { return sumsBelow(v, longest)>>bits == 0 }); k >= 0 {
				r.columns[k] = append(r.columns[k], batchColumn{l, x, v})
			}
		}
	}
	for k, bits := range batchBits {
		for columns := range slices.Chunk(r.columns[k], batchWords*64/bits) {
			r.buildColumns(b, columns, inner, bits)
		}
	}
}

// longest bounds the number of entries of a column of a batch's right factors.
func (r *rows) longest(b *batch) int {
	longest := 0
	for _, right := range b.rights {
		index, ok := r.stored(right, true)
		if !ok {
			return r.scratch.Size(b.inner)
		}
		for u := range max(len(index.Offsets)-1, 0) {
			longest = max(longest, int(index.Offsets[u+1]-index.Offsets[u]))
		}
	}
	return longest
}

// sumsBelow bounds the sums of at most so many of a row's counts, each of which is below 2^32.
func sumsBelow(v join.Vec, entries int) uint64 {
	if v.N == nil {
		return uint64(min(len(v.IDs), entries))
	}
	sum, most := uint64(0), uint64(0)
	for _, n := range v.N {
		sum += uint64(n)
		most = max(most, uint64(n))
	}
	return min(sum, most*uint64(entries))
}

// buildColumns builds the rows of a pass, whose counts are packed in so many bits.
func (r *rows) buildColumns(b *batch, columns []batchColumn, inner, bits int) {
	perWord := 64 / bits
	r.packed = resized(r.packed, inner*batchWords)
	for j, c := range columns {
		pack(r.packed[j/perWord:], j%perWord*bits, c.row)
	}
	for k, right := range b.rights {
		if !slices.ContainsFunc(columns, func(c batchColumn) bool { return c.left.product(k) != plan.None }) {
			continue
		}
		r.addUp(right)
		for j, c := range columns {
			if product := c.left.product(k); product != plan.None {
				r.kept[rowKey{product, c.x}] = r.unpacked(r.added[min(j/perWord, len(r.added)):], j%perWord*bits, bits)
			}
		}
	}
}

// pack packs a row's counts, at a shift of every batchWords-th word.
func pack(words []uint64, shift int, row join.Vec) {
	if row.N == nil {
		for _, z := range row.IDs {
			words[int(z)*batchWords] |= 1 << shift
		}
		return
	}
	counts := row.N[:len(row.IDs)]
	for i, z := range row.IDs {
		words[int(z)*batchWords] |= uint64(counts[i]) << shift
	}
}

// addUp adds up the packed counts along the tuples of a right factor, for each entity that may have some.
func (r *rows) addUp(right plan.NodeID) {
	n := &r.scratch.Prog.Nodes[right]
	size := r.scratch.Size(n.Col)
	r.some = grown(r.some, size)
	if index, ok := r.stored(right, true); ok {
		r.added = grown(r.added, size*batchWords)
		k := gather(r.some, r.added, r.packed, index)
		r.some, r.added = r.some[:k], r.added[:k*batchWords]
		return
	}
	r.added = resized(r.added, size*batchWords)
	for id := range r.some {
		r.some[id] = uint32(id)
	}
	for z := range r.scratch.Size(n.Row) {
		if k := (*[batchWords]uint64)(r.packed[z*batchWords:]); k[0]|k[1]|k[2]|k[3] != 0 {
			scatter(r.added, k, r.members(right, uint32(z)))
		}
	}
}

// gather adds up for each entity that has a list the packed counts of what is in it. It returns how many there are.
func gather(some []uint32, out, packed []uint64, lists *subgraph.Index) int {
	n := 0
	for id := range uint32(len(some)) {
		list := lists.Row(id)
		if len(list) == 0 {
			continue
		}
		var k0, k1, k2, k3 uint64
		for _, z := range list {
			k := (*[batchWords]uint64)(packed[int(z)*batchWords:])
			k0 += k[0]
			k1 += k[1]
			k2 += k[2]
			k3 += k[3]
		}
		*(*[batchWords]uint64)(out[n*batchWords:]) = [...]uint64{k0, k1, k2, k3}
		some[n] = id
		n++
	}
	return n
}

// scatter adds packed counts to those of some entities.
func scatter(out []uint64, k *[batchWords]uint64, ids []uint32) {
	k0, k1, k2, k3 := k[0], k[1], k[2], k[3]
	for _, id := range ids {
		o := (*[batchWords]uint64)(out[int(id)*batchWords:])
		o[0] += k0
		o[1] += k1
		o[2] += k2
		o[3] += k3
	}
}

// unpacked returns a column of the packed counts that were added up, of so many bits, which stands at a shift of every
// batchWords-th word.
func (r *rows) unpacked(words []uint64, shift, bits int) join.Vec {
	ids, counts := r.room(len(r.some))
	mask, k := uint64(1)<<bits-1, 0
	for i, id := range r.some {
		n := words[i*batchWords] >> shift & mask
		ids[k], counts[k] = id, int64(n)
		if n != 0 {
			k++
		}
	}
	return r.keep(k)
}
