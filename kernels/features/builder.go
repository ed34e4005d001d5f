package features

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
)

// Subgraph is what one subgraph contributes to a matrix.
type Subgraph struct {
	Name  string // unique in the stream
	Group string // subgraphs of one group are held out together; one without a group, "", on its own
	Time  subgraph.Time
	Facts int    // evidence that it holds
	Truth []bool // for each query atom whose truth is known
	Cells []Cell // in any order, without duplicates; cells not listed are 0

	// Offset is, for each element of Truth, the atom's log-odds before the model, such as from formulas with given weights; finite. Nil
	// means zeros.
	Offset []float64

	// Clusters are, for each element of Truth, a number of what the atom is about, such as its first entity: atoms of one number depend on
	// each other also where the subgraph is all that there is. Nil if they all do.
	Clusters []uint32

	// Values are, by measure, then element of Truth, the values of the aggregates among the candidates; finite, or NaN for no value.
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

// BuilderOptions configure a builder. The zero value is the default.
type BuilderOptions struct {
	Seed  uint64
	Limit int // keep at most so many rows: those of the subgraphs of least hash under the seed, up to the first that does not fit; 0 for no limit

	// Thresholds says, by candidate, whether literals may compare its count. Otherwise the candidate offers only its logarithm, and
	// whether it has any grounding, and rules do without it. Nil allows all.
	Thresholds []bool

	Keep bool // whether the builder remains of use once it has made a matrix, which takes memory

	// Measures are the candidates, ascending, that have a value for each row instead of a count.
	Measures []int
}

// A Builder collects subgraphs. It is not safe for concurrent use; several builders may collect parts of a stream and be merged.
type Builder struct {
	BuilderOptions

	candidates int
	rows       int // in parts
	parts      []part
	bound      *Origin // of the first part that did not fit: no part after it fits either
}

// part is one subgraph, its cells by atom, then candidate.
type part struct {
	Origin
	truth  []bool
	offset []float64 // nil for zeros
	first  []int     // cells of atom a: first[a] up to first[a+1]
	cells  []uint32  // candidate<<8 | level
	values []float64 // by measure, then atom

	clusters []uint32 // by atom; nil for one
}

// origin returns where a part of that name stands.
func (b *Builder) origin(name string) Origin { return Origin{Hash: Hash(b.Seed, name), Name: name} }

// Hash orders subgraphs for sampling and assigns them to folds: FNV-1a of the seed's eight bytes, lowest first, and of the name, mixed.
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

// NewBuilder returns a builder for that many candidates, fewer than 2^24.
func NewBuilder(candidates int, opt BuilderOptions) *Builder {
	return &Builder{BuilderOptions: opt, candidates: candidates}
}

// Wants reports whether a subgraph of that name may be kept: false if the limit leaves no room for it whatever follows.
func (b *Builder) Wants(name string) bool {
	return b.wants(b.origin(name))
}

func (b *Builder) wants(k Origin) bool { return b.bound == nil || k.compare(*b.bound) < 0 }

// Add adds one subgraph and keeps nothing of it but the names. It returns an error if an offset is not finite.
func (b *Builder) Add(s *Subgraph) error {
	if len(s.Truth) == 0 {
		return nil
	}
	p := part{Origin: b.origin(s.Name)}
	p.Group, p.Time, p.Facts = s.Group, s.Time, s.Facts
	if !b.wants(p.Origin) {
		return nil
	}
	if !p.setOffset(s.Offset, len(s.Truth)) {
		return fmt.Errorf("subgraph %q: it takes a finite offset for each atom", s.Name)
	}
	if len(s.Values) != len(b.Measures) || !p.setValues(s.Values, len(s.Truth)) {
		return fmt.Errorf("subgraph %q: it takes a finite value of each aggregate for each atom, or none", s.Name)
	}
	if len(s.Clusters) != 0 && len(s.Clusters) != len(s.Truth) {
		return fmt.Errorf("subgraph %q: it takes a cluster for each atom, or none", s.Name)
	}
	p.truth, p.clusters = slices.Clone(s.Truth), slices.Clone(s.Clusters)
	p.setCells(s)
	b.parts = append(b.parts, p)
	b.rows += len(p.truth)
	if b.Limit > 0 && b.rows > 2*b.Limit {
		b.prune()
	}
	return nil
}

// setOffset returns false unless the offsets are n finite numbers.
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
	p.first, p.cells = make([]int, 1, len(s.Truth)+1), make([]uint32, 0, len(sorted))
	for a := range s.Truth {
		for len(sorted) > 0 && int(sorted[0].Atom) == a {
			if c := sorted[0]; c.Count > 0 {
				p.cells = append(p.cells, c.Candidate<<8|uint32(Level(c.Count)))
			}
			sorted = sorted[1:]
		}
		p.first = append(p.first, len(p.cells))
	}
}

// Like reports whether o has the same number of candidates and the same options.
func (b *Builder) Like(o *Builder) bool {
	return b.candidates == o.candidates && b.Seed == o.Seed && b.Limit == o.Limit && slices.Equal(b.Thresholds, o.Thresholds) &&
		slices.Equal(b.Measures, o.Measures)
}

// Candidates returns the number of candidates.
func (b *Builder) Candidates() int { return b.candidates }

// Size returns the number of rows kept so far, and of their nonzero cells.
func (b *Builder) Size() (rows, cells int) {
	b.prune()
	for i := range b.parts {
		rows += len(b.parts[i].truth)
		cells += len(b.parts[i].cells) + len(b.parts[i].values)
	}
	return rows, cells
}

// Sampled reports whether there have been more rows than the limit allows.
func (b *Builder) Sampled() bool {
	b.prune()
	return b.bound != nil
}

// Merge adds the rows of o, a builder that is Like b.
func (b *Builder) Merge(o *Builder) {
	b.parts = append(b.parts, o.parts...)
	b.rows += o.rows
	if o.bound != nil && b.wants(*o.bound) {
		b.bound = o.bound
	}
	b.prune()
}

// Each calls do with each subgraph that has rows, in order of hash, and the truth of its rows.
func (b *Builder) Each(do func(o *Origin, truth []bool)) {
	b.prune()
	for i := range b.parts {
		do(&b.parts[i].Origin, b.parts[i].truth)
	}
}

// Bounded reports whether there are subgraphs that Wants does not want.
func (b *Builder) Bounded() bool { return b.bound != nil }

// prune sorts the parts and keeps those that fit. Later parts can only push others out, so nothing dropped will be needed.
func (b *Builder) prune() {
	slices.SortFunc(b.parts, func(x, y part) int { return x.compare(y.Origin) })
	if b.Limit == 0 {
		return
	}
	rows := 0
	for i := range b.parts {
		p := &b.parts[i]
		// The first is kept whatever its size.
		if !b.wants(p.Origin) || i > 0 && rows+len(p.truth) > b.Limit {
			if b.wants(p.Origin) {
				b.bound = &Origin{Hash: p.Hash, Name: p.Name}
			}
			clear(b.parts[i:])
			b.parts = b.parts[:i]
			break
		}
		rows += len(p.truth)
	}
	b.rows = rows
}
