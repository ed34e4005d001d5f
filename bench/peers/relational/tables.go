package relational

import (
	"fmt"
	"iter"
	"slices"
	"strconv"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// Table is a relation of the database. Its rows are distinct, and so are they without their last column where that is
// the truth of a target's atom.
type Table struct {
	Name    string
	Columns []string // s first
	Key     []string // the columns that tell rows apart
	rows    func(yield func(row []int64) bool)
}

// Rows yields the rows of all subgraphs. A row is overwritten by the next.
func (t *Table) Rows() iter.Seq[[]int64] { return t.rows }

// maxAtoms bounds the atoms of a target that is not listed, which are all that its types allow.
const maxAtoms = 1 << 26

// AtomsError says that a target predicate has too many atoms for a table.
type AtomsError struct{ Predicate, Subgraph string }

// Error names the predicate.
func (e *AtomsError) Error() string {
	return fmt.Sprintf("subgraph %s: more than %d atoms of %s", e.Subgraph, maxAtoms, e.Predicate)
}

// NewTables describes subgraphs, whose relations are in the order of the schema and which it keeps, as tables.
func NewTables(schema *mln.Schema, subs []*subgraph.Subgraph) ([]*Table, error) {
	var out []*Table
	for t := range schema.Types {
		out = append(out, newTable(domainTable(t), 1, false, func(row []int64, yield func() bool) {
			for s, sub := range subs {
				row[0] = int64(s)
				for id := range sub.Domains[t].Size {
					if row[1] = int64(id); !yield() {
						return
					}
				}
			}
		}))
	}
	for p := range schema.Predicates {
		pred := &schema.Predicates[p]
		fill := evidenceRows(subs, p)
		if pred.Role.IsTarget() {
			fill = targetRows(subs, p, pred)
			for _, sub := range subs {
				if !fits(sub, pred) {
					return nil, &AtomsError{Predicate: pred.Name, Subgraph: sub.Name}
				}
			}
		}
		out = append(out, newTable(predicateTable(p), len(pred.Args), pred.Role.IsTarget(), fill))
	}
	return out, nil
}

func domainTable(typ int) string     { return "d" + strconv.Itoa(typ) }
func predicateTable(pred int) string { return "p" + strconv.Itoa(pred) }
func column(i int) string            { return "a" + strconv.Itoa(i) }

// newTable makes a table of that arity. fill sets the row and calls yield for each, until that returns false.
func newTable(name string, arity int, truth bool, fill func(row []int64, yield func() bool)) *Table {
	t := &Table{Name: name, Columns: []string{"s"}}
	for i := range arity {
		t.Columns = append(t.Columns, column(i))
	}
	t.Key = slices.Clip(t.Columns)
	if truth {
		t.Columns = append(t.Columns, "truth")
	}
	t.rows = func(yield func([]int64) bool) {
		row := make([]int64, len(t.Columns))
		fill(row, func() bool { return yield(row) })
	}
	return t
}

// evidenceRows gives the true atoms.
func evidenceRows(subs []*subgraph.Subgraph, pred int) func([]int64, func() bool) {
	return func(row []int64, yield func() bool) {
		for s, sub := range subs {
			row[0] = int64(s)
			if !listed(&sub.Relations[pred].True, row, yield) {
				return
			}
		}
	}
}

// listed gives the tuples of a table. It returns false where yield did.
func listed(t *subgraph.Table, row []int64, yield func() bool) bool {
	for i := range t.Len() {
		for c, col := range t.Cols {
			row[1+c] = int64(col[i])
		}
		if !yield() {
			return false
		}
	}
	return true
}

// targetRows gives the atoms of known truth.
func targetRows(subs []*subgraph.Subgraph, pred int, decl *mln.Predicate) func([]int64, func() bool) {
	return func(row []int64, yield func() bool) {
		truth := &row[len(row)-1]
		for s, sub := range subs {
			row[0] = int64(s)
			r := &sub.Relations[pred]
			if decl.Role == mln.RoleTarget {
				if !every(sub, decl, r, row, yield) {
					return
				}
				continue
			}
			*truth = 1
			if !listed(&r.True, row, yield) {
				return
			}
			*truth = 0
			if !listed(&r.False, row, yield) {
				return
			}
		}
	}
}

// every gives all atoms that the types of a target allow but those of unknown truth. It returns false where yield did.
func every(sub *subgraph.Subgraph, decl *mln.Predicate, r *subgraph.Relation, row []int64, yield func() bool) bool {
	args := row[1 : len(row)-1]
	clear(args)
	for _, typ := range decl.Args {
		if sub.Domains[typ].Size == 0 {
			return true
		}
	}
	for {
		if !contains(&r.Unknown, args) {
			row[len(row)-1] = 0
			if contains(&r.True, args) {
				row[len(row)-1] = 1
			}
			if !yield() {
				return false
			}
		}
		i := len(args) - 1
		for ; i >= 0; i-- {
			if args[i]++; args[i] < int64(sub.Domains[decl.Args[i]].Size) {
				break
			}
			args[i] = 0
		}
		if i < 0 {
			return true
		}
	}
}

// contains looks a tuple up in a table, which is sorted.
func contains(t *subgraph.Table, args []int64) bool {
	lo, hi := 0, t.Len()
	for c, col := range t.Cols {
		a := uint32(args[c])
		lo = lowerBound(col, lo, hi, a)
		hi = lowerBound(col, lo, hi, a+1)
	}
	return lo < hi
}

// lowerBound returns the first position from lo to hi whose id is at least id.
func lowerBound(col []uint32, lo, hi int, id uint32) int {
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if col[mid] < id {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// fits reports whether the atoms of a target are few enough.
func fits(sub *subgraph.Subgraph, decl *mln.Predicate) bool {
	if decl.Role != mln.RoleTarget {
		return true
	}
	n := 1
	for _, typ := range decl.Args {
		size := sub.Domains[typ].Size
		if size == 0 {
			return true
		}
		if n > maxAtoms/size {
			return false
		}
		n *= size
	}
	return true
}
