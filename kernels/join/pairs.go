package join

import (
	"math/bits"
	"slices"

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

// Share divides the work on one subgraph: of the rows, or of runs of them, it has those that are Index modulo Of. The
// zero value has all of them.
type Share struct{ Index, Of int }

// Has reports whether the share has the i-th of things.
func (h Share) Has(i int) bool { return h.Of <= 1 || i%h.Of == h.Index }

// Mask returns the rows of the i-th word of a set that belong to the share, which takes them in runs of a power of two,
// at most 64.
func (h Share) Mask(i, run int) uint64 {
	if h.Of <= 1 {
		return ^uint64(0)
	}
	mask := uint64(0)
	first := (h.Index - i*64/run%h.Of + h.Of) % h.Of
	for at := first * run; at < 64; at += h.Of * run {
		mask |= (1<<run - 1) << at
	}
	return mask
}

// The runs that the rows of a matrix are divided in: of longestRun rows, which lie side by side, but at least leastRuns
// for each share, unless they are of one row.
const (
	longestRun = 16
	leastRuns  = 16
)

// run returns the length of the runs of n rows.
func (h Share) run(n int) int {
	run := longestRun
	for run > 1 && run*leastRuns*h.Of > n {
		run /= 2
	}
	return run
}

// pairs is a call of Pairs, and its memory.
type pairs struct {
	sets  [][]uint64
	share Share
	run   int             // of rows
	rows  []int           // the sets of rows
	slots []slot          // a slot for each set of columns
	asks  [MaxSets]uint64 // by set of rows: the slots that it is asked for with
	row   []uint64
	same  []uint64 // the rows that have themselves as a column
	block [64]uint64
	tiles []tiles  // by node
	room  int      // words of a tile
	least int      // words of its rows, however many these are
	bits  []uint64 // of a tile that is not kept
	cols  []uint64 // of all slots, renumbered

	active, present []uint64
	list            []uint32
}

// slot is a set of columns, and who asks for it.
type slot struct {
	set   int
	cols  []uint64 // its members, as the rows that are met with it number them
	asked []asked
}

// asked is a pair, and what has been counted for it.
type asked struct {
	rows int // the set of rows
	n    int64
	pair int
}

// Pairs answers for the rows of a share, over the boolean semiring: each row is built once, and met with each set of
// columns. sets are at most MaxSets.
func (s *Scratch) Pairs(id plan.NodeID, sets [][]uint64, pairs []Pair, share Share) {
	k, n := &s.pairs, &s.Prog.Nodes[id]
	k.ask(sets, pairs, share)
	k.run = share.run(s.size[n.Row])
	k.same = resized(k.same, bitset.Words(s.size[n.Row]))
	if !s.tiledPairs(id) {
		s.rowPairs(id)
	}
	for i := range k.slots {
		for _, a := range k.slots[i].asked {
			pairs[a.pair].N, pairs[a.pair].Same = a.n, k.diagonal(&pairs[a.pair])
		}
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
func (k *pairs) ask(sets [][]uint64, pairs []Pair, share Share) {
	k.sets, k.share = sets, share
	k.rows, k.slots = k.rows[:0], k.slots[:0]
	for i, p := range pairs {
		if !slices.Contains(k.rows, p.Rows) {
			k.rows = append(k.rows, p.Rows)
			k.asks[p.Rows] = 0
		}
		at := k.slot(p.Cols)
		k.asks[p.Rows] |= 1 << at
		t := &k.slots[at]
		t.asked = append(t.asked, asked{rows: p.Rows, pair: i})
	}
}

// slot returns the place of the slot of a set of columns.
func (k *pairs) slot(set int) int {
	n := len(k.slots)
	for i := range k.slots {
		if k.slots[i].set == set {
			return i
		}
	}
	k.slots = slices.Grow(k.slots, 1)[:n+1]
	t := &k.slots[n]
	*t = slot{set: set, cols: k.sets[set], asked: t.asked[:0]}
	return n
}

// each visits the rows that are asked for, with the sets of rows that have each.
func (k *pairs) each(visit func(x uint32, in uint64)) {
	for w := range k.same {
		clear(k.block[:])
		some := uint64(0)
		for _, r := range k.rows {
			k.block[r] = k.sets[r][w]
			some |= k.block[r]
		}
		if some &= k.share.Mask(w, k.run); some == 0 {
			continue
		}
		bitset.Transpose64(&k.block)
		for ; some != 0; some &= some - 1 {
			b := bits.TrailingZeros64(some)
			visit(uint32(w<<6+b), k.block[b])
		}
	}
}

// meet adds to the pairs what a row, in bits or as a list, has in common with words lo to hi of their columns. in says
// which sets of rows have it.
func (k *pairs) meet(in uint64, row []uint64, list []uint32, lo, hi int) {
	some := uint64(0)
	for m := in; m != 0; m &= m - 1 {
		some |= k.asks[bits.TrailingZeros64(m)]
	}
	for ; some != 0; some &= some - 1 {
		t := &k.slots[bits.TrailingZeros64(some)]
		n := int64(common(row, list, t.cols[lo:hi]))
		for j := range t.asked {
			a := &t.asked[j]
			a.n += n & -int64(in>>(a.rows&63)&1)
		}
	}
}

// rowPairs builds whole rows, one after the other.
func (s *Scratch) rowPairs(id plan.NodeID) {
	k, n := &s.pairs, &s.Prog.Nodes[id]
	words := bitset.Words(s.size[n.Col])
	k.row = grown(k.row, words)
	k.each(func(x uint32, in uint64) {
		row, list := s.sparseRow(id, x)
		if row == nil && len(list) == 0 {
			return
		}
		if n.Row == n.Col && contains(row, list, x) {
			bitset.Set(k.same, x)
		}
		k.meet(in, row, list, 0, words)
		s.work.Edges += uint64(len(list) * len(k.slots))
		s.work.Words += uint64(len(row) * len(k.slots))
	})
}

// sparseRow evaluates row x of a matrix node, as bits or, where these are nil, as a list. Borrowed until the next call.
func (s *Scratch) sparseRow(id plan.NodeID, x uint32) (row []uint64, list []uint32) {
	n := &s.Prog.Nodes[id]
	k := &s.pairs
	if l := s.plainLeaf(id); l != nil {
		if l.len(x) <= len(k.row)/longList {
			return nil, l.rows.Row(x)
		}
		return s.Row(id, x), nil
	}
	if n.Op != plan.OpMul || s.onBase(id) {
		return s.Row(id, x), nil
	}
	if b := &s.bools[id]; b.epoch == s.epoch {
		if row := b.rows.row(x); row != nil {
			return row, nil
		}
	}
	if l := s.plainLeaf(n.Kids[0]); l != nil && n.Kids[1] == plan.None {
		switch z := l.rows.Row(x); len(z) {
		case 0:
			return nil, nil
		case 1:
			return s.sparseRow(n.Kids[2], z[0])
		}
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
	if l := s.plainLeaf(n.Kids[0]); l != nil {
		return len(l.rows.IDs)
	}
	return s.size[n.Row]
}

func common(row []uint64, list []uint32, set []uint64) int {
	if row != nil {
		return bitset.AndCount(row, set)
	}
	n := 0
	for _, id := range list {
		n += int(set[id>>6] >> (id & 63) & 1)
	}
	return n
}

func contains(row []uint64, list []uint32, id uint32) bool {
	if row != nil {
		return bitset.Has(row, id)
	}
	return slices.Contains(list, id)
}

// grown returns a slice of n elements in the memory of s where it suffices.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
