package watch

import (
	"math"
	"slices"

	"resolwe/internal/elementary"
	"resolwe/kernels/features"
)

// Rows are the query atoms of known truth of a subgraph. Atoms with equal values share a row.
type Rows struct {
	Start  []int32 // Column and Value from Start[i] to Start[i+1] are row i
	Column []int32 // ascending in a row
	Value  []float64
	Target []int32    // by row, the target predicate
	Counts [][2]int32 // by row, the numbers of false and true atoms
	Atoms  int
}

// Add adds an atom in a row of its own; see Merge. Truth is 0 or 1. There must be as many columns as values.
func (r *Rows) Add(target int, columns []int32, values []float64, truth int) {
	if len(r.Start) == 0 {
		r.Start = append(r.Start, 0)
	}
	r.Column, r.Value = append(r.Column, columns...), append(r.Value, values...)
	r.Start = append(r.Start, int32(len(r.Column)))
	r.Target = append(r.Target, int32(target))
	r.Counts = append(r.Counts, [2]int32{1 - int32(truth), int32(truth)})
	r.Atoms++
}

// Len returns the number of rows.
func (r *Rows) Len() int { return len(r.Target) }

// row returns the columns and values of a row.
func (r *Rows) row(i int) ([]int32, []float64) {
	return r.Column[r.Start[i]:r.Start[i+1]], r.Value[r.Start[i]:r.Start[i+1]]
}

// hash returns a hash of a row.
func (r *Rows) hash(i int) uint64 {
	h := uint64(r.Target[i])
	columns, values := r.row(i)
	for k, c := range columns {
		h = elementary.Mix(h ^ uint64(c)<<52 ^ math.Float64bits(values[k]))
	}
	return h
}

// merger collects distinct rows.
type merger struct {
	rows  Rows
	first map[uint64]int32 // rows by hash; if two collide, the later one is at the next free number
}

// add adds row i of o, or its counts to an equal row, and returns the index of that row.
func (m *merger) add(o *Rows, i int) int32 {
	h := o.hash(i)
	columns, values := o.row(i)
	for {
		at, ok := m.first[h]
		if !ok {
			break
		}
		c, v := m.rows.row(int(at))
		if m.rows.Target[at] == o.Target[i] && slices.Equal(c, columns) && slices.Equal(v, values) {
			m.rows.Counts[at][0] += o.Counts[i][0]
			m.rows.Counts[at][1] += o.Counts[i][1]
			return at
		}
		h++
	}
	at := int32(m.rows.Len())
	m.first[h] = at
	m.rows.Add(int(o.Target[i]), columns, values, 0)
	m.rows.Counts[at] = o.Counts[i]
	return at
}

// Merge returns the distinct rows.
func (r *Rows) Merge() *Rows {
	m := merger{first: make(map[uint64]int32, r.Len()/2)}
	for i := range r.Target {
		m.add(r, i)
	}
	m.rows.Atoms = r.Atoms
	return &m.rows
}

// Block is a run of consecutive subgraphs of a stream, whose equal atoms share rows.
type Block struct {
	Rows
	Members []Member
}

// Member is a subgraph of a block.
type Member struct {
	Rows   []int32    // indices of the block's rows
	Counts [][2]int32 // parallel to Rows: the numbers of false and true atoms
	Atoms  int
}

// NewBlock returns the block of some subgraphs.
func NewBlock(subgraphs []*Rows) *Block {
	m := merger{first: map[uint64]int32{}}
	b := &Block{Members: make([]Member, len(subgraphs))}
	atoms := 0
	for k, s := range subgraphs {
		member := Member{Rows: make([]int32, s.Len()), Counts: s.Counts, Atoms: s.Atoms}
		for i := range member.Rows {
			member.Rows[i] = m.add(s, i)
		}
		b.Members[k] = member
		atoms += s.Atoms
	}
	b.Rows = m.rows
	b.Atoms = atoms
	return b
}

// fit returns a fit of the atoms at some weights. Columns beyond these are ignored.
func (r *Rows) fit(weights []float64) *features.Fit {
	var atoms features.Observed
	columns := make([]features.Column, len(weights))
	for i, counts := range r.Counts {
		of, values := r.row(i)
		for truth, n := range counts {
			if n == 0 {
				continue
			}
			for k, c := range of {
				if int(c) < len(columns) {
					columns[c].Rows, columns[c].Values = append(columns[c].Rows, uint32(len(atoms.Truth))), append(columns[c].Values, values[k])
				}
			}
			atoms.Truth, atoms.Atoms = append(atoms.Truth, truth == 1), append(atoms.Atoms, float64(n))
		}
	}
	return features.NewFit(atoms, columns, weights, features.Alone)
}

