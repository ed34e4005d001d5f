package gain

import (
	"math"
	"math/bits"
	"slices"

	"resolwe/internal/elementary"
)

// Folds is the number of folds that a path is judged by.
const Folds = 5

// fewSubgraphs is the number of subgraphs below which folds are dealt over atoms.
const fewSubgraphs = 10

// Matrix holds the rows, by subgraph in order of their hashes. It does not change.
type Matrix struct {
	names  []string
	start  []int // rows of subgraph s: start[s] up to start[s+1]
	truth  []bool
	offset []float64 // log-odds of a row before the model; nil for zeros
	first  []int     // cells of row i: first[i] up to first[i+1]
	slots  []uint32  // of a cell, ascending in a row
	dealt
	slotting

	extras [][]float64 // by row
}

// dealt is how rows are dealt into folds.
type dealt struct {
	fold    []int8  // of a row; never, leftOut
	unit    []int32 // of a row: its subgraph's rows in its fold are one unit; -1 where it is in none
	units   int
	forward bool // a fold is judged by what those before it tell
}

// slotting numbers the levels of candidates that occur.
type slotting struct {
	spans []span   // slots of a candidate
	level []uint8  // of a slot
	owner []uint32 // candidate of a slot
	cuts  []cut    // thresholds, by candidate, then ascending
	cut   []int    // cuts of candidate c: cut[c] up to cut[c+1]

	bounds map[int][]Boundary // of a candidate that is a measure
}

// span is the slots from lo up to hi.
type span struct{ lo, hi uint32 }

// cut is the literal that a count of the candidate is at least k: a slot from lo to its span's end. Of literals that hold
// for the same rows only the smallest k is kept. Of a measure k is the first level, or, at most, the last one.
type cut struct {
	k      int64
	atMost bool
	bound  float64 // of a measure
	span
}

func (k *cut) literal(candidate int) Literal {
	return Literal{Candidate: candidate, AtLeast: k.k, AtMost: k.atMost, Bound: k.bound}
}

// of returns the total of a cut, given those of the candidate's slots, each with those after it.
func (k *cut) of(t []total, lo uint32) total { return t[k.lo-lo].minus(t[k.hi-lo]) }

// Matrix returns what was gathered. The builder is not to be used any more.
func (b *Builder) Matrix() (*Matrix, error) {
	b.prune()
	m := &Matrix{start: []int{0}, first: []int{0}}
	m.forward = b.blocks != nil
	cells, deal := 0, b.dealer()
	for i := range b.parts {
		p := &b.parts[i]
		if i > 0 && p.name == b.parts[i-1].name {
			return nil, &DuplicateError{p.name}
		}
		cells += len(p.cells) + len(p.values)
	}
	m.bounds = map[int][]Boundary{}
	bounds := b.divide()
	for i, c := range b.Measures {
		m.bounds[c] = bounds[i]
	}
	for i := range b.parts {
		b.parts[i].addMeasures(b.Measures, bounds)
	}
	slots := m.index(b.parts, b.candidates, b.Thresholds)
	m.slots = make([]uint32, 0, cells)
	for i := range b.parts {
		p := &b.parts[i]
		m.deal(p, deal)
		m.add(p, slots)
		*p = part{} // what is taken over is let go
	}
	return m, nil
}

// add appends a part's rows.
func (m *Matrix) add(p *part, slots []uint32) {
	at := m.first[len(m.first)-1]
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
		m.first = append(m.first, at+p.first[a+1])
	}
	for _, c := range p.cells {
		m.slots = append(m.slots, slots[c])
	}
}

