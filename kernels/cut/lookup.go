package cut

import "slices"

// membership is a check that a column of an index is, or is not, in a local relation of one column.
type membership struct {
	relation int
	column   int // of the index
	negated  bool
}

// plain is a look-up that needs no frame for each row: each column of its result is one of the index or is the same for all
// rows of a look-up, and its checks are memberships.
type plain struct {
	members []membership
	columns []int // by column of the result: of the index, -1 where it is the same for all rows
}

// plainOf returns a node as a plain look-up, nil where it is none.
func (e *evaluator) plainOf(n *node) *plain {
	if n.kind != nodeLookup || n.fresh == 0 || n.distinct || len(n.spans) > 0 || len(n.out) == 0 {
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

// lookup adds the rows of the index that begin with the key of a frame.
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

// lookupPlain adds the rows from lo to hi that pass the checks, a column at a time.
func (e *evaluator) lookupPlain(n *node, p *plain, frame []uint64, lo, hi int, dst *rows) {
	picked := e.picked[:0]
	for i, m := range p.members {
		if i == 0 {
			picked = pickRange(picked, n.index.codes[m.column], lo, hi, e.setOf(m.relation), m.negated)
		} else {
			picked = pick(picked, n.index.codes[m.column], e.setOf(m.relation), m.negated)
		}
	}
	e.picked = picked
	count, start, width := hi-lo, len(dst.data), len(p.columns)
	if len(p.members) > 0 {
		count = len(picked)
	}
	dst.data = slices.Grow(dst.data, count*width)[:start+count*width]
	dst.n += count
	for c, column := range p.columns {
		to := dst.data[start+c:]
		if count == 0 {
			return
		}
		if column < 0 {
			v := frame[n.out[c]]
			for i := 0; i < len(to); i += width {
				to[i] = v
			}
			continue
		}
		codes, codec := n.index.codes[column], &n.index.codecs[column]
		switch {
		case len(p.members) == 0:
			codec.spread(to, width, codes[lo:hi])
		default:
			codec.spreadPicked(to, width, codes, picked)
		}
	}
}

// spread writes the numbers of codes, width apart.
func (c *codec) spread(to []uint64, width int, codes []uint32) {
	k := 0
	if c.values != nil {
		for _, code := range codes {
			to[k] = c.values[code]
			k += width
		}
		return
	}
	for _, code := range codes {
		to[k] = c.base + uint64(code)
		k += width
	}
}

// spreadPicked is spread for the codes at some rows.
func (c *codec) spreadPicked(to []uint64, width int, codes, rows []uint32) {
	k := 0
	for _, row := range rows {
		to[k] = c.value(codes[row])
		k += width
	}
}

// has returns 1 where a set holds a code, else 0.
func has(set []uint64, code uint32) uint64 {
	word := code >> 6
	if uint64(word) >= uint64(len(set)) {
		return 0
	}
	return set[word] >> (code & 63) & 1
}

// pickRange appends the rows from lo to hi whose codes are in a set, or are not.
func pickRange(picked, codes []uint32, lo, hi int, set []uint64, negated bool) []uint32 {
	n, skip := len(picked), uint64(0)
	if negated {
		skip = 1
	}
	picked = slices.Grow(picked, hi-lo)[:n+hi-lo]
	for row := lo; row < hi; row++ {
		picked[n] = uint32(row)
		n += int(has(set, codes[row]) ^ skip)
	}
	return picked[:n]
}

// pick keeps the rows whose codes are in a set, or are not.
func pick(rows, codes []uint32, set []uint64, negated bool) []uint32 {
	n, skip := 0, uint64(0)
	if negated {
		skip = 1
	}
	for _, row := range rows {
		rows[n] = row
		n += int(has(set, codes[row]) ^ skip)
	}
	return rows[:n]
}
