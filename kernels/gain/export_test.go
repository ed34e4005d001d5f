package gain

import (
	"math"
	"slices"

	"resolwe/kernels/features"
)

// Fold returns the fold of each row.
func (m *Matrix) Fold() []int8 { return m.fold }

// Offsets returns those of all rows.
func (m *Matrix) Offsets() []float64 { return m.before() }

// Growth is the shrinkage of a growing path.
func Growth(rows int) float64 { return growth(rows) }

// NewPath grows a path on all rows, with full refits, and returns its columns with their gains.
func NewPath(m *Matrix, of Family, relative bool, opt Options) (columns []Column, gains []float64) {
	o := opt.filled()
	o.slack, o.period = 1e-9, 1
	for _, f := range newPath(m.view(m.all()), family{of, relative}, &o, true).found {
		columns, gains = append(columns, f.column), append(gains, f.gain)
	}
	return columns, gains
}

// PathGains grows a path on all rows, as it is grown where folds choose, or with all gains in each round.
func PathGains(m *Matrix, of Family, opt Options, lazily bool) (sum float64) {
	o := opt.filled()
	for _, f := range newPath(m.view(m.all()), family{Family: of}, &o, !lazily).found {
		sum += f.gain
	}
	return sum
}

// Of returns options with families that held-out rows choose from.
func Of(o Options, families ...Family) Options {
	o.families = families
	return o
}

// Alive returns the families that are not left out after the first folds.
func (m *Matrix) Alive(opt Options) (families []Family) {
	o := opt.filled()
	all := m.contenders(&o)
	_ = m.try(all, 0, firstFolds, nil, &o)
	for _, c := range m.alive(all) {
		families = append(families, c.family.Family)
	}
	return families
}

// LogLikelihoods returns the mean log-likelihood of each unit's rows, a logarithm a row.
func LogLikelihoods(m *Matrix, z []float64) []float64 {
	units, n := make([]float64, m.units), make([]float64, m.units)
	for i, u := range m.unit {
		p := 1 / (1 + math.Exp(-z[i]))
		if p = min(max(p, 1e-6), 1-1e-6); !m.Truth[i] {
			p = 1 - p
		}
		units[u] += math.Log(p)
		n[u]++
	}
	for u := range units {
		units[u] /= n[u]
	}
	return units
}

// Thinned is thinned.
func Thinned(rows []uint32, most int) []uint32 { return thinned(rows, most) }

// Judged returns how many rows choose.
func (m *Matrix) Judged() int { return m.judged().Rows() }

// FoldsOf returns the folds of each subgraph's rows.
func (m *Matrix) FoldsOf() map[string][]int8 {
	folds := map[string][]int8{}
	for s := range m.Subgraphs {
		folds[m.Subgraphs[s].Name] = m.fold[m.Start[s]:m.Start[s+1]]
	}
	return folds
}

// StackedFolds returns the folds of the rows, -1 for none and -2 for rows left out, where columns are made of held-out predictions.
func (m *Matrix) StackedFolds() []int8 { return m.stacked().fold }

// Trial grows a path on all rows as it is grown where folds choose, and returns its models by size and shrinkage.
// A column enters a path of StrictSize only with a gain of strict nats a row.
func Trial(m *Matrix, of Family, opt Options, strict float64) func(size, shrink int) *Model {
	o := opt.filled()
	o.strict = strict
	o.slack, o.period = .01, 1
	return newPath(m.view(m.all()), family{Family: of}, &o, false).model
}

// StrictSize is strictSize.
const StrictSize = strictSize

// Families are all of them, the simplest first. Where they are asked for, differences from means are not tried.
var Families = []Family{FamilyLogs, FamilyRanks, FamilyThresholds, FamilyRules}

// Sizes returns those of a path that are judged, and Shrinks the shrinkages.
func (o *Options) Sizes() []int { return sizes(o.Formulas) }

// Shrinks is described with Sizes.
func (o *Options) Shrinks() []float64 { return o.shrinks() }

// PackedSums returns the residuals, variances and number of n rows that are alike, by each way of adding packed words.
func PackedSums(r, h float64, n int) (sums [][3]float64) {
	s := &search{view: &view{Matrix: &Matrix{slotting: slotting{spans: []span{{0, 1}}, level: []uint8{1}}}}, counts: make([][features.Levels]int64, 1)}
	s.words, s.rows = slices.Repeat([]uint64{pack(r, h)}, n), make([]uint32, n)
	ones := features.Column{Rows: make([]uint32, n), Levels: slices.Repeat([]uint8{1}, n)}
	for i := range ones.Rows {
		ones.Rows[i] = uint32(i)
	}
	s.cells, s.counts[0][1] = []features.Column{ones}, int64(n)
	var over, within slotSums
	for _, t := range []total{
		totalOf(s.words, ones.Rows),
		s.over(&over, 0)[0],
		s.within(&within, &ones, s.words, s.everywhere(), 0)[0],
	} {
		of := t.ones()
		sums = append(sums, [3]float64{of.r, of.h, of.n})
	}
	return sums
}

// GainOf returns the gain of a column of ones on rows of given sums, among all rows.
func GainOf(r, h, n, allR, allH, allN, shrink float64) float64 {
	return moments{r, h, h, n, n}.gain(moments{allR, allH, allH, allN, allN}, shrink)
}

// Names returns the names of the subgraphs with a row, in the order of their rows.
func (m *Matrix) Names() (names []string) {
	for _, o := range m.Subgraphs {
		names = append(names, o.Name)
	}
	return names
}

// SelectedOf returns a selection of a result.
func SelectedOf(m *Matrix, res *Result) *Selected { return &Selected{Matrix: m, Result: res} }

// Knots is knots.
func Knots(values []float64) []float64 { return knots(values) }

// At returns the place of a subgraph.
func (m *Matrix) At(name string) int { return slices.Index(m.Names(), name) }
