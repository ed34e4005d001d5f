package join

import (
	"slices"

	"resolwe/format/subgraph"
	"resolwe/internal/grow"
	"resolwe/kernels/plan"
)

// Rows of counts of many products over one inner type are built together: the left factors' counts are packed, several
// to a word, into a matrix over the inner type, whose rows are added up along the tuples of a right factor B. That is
// one pass over B for as many rows as a matrix has columns, in place of a pass over a part of B for each.

// batchWords is the words of a row of the packed counts.
const batchWords = 4

// batchBits are the sizes that a packed count may have.
var batchBits = [...]int{16, 32}

// batchDense is how many times more tuples of B a pass may visit than rows by themselves would: sparser left factors
// take no part.
const batchDense = 8

// CountBatch is products over one inner type of which the same rows are wanted. It is read-only.
type CountBatch struct {
	inner  int
	rights []rightFactor
	lefts  []leftFactor
}

// rightFactor is a right factor of zeros and ones, and its transpose.
type rightFactor struct{ node, transposed plan.NodeID }

// leftFactor is a left factor of small counts with its products by right factor, plan.None where there is none.
type leftFactor struct {
	node     plan.NodeID
	products []plan.NodeID
}

// CountBatches divides matrix nodes into batches, less those that are built one by one. It may add nodes to the
// program.
func CountBatches(p *plan.Program, nodes []plan.NodeID) []CountBatch {
	var out []CountBatch
	for _, id := range nodes {
		n := p.Nodes[id]
		if n.Op != plan.OpMul || n.Kids[1] != plan.None || !p.IsSet(n.Kids[2]) || !isSmall(p, n.Kids[0]) {
			continue
		}
		inner := p.Nodes[n.Kids[2]].Row
		i := slices.IndexFunc(out, func(b CountBatch) bool { return b.inner == inner })
		if i < 0 {
			i = len(out)
			out = append(out, CountBatch{inner: inner})
		}
		out[i].add(n.Kids[0], rightFactor{n.Kids[2], p.Transpose(n.Kids[2])}, id)
	}
	return out
}

// add adds the product of two factors.
func (b *CountBatch) add(left plan.NodeID, right rightFactor, product plan.NodeID) {
	j := slices.Index(b.rights, right)
	if j < 0 {
		j = len(b.rights)
		b.rights = append(b.rights, right)
	}
	i := slices.IndexFunc(b.lefts, func(l leftFactor) bool { return l.node == left })
	if i < 0 {
		i = len(b.lefts)
		b.lefts = append(b.lefts, leftFactor{node: left})
	}
	l := &b.lefts[i]
	for len(l.products) <= j {
		l.products = append(l.products, plan.None)
	}
	l.products[j] = product
}

// product returns the product with a right factor, plan.None where there is none.
func (l *leftFactor) product(right int) plan.NodeID {
	if right >= len(l.products) {
		return plan.None
	}
	return l.products[right]
}

// isSmall reports whether the counts of a matrix are at most the number of entities of a type.
func isSmall(p *plan.Program, id plan.NodeID) bool {
	if n := &p.Nodes[id]; n.Op == plan.OpMul {
		return p.IsSet(n.Kids[0]) && (n.Kids[1] == plan.None || p.IsSet(n.Kids[1])) && p.IsSet(n.Kids[2])
	}
	return p.IsSet(id)
}

// countBatch is the memory to build a batch.
type countBatch struct {
	columns [len(batchBits)][]countColumn
	packed  []uint64 // counts of left factors
	some    []uint32 // entities for which packed counts were added up
	added   []uint64 // their sums
}

// countColumn is row x of products in the making: the row of their left factor.
type countColumn struct {
	left *leftFactor
	x    uint32
	row  Vec
}