// dealer returns what gives a part's atoms their folds. Groups are dealt in turn, by name; subgraphs of no group by hash;
// their atoms where there are few of them and no groups; all by time where there are blocks.
func (b *Builder) dealer() func(p *part, atom int) int8 {
	if b.blocks != nil {
		return func(p *part, _ int) int8 { return b.blocks.fold(p.time) }
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

// deal gives the rows of the last subgraph their folds and units.
func (m *Matrix) deal(p *part, fold func(*part, int) int8) {
	var seen [Folds]int32
	for a := range p.truth {
		f := fold(p, a)
		if f < 0 {
			m.fold, m.unit = append(m.fold, f), append(m.unit, -1)
			continue
		}
		if seen[f] == 0 {
			m.units++
			seen[f] = int32(m.units) // #nosec G115 -- at most the rows
		}
		m.fold = append(m.fold, f)
		m.unit = append(m.unit, seen[f]-1)
	}
}

// index numbers the levels that occur, and finds the thresholds between them. It returns the slots of the parts' cells.
func (m *slotting) index(parts []part, candidates int, allowed []bool) []uint32 {
	occurs := make([][levels / 64]uint64, candidates)
	for i := range parts {
		for _, c := range parts[i].cells {
			occurs[c>>8][c>>6&3] |= 1 << (c & 63)
		}
	}
	slot := make([]uint32, candidates*levels)
	m.spans, m.cut = make([]span, candidates), make([]int, 1, candidates+1)
	for c := range occurs {
		lo := uint32(len(m.level)) // #nosec G115 -- at most candidates * levels
		for l := range levels {
			if occurs[c][l/64]>>(l%64)&1 != 0 {
				slot[c*levels+l] = uint32(len(m.level)) // #nosec G115 -- as above
				m.level = append(m.level, uint8(l))
				m.owner = append(m.owner, uint32(c)) // #nosec G115 -- fewer than 2^24
			}
		}
		s := span{lo, uint32(len(m.level))} // #nosec G115 -- as above
		m.spans[c] = s
		at := s.lo
		bounds, measure := m.bounds[c]
		m.addCuts(s, bounds)
		for _, k := range thresholds {
			if measure || k > 1 && allowed != nil && !allowed[c] {
				break
			}
			for at < s.hi && least(int(m.level[at])) < k {
				at++
			}
			if at < s.hi && (k == 1 || at > m.cuts[len(m.cuts)-1].lo) {
				m.cuts = append(m.cuts, cut{k: k, span: span{at, s.hi}})
			}
		}
		m.cut = append(m.cut, len(m.cuts))
	}
	return slot
}

// Rows returns the number of query atoms.
func (m *Matrix) Rows() int { return len(m.truth) }

// Forward reports whether folds go forward in time.
func (m *Matrix) Forward() bool { return m.forward }

// Subgraphs returns the number of subgraphs with a row.
func (m *Matrix) Subgraphs() int { return len(m.names) }

// Occurs reports whether a candidate has a grounding for any row.
func (m *slotting) Occurs(candidate int) bool { return m.spans[candidate].lo < m.spans[candidate].hi }

// Bytes returns about how much memory a matrix takes while it is made, of cells that are not 0, and while two paths grow:
// 8 bytes a cell, of which 4 stay, and 4 for each path.
func Bytes(rows, cells int64, candidates int) int64 {
	return 64*rows + 12*cells + int64(candidates)*levels*8
}

// Rows that choose a family, a size and a shrinkage, and subgraphs: no more rows than that where there are as many subgraphs. Where
// there are not, trials train on four fifths of so many rows all the same.
const (
	judgedRows      = 5 << 15
	judgedSubgraphs = 50
)

// judged returns what families, sizes and shrinkages are judged on.
func (m *Matrix) judged() *Matrix { return m.First(judgedRows, judgedSubgraphs) }

// Work returns about how long a selection on so many rows takes, in units of its own: with the power 3/4 of them, as was measured,
// for three families of columns on four of five folds of what they are judged on, and for what is selected on all rows.
func Work(rows float64) float64 {
	root := math.Sqrt(float64(12*min(rows, judgedRows)) + rows)
	return float64(root * math.Sqrt(root))
}

// First returns the first subgraphs of m, which are a sample, as a matrix: as many as have at most so many rows, but so many
// subgraphs at least. It shares the memory of m.
func (m *Matrix) First(rowLimit, subgraphs int) *Matrix {
	n := len(m.names)
	for n > subgraphs && m.start[n] > rowLimit {
		n--
	}
	some, rows := *m, m.start[n]
	some.names, some.start = m.names[:n], m.start[:n+1]
	some.truth, some.fold, some.unit = m.truth[:rows], m.fold[:rows], m.unit[:rows]
	some.offset = m.offset[:min(rows, len(m.offset))]
	some.units = 0
	for _, u := range some.unit {
		some.units = max(some.units, int(u)+1)
	}
	return &some
}

// BaseRate returns the share of true rows, NaN without rows.
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

// cutsOf returns the thresholds of a candidate.
func (m *slotting) cutsOf(c int) []cut { return m.cuts[m.cut[c]:m.cut[c+1]] }

// A count is stored as a level, one byte: itself up to 15, from there four levels for each doubling.
const levels = 256

// level returns the level of a count n >= 0.
func level(n int64) uint8 {
	if n < 16 {
		return uint8(n) // #nosec G115 -- below 16
	}
	octave := bits.Len64(uint64(n)) - 5
	return uint8(16 + 4*octave + int(n>>(octave+2)&3)) // #nosec G115 -- at most 16 + 4*58 + 3
}

// least returns the smallest count of a level.
func least(l int) int64 {
	if l < 16 {
		return int64(l)
	}
	return int64(4+l%4) << ((l-16)/4 + 2)
}

// logs holds log2(1 + n) for each level, n being the middle of its counts.
var logs = func() (table [levels]float64) {
	for l := range table[:level(math.MaxInt64)+1] {
		n := float64(least(l))
		if l >= 16 {
			n += float64(float64(int64(1)<<((l-16)/4+2)-1) / 2)
		}
		table[l] = elementary.Log(1+n) / math.Ln2
	}
	return table
}()

// thresholds are the counts that literals compare with: 1, 2, 3, 4, 6, 8, 12, 16, 24, ...
var thresholds = func() []int64 {
	all := []int64{1, 2, 3}
	for k := int64(4); k <= 1<<60; k *= 2 {
		all = append(all, k, k+k/2)
	}
	return all
}()
