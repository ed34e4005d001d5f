package cut

import "resolwe/internal/grow"

// membership checks whether a column of an index is in a local unary relation.
type membership struct {
	relation int
	column   int // of the index
	negated  bool
}

// plain is a look-up that needs no frame for each row: each column of its result is a column of the index or constant during a look-up, and
// its checks are memberships.
type plain struct {
	members []membership
	columns []int // by column of the result: column of the index, -1 if constant
}

// plainOf returns a node as a plain look-up, nil if it is not one.
func (e *evaluator) plainOf(n *node) *plain {
	if n.kind != nodeLookup || n.fresh == 0 || n.distinct || len(n.computed) > 0 || len(n.out) == 0 {
		return nil
	}
	column := func(slot int) int {
		if slot < n.slotFresh() || slot >= n.slotConstant() {
			return -1
		}
		return slot - n.slotFresh() + len(n.key)
	}
	p := &plain{}
	for i := range n.checks {
		c := &n.checks[i]
		if c.kind != checkRelation || e.domains[c.relation] < 0 || len(c.key) != 1 || column(c.key[0]) < 0 {
			return nil
		}
		p.members = append(p.members, membership{c.relation, column(c.key[0]), c.negated})
	}
	for _, slot := range n.out {
		p.columns = append(p.columns, column(slot))
	}
	return p
}

// lookup appends the rows of the index that begin with the key of a frame.
func (e *evaluator) lookup(n *node, p *plain, frame []uint64, dst *rows) {
	x, fresh, skip := n.index, n.slotFresh(), len(n.key)
	lo, hi := x.find(e.keyOf(n.key, frame))
	for i := range n.windows {
		lo, hi = x.narrow(&n.windows[i], frame, lo, hi)
	}
	switch {
	case lo == hi:
		return
	case p != nil:
		e.lookupPlain(n, p, frame, lo, hi, dst)
		return
	case n.fresh == 0:
		e.emit(n, frame, dst)
		return
	}
	for row := lo; row < hi; row++ {
		for c, codes := range x.codes[skip:] {
			frame[fresh+c] = x.codecs[skip+c].value(codes[row])
		}
		e.emit(n, frame, dst)
	}
}

// lookupPlain appends the rows from lo to hi that pass the checks, one column at a time.
func (e *evaluator) lookupPlain(n *node, p *plain, frame []uint64, lo, hi int, dst *rows) {
	x := n.index
	picked := e.picked[:0]
	if len(p.members) > 0 {
		for row := lo; row < hi; row++ {
			picked = append(picked, uint32(row))
		}
		hi = lo
	}
	for _, m := range p.members {
		picked = pick(picked, x.codes[m.column], e.setOf(m.relation), m.negated)
	}
	e.picked = picked
	count, start, width := hi-lo+len(picked), len(dst.data), len(p.columns)
	dst.data = grow.By(dst.data, count*width)
	dst.n += count
	for c, column := range p.columns {
		at := start + c
		if column < 0 {
			for ; at < len(dst.data); at += width {
				dst.data[at] = frame[n.out[c]]
			}
			continue
		}
		codes, codec := x.codes[column], &x.codecs[column]
		for _, code := range codes[lo:hi] {
			dst.data[at] = codec.value(code)
			at += width
		}
		for _, row := range picked {
			dst.data[at] = codec.value(codes[row])
			at += width
		}
	}
}

// pick keeps the rows whose codes are in a set or, if negated, are not. It does not branch on the set's bits.
func pick(rows, codes []uint32, set []uint64, negated bool) []uint32 {
	n, skip := 0, uint64(0)
	if negated {
		skip = 1
	}
	for _, row := range rows {
		rows[n] = row
		bit := uint64(0)
		if code := codes[row]; int(code>>6) < len(set) {
			bit = set[code>>6] >> (code & 63) & 1
		}
		n += int(bit ^ skip)
	}
	return rows[:n]
}
