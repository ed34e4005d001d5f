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

func domainTable(typ, position int) string     { return fmt.Sprintf("d%d_%d", typ, position) }
func predicateTable(pred, position int) string { return fmt.Sprintf("p%d_%d", pred, position) }

// tables describes the subgraph at a position, whose relations are in the order of the schema.
func tables(schema *mln.Schema, sub *subgraph.Subgraph, position int) []table {
	columns := func(n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = "a" + strconv.Itoa(i)
		}
		return out
	}
	out := make([]table, 0, len(sub.Domains)+len(schema.Predicates))
	for typ, d := range sub.Domains {
		out = append(out, table{domainTable(typ, position), columns(1), nil, func(add func(...uint32)) {
			for id := range uint32(d.Size) {
				add(id)
			}
		}})
	}
	for pred, p := range schema.Predicates {
		r := &sub.Relations[pred]
		t := table{name: predicateTable(pred, position), key: columns(len(p.Args)), rows: func(add func(...uint32)) { tuples(&r.True, add) }}
		if p.Role.IsTarget() {
			t.rest, t.rows = []string{"truth"}, func(add func(...uint32)) {
				tuples(&r.True, add, 1)
				tuples(&r.False, add, 0)
			}
		}
		out = append(out, t)
	}
	return out
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