// BuildCounts builds those of the given rows of a batch of which that is cheaper than one by one. It must run under
// Counting.
func (s *Scratch) BuildCounts(b *CountBatch, rows []uint32) {
	k := &s.countBatch
	inner, longest := s.size[b.inner], s.longest(b)
	for i := range k.columns {
		k.columns[i] = k.columns[i][:0]
	}
	for i := range b.lefts {
		l := &b.lefts[i]
		for _, x := range rows {
			v := s.CountRow(l.node, x)
			if len(v.IDs)*batchDense <= inner {
				continue
			}
			if i := slices.IndexFunc(batchBits[:], func(bits int) bool { return sumsBelow(v, longest)>>bits == 0 }); i >= 0 {
				k.columns[i] = append(k.columns[i], countColumn{l, x, v})
			}
		}
	}
	for i, bits := range batchBits {
		for columns := range slices.Chunk(k.columns[i], batchWords*64/bits) {
			s.buildColumns(b, columns, bits)
		}
	}
}

// longest bounds the number of entries of a column of a batch's right factors.
func (s *Scratch) longest(b *CountBatch) int {
	longest := 0
	for _, right := range b.rights {
		lists := s.Lists(right.transposed)
		if lists == nil {
			return s.size[b.inner]
		}
		for u := range max(len(lists.Offsets)-1, 0) {
			longest = max(longest, int(lists.Offsets[u+1]-lists.Offsets[u]))
		}
	}
	return longest
}

// sumsBelow bounds the sums of at most so many of a row's counts, each of which is below 2^32.
func sumsBelow(v Vec, entries int) uint64 {
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
func (s *Scratch) buildColumns(b *CountBatch, columns []countColumn, bits int) {
	k, perWord := &s.countBatch, 64/bits
	k.packed = grow.Zeroed(k.packed, s.size[b.inner]*batchWords)
	for j, c := range columns {
		packCounts(k.packed[j/perWord:], j%perWord*bits, c.row)
	}
	for i, right := range b.rights {
		if !slices.ContainsFunc(columns, func(c countColumn) bool { return c.left.product(i) != plan.None }) {
			continue
		}
		s.addUp(right)
		for j, c := range columns {
			if id := c.left.product(i); id != plan.None {
				s.keepCounts(id, c.x, s.unpackCounts(k.added[min(j/perWord, len(k.added)):], j%perWord*bits, bits))
			}
		}
	}
}

// keepCounts stores row x of a product, unless it is there.
func (s *Scratch) keepCounts(id plan.NodeID, x uint32, row Vec) {
	if c := s.countRows(id); c.rows.row(x) == nil {
		c.rows.keep(x, row)
	}
}

// packCounts packs a row's counts, at a shift of every batchWords-th word.
func packCounts(words []uint64, shift int, row Vec) {
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
func (s *Scratch) addUp(right rightFactor) {
	k, n := &s.countBatch, &s.Prog.Nodes[right.node]
	size := s.size[n.Col]
	k.some = grow.To(k.some, size)
	if lists := s.Lists(right.transposed); lists != nil {
		k.added = grow.To(k.added, size*batchWords)
		some := gather(k.some, k.added, k.packed, lists)
		k.some, k.added = k.some[:some], k.added[:some*batchWords]
		return
	}
	k.added = grow.Zeroed(k.added, size*batchWords)
	for id := range k.some {
		k.some[id] = uint32(id)
	}
	induced := s.unexpanded(right.node)
	for z := range uint32(s.size[n.Row]) {
		switch c := (*[batchWords]uint64)(k.packed[z*batchWords:]); {
		case c[0]|c[1]|c[2]|c[3] == 0:
		case induced:
			scatter(k.added, c, s.inducedRow(right.node, z))
		default:
			scatter(k.added, c, s.CountRow(right.node, z).IDs)
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

// unpackCounts returns a column of the packed counts that were added up, of so many bits, which stands at a shift of
// every batchWords-th word.
func (s *Scratch) unpackCounts(words []uint64, shift, bits int) Vec {
	some := s.countBatch.some
	ids, counts := s.ids.take(len(some)), s.nums.take(len(some))
	mask, k := uint64(1)<<bits-1, 0
	for i, id := range some {
		n := words[i*batchWords] >> shift & mask
		ids[k], counts[k] = id, int64(n)
		if n != 0 {
			k++
		}
	}
	return s.kept(ids, counts, k)
}
