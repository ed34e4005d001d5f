package join

import (
	"errors"
	"math/bits"

	"resolwe/kernels/bitset"
	"resolwe/kernels/plan"
)

// ErrOverflow is returned for a count beyond 2^63 - 1.
var ErrOverflow = errors.New("count beyond 2^63 - 1")

// overflow carries ErrOverflow out of the depth of an evaluation, to Counting.
type overflow struct{}

// Counting calls f, which evaluates nodes over the counting semiring, and returns ErrOverflow where a count did not fit.
// It may be called within itself.
func (s *Scratch) Counting(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(overflow); !ok {
				panic(r)
			}
			clear(s.acc)
			clear(s.hit)
			for i := range s.counts { // some are half done
				s.counts[i].epoch = s.epoch - 1
			}
			err = ErrOverflow
		}
	}()
	return f()
}

// Overflow ends an evaluation under Counting with ErrOverflow.
func Overflow() { panic(overflow{}) }

// Mul multiplies counts. It must run under Counting.
func Mul(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo>>63 != 0 {
		Overflow()
	}
	return int64(lo)
}

// Add adds counts. It must run under Counting.
func Add(a, b int64) int64 {
	c := a + b
	if c < 0 {
		Overflow()
	}
	return c
}

// Vec is a sparse vector of counts: N[i] at IDs[i], ascending; N is nil where all are 1.
type Vec struct {
	IDs []uint32
	N   []int64
}

// At returns the count of the i-th entry.
func (v Vec) At(i int) int64 {
	if v.N == nil {
		return 1
	}
	return v.N[i]
}

// countNode is a node's value over the counting semiring, as far as it has been asked for.
type countNode struct {
	epoch  uint32
	scalar int64
	dense  []int64 // of a vector
	rows   []Vec
	done   []bool
}

func (s *Scratch) countNode(id plan.NodeID) (n *countNode, fresh bool) {
	n = &s.counts[id]
	if n.epoch == s.epoch {
		return n, false
	}
	n.epoch = s.epoch
	return n, true
}

// Count evaluates a scalar node: the number of solutions. It must run under Counting.
func (s *Scratch) Count(id plan.NodeID) int64 {
	c, fresh := s.countNode(id)
	if !fresh {
		return c.scalar
	}
	n := &s.Prog.Nodes[id]
	c.scalar = 0
	if n.Op == plan.OpSum {
		for _, k := range s.Counts(n.Kids[0]) {
			c.scalar = Add(c.scalar, k)
		}
		return c.scalar
	}
	if n.Op == plan.OpProject {
		s.weigh(n, func(_ *projection, _ int, w int64) { c.scalar = Add(c.scalar, w) })
		return c.scalar
	}
	if l := s.leafOf(id); l.holds != l.complement {
		c.scalar = 1
	}
	return c.scalar
}

// Counts evaluates a vector node: the number of solutions for each entity of its type. Borrowed. It must run under
// Counting.
func (s *Scratch) Counts(id plan.NodeID) []int64 {
	c, fresh := s.countNode(id)
	if !fresh {
		return c.dense
	}
	n := &s.Prog.Nodes[id]
	dst := s.nums.take(s.size[n.Row])
	c.dense = dst
	switch n.Op {
	case plan.OpLeaf, plan.OpAll, plan.OpDifferConst:
		bitset.Each(s.Set(id), func(x uint32) bool {
			dst[x] = 1
			return true
		})
	case plan.OpAnd:
		copy(dst, s.Counts(n.Kids[0]))
		for _, k := range n.Kids[1:] {
			for x, f := range s.Counts(k) {
				dst[x] = Mul(dst[x], f)
			}
		}
	case plan.OpVec:
		var within []int64
		if n.Kids[2] != plan.None {
			within = s.Counts(n.Kids[2])
		}
		for x := range dst {
			dst[x] = s.dot(n.Kids[0], uint32(x), within)
		}
	case plan.OpProject:
		s.weigh(n, func(p *projection, i int, w int64) { dst[p.row[i]] = Add(dst[p.row[i]], w) })
	case plan.OpDiffer, plan.OpMul, plan.OpSum: // of other shapes
	}
	return dst
}

// dot sums row x of a matrix, weighted by a dense vector where there is one.
func (s *Scratch) dot(id plan.NodeID, x uint32, within []int64) int64 {
	sum := int64(0)
	if except, ok := s.except(id, x); ok {
		n := s.size[s.Prog.Nodes[id].Col]
		if within == nil {
			return int64(n - len(except))
		}
		for z, k := range within {
			if len(except) > 0 && except[0] == uint32(z) {
				except = except[1:]
				continue
			}
			sum = Add(sum, k)
		}
		return sum
	}
	if s.Prog.Nodes[id].Op == plan.OpLeaf {
		return s.leafOf(id).dot(x, within)
	}
	row := s.CountRow(id, x)
	if row.N == nil && within == nil {
		return int64(len(row.IDs))
	}
	for i, z := range row.IDs {
		k := row.At(i)
		if within != nil {
			k = Mul(k, within[z])
		}
		sum = Add(sum, k)
	}
	return sum
}

// dot sums a dense vector, of ones where there is none, over what is listed for row x.
func (l *leaf) dot(x uint32, within []int64) int64 {
	if within == nil {
		return int64(l.len(x))
	}
	sum := int64(0)
	for _, ids := range [...][]uint32{l.rows.Row(x), l.also.Row(x)} {
		for _, z := range ids {
			sum = Add(sum, within[z])
		}
	}
	return sum
}

