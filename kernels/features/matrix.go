package features

import (
	"cmp"
	"math"
	"slices"

	"resolwe/format/subgraph"
)

// Matrix holds rows, by subgraph in order of hash, and a column of each candidate. It is immutable.
type Matrix struct {
	Subgraphs []Origin // that have rows
	Start     []int    // rows of subgraph s: Start[s] up to Start[s+1]
	Truth     []bool
	Offset    []float64          // log-odds of a row before the model; nil for zeros
	Clusters  []uint32           // of a row, within its subgraph; see [Subgraph]
	Columns   []Column           // levels of counts or, of a measure, one plus the bin of a value; rows without either are not listed
	Bounds    map[int][]Boundary // by measure: those of its bins, at most sixteen
}

// Origin is where rows come from.
type Origin struct {
	Hash  uint64 // of Name, see [Hash]
	Name  string
	Group string
	Time  subgraph.Time
	Facts int
}

// compare determines the order of subgraphs.
func (k Origin) compare(o Origin) int {
	return cmp.Or(cmp.Compare(k.Hash, o.Hash), cmp.Compare(k.Name, o.Name))
}

// Matrix builds the matrix. Unless the builder is to be kept, it must not be used again.
func (b *Builder) Matrix() (*Matrix, error) {
	b.prune()
	m := &Matrix{Start: []int{0}, Columns: make([]Column, b.candidates), Bounds: map[int][]Boundary{}}
	for i := range b.parts[:max(0, len(b.parts)-1)] {
		if name := b.parts[i].Name; name == b.parts[i+1].Name {
			return nil, &DuplicateError{name}
		}
	}
	size := make([]int, b.candidates)
	for i := range b.parts {
		for _, c := range b.parts[i].cells {
			size[c>>8]++
		}
	}
	for i, c := range b.Measures {
		m.Bounds[c], size[c] = b.bounds(i), b.rows
	}
	for c, n := range size {
		m.Columns[c] = Column{Rows: make([]uint32, 0, n), Levels: make([]uint8, 0, n)}
	}
	for i := range b.parts {
		m.add(&b.parts[i], b.Measures)
		if !b.Keep {
			b.parts[i] = part{}
		}
	}
	return m, nil
}

// bounds returns the boundaries that divide all values of a measure into sixteen parts.
func (b *Builder) bounds(measure int) []Boundary {
	all := slices.DeleteFunc(b.Values(measure), math.IsNaN)
	slices.Sort(all)
	return Quantiles(all, nil, 16)
}

// Values returns the values of a measure, the index of one of Measures, by row of the matrix; NaN for none.
func (b *Builder) Values(measure int) (all []float64) {
	b.prune()
	for i := range b.parts {
		all = append(all, b.parts[i].of(measure)...)
	}
	return all
}

// add appends a part's rows.
func (m *Matrix) add(p *part, measures []int) {
	first := len(m.Truth)
	m.Subgraphs = append(m.Subgraphs, p.Origin)
	if p.offset != nil && m.Offset == nil {
		m.Offset = make([]float64, first)
	}
	m.Truth = append(m.Truth, p.truth...)
	if m.Offset != nil {
		m.Offset = append(m.Offset, p.offset...)
		m.Offset = append(m.Offset, make([]float64, len(m.Truth)-len(m.Offset))...)
	}
	m.Clusters = append(m.Clusters, p.clusters...)
	m.Clusters = append(m.Clusters, make([]uint32, len(m.Truth)-len(m.Clusters))...)
	m.Start = append(m.Start, len(m.Truth))
	for a := range p.truth {
		for _, c := range p.cells[p.first[a]:p.first[a+1]] {
			m.Columns[c>>8].Add(first+a, uint8(c)) // #nosec G115 -- the lowest byte
		}
	}
	for i, c := range measures {
		for a, v := range p.of(i) {
			if !math.IsNaN(v) {
				m.Columns[c].Add(first+a, uint8(1+Bin(m.Bounds[c], v))) // #nosec G115 -- at most 16
			}
		}
	}
}

// Rows returns the number of rows.
func (m *Matrix) Rows() int { return len(m.Truth) }

// LeastSupport is LeastSupport for the true rows.
func (m *Matrix) LeastSupport() int {
	positives := int64(0)
	for _, t := range m.Truth {
		if t {
			positives++
		}
	}
	return LeastSupport(positives)
}

// First returns the first subgraphs, a sample: as many as fit into a number of rows, but at least a number of subgraphs. Its columns are
// those of m.
func (m *Matrix) First(rows, subgraphs int) *Matrix {
	n := len(m.Subgraphs)
	for n > subgraphs && m.Start[n] > rows {
		n--
	}
	some, k := *m, m.Start[n]
	some.Subgraphs, some.Start = m.Subgraphs[:n], m.Start[:n+1]
	some.Truth, some.Clusters, some.Offset = m.Truth[:k], m.Clusters[:k], m.Offset[:min(k, len(m.Offset))]
	return &some
}

// setValues returns false unless there are, by measure, values for n atoms, each finite or NaN.
func (p *part) setValues(values [][]float64, n int) bool {
	for _, of := range values {
		if len(of) != n {
			return false
		}
		p.values = append(p.values, of...)
	}
	return !slices.ContainsFunc(p.values, isInfinite)
}

func isInfinite(v float64) bool { return math.IsInf(v, 0) }

// of returns the values of a measure.
func (p *part) of(measure int) []float64 {
	n := len(p.truth)
	return p.values[measure*n : (measure+1)*n]
}
