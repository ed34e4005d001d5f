package table

import "slices"

// Kind says what a column holds.
type Kind uint8

// The kinds of a column. The zero value is none.
const (
	KindEntity Kind = iota + 1 // entities of one type
	KindInt                    // whole numbers
	KindFloat                  // numbers
	KindDay                    // days since 1970-01-01
	KindTime                   // seconds since 1970-01-01 00:00 UTC
)

// Kinds are those of the values that functions read.
var Kinds = map[string]Kind{"int": KindInt, "float": KindFloat, "date": KindDay, "time": KindTime}

// Column is one column of a table. Its kind says which one of the slices holds its entries.
type Column struct {
	Kind   Kind
	Type   int       // of KindEntity: the type's index in the universe
	IDs    []uint32  // of KindEntity: ids in the type's dictionary
	Nums   []int64   // of KindInt, KindDay and KindTime
	Floats []float64 // of KindFloat
	Empty  []uint64  // bits by row: it has no entry here, the slices hold a zero; nil, or shorter, where all others do
	// Local counts the days and times without an offset from UTC, Shifted those whose date changes when they are converted to the zone.
	Local, Shifted int
}

// IsEmpty reports whether a row has no entry in the column.
func (c *Column) IsEmpty(row int) bool {
	word := row >> 6
	return word < len(c.Empty) && c.Empty[word]>>(row&63)&1 != 0
}

// AddEmpty appends a row without an entry.
func (c *Column) AddEmpty() {
	row := 0
	switch c.Kind {
	case KindEntity:
		row, c.IDs = len(c.IDs), append(c.IDs, 0)
	case KindFloat:
		row, c.Floats = len(c.Floats), append(c.Floats, 0)
	case KindInt, KindDay, KindTime:
		row, c.Nums = len(c.Nums), append(c.Nums, 0)
	}
	if missing := row>>6 + 1 - len(c.Empty); missing > 0 {
		c.Empty = append(c.Empty, make([]uint64, missing)...)
	}
	c.Empty[row>>6] |= 1 << (row & 63)
}

// Table is rows of a fixed number of columns. It is read-only once loaded. Rows may repeat.
type Table struct {
	Columns []Column
	Rows    int
}

// Universe is the entities of all tables, by type.
type Universe struct {
	Types []string
	Dicts []*Dict // by type
}

// NewUniverse returns a universe of types without entities.
func NewUniverse(types []string) *Universe {
	u := &Universe{Types: slices.Clone(types), Dicts: make([]*Dict, len(types))}
	for i := range u.Dicts {
		u.Dicts[i] = new(Dict)
	}
	return u
}
