package subgraph

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"resolwe/format/mln"
)

// Reasons for rejecting a table.
var (
	errOrder   = errors.New("tuples are not sorted or repeat")
	errDomain  = errors.New("an id is beyond its domain")
	errOffsets = errors.New("offsets do not ascend to the number of tuples")
	errAgree   = errors.New("the index and the columns disagree")
	errColumns = errors.New("columns differ in number or length")
	errTuples  = errors.New("more tuples than 2^32 - 1")
)

// Check verifies a subgraph against a schema and the guarantees of Subgraph, Relation and Table, except that no atom has two truth values.
func (s *Subgraph) Check(schema *mln.Schema) error {
	if len(s.Domains) != len(schema.Types) || len(s.Relations) != len(schema.Predicates) {
		return fmt.Errorf("%d domains and %d relations, the schema has %d and %d",
			len(s.Domains), len(s.Relations), len(schema.Types), len(schema.Predicates))
	}
	if s.Fold < -1 || s.Fold > math.MaxInt32 {
		return fmt.Errorf("fold %d is out of range", s.Fold)
	}
	sizes := make([]int, len(s.Domains))
	for i, d := range s.Domains {
		sizes[i] = d.Size
		if d.Size < 0 || d.Size >= math.MaxInt32 {
			return fmt.Errorf("type %s has %d entities", schema.Types[i], d.Size)
		}
		if d.Size > 0 && d.Names == nil {
			return fmt.Errorf("type %s comes without names", schema.Types[i])
		}
	}
	for i := range s.Relations {
		p := &schema.Predicates[i]
		for k, t := range s.Relations[i].Tables() {
			if k > 0 && t.Len() > 0 && p.Role == mln.RoleEvidence {
				return fmt.Errorf("evidence predicate %s has atoms that are false or unknown", p.Name)
			}
			err := t.Check(p.Args, sizes)
			if err == nil {
				err = t.CheckIndexes()
			}
			if err != nil {
				return fmt.Errorf("%s, %v: %w", p.Name, True+Truth(k), err)
			}
		}
	}
	return nil
}

// Check verifies a table with arguments of the given types, over domains of the given sizes by type, against the guarantees of Table. It
// leaves it to CheckIndexes whether indexes agree with columns. Any content is safe.
func (t *Table) Check(args, sizes []int) error {
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
		return errTuples
	}
	if len(args) == 2 {
		return t.checkBinary(sizes[args[0]], sizes[args[1]])
	}
	for c, col := range t.Cols {
		if uint64(slices.Max(col)) >= uint64(sizes[args[c]]) {
			return errDomain
		}
	}
	for i := 1; i < n; i++ {
		rise := uint64(0) // borrow: 1 while the previous tuple is smaller
		for _, col := range slices.Backward(t.Cols) {
			_, rise = bits.Sub64(uint64(col[i-1]), uint64(col[i]), rise)
		}
		if rise == 0 {
			return errOrder
		}
	}
	return nil
}

// checkBinary leaves it to CheckIndexes whether the forward index equals the second column.
func (t *Table) checkBinary(rows, cols int) error {
	n := t.Len()
	if len(t.Forward.IDs) != n || len(t.Backward.IDs) != n {
		return errColumns
	}
	if !t.Forward.spans(rows) || !t.Backward.spans(cols) {
		return errOffsets
	}
	rows, cols = len(t.Forward.Offsets)-1, len(t.Backward.Offsets)-1
	switch ascend, largest := ascendingPairs(t.Cols[0], t.Cols[1]); {
	case !ascend:
		return errOrder
	case uint64(t.Cols[0][n-1]) >= uint64(rows) || uint64(largest) >= uint64(cols):
		return errDomain
	case !areBounds(t.Forward.Offsets, t.Cols[0]):
		return errOffsets
	}
	return t.Backward.check(rows)
}

// spans reports whether the offsets cover all ids in at most n rows.
func (x *Index) spans(rows int) bool {
	n := len(x.Offsets)
	return n > 0 && n <= rows+1 && x.Offsets[0] == 0 && uint64(x.Offsets[n-1]) == uint64(len(x.IDs))
}

// check requires the rows of an index to ascend strictly and to stay below n.
func (x *Index) check(n int) error {
	falls, largest, before := 0, x.IDs[0], x.IDs[0]
	for _, id := range x.IDs[1:] {
		falls += atMost(id, before)
		largest = max(largest, id)
		before = id
	}
	start, descend := uint32(0), 0
	for _, end := range x.Offsets[1:] {
		descend |= below(end, start)
		if k := int(start); k > 0 && k < len(x.IDs) { // a new row may start with a smaller id
			falls -= atMost(x.IDs[k], x.IDs[k-1]) & below(start, end)
		}
		start = end
	}
	switch {
	case uint64(largest) >= uint64(n):
		return errDomain
	case descend > 0:
		return errOffsets
	case falls != 0:
		return errOrder
	}
	return nil
}

// The checks below have no branches that depend on ids, which a processor could not predict.

// ascendingPairs reports whether pairs, given as two non-empty lists of equal length, ascend strictly, and returns the largest second part.
func ascendingPairs(first, second []uint32) (ascend bool, largest uint32) {
	second = second[:len(first)]
	before, rises := uint64(first[0])<<32|uint64(second[0]), uint64(0)
	largest = second[0]
	for i := 1; i < len(first); i++ {
		next := uint64(first[i])<<32 | uint64(second[i])
		_, rise := bits.Sub64(before, next, 0)
		rises += rise
		largest = max(largest, second[i])
		before = next
	}
	return rises == uint64(len(first)-1), largest
}

// areBounds reports whether offsets[i] is the number of ids below i, with the last offset counting all. The ids ascend and may repeat; all
// are below the last index of offsets.
func areBounds(offsets, ids []uint32) bool {
	n := uint64(len(ids))
	first, last := ids[0], ids[n-1]
	// A list that ascends from the first to the last of these is 0 up to the first id and n after the last.
	if offsets[first] > 0 || offsets[first+1] == 0 || uint64(offsets[last]) >= n || uint64(offsets[last+1]) != n {
		return false
	}
	wrong, before := 0, uint32(0)
	for i, at := range offsets {
		wrong |= below(at, before)
		if k, id := int(at), uint32(i); k > 0 && k < len(ids) {
			wrong |= below(ids[k], id) | atMost(id, ids[k-1])
		}
		before = at
	}
	return wrong == 0
}

// below returns 1 if x < y, else 0.
func below(x, y uint32) int { return int((uint64(x) - uint64(y)) >> 63) }

// atMost returns 1 if x <= y, else 0.
func atMost(x, y uint32) int { return 1 - below(y, x) }

// CheckIndexes requires both indexes to agree with the columns of a table that has passed Check.
func (t *Table) CheckIndexes() error {
	if t.Len() == 0 || len(t.Cols) != 2 {
		return nil
	}
	if &t.Cols[1][0] != &t.Forward.IDs[0] && !slices.Equal(t.Cols[1], t.Forward.IDs) {
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
