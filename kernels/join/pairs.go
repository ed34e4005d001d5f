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

// Share divides the work on one subgraph: of the words of a set of rows it has those whose position is Index modulo Of.
// The zero value has all of them.
type Share struct{ Index, Of int }

// Has reports whether a word of a set belongs to the share.
func (h Share) Has(word int) bool { return h.Of <= 1 || word%h.Of == h.Index }

// pairs is the memory of Pairs.
type pairs struct {
	need   []uint64 // by row: the slots of the sets of columns that it is to be met with
	slot   [MaxSets]int
	cols   []int    // by slot: the set
	degree []uint32 // by slot and row: how many of the set the row has
	row    []uint64
	same   []uint64
}

// Pairs answers for the rows of a share, over the boolean semiring: each row is built once, and met with each set of
// columns. sets are at most MaxSets.
func (s *Scratch) Pairs(id plan.NodeID, sets [][]uint64, pairs []Pair, share Share) {
	k, n := &s.pairs, &s.Prog.Nodes[id]
	k.ask(64*bitset.Words(s.size[n.Row]), sets, pairs, share)
	k.row = grown(k.row, bitset.Words(s.size[n.Col]))
	for x, need := range k.need {
		if need == 0 {
			continue
		}
		row, list := s.sparseRow(id, uint32(x))
		if n.Row == n.Col && contains(row, list, uint32(x)) {
			bitset.Set(k.same, uint32(x))
		}
		s.work.Edges += uint64(len(list))
		for ; need != 0; need &= need - 1 {
			slot := bits.TrailingZeros64(need)
			k.degree[slot*len(k.need)+x] = uint32(common(row, list, sets[k.cols[slot]]))
			s.work.Words += uint64(len(row))
		}
	}
	for i := range pairs {
		k.sum(&pairs[i], sets, share)
	}
}

// ask notes which rows are to be met with which sets of columns.
func (k *pairs) ask(rows int, sets [][]uint64, pairs []Pair, share Share) {
	k.need, k.same = resized(k.need, rows), resized(k.same, rows/64)
	k.cols = k.cols[:0]
	for _, p := range pairs {
		slot := slices.Index(k.cols, p.Cols)
		if slot < 0 {
			slot = len(k.cols)
			k.slot[p.Cols] = slot
			k.cols = append(k.cols, p.Cols)
		}
		for i, w := range sets[p.Rows] {
			if !share.Has(i) {
				continue
			}
			for ; w != 0; w &= w - 1 {
				k.need[i<<6+bits.TrailingZeros64(w)] |= 1 << slot
			}
		}
	}
	k.degree = grown(k.degree, len(k.cols)*rows)
}

// sum answers for a pair from what the rows have of its set of columns.
func (k *pairs) sum(p *Pair, sets [][]uint64, share Share) {
	p.N, p.Same = 0, 0
	degree := k.degree[k.slot[p.Cols]*len(k.need):][:len(k.need)]
	for i, w := range sets[p.Rows] {
		if !share.Has(i) {
			continue
		}
		if same := w & k.same[i]; same != 0 {
			p.Same += int64(bits.OnesCount64(same & sets[p.Cols][i]))
		}
		for ; w != 0; w &= w - 1 {
			p.N += int64(degree[i<<6+bits.TrailingZeros64(w)])
		}
	}
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
		if row := b.rows.row(s.epoch, x); row != nil {
			return row, nil
		}
	}
	l := s.plainLeaf(n.Kids[0])
	if l == nil || n.Kids[1] != plan.None {
		clear(k.row)
		s.mulInto(k.row, n, x)
		s.work.Rows++
		return k.row, nil
	}
	z := l.rows.Row(x)
	switch len(z) {
	case 0:
		return nil, nil
	case 1:
		return s.sparseRow(n.Kids[2], z[0])
	}
	clear(k.row)
	s.work.Rows++
	if m := s.matrix(n.Kids[2]); m != nil {
		bitset.OrRows(k.row, m, z)
		s.work.Words += uint64(len(z) * len(k.row))
	} else {
		s.mulInto(k.row, n, x)
	}
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

// maxMatrix bounds the words of a relation that is kept as bits: 32 MB.
const maxMatrix = 1 << 22

// matrix returns all rows of a relation as bits, one after the other; nil where it is not dense enough to gain by that.
func (s *Scratch) matrix(id plan.NodeID) []uint64 {
	b := &s.bools[id]
	if b.matrixEpoch == s.epoch {
		return b.matrix
	}
	b.matrixEpoch, b.matrix = s.epoch, nil
	n := &s.Prog.Nodes[id]
	words := bitset.Words(s.size[n.Col])
	l := s.plainLeaf(id)
	if l == nil || s.size[n.Row]*words > maxMatrix || 64*len(l.rows.IDs) < s.size[n.Row]*words {
		return nil
	}
	b.matrix = s.words.take(s.size[n.Row] * words)
	for x := range s.size[n.Row] {
		l.setRow(b.matrix[x*words:(x+1)*words], uint32(x))
	}
	s.work.Edges += uint64(len(l.rows.IDs))
	return b.matrix
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
