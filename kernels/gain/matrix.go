package gain

import (
	"math"
	"slices"

	"resolwe/internal/elementary"
	"resolwe/kernels/features"
)

// Folds is the number of folds for judging a path.
const Folds = 5

// fewSubgraphs is the number of subgraphs below which folds divide atoms instead of subgraphs.
const fewSubgraphs = 10

// Matrix holds the rows, dealt to folds, and the thresholds of the candidates. It is immutable.
type Matrix struct {
	features.Matrix
	dealt
	slotting

	extras [][]float64       // by row
	values map[int][]float64 // by measure, then row: NaN for none; nil if its columns are its cuts
	scales map[int]*scale    // by measure that has ranks in a selection
}

// dealt is the assignment of rows to folds.
type dealt struct {
	fold    []int8  // of a row; never, leftOut
	unit    []int32 // of a row: a subgraph's rows in a fold form a unit; -1 for none
	units   int
	forward bool // each fold is predicted from those before it
}

// slotting numbers the levels that occur, by candidate.
type slotting struct {
	spans []span  // slots of a candidate
	level []uint8 // of a slot
	cuts  []cut   // thresholds, by candidate, then ascending
	cut   []int   // cuts of candidate c: cut[c] up to cut[c+1]

	allowed []bool      // features.BuilderOptions.Thresholds
	ranks   []int       // by candidate, for ties; nil for their order
	about   map[int]int // Target.about
}

// rank returns the place of a candidate in ties.
func (m *Matrix) rank(candidate int) int {
	if m.ranks == nil {
		return candidate
	}
	return m.ranks[candidate]
}

// quantity returns the measure of the number that a candidate is about, or the candidate itself.
func (m *Matrix) quantity(candidate int) int {
	if measure, ok := m.about[candidate]; ok {
		return measure
	}
	return candidate
}

// span is the slots from lo up to hi.
type span struct{ lo, hi uint32 }

// cut is the literal that a candidate's count is at least k: the slots from lo to its span's end. Of literals that hold for the same rows
// only the smallest k is kept. For a measure k is the first level or, if it compares with at most, the last.
type cut struct {
	k      int64
	atMost bool
	bound  float64 // of a measure
	span
}

func (k *cut) literal(candidate int) Literal {
	return Literal{Candidate: candidate, AtLeast: k.k, AtMost: k.atMost, Bound: k.bound}
}

// of returns the total of a cut, given the totals of the candidate's slots, each summed with all later ones.
func (k *cut) of(t []total, lo uint32) total { return t[k.lo-lo].minus(t[k.hi-lo]) }

// NewMatrix returns the matrix of a builder, which must not be used again unless it is to be kept. Nil blocks deal folds at random.
func NewMatrix(b *features.Builder, blocks Blocks) (*Matrix, error) {
	of, err := b.Matrix()
	if err != nil {
		return nil, err
	}
	m := &Matrix{Matrix: *of}
	m.allowed, m.forward = b.Thresholds, blocks != nil
	deal := m.dealer(blocks)
	for s := range m.Subgraphs {
		for a := range m.Start[s+1] - m.Start[s] {
			m.fold = append(m.fold, deal(&m.Subgraphs[s], a))
		}
	}
	m.number(Folds)
	m.index()
	return m, nil
}

// dealer returns a function that assigns a subgraph's atoms to folds: groups in turn, by name; subgraphs without a group by hash; their atoms
// if there are few subgraphs and no groups; everything by time if there are blocks.
func (m *Matrix) dealer(blocks Blocks) func(o *features.Origin, atom int) int8 {
	if blocks != nil {
		return func(o *features.Origin, _ int) int8 { return int8(blocks.Of(o.Time) - 1) } // #nosec G115 -- below Folds
	}
	var groups []string
	for i := range m.Subgraphs {
		if g := m.Subgraphs[i].Group; g != "" {
			groups = append(groups, g)
		}
	}
	slices.Sort(groups)
	groups = slices.Compact(groups)
	return func(o *features.Origin, atom int) int8 {
		switch at, ok := slices.BinarySearch(groups, o.Group); {
		case ok && len(groups) > 1:
			return int8(at % Folds) // #nosec G115 -- below Folds
		case len(m.Subgraphs) < fewSubgraphs:
			return int8(elementary.Mix(o.Hash+uint64(atom)) % Folds) // #nosec G115 -- as above
		default:
			return int8(o.Hash % Folds) // #nosec G115 -- as above
		}
	}
}

