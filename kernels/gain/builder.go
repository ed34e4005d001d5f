package gain

import (
	"cmp"
	"fmt"
	"slices"
)

// Subgraph is what one subgraph adds to a matrix.
type Subgraph struct {
	Name  string // no two subgraphs of a stream share it
	Group string // subgraphs of one group are held out together; those of none, "", each on its own
	Truth []bool // of each query atom whose truth is known
	Cells []Cell // in any order; what is not listed is 0
}

// Cell is the number of groundings that a candidate has for a query atom.
type Cell struct {
	Atom      uint32 // index in Truth
	Candidate uint32
	Count     int64 // at least 0
}

// CellError reports a cell that cannot be.
type CellError struct {
	Subgraph string
	Cell     Cell
	Reason   string
}

func (e *CellError) Error() string {
	return fmt.Sprintf("subgraph %q: candidate %d of atom %d, count %d: %s", e.Subgraph, e.Cell.Candidate, e.Cell.Atom, e.Cell.Count, e.Reason)
}

// DuplicateError reports two subgraphs of one name.
type DuplicateError struct{ Subgraph string }

func (e *DuplicateError) Error() string { return fmt.Sprintf("two subgraphs are named %q", e.Subgraph) }

// A Builder gathers subgraphs. It is not safe for concurrent use; several may gather parts of a stream, to be merged.
type Builder struct {
	candidates int
	seed       uint64
	limit      int
	rows       int // in parts
	parts      []part
}

// part is one subgraph, its cells by atom, then candidate.
type part struct {
	hash  uint64
	name  string
	group string
	truth []bool
	first []int    // cells of atom a: first[a] up to first[a+1]
	cells []uint32 // candidate<<8 | level
}

func (p *part) compare(o *part) int {
	return cmp.Or(cmp.Compare(p.hash, o.hash), cmp.Compare(p.name, o.name))
}

// NewBuilder returns a builder for candidates numbered from 0, fewer than 2^24. Of more than limit rows, the subgraphs of
// least [Hash] under the seed are kept, while the next one fits; 0 is no limit.
func NewBuilder(candidates int, seed uint64, limit int) *Builder {
	return &Builder{candidates: candidates, seed: seed, limit: limit}
}

// Add takes one subgraph; nothing of it is kept but the name. It returns a [*CellError] where a cell has no place, a
// negative count, or another beside it.
func (b *Builder) Add(s *Subgraph) error {
	if len(s.Truth) == 0 {
		return nil
	}
	p := part{hash: Hash(b.seed, s.Name), name: s.Name, group: s.Group, truth: slices.Clone(s.Truth), first: make([]int, len(s.Truth)+1)}
	sorted := make([]Cell, 0, len(s.Cells))
	for _, c := range s.Cells {
		switch {
		case int(c.Atom) >= len(s.Truth):
			return &CellError{s.Name, c, "no such atom"}
		case int(c.Candidate) >= b.candidates:
			return &CellError{s.Name, c, "no such candidate"}
		case c.Count < 0:
			return &CellError{s.Name, c, "negative"}
		case c.Count > 0:
			sorted = append(sorted, c)
		}
	}
	slices.SortFunc(sorted, func(x, y Cell) int {
		return cmp.Or(cmp.Compare(x.Atom, y.Atom), cmp.Compare(x.Candidate, y.Candidate))
	})
	p.cells = make([]uint32, len(sorted))
	for i, c := range sorted {
		if i > 0 && c.Atom == sorted[i-1].Atom && c.Candidate == sorted[i-1].Candidate {
			return &CellError{s.Name, c, "given twice"}
		}
		p.cells[i] = c.Candidate<<8 | uint32(level(c.Count))
		p.first[c.Atom+1] = i + 1
	}
	for a := range s.Truth {
		p.first[a+1] = max(p.first[a+1], p.first[a])
	}
	b.parts = append(b.parts, p)
	b.rows += len(p.truth)
	if b.limit > 0 && b.rows > 2*b.limit {
		b.prune()
	}
	return nil
}

// Merge takes over what o has gathered, under the same arguments; o is not to be used any more.
func (b *Builder) Merge(o *Builder) {
	b.parts = append(b.parts, o.parts...)
	b.rows += o.rows
	b.prune()
}

// prune sorts the parts and leaves those that fit. Parts yet to come only push others out, so none is missed later.
func (b *Builder) prune() {
	slices.SortFunc(b.parts, func(x, y part) int { return x.compare(&y) })
	if b.limit == 0 {
		return
	}
	rows := 0
	for i := range b.parts {
		n := len(b.parts[i].truth)
		if i > 0 && rows+n > b.limit { // the first is kept however large
			clear(b.parts[i:])
			b.parts = b.parts[:i]
			break
		}
		rows += n
	}
	b.rows = rows
}
