// Package table holds tables of entities and values as dictionary-encoded columns, and says what they are made of.
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

// Column is one column of a table. Exactly one of the slices is used, as its kind says.
type Column struct {
	Kind   Kind
	Type   int       // of KindEntity: the type's index in the universe
	IDs    []uint32  // of KindEntity: ids in the type's dictionary
	Nums   []int64   // of KindInt, KindDay and KindTime
	Floats []float64 // of KindFloat
}

// Table is rows of a fixed number of columns. It is read-only once loaded. Rows may repeat.
type Table struct {
	Name    string
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
