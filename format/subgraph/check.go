package subgraph

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"resolwe/format/internal/order"
	"resolwe/format/mln"
)

// Why a table is refused.
var (
	errOrder   = errors.New("tuples are not sorted or repeat")
	errDomain  = errors.New("an id is beyond its domain")
	errOffsets = errors.New("offsets do not ascend to the number of tuples")
	errAgree   = errors.New("the index and the columns disagree")
	errColumns = errors.New("columns differ in number or length")
	errTuples  = errors.New("more tuples than 2^32 - 1")
)

// Check holds a subgraph against a schema, and against what Subgraph, Relation and Table promise, except that no atom has
// two truth values.
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

// Check holds a table, of arguments of the given types, over domains of the given sizes by type, against what Table
// promises, the agreement of its indexes with its columns aside: see CheckIndexes. Any content is safe.
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
		if _, largest := order.Falls(col); uint64(largest) >= uint64(sizes[args[c]]) {
			return errDomain
		}
	}
	if order.TupleFalls(t.Cols) > 0 {
		return errOrder
	}
	return nil
}

// checkBinary leaves it to CheckIndexes that the forward index has the second column.
func (t *Table) checkBinary(rows, cols int) error {
	n := t.Len()
	if len(t.Forward.IDs) != n || len(t.Backward.IDs) != n {
		return errColumns
	}
	if !t.Forward.spans(rows) || !t.Backward.spans(cols) {
		return errOffsets
	}
	rows, cols = len(t.Forward.Offsets)-1, len(t.Backward.Offsets)-1
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

// spans reports whether the offsets lead over all ids in at most n rows.
func (x *Index) spans(rows int) bool {
	n := len(x.Offsets)
	return n > 0 && n <= rows+1 && x.Offsets[0] == 0 && uint64(x.Offsets[n-1]) == uint64(len(x.IDs))
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

// CheckIndexes requires that both indexes hold the columns of a table that has passed Check.
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
