package cut

import (
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// valueNumbering numbers numeric values in ascending order.
type valueNumbering struct{ values []uint64 }

func (m *valueNumbering) begin() { m.values = m.values[:0] }

func (m *valueNumbering) add(r *rows, column int) {
	for i := column; i < len(r.data); i += r.width {
		m.values = append(m.values, r.data[i])
	}
}

func (m *valueNumbering) finish() subgraph.Domain {
	slices.Sort(m.values)
	m.values = slices.Compact(m.values)
	return subgraph.Domain{Size: len(m.values), Names: numbers(slices.Clone(m.values))}
}

func (m *valueNumbering) locals(r *rows, column int) []uint32 {
	ids := make([]uint32, r.n)
	for i := range ids {
		k, _ := slices.BinarySearch(m.values, r.data[i*r.width+column])
		ids[i] = uint32(k)
	}
	return ids
}

// numbers are the names of a domain of numbers: by local id, ascending.
type numbers []uint64

// Name returns the shortest spelling of a number.
func (n numbers) Name(id uint32) string { return mln.FormatNumber(decodeFloat(n[id])) }

// Lookup returns the local id of a number by its name, the shortest spelling: another one is the name of no number.
func (n numbers) Lookup(name string) (uint32, bool) {
	v, ok := mln.ParseNumber(name)
	if !ok || mln.FormatNumber(v) != name {
		return 0, false
	}
	i, found := slices.BinarySearch(n, encodeFloat(v))
	return uint32(i), found
}