// Part returns the rows of some atoms of a subgraph, each given as twice its index plus its truth, and where they are in the block. rows has
// the block's row for each atom of the subgraph. Without a block, rows have no columns.
func Part(b *Block, rows []int32, truths []int) (out *Rows, at []int32) {
	out, index := &Rows{}, map[int32]int{}
	for _, t := range truths {
		row := rows[t>>1]
		if i, ok := index[row]; ok {
			out.Counts[i][t&1]++
			out.Atoms++
			continue
		}
		index[row] = out.Len()
		at = append(at, row)
		target, columns, values := 0, []int32(nil), []float64(nil)
		if b != nil {
			target = int(b.Target[row])
			columns, values = b.row(int(row))
		}
		out.Add(target, columns, values, t&1)
	}
	return out, at
}

// Alone returns the block of one subgraph with these rows.
func (r *Rows) Alone() *Block {
	m := Member{Rows: make([]int32, r.Len()), Counts: r.Counts, Atoms: r.Atoms}
	for i := range m.Rows {
		m.Rows[i] = int32(i)
	}
	return &Block{Rows: *r, Members: []Member{m}}
}

// Predict returns, by row, the probability of its atoms under a model, from 1e-6 to 1 - 1e-6. Columns beyond the weights are ignored.
func (r *Rows) Predict(weights []float64) []float64 {
	out := make([]float64, r.Len())
	for i := range out {
		out[i] = clip(elementary.Sigmoid(r.logOdds(i, weights)))
	}
	return out
}

func (r *Rows) logOdds(i int, weights []float64) (z float64) {
	columns, values := r.row(i)
	for k, c := range columns {
		if int(c) >= len(weights) {
			break
		}
		z += float64(weights[c] * values[k])
	}
	return z
}

// least is the lowest probability of a prediction, as in the CLL of package rank.
const least = 1e-6

func clip(p float64) float64 { return min(max(p, least), 1-least) }

// Losses returns, by member, the mean of -ln of the probability of its atoms' truth, given the probabilities p by row; 0 without atoms.
func (b *Block) Losses(p []float64) []float64 {
	return b.means(0, func(i, truth int) float64 {
		if truth == 0 {
			return -elementary.Log(1 - p[i])
		}
		return -elementary.Log(p[i])
	})
}

// means returns, by member, the mean over its atoms of a value by row and truth, minus a margin; 0 without atoms.
func (b *Block) means(margin float64, value func(row, truth int) float64) []float64 {
	values := make([][2]float64, len(b.Counts))
	for i, n := range b.Counts {
		for truth := range n {
			if n[truth] > 0 {
				values[i][truth] = value(i, truth)
			}
		}
	}
	out := make([]float64, len(b.Members))
	for k, m := range b.Members {
		if m.Atoms == 0 {
			continue
		}
		for j, i := range m.Rows {
			out[k] += float64(float64(m.Counts[j][0])*values[i][0]) + float64(float64(m.Counts[j][1])*values[i][1])
		}
		out[k] = out[k]/float64(m.Atoms) - margin
	}
	return out
}

// Mix returns the weighted mean of predictions. The weights sum to 1.
func Mix(weights []float64, predictions [][]float64) []float64 {
	out := make([]float64, len(predictions[0]))
	for k, p := range predictions {
		for i, v := range p {
			out[i] += float64(weights[k] * v)
		}
	}
	for i, v := range out {
		out[i] = clip(v)
	}
	return out
}

// Sound reports whether a decoded block is consistent, with columns and targets below the given numbers.
func (b *Block) Sound(columns, targets int) bool {
	n := b.Len()
	if len(b.Counts) != n || len(b.Start) != n+1 && n > 0 || len(b.Column) != len(b.Value) {
		return false
	}
	for i := range n {
		if b.Start[i] < 0 || b.Start[i] > b.Start[i+1] || int(b.Start[i+1]) > len(b.Column) || b.Target[i] < 0 || int(b.Target[i]) >= targets {
			return false
		}
	}
	outside := func(limit int) func(int32) bool { return func(v int32) bool { return v < 0 || int(v) >= limit } }
	for _, m := range b.Members {
		if len(m.Rows) != len(m.Counts) || slices.ContainsFunc(m.Rows, outside(n)) {
			return false
		}
	}
	return !slices.ContainsFunc(b.Column, outside(columns))
}
