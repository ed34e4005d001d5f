package join

import (
	"math/bits"
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/bitset"
	"resolwe/kernels/plan"
)

// MaxSets bounds the sets of one call of Pairs.
const MaxSets = 64

// Pair asks how many entries of a matrix lie in the rows of one set and the columns of another.
type Pair struct {
	Rows, Cols int // indices of sets
	N          int64
	Same       int64 // those of them on the diagonal, where both types are one
}

// pairs is a call of Pairs, and its memory.
type pairs struct {
	sets  [][]uint64
	part  Partition
	node  plan.NodeID
	calls []uint32 // by node: how many there have been on the subgraph
	run   int      // of rows that are a part
	parts int      // the runs of rows, or those for each tile
	last  bool     // parts are done from the last to the first
	rows  []int    // the sets of rows
	slots []int    // the sets of columns
	row   []uint64
	same  []uint64 // the rows that have themselves as a column
	block [64]uint64
	tiles []tiles  // by node
	room  int      // words of a tile
	least int      // words of its rows, however many these are
	bits  []uint64 // of a tile that is not kept

	cols   []uint64 // all sets of columns, word by word, as the rows that are met with them number them
	sums   []uint64 // by set of rows and set of columns: what they have in common
	stride int      // of both, see bitset.Stride
	lane   []uint64 // a set of columns, renumbered

	active, present []uint64
}

// Pairs answers for a part of the rows, over the boolean semiring: each row is built once, and met with each set of
// columns. sets are at most MaxSets. The answers of all parts of a partition add up to that of the whole.
func (s *Scratch) Pairs(id plan.NodeID, sets [][]uint64, pairs []Pair, part Partition) {
	k, n := &s.pairs, &s.Prog.Nodes[id]
	k.ask(sets, pairs, part)
	k.node = id
	k.calls[id]++
	k.run = part.run(s.size[n.Row])
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

// diagonal counts the rows of a pair that have themselves as a column, where that is one of the pair.
func (k *pairs) diagonal(p *Pair) (n int64) {
	for w, same := range k.same {
		if same != 0 {
			n += int64(bits.OnesCount64(same & k.sets[p.Rows][w] & k.sets[p.Cols][w]))
		}
	}
	return n
}

// ask begins a call.
func (k *pairs) ask(sets [][]uint64, pairs []Pair, part Partition) {
	k.sets, k.part = sets, part
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

// next returns the part of a call that is done after another one, -1 before the first, and parts where none is left.
func (k *pairs) next(after int) int {
	if k.part.Of <= 1 {
		return after + 1
	}
	return k.part.Next(int(k.node)+1, k.calls[k.node], k.parts, k.last)
}

// each visits the rows of a run that are asked for, with the places of the sets of rows that have each.
func (k *pairs) each(run int, visit func(x uint32, in uint64)) {
	first := run * k.run
	w := first >> 6
	clear(k.block[:])
	some := uint64(0)
	for i, r := range k.rows {
		k.block[i] = k.sets[r][w]
		some |= k.block[i]
	}
	if some &= (1<<k.run - 1) << (first & 63); some == 0 {
		return
	}
	bitset.Transpose64(&k.block)
	for ; some != 0; some &= some - 1 {
		b := bits.TrailingZeros64(some)
		visit(uint32(w<<6+b), k.block[b])
	}
}

// runs returns how many runs some rows are.
func (k *pairs) runs(rows int) int { return (rows + k.run - 1) / k.run }

// put stores the j-th set of columns.
func (k *pairs) put(j int, set []uint64) {
	for w, x := range set {
		k.cols[w*k.stride+j] = x
	}
}

// meet counts what a row, in bits or as a list, has in common with the sets of columns from word lo on. in says which
// sets of rows have it.
func (k *pairs) meet(in uint64, row []uint64, list []uint32, lo int) {
	cols := k.cols[lo*k.stride:]
	if row == nil {
		bitset.AddHits(k.sums, in, list, cols, len(k.slots))
		return
	}
	bitset.AddAndCounts(k.sums, in, row, cols, len(k.slots))
}

// rowPairs builds whole rows, one after the other.
func (s *Scratch) rowPairs(id plan.NodeID) {
	k, n := &s.pairs, &s.Prog.Nodes[id]
	words := bitset.Words(s.size[n.Col])
	k.row = grow.To(k.row, words)
	k.cols = grow.Zeroed(k.cols, words*k.stride)
	for j, set := range k.slots {
		k.put(j, k.sets[set])
	}
	visit := func(x uint32, in uint64) {
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
	}
	k.parts, k.last = k.runs(s.size[n.Row]), k.part.Backwards
	for part := k.next(-1); part < k.parts; part = k.next(part) {
		k.each(part, visit)
	}
}

// sparseRow evaluates row x of a matrix node, as bits or, where these are nil, as a list. Borrowed until the next call.
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

// RowCost estimates what building all rows of a matrix node costs: how often a row of another node is added.
func (s *Scratch) RowCost(id plan.NodeID) int {
	n := &s.Prog.Nodes[id]
	if n.Op != plan.OpMul {
		return 0
	}
	if l := s.listScan(n.Kids[0]); l != nil {
		return len(l.rows.IDs)
	}
	return s.size[n.Row]
}

func contains(row []uint64, list []uint32, id uint32) bool {
	if row != nil {
		return bitset.Has(row, id)
	}
	return slices.Contains(list, id)
}