// number forms the units of the first folds, in order of their rows.
func (m *Matrix) number(folds int) {
	m.unit, m.units = make([]int32, len(m.Truth)), 0
	for s := range m.Subgraphs {
		var seen [Folds]int32 // the unit of a fold, plus 1; 0 for none so far
		for i := m.Start[s]; i < m.Start[s+1]; i++ {
			m.unit[i] = -1
			f := int(m.fold[i])
			if f < 0 || f >= folds {
				continue
			}
			if seen[f] == 0 {
				m.units++
				seen[f] = int32(m.units) // #nosec G115 -- at most the rows
			}
			m.unit[i] = seen[f] - 1
		}
	}
}

// index numbers the levels that occur, and finds the thresholds between them.
func (m *Matrix) index() {
	m.spans, m.cut = make([]span, len(m.Columns)), make([]int, 1, len(m.Columns)+1)
	for c := range m.Columns {
		var occurs [features.Levels]bool
		for _, l := range m.Columns[c].Levels {
			occurs[l] = true
		}
		lo := uint32(len(m.level)) // #nosec G115 -- at most candidates * levels
		for l, ok := range occurs {
			if ok {
				m.level = append(m.level, uint8(l)) // #nosec G115 -- below 256
			}
		}
		s := span{lo, uint32(len(m.level))} // #nosec G115 -- as above
		m.spans[c] = s
		at := s.lo
		bounds, measure := m.Bounds[c]
		if m.comparable(c) {
			m.addCuts(s, bounds) // of a measure
		}
		for _, k := range features.Thresholds {
			if measure || k > 1 && !m.comparable(c) {
				break
			}
			for at < s.hi && features.Least(int(m.level[at])) < k {
				at++
			}
			if at < s.hi && (k == 1 || at > m.cuts[len(m.cuts)-1].lo) {
				m.cuts = append(m.cuts, cut{k: k, span: span{at, s.hi}})
			}
		}
		m.cut = append(m.cut, len(m.cuts))
	}
}

// Forward reports whether folds advance in time.
func (m *Matrix) Forward() bool { return m.forward }

// Occurs reports whether a candidate has a grounding for any row.
func (m *Matrix) Occurs(candidate int) bool { return m.spans[candidate].lo < m.spans[candidate].hi }

// Bytes estimates the memory of a matrix, given its nonzero cells, while it is built and two paths grow: 8 bytes a cell, of which 4 remain,
// and 4 for each path.
func Bytes(rows, cells int64, candidates int) int64 {
	return 64*rows + 12*cells + int64(candidates)*features.Levels*8
}

// Family, size and shrinkage are chosen on at most judgedRows rows, or on judgedSubgraphs subgraphs if these have more.
const (
	judgedRows      = 5 << 15
	judgedSubgraphs = 50
)

// judged returns the rows on which families, sizes and shrinkages are judged.
func (m *Matrix) judged() *Matrix { return m.First(judgedRows, judgedSubgraphs) }

// First is that of a matrix of features, for a matrix.
func (m *Matrix) First(rows, subgraphs int) *Matrix {
	some := *m
	some.Matrix = *m.Matrix.First(rows, subgraphs)
	some.fold = m.fold[:some.Rows()]
	some.number(Folds)
	return &some
}

// BaseRate returns the share of true rows, NaN if there are no rows.
func (m *Matrix) BaseRate() float64 {
	n := 0
	for _, t := range m.Truth {
		if t {
			n++
		}
	}
	if len(m.Truth) == 0 {
		return math.NaN()
	}
	return float64(n) / float64(len(m.Truth))
}

// comparable reports whether rules may use a candidate's thresholds, of which there may be several.
func (m *Matrix) comparable(c int) bool { return m.allowed == nil || m.allowed[c] }

// cutsOf returns the thresholds of a candidate.
func (m *Matrix) cutsOf(c int) []cut { return m.cuts[m.cut[c]:m.cut[c+1]] }
