package gain

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
)

// Subgraph is what one subgraph adds to a matrix.
type Subgraph struct {
	Name  string // no two subgraphs of a stream share it
	Group string // subgraphs of one group are held out together; those of none, "", each on its own
	Time  subgraph.Time
	Truth []bool // of each query atom whose truth is known
	Cells []Cell // in any order, each once; what is not listed is 0

	// Offset is, for each of Truth, the log-odds that the atom has before the model, such as by formulas whose weights are
	// given; finite. Nil is zeros.
	Offset []float64

	// Values are, by measure and then for each of Truth, the values of the aggregates among the candidates; finite, NaN where
	// there is none.
	Values [][]float64
}

// Cell is the number of groundings that a candidate has for a query atom.
type Cell struct {
	Atom      uint32 // index in Truth
	Candidate uint32
	Count     int64 // at least 0
}

// DuplicateError reports two subgraphs of one name.
type DuplicateError struct{ Subgraph string }

func (e *DuplicateError) Error() string { return fmt.Sprintf("two subgraphs are named %q", e.Subgraph) }

// BuilderOptions of a builder. Zero is the default.
type BuilderOptions struct {
	Seed  uint64
	Limit int // of more rows, the subgraphs of least hash under the seed are kept, while the next one fits; 0 is no limit

	// Thresholds tells for each candidate whether literals may compare its count with more than 1. One of which they may not
	// offers its logarithm, once, and literals that ask whether there is any grounding. Nil allows all.
	Thresholds []bool

	// Measures are the candidates, ascending, that have a value for each row instead of a count; of those Thresholds is false.
	Measures []int
}

// A Builder gathers subgraphs. It is not safe for concurrent use; several may gather parts of a stream, to be merged.
type Builder struct {
	BuilderOptions

	candidates int
	rows       int // in parts
	parts      []part
	bound      *key // of the first part that did not fit: neither does any after it
	blocks     Blocks
}

// key orders subgraphs.
type key struct {
	hash uint64
	name string
}

func (k *key) compare(o *key) int {
	return cmp.Or(cmp.Compare(k.hash, o.hash), cmp.Compare(k.name, o.name))
}

// part is one subgraph, its cells by atom, then candidate.
type part struct {
	key
	group  string
	time   subgraph.Time
	truth  []bool
	offset []float64 // nil for zeros
	first  []int     // cells of atom a: first[a] up to first[a+1]
	cells  []uint32  // candidate<<8 | level
	values []float64 // by measure, then atom
}

// Hash orders subgraphs for sampling and deals them into folds: FNV-1a of the seed's eight bytes, the lowest first, and of
// the name, mixed.
func Hash(seed uint64, name string) uint64 {
	const prime = 1099511628211
	h := uint64(14695981039346656037)
	for i := range 8 {
		h = (h ^ seed>>(8*i)&255) * prime
	}
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * prime
	}
	return elementary.Mix(h)
}

// NewBuilder returns a builder for candidates numbered from 0, fewer than 2^24.
func NewBuilder(candidates int, opt BuilderOptions) *Builder {
	return &Builder{BuilderOptions: opt, candidates: candidates}
}

// Wants tells whether a subgraph of that name may be kept: false where the limit leaves no room for it, whatever comes.
func (b *Builder) Wants(name string) bool {
	return b.wants(&key{Hash(b.Seed, name), name})
}

func (b *Builder) wants(k *key) bool { return b.bound == nil || k.compare(b.bound) < 0 }

// Add takes one subgraph; nothing of it is kept but the names. It returns an error where an offset is not finite.
func (b *Builder) Add(s *Subgraph) error {
	if len(s.Truth) == 0 {
		return nil
	}
	p := part{key: key{Hash(b.Seed, s.Name), s.Name}, group: s.Group, time: s.Time}
	if !b.wants(&p.key) {
		return nil
	}
	if !p.setOffset(s.Offset, len(s.Truth)) {
		return fmt.Errorf("subgraph %q: it takes a finite offset for each atom", s.Name)
	}
	if len(s.Values) != len(b.Measures) || !p.setValues(s.Values, len(s.Truth)) {
		return fmt.Errorf("subgraph %q: it takes a finite value of each aggregate for each atom, or none", s.Name)
	}
	p.truth = slices.Clone(s.Truth)
	p.setCells(s)
	b.parts = append(b.parts, p)
	b.rows += len(p.truth)
	if b.Limit > 0 && b.rows > 2*b.Limit {
		b.prune()
	}
	return nil
}

// setOffset returns false where the offsets are not n finite numbers.
func (p *part) setOffset(offset []float64, n int) bool {
	if offset == nil {
		return true
	}
	zeros := true
	for _, v := range offset {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
		zeros = zeros && v == 0
	}
	if !zeros {
		p.offset = slices.Clone(offset)
	}
	return len(offset) == n
}

func (p *part) setCells(s *Subgraph) {
	sorted := slices.Clone(s.Cells)
	slices.SortFunc(sorted, func(x, y Cell) int {
		return cmp.Or(cmp.Compare(x.Atom, y.Atom), cmp.Compare(x.Candidate, y.Candidate))
	})
	p.first = make([]int, 1, len(s.Truth)+1)
	for a := range s.Truth {
		for len(sorted) > 0 && int(sorted[0].Atom) == a {
			if c := sorted[0]; c.Count > 0 {
				p.cells = append(p.cells, c.Candidate<<8|uint32(level(c.Count)))
			}
			sorted = sorted[1:]
		}
		p.first = append(p.first, len(p.cells))
	}
}

// like reports whether o is a builder for as many candidates with the same options.
func (b *Builder) like(o *Builder) bool {
	return b.candidates == o.candidates && b.Seed == o.Seed && b.Limit == o.Limit && slices.Equal(b.Thresholds, o.Thresholds) &&
		slices.Equal(b.Measures, o.Measures)
}

// Candidates returns how many there are.
func (b *Builder) Candidates() int { return b.candidates }

// Size returns how many rows are kept so far, and how many cells that are not 0.
func (b *Builder) Size() (rows, cells int) {
	b.prune()
	for i := range b.parts {
		rows += len(b.parts[i].truth)
		cells += len(b.parts[i].cells) + len(b.parts[i].values)
	}
	return rows, cells
}

// Sampled reports whether there were more rows than the limit allows so far.
func (b *Builder) Sampled() bool {
	b.prune()
	return b.bound != nil
}

// Merge adds what o has gathered, a builder that is Like b.
func (b *Builder) Merge(o *Builder) {
	b.parts = append(b.parts, o.parts...)
	b.rows += o.rows
	if o.bound != nil && b.wants(o.bound) {
		b.bound = o.bound
	}
	b.prune()
}

// prune sorts the parts and leaves those that fit. Parts yet to come only push others out, so none is missed later.
func (b *Builder) prune() {
	slices.SortFunc(b.parts, func(x, y part) int { return x.compare(&y.key) })
	if b.Limit == 0 {
		return
	}
	rows := 0
	for i := range b.parts {
		p := &b.parts[i]
		// The first is kept however large.
		if !b.wants(&p.key) || i > 0 && rows+len(p.truth) > b.Limit {
			if b.wants(&p.key) {
				b.bound = &key{p.hash, p.name}
			}
			clear(b.parts[i:])
			b.parts = b.parts[:i]
			break
		}
		rows += len(p.truth)
	}
	b.rows = rows
}
