package join

import (
	"errors"
	"math/bits"
	"slices"

	"resolwe/format/subgraph"
	"resolwe/kernels/bitset"
	"resolwe/kernels/plan"
)

// ErrOverflow is returned for counts beyond 2^63 - 1.
var ErrOverflow = errors.New("count beyond 2^63 - 1")

// stopped carries an error from deep inside an evaluation to Counting.
type stopped struct{ err error }

// Counting calls f, which evaluates nodes over the counting semiring, and returns ErrOverflow if a count does not fit, or the error of
// Stop. Calls may be nested.
func (s *Scratch) Counting(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			stop, ok := r.(stopped)
			if !ok {
				panic(r)
			}
			clear(s.acc)
			clear(s.hit)
			s.inner = s.inner[:0]
			for i := range s.counts { // some are incomplete
				s.counts[i].epoch = s.epoch - 1
			}
			err = stop.err
		}
	}()
	return f()
}

// Overflow ends an evaluation under Counting with ErrOverflow.
func Overflow() { panic(stopped{ErrOverflow}) }

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

// Vec is a sparse vector of counts: N[i] at IDs[i], ascending; a nil N means all ones.
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

// countNode is the part of a node's value over the counting semiring computed so far.
type countNode struct {
	epoch  uint32
	scalar int64
	dense  []int64         // of a vector
	lists  *subgraph.Index // for a matrix of zeros and ones; nil if its rows are built one by one
	rows   rowCache[Vec]
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
		s.weigh(n, func(_ uint32, w int64) { c.scalar = Add(c.scalar, w) })
		return c.scalar
	}
	if l := s.scanOf(id); l.holds != l.complement {
		c.scalar = 1
	}
	return c.scalar
}

// Total counts the solutions of a query without outputs, times the entities of some types. It must run under Counting.
func (s *Scratch) Total(q *plan.Query, types ...int) int64 {
	if slices.ContainsFunc(types, func(typ int) bool { return s.size[typ] == 0 }) {
		return 0
	}
	count := s.enumerated
	if q.Reduced {
		count = s.Scalar
	}
	n := count(q)
	for _, typ := range types {
		n = Mul(n, int64(s.size[typ]))
	}
	return n
}

// enumerated is Scalar for a query that is not reduced.
func (s *Scratch) enumerated(q *plan.Query) (n int64) {
	s.Enumerate(q, true, func(_ []uint32, k int64) bool {
		n = k
		return true
	})
	return n
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
	case plan.OpScan, plan.OpAll, plan.OpDifferConst:
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
		s.dots(dst, n.Kids[0], within)
	case plan.OpProject:
		s.weigh(n, func(x uint32, w int64) { dst[x] = Add(dst[x], w) })
	case plan.OpDiffer, plan.OpMul, plan.OpSum: // of other shapes
	}
	return dst
}

// dots sets dst to the sums of all rows of a matrix, weighted by a dense vector if there is one.
func (s *Scratch) dots(dst []int64, id plan.NodeID, within []int64) {
	if s.dotsApart(dst, id, within) {
		return
	}
	var lists *subgraph.Index
	if s.Prog.Nodes[id].Op == plan.OpScan {
		lists = s.Lists(id)
	}
	for x := range dst {
		if lists == nil {
			dst[x] = s.dot(id, uint32(x), within)
			continue
		}
		row := lists.Row(uint32(x))
		if dst[x] = int64(len(row)); within != nil {
			dst[x] = 0
			for _, z := range row {
				dst[x] = Add(dst[x], within[z])
			}
		}
	}
}

// dot sums row x of a matrix, weighted by a dense vector if there is one.
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
	if s.Prog.Nodes[id].Op == plan.OpScan {
		return s.scanOf(id).dot(x, within)
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

// dot sums a dense vector, or ones without it, over the list of row x.
func (l *scan) dot(x uint32, within []int64) int64 {
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

// except returns the entities missing from row x of a matrix, if they are known without listing the row: for a complement and for an
// inequality.
func (s *Scratch) except(id plan.NodeID, x uint32) ([]uint32, bool) {
	if op := s.Prog.Nodes[id].Op; op == plan.OpDiffer {
		out := s.ids.take(1)
		out[0] = x
		return out, true
	} else if op != plan.OpScan || s.unexpanded(id) {
		return nil, false
	}
	l := s.scanOf(id)
	return l.rows.Row(x), l.complement
}
