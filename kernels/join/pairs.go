package join

import (
	"math/bits"
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/bitset"
	"resolwe/kernels/plan"
)

// MaxSets is the largest number of sets in a call of Pairs.
const MaxSets = 64

// Pair requests the number of entries of a matrix in the rows of one set and the columns of another.
type Pair struct {
	Rows, Cols int // indices of sets
	N          int64
	Same       int64 // those on the diagonal, if both types are the same
}

// pairs is the memory of a call of Pairs.
type pairs struct {
	sets  [][]uint64
	rows  []int // the sets of rows
	slots []int // the sets of columns
	row   []uint64
	same  []uint64 // rows that contain themselves as a column
	block [64]uint64
	tiles []tiles  // by node
	room  int      // words of a tile
	least int      // least number of words for its rows
	bits  []uint64 // of a tile that is not kept

	cols   []uint64 // all sets of columns, word by word, numbered like the rows compared with them
	sums   []uint64 // by set of rows and set of columns: size of the intersection
	stride int      // of both, see bitset.Stride
	lane   []uint64 // a set of columns, renumbered

	active, present []uint64
}

// Pairs answers over the boolean semiring: each row is built once and intersected with each set of columns. At most MaxSets sets are allowed.
func (s *Scratch) Pairs(id plan.NodeID, sets [][]uint64, pairs []Pair) {
	k, n := &s.pairs, &s.Prog.Nodes[id]
	k.ask(sets, pairs)
	k.same = grow.Zeroed(k.same, bitset.Words(s.size[n.Row]))
	if !s.tiledPairs(id) {
		s.rowPairs(id)
	}
	for i := range pairs {
		p := &pairs[i]
		at := slices.Index(k.rows, p.Rows)*k.stride + slices.Index(k.slots, p.Cols)
		p.N, p.Same = int64(k.sums[at]), k.diagonal(p)
	}
	k.sets = nil
}

// diagonal counts the rows of a pair that contain themselves as a column of the pair.
func (k *pairs) diagonal(p *Pair) (n int64) {
	for w, same := range k.same {
		if same != 0 {
			n += int64(bits.OnesCount64(same & k.sets[p.Rows][w] & k.sets[p.Cols][w]))
		}
	}
	return n
}

// ask starts a call.
func (k *pairs) ask(sets [][]uint64, pairs []Pair) {
	k.sets = sets
	k.rows, k.slots = k.rows[:0], k.slots[:0]
	for i := range pairs {
		k.rows = withInt(k.rows, pairs[i].Rows)
		k.slots = withInt(k.slots, pairs[i].Cols)
	}
	k.stride = bitset.Stride(len(k.slots))
	k.sums = grow.Zeroed(k.sums, len(k.rows)*k.stride)
}

func withInt(set []int, i int) []int {
	if slices.Contains(set, i) {
		return set
	}
	return append(set, i)
}

// each visits the requested rows below n, with the set of row sets that contain each.
func (k *pairs) each(n int, visit func(x uint32, in uint64)) {
	for w := range bitset.Words(n) {
		clear(k.block[:])
		some := uint64(0)
		for i, r := range k.rows {
			k.block[i] = k.sets[r][w]
			some |= k.block[i]
		}
		if some == 0 {
			continue
		}
		bitset.Transpose64(&k.block)
		for ; some != 0; some &= some - 1 {
			b := bits.TrailingZeros64(some)
			visit(uint32(w<<6+b), k.block[b])
		}
	}
}

// put stores the j-th set of columns.
func (k *pairs) put(j int, set []uint64) {
	for w, x := range set {
		k.cols[w*k.stride+j] = x
	}
}

// meet counts the members that a row, as bits or as a list, has in common with the sets of columns from word lo on. in is the set of row
// sets that contain the row.
func (k *pairs) meet(in uint64, row []uint64, list []uint32, lo int) {
	cols := k.cols[lo*k.stride:]
	if row == nil {
		bitset.AddHits(k.sums, in, list, cols, len(k.slots))
		return
	}
	bitset.AddAndCounts(k.sums, in, row, cols, len(k.slots))
}

// rowPairs builds whole rows, one after another.
func (s *Scratch) rowPairs(id plan.NodeID) {
	k, n := &s.pairs, &s.Prog.Nodes[id]
	words := bitset.Words(s.size[n.Col])
	k.row = grow.To(k.row, words)
	k.cols = grow.Zeroed(k.cols, words*k.stride)
	for j, set := range k.slots {
		k.put(j, k.sets[set])
	}
	k.each(s.size[n.Row], func(x uint32, in uint64) {
		row, list := s.sparseRow(id, x)
		if row == nil && len(list) == 0 {
			return
		}
		if n.Row == n.Col && contains(row, list, x) {
			bitset.Set(k.same, x)
		}
		k.meet(in, row, list, 0)
		s.work.Edges += uint64(len(list) * len(k.slots))
		s.work.Words += uint64(len(row) * len(k.slots))
	})
}

// sparseRow evaluates row x of a matrix node, as bits or, if these are nil, as a list. Borrowed until the next call.
func (s *Scratch) sparseRow(id plan.NodeID, x uint32) (row []uint64, list []uint32) {
	n := &s.Prog.Nodes[id]
	k := &s.pairs
	if l := s.listScan(id); l != nil {
		if l.len(x) <= len(k.row)/longList {
			return nil, l.rows.Row(x)
		}
		return s.Row(id, x), nil
	}
	if n.Op != plan.OpMul || s.onBackground(id) {
		return s.Row(id, x), nil
	}
	if row := s.built(id, x); row != nil {
		return *row, nil
	}
	clear(k.row)
	s.mulInto(k.row, n, x)
	s.work.Rows++
	return k.row, nil
}

func contains(row []uint64, list []uint32, id uint32) bool {
	if row != nil {
		return bitset.Has(row, id)
	}
	return slices.Contains(list, id)
}
