package gain

import "resolwe/internal/wire"

// Seal appends a checksum.
var Seal = wire.Seal

// Offsets returns those of all rows.
func (m *Matrix) Offsets() []float64 { return m.before() }

// Growth is the shrinkage of a growing path.
const Growth = growth

// Level, Least and Thresholds are how counts are stored and compared with.
var (
	Level      = level
	Least      = least
	Thresholds = thresholds
)

// NewPath grows a path on all rows, with full refits, and returns its columns with their gains.
func NewPath(m *Matrix, family Family, opt Options) (columns []Column, gains []float64) {
	o, _ := opt.withDefaults()
	o.slack = 1e-9
	rows := make([]int32, m.Rows())
	for i := range rows {
		rows[i] = int32(i)
	}
	for _, f := range m.newPath(rows, family, &o, false).found {
		columns, gains = append(columns, f.column.export()), append(gains, f.gain)
	}
	return columns, gains
}

// Finish is a step of splitmix64.
var Finish = finish

// FoldsOf returns the folds of each subgraph's rows.
func (m *Matrix) FoldsOf() map[string][]uint8 {
	folds := map[string][]uint8{}
	for s, name := range m.names {
		folds[name] = m.fold[m.start[s]:m.start[s+1]]
	}
	return folds
}

// Widen keeps the cells as a matrix of very many levels does.
func (m *Matrix) Widen() {
	m.wide = []uint32{}
	for _, c := range m.narrow {
		m.wide = append(m.wide, uint32(c))
	}
	m.narrow = nil
}
