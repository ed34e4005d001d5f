package main

import (
	"fmt"
	"strconv"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// table is a relation of one subgraph, of integers: a0, a1.. are the local ids of an atom's arguments. That of an evidence
// predicate holds the true atoms, that of a target predicate all that are known, with their truth, 1 or 0, and that of a
// type its domain. Rows differ in their keys.
type table struct {
	name      string
	key, rest []string // columns
	rows      func(add func(row ...uint32))
}

// maxAtoms bounds the atoms of a target that is not listed, which are all that its types allow.
const maxAtoms = 1 << 26

func domainTable(typ, position int) string     { return fmt.Sprintf("d%d_%d", typ, position) }
func predicateTable(pred, position int) string { return fmt.Sprintf("p%d_%d", pred, position) }

// tables describes the subgraph at a position, whose relations are in the order of the schema.
func tables(schema *mln.Schema, sub *subgraph.Subgraph, position int) ([]table, error) {
	columns := func(n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = "a" + strconv.Itoa(i)
		}
		return out
	}
	var out []table
	for typ, d := range sub.Domains {
		out = append(out, table{domainTable(typ, position), columns(1), nil, func(add func(...uint32)) {
			for id := range uint32(d.Size) {
				add(id)
			}
		}})
	}
	for pred, p := range schema.Predicates {
		r := &sub.Relations[pred]
		t := table{name: predicateTable(pred, position), key: columns(len(p.Args)), rest: []string{"truth"}}
		switch {
		case !p.Role.IsTarget():
			t.rest, t.rows = nil, func(add func(...uint32)) { tuples(&r.True, add) }
		case p.Role == mln.RoleTarget:
			atoms, sizes := 1, make([]int, len(p.Args))
			for i, typ := range p.Args {
				sizes[i] = sub.Domains[typ].Size
				if atoms *= sizes[i]; atoms > maxAtoms {
					return nil, fmt.Errorf("subgraph %s: more than %d atoms of %s", sub.Name, maxAtoms, p.Name)
				}
			}
			t.rows = func(add func(...uint32)) { known(r, sizes, atoms, add) }
		default:
			t.rows = func(add func(...uint32)) {
				tuples(&r.True, add, 1)
				tuples(&r.False, add, 0)
			}
		}
		out = append(out, t)
	}
	return out, nil
}

// tuples gives the tuples of a table, with more at the end of each.
func tuples(t *subgraph.Table, add func(...uint32), more ...uint32) {
	for i := range t.Len() {
		row := make([]uint32, 0, len(t.Cols)+len(more))
		for _, column := range t.Cols {
			row = append(row, column[i])
		}
		add(append(row, more...)...)
	}
}

// known gives all atoms that the sizes allow, but those of unknown truth, with their truth.
func known(r *subgraph.Relation, sizes []int, atoms int, add func(...uint32)) {
	row := make([]uint32, len(sizes)+1)
	unknown, truths := cursor{Table: &r.Unknown}, cursor{Table: &r.True}
	for n := range atoms {
		for i := len(sizes) - 1; i >= 0; i-- {
			row[i], n = uint32(n%sizes[i]), n/sizes[i]
		}
		row[len(sizes)] = 0
		if truths.meets(row) {
			row[len(sizes)] = 1
		}
		if !unknown.meets(row) {
			add(row...)
		}
	}
}

// cursor walks over a table beside tuples that ascend.
type cursor struct {
	*subgraph.Table
	at int
}

// meets reports whether the table has a tuple, which is all but the last of a row.
func (c *cursor) meets(row []uint32) bool {
	if c.at == c.Len() {
		return false
	}
	for i, column := range c.Cols {
		if column[c.at] != row[i] {
			return false
		}
	}
	c.at++
	return true
}
