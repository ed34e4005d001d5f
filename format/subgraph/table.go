package subgraph

import (
	"fmt"
	"math"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph/internal/order"
)

// Why a table is refused.
var (
	errOrder   = malformed("tuples are not sorted or repeat")
	errDomain  = malformed("an id is beyond its domain")
	errOffsets = malformed("offsets do not ascend to the number of tuples")
	errAgree   = malformed("the index and the columns disagree")
	errColumns = malformed("columns differ in number or length")
)

// check holds a table against what Table promises, the agreement of Forward and Backward aside: see checkIndexes.
func (t *Table) check(args, sizes []int) error {
	n := t.Len()
	if n == 0 {
		return nil
	}
	if len(t.Cols) != len(args) {
		return errColumns
	}
	for _, c := range t.Cols {
		if len(c) != n {
			return errColumns
		}
	}
	if uint64(n) > math.MaxUint32 {
		return malformed("more tuples than 2^32 - 1")
	}
	switch len(args) {
	case 1:
		return checkRow(t.Cols[0], sizes[args[0]])
	case 2:
		return t.checkBinary(sizes[args[0]], sizes[args[1]])
	}
	return t.checkColumns(args, sizes)
}

// checkRow requires ids, one at least, that ascend strictly and stay below n.
func checkRow(ids []uint32, n int) error {
	falls, largest := order.Falls(ids)
	switch {
	case falls > 0:
		return errOrder
	case uint64(largest) >= uint64(n):
		return errDomain
	}
	return nil
}

// checkBinary leaves it to checkIndexes that the forward index has the second column.
func (t *Table) checkBinary(rows, cols int) error {
	n := t.Len()
	if len(t.Forward.IDs) != n || len(t.Backward.IDs) != n {
		return errColumns
	}
	if !t.Forward.spans(rows) || !t.Backward.spans(cols) {
		return errOffsets
	}
	falls, largest := order.PairFalls(t.Cols[0], t.Cols[1])
	switch {
	case falls > 0:
		return errOrder
	case uint64(t.Cols[0][n-1]) >= uint64(rows) || uint64(largest) >= uint64(cols):
		return errDomain
	case !order.AreBounds(t.Forward.Offsets, t.Cols[0]):
		return errOffsets
	}
	return t.Backward.check(rows)
}

// spans reports whether the offsets lead over all ids in so many rows.
func (x *Index) spans(rows int) bool {
	return len(x.Offsets) == rows+1 && x.Offsets[0] == 0 && uint64(x.Offsets[rows]) == uint64(len(x.IDs))
}

// check requires an index whose rows ascend strictly, and stay below n.
func (x *Index) check(n int) error {
	falls, largest := order.Falls(x.IDs)
	if uint64(largest) >= uint64(n) {
		return errDomain
	}
	between, ok := order.StartFalls(x.Offsets, x.IDs)
	switch {
	case !ok:
		return errOffsets
	case falls != between:
		return errOrder
	}
	return nil
}

func (t *Table) checkColumns(args, sizes []int) error {
	for c, col := range t.Cols {
		if _, largest := order.Falls(col); uint64(largest) >= uint64(sizes[args[c]]) {
			return errDomain
		}
	}
	if order.TupleFalls(t.Cols) > 0 {
		return errOrder
	}
	return nil
}

// compare orders row i of t against row k of u, lexicographically.
func (t *Table) compare(i int, u *Table, k int) int {
	for c, col := range t.Cols {
		if x, y := col[i], u.Cols[c][k]; x != y {
			if x < y {
				return -1
			}
			return 1
		}
	}
	return 0
}

// checkIndexes requires that both indexes of a checked binary table hold its columns.
func (t *Table) checkIndexes() error {
	if t.Len() == 0 || len(t.Cols) != 2 {
		return nil
	}
	if !slices.Equal(t.Cols[1], t.Forward.IDs) {
		return errAgree
	}
	next, differ := slices.Clone(t.Backward.Offsets[:len(t.Backward.Offsets)-1]), uint32(0)
	for i, col := range t.Cols[1] {
		at := next[col]
		if uint64(at) >= uint64(len(t.Backward.IDs)) {
			return errAgree
		}
		differ |= t.Backward.IDs[at] ^ t.Cols[0][i]
		next[col]++
	}
	if differ != 0 || !slices.Equal(next, t.Backward.Offsets[1:]) {
		return errAgree
	}
	return nil
}

// disjoint reports whether two checked tables share no tuple.
func (t *Table) disjoint(u *Table) bool {
	for i, k := 0, 0; i < t.Len() && k < u.Len(); {
		switch c := t.compare(i, u, k); {
		case c == 0:
			return false
		case c < 0:
			i++
		default:
			k++
		}
	}
	return true
}

// appendTable writes a table that is not empty; FORMAT.md gives the order of its arrays.
func appendTable(dst []byte, t *Table) []byte {
	if t.Len() == 0 {
		return dst
	}
	for _, c := range t.Cols {
		dst = appendWords(dst, c)
	}
	if len(t.Cols) == 2 {
		dst = appendWords(dst, t.Forward.Offsets)
		dst = appendWords(dst, t.Backward.Offsets)
		dst = appendWords(dst, t.Backward.IDs)
	}
	return dst
}

// wordReader hands out consecutive parts of a section of words.
type wordReader struct{ rest []uint32 }

func (r *wordReader) take(n int) []uint32 {
	out := r.rest[:n:n]
	r.rest = r.rest[n:]
	return out
}

// table reads n tuples into t, whose columns are there and nil. The words are known to suffice.
func (r *wordReader) table(t *Table, n int, args, sizes []int) {
	if n == 0 {
		return
	}
	for c := range t.Cols {
		t.Cols[c] = r.take(n)
	}
	if len(args) == 2 {
		t.Forward = Index{Offsets: r.take(sizes[args[0]] + 1), IDs: t.Cols[1]}
		t.Backward = Index{Offsets: r.take(sizes[args[1]] + 1), IDs: r.take(n)}
	}
}

// parseFacts reads the relations from a FACT section and checks them.
func (b *Buffer) parseFacts(section []byte, schema *mln.Schema) error {
	h := b.head
	if uint64(len(section)) != h.factWords(schema)*wordSize {
		return malformed("section has %d bytes, the counts ask for %d words", len(section), h.factWords(schema))
	}
	arities := 0
	for i := range schema.Predicates {
		arities += len(schema.Predicates[i].Args)
	}
	b.cols = resize(b.cols, 3*arities)
	clear(b.cols)
	cols := b.cols
	r := wordReader{rest: words(section)}
	b.relations = resize(b.relations, len(schema.Predicates))
	clear(b.relations)
	for i := range b.relations {
		p := &schema.Predicates[i]
		for k, t := range b.relations[i].tables() {
			t.Cols, cols = cols[:len(p.Args):len(p.Args)], cols[len(p.Args):]
			r.table(t, int(h.stored(i, k)), p.Args, h.sizes)
			if err := t.check(p.Args, h.sizes); err != nil {
				return factError(p, k, err)
			}
		}
	}
	return nil
}

// factError says which table of a predicate is at fault, 0 to 2 for true, false and unknown.
func factError(p *mln.Predicate, table int, err error) error {
	return fmt.Errorf("%s, %v: %w", p.Name, True+Truth(table), err)
}
