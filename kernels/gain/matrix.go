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

// Matrix holds the rows, by subgraph in order of hash. It is immutable.
type Matrix struct {
	names  []string
	start  []int // rows of subgraph s: start[s] up to start[s+1]
	truth  []bool
	offset []float64         // log-odds of a row before the model; nil for zeros
	counts []features.Column // by candidate
	dealt
	slotting

	extras [][]float64 // by row
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

	bounds  map[int][]features.Boundary // for candidates that are measures
	allowed []bool                      // BuilderOptions.Thresholds
	ranks   []int                       // by candidate, for ties; nil for their order
}

// rank returns the place of a candidate in ties.
func (m *slotting) rank(candidate int) int {
	if m.ranks == nil {
		return candidate
	}
	return m.ranks[candidate]
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

// Matrix builds the matrix. Unless the builder keeps its parts, it must not be used again.
func (b *Builder) Matrix() (*Matrix, error) {
	b.prune()
	m := &Matrix{start: []int{0}}
	m.forward = b.blocks != nil
	for i := range b.parts[:max(0, len(b.parts)-1)] {
		if name := b.parts[i].name; name == b.parts[i+1].name {
			return nil, &DuplicateError{name}
		}
	}
	m.bounds = map[int][]features.Boundary{}
	bounds := b.divide()
	for i, c := range b.Measures {
		m.bounds[c] = bounds[i]
	}
	size := make([]int, b.candidates)
	for i := range b.parts {
		for _, c := range b.parts[i].cells {
			size[c>>8]++
		}
	}
	for _, c := range b.Measures {
		size[c] = b.rows
	}
	m.counts = make([]features.Column, b.candidates)
	for c, n := range size {
		m.counts[c] = features.Column{Rows: make([]uint32, 0, n), Levels: make([]uint8, 0, n)}
	}
	deal := b.dealer()
	for i := range b.parts {
		p := &b.parts[i]
		for a := range p.truth {
			m.fold = append(m.fold, deal(p, a))
		}
		m.add(p)
		for i, c := range b.Measures {
			addMeasure(&m.counts[c], p.of(i), m.start[len(m.start)-2], bounds[i])
		}
		if !b.keep {
			*p = part{}
		}
	}
	m.number(Folds)
	m.allowed = b.Thresholds
	m.index()
	return m, nil
}

// add appends a part's rows.
func (m *Matrix) add(p *part) {
	first := len(m.truth)
	m.names = append(m.names, p.name)
	if p.offset != nil && m.offset == nil {
		m.offset = make([]float64, len(m.truth))
	}
	m.truth = append(m.truth, p.truth...)
	if m.offset != nil {
		m.offset = append(m.offset, p.offset...)
		m.offset = append(m.offset, make([]float64, len(m.truth)-len(m.offset))...)
	}
	m.start = append(m.start, len(m.truth))
	for a := range p.truth {
		for _, c := range p.cells[p.first[a]:p.first[a+1]] {
			m.counts[c>>8].Add(first+a, uint8(c)) // #nosec G115 -- the lowest byte
		}
	}
}

// dealer returns a function that assigns a part's atoms to folds: groups in turn, by name; subgraphs without a group by hash; their atoms
// if there are few subgraphs and no groups; everything by time if there are blocks.
func (b *Builder) dealer() func(p *part, atom int) int8 {
	if b.blocks != nil {
		return func(p *part, _ int) int8 { return int8(b.blocks.Of(p.time) - 1) } // #nosec G115 -- below Folds
	}
	var groups []string
	for i := range b.parts {
		if g := b.parts[i].group; g != "" {
			groups = append(groups, g)
		}
	}
	slices.Sort(groups)
	groups = slices.Compact(groups)
	return func(p *part, atom int) int8 {
		switch at, ok := slices.BinarySearch(groups, p.group); {
		case ok && len(groups) > 1:
			return int8(at % Folds) // #nosec G115 -- below Folds
		case len(b.parts) < fewSubgraphs:
			return int8(elementary.Mix(p.hash+uint64(atom)) % Folds) // #nosec G115 -- as above
		default:
			return int8(p.hash % Folds) // #nosec G115 -- as above
		}
	}
}

// number forms the units of the first folds, in order of their rows.
func (m *Matrix) number(folds int) {
	m.unit, m.units = make([]int32, len(m.truth)), 0
	for s := range m.names {
		var seen [Folds]int32 // the unit of a fold, plus 1; 0 for none so far
		for i := m.start[s]; i < m.start[s+1]; i++ {
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
	m.spans, m.cut = make([]span, len(m.counts)), make([]int, 1, len(m.counts)+1)
	for c := range m.counts {
		var occurs [features.Levels]bool
		for _, l := range m.counts[c].Levels {
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
		bounds, measure := m.bounds[c]
		m.addCuts(s, bounds)
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

// Rows returns the number of query atoms.
func (m *Matrix) Rows() int { return len(m.truth) }

// Forward reports whether folds advance in time.
func (m *Matrix) Forward() bool { return m.forward }

// Subgraphs returns the number of subgraphs with a row.
func (m *Matrix) Subgraphs() int { return len(m.names) }

// Occurs reports whether a candidate has a grounding for any row.
func (m *slotting) Occurs(candidate int) bool { return m.spans[candidate].lo < m.spans[candidate].hi }

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

// First returns the first subgraphs of m, a sample, as a matrix: as many as fit into rowLimit rows, but at least the given number. It
// shares the memory of m.
func (m *Matrix) First(rowLimit, subgraphs int) *Matrix {
	n := len(m.names)
	for n > subgraphs && m.start[n] > rowLimit {
		n--
	}
	some, rows := *m, m.start[n]
	some.names, some.start = m.names[:n], m.start[:n+1]
	some.truth, some.fold = m.truth[:rows], m.fold[:rows]
	some.offset = m.offset[:min(rows, len(m.offset))]
	some.number(Folds)
	return &some
}

// BaseRate returns the share of true rows, NaN if there are no rows.
func (m *Matrix) BaseRate() float64 {
	n := 0
	for _, t := range m.truth {
		if t {
			n++
		}
	}
	if len(m.truth) == 0 {
		return math.NaN()
	}
	return float64(n) / float64(len(m.truth))
}

// comparable reports whether rules may use a candidate's thresholds, of which there may be several.
func (m *slotting) comparable(c int) bool { return m.allowed == nil || m.allowed[c] || m.isMeasure(c) }

// cutsOf returns the thresholds of a candidate.
func (m *slotting) cutsOf(c int) []cut { return m.cuts[m.cut[c]:m.cut[c+1]] }