// except returns what row x of a matrix lacks, where that is known without listing what it has: of a complement and of
// an inequality.
func (s *Scratch) except(id plan.NodeID, x uint32) ([]uint32, bool) {
	if op := s.Prog.Nodes[id].Op; op == plan.OpDiffer {
		out := s.ids.take(1)
		out[0] = x
		return out, true
	} else if op != plan.OpLeaf {
		return nil, false
	}
	l := s.leafOf(id)
	return l.rows.Row(x), l.complement
}

// CountRow evaluates row x of a matrix node: the number of solutions for each entity of the column type that has one.
// Borrowed. It must run under Counting.
func (s *Scratch) CountRow(id plan.NodeID, x uint32) Vec {
	n := &s.Prog.Nodes[id]
	if n.Op == plan.OpLeaf {
		if l := s.leafOf(id); !l.complement && len(l.also.IDs) == 0 {
			return Vec{IDs: l.rows.Row(x)}
		}
	}
	c, fresh := s.countNode(id)
	if fresh {
		c.rows = resized(c.rows, s.size[n.Row])
		c.done = resized(c.done, s.size[n.Row])
	}
	if c.done[x] {
		return c.rows[x]
	}
	var row Vec
	switch n.Op {
	case plan.OpLeaf, plan.OpDiffer:
		bits := s.Row(id, x)
		row.IDs = bitset.AppendIDs(s.ids.take(bitset.Count(bits))[:0], bits)
	case plan.OpAnd:
		row = s.andRow(n, x)
	case plan.OpMul:
		row = s.product(n, x)
	case plan.OpAll, plan.OpDifferConst, plan.OpVec, plan.OpSum, plan.OpProject: // of other shapes
	}
	c.rows[x], c.done[x] = row, true
	return row
}

// andRow returns row x of an elementwise product. What only leaves out entries comes last.
func (s *Scratch) andRow(n *plan.Node, x uint32) Vec {
	var row Vec
	begun, late := false, false
	for _, k := range n.Kids {
		if _, ok := s.except(k, x); ok {
			late = true
			continue
		}
		if r := s.CountRow(k, x); begun {
			row = s.multiplied(row, r)
		} else {
			row, begun = r, true
		}
	}
	if !late {
		return row
	}
	for _, k := range n.Kids {
		except, ok := s.except(k, x)
		switch {
		case !ok:
		case begun:
			row = s.without(row, except)
		default:
			row, begun = s.CountRow(k, x), true
		}
	}
	return row
}

// without returns a row less some of its entries.
func (s *Scratch) without(row Vec, except []uint32) Vec {
	out := Vec{IDs: s.ids.take(len(row.IDs))[:0]}
	if row.N != nil {
		out.N = s.nums.take(len(row.IDs))[:0]
	}
	for i, id := range row.IDs {
		for len(except) > 0 && except[0] < id {
			except = except[1:]
		}
		if len(except) > 0 && except[0] == id {
			continue
		}
		out.IDs = append(out.IDs, id)
		if row.N != nil {
			out.N = append(out.N, row.N[i])
		}
	}
	return out
}

// multiplied returns the elementwise product of two rows.
func (s *Scratch) multiplied(a, b Vec) Vec {
	if a.N == nil && b.N == nil {
		return Vec{IDs: s.met(a.IDs, b.IDs)}
	}
	out := Vec{IDs: s.ids.take(min(len(a.IDs), len(b.IDs)))[:0]}
	out.N = s.nums.take(cap(out.IDs))[:0]
	for i, j := 0, 0; i < len(a.IDs) && j < len(b.IDs); {
		switch {
		case a.IDs[i] < b.IDs[j]:
			i++
		case a.IDs[i] > b.IDs[j]:
			j++
		default:
			out.IDs = append(out.IDs, a.IDs[i])
			out.N = append(out.N, Mul(a.At(i), b.At(j)))
			i++
			j++
		}
	}
	return out
}

// met returns what two ascending lists have in common. Which of them is behind is hard to foresee: it does not branch.
func (s *Scratch) met(a, b []uint32) []uint32 {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	out, n := s.ids.take(min(len(a), len(b))), 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		x, y := a[i], b[j]
		out[n] = x
		atMost, atLeast := 0, 0
		if x <= y {
			atMost = 1
		}
		if x >= y {
			atLeast = 1
		}
		i, j, n = i+atMost, j+atLeast, n+atMost&atLeast
	}
	return out[:n]
}

// product returns row x of a matrix product. The inner rows are evaluated first, since they share the accumulator.
func (s *Scratch) product(n *plan.Node, x uint32) Vec {
	a, b := s.CountRow(n.Kids[0], x), n.Kids[2]
	var within []int64
	if n.Kids[1] != plan.None {
		within = s.Counts(n.Kids[1])
	}
	for _, z := range a.IDs {
		s.CountRow(b, z)
	}
	for i, z := range a.IDs {
		k := a.At(i)
		if within != nil {
			k = Mul(k, within[z])
		}
		if k == 0 {
			continue
		}
		row := s.CountRow(b, z)
		for j, y := range row.IDs {
			s.acc[y] = Add(s.acc[y], Mul(k, row.At(j)))
			bitset.Set(s.hit, y)
		}
	}
	words := s.hit[:bitset.Words(s.size[n.Col])]
	out := Vec{IDs: bitset.AppendIDs(s.ids.take(bitset.Count(words))[:0], words)}
	out.N = s.nums.take(len(out.IDs))
	for i, y := range out.IDs {
		out.N[i], s.acc[y] = s.acc[y], 0
	}
	clear(words)
	return out
}
