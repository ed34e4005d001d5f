package gain

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"resolwe/format/subgraph"
	"resolwe/internal/wire"
	"resolwe/kernels/features"
)

// Rows are the query atoms that selection goes by, and how often each candidate holds for them. It is not safe for concurrent
// use; several may gather parts of a stream, to be merged.
type Rows struct {
	Builders  []*Builder     // by target predicate
	Positions map[string]int // in the stream, of the subgraphs by name, of which some may have no rows
}

// NewRows returns no rows of a task; of more than limit, a sample by the seed is kept.
func (t *Task) NewRows(seed uint64, limit int) *Rows {
	out := &Rows{Positions: map[string]int{}}
	for _, to := range t.Targets {
		opt := BuilderOptions{Seed: seed, Limit: limit}
		for _, c := range to.Candidates {
			opt.Thresholds = append(opt.Thresholds, c.Comparable())
		}
		for _, c := range to.Measures {
			opt.Thresholds[c] = false
		}
		opt.Measures = to.Measures
		out.Builders = append(out.Builders, NewBuilder(len(to.Candidates), opt))
	}
	return out
}

// Keep has matrices leave the rows as they are.
func (r *Rows) Keep() {
	for _, b := range r.Builders {
		b.keep = true
	}
}

// Bounded reports whether there may be subgraphs that Wants does not want.
func (r *Rows) Bounded() bool {
	return slices.ContainsFunc(r.Builders, func(b *Builder) bool { return b.bound != nil })
}

// Wants tells whether a subgraph of that name may be kept.
func (r *Rows) Wants(name string) bool {
	return slices.ContainsFunc(r.Builders, func(b *Builder) bool { return b.Wants(name) })
}

// Add takes the rows of a subgraph, by target, of its position in the stream; nothing of them is kept but the names.
func (r *Rows) Add(of []Subgraph, position int) error {
	for i, b := range r.Builders {
		if err := b.Add(&of[i]); err != nil {
			return err
		}
		r.Positions[of[i].Name] = position
	}
	return nil
}

// Like reports whether rows may be merged: of as many candidates with the same options.
func (r *Rows) Like(o *Rows) bool {
	if r == nil || o == nil {
		return r == o
	}
	return slices.EqualFunc(r.Builders, o.Builders, (*Builder).like)
}

// Merge adds rows that are Like r, which may be nil.
func (r *Rows) Merge(o *Rows) {
	if r == nil {
		return
	}
	for i, b := range r.Builders {
		b.Merge(o.Builders[i])
	}
	maps.Copy(r.Positions, o.Positions)
}

// named returns the names of the subgraphs that have rows, ascending.
func (r *Rows) named() []string {
	var names []string
	for _, b := range r.Builders {
		for i := range b.parts {
			names = append(names, b.parts[i].name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Write writes the rows, the same bytes whatever the order: the number of builders, 0 for no rows, these, and the positions of
// the subgraphs in them by name.
func (r *Rows) Write(w *wire.Writer) {
	if r == nil {
		w.Int(0)
		return
	}
	w.Int(len(r.Builders))
	for _, b := range r.Builders {
		b.write(w)
	}
	for _, name := range r.named() {
		w.Int(r.Positions[name])
	}
}

// ReadRows reads what Write wrote, from any bytes; it takes memory in proportion to them.
func ReadRows(r *wire.Reader) *Rows {
	out := &Rows{Positions: map[string]int{}}
	out.Builders = wire.List(r, builderBytes, func() *Builder { return readBuilder(r) })
	if len(out.Builders) == 0 || !r.Good() {
		return nil
	}
	for _, name := range out.named() {
		out.Positions[name] = r.Int()
	}
	return out
}

// builderBytes is the least that a builder takes.
const builderBytes = 6 * 8

func (b *Builder) write(w *wire.Writer) {
	b.prune()
	w.Int(b.candidates)
	w.Uint(b.Seed)
	w.Int(b.Limit)
	b.writeKinds(w)
	w.Bool(b.bound != nil)
	if b.bound != nil {
		w.String(b.bound.name)
	}
	w.Int(len(b.parts))
	for i := range b.parts {
		b.parts[i].write(w)
		if len(b.Measures) > 0 {
			w.Floats(b.parts[i].values)
		}
	}
}

// partBytes is the least that a part takes.
const partBytes = 6 * 8

func (p *part) write(w *wire.Writer) {
	w.String(p.name)
	w.String(p.group)
	w.String(p.time.String())
	w.String(packed(p.truth))
	w.Floats(p.offset)
	var cells []byte
	for a := range p.truth {
		row, last := p.cells[p.first[a]:p.first[a+1]], uint32(0)
		cells = binary.AppendUvarint(cells, uint64(len(row)))
		for _, c := range row {
			cells = binary.AppendUvarint(cells, uint64(c>>8-last))
			cells = append(cells, uint8(c))
			last = c >> 8
		}
	}
	w.String(string(cells))
}

// packed returns truths as a character each.
func packed(truths []bool) string {
	b := make([]byte, len(truths))
	for i, t := range truths {
		if t {
			b[i] = 1
		}
	}
	return string(b)
}

func unpacked(r *wire.Reader) (truths []bool) {
	for _, c := range []byte(r.String()) {
		r.Refuse(c > 1)
		truths = append(truths, c == 1)
	}
	return truths
}

// readBuilder reads what write wrote, from any bytes.
func readBuilder(r *wire.Reader) *Builder {
	b := NewBuilder(r.Int(), BuilderOptions{Seed: r.Uint(), Limit: r.Int()})
	b.readKinds(r)
	r.Refuse(b.candidates > maxCandidates || b.Thresholds != nil && len(b.Thresholds) != b.candidates)
	if r.Bool() {
		name := r.String()
		b.bound = &key{Hash(b.Seed, name), name}
	}
	b.parts = wire.List(r, partBytes, func() part { return b.readPart(r) })
	for i := range b.parts {
		p := &b.parts[i]
		r.Refuse(!b.wants(&p.key) || i > 0 && b.parts[i-1].compare(&p.key) > 0)
		b.rows += len(p.truth)
	}
	r.Refuse(b.Limit > 0 && b.rows > b.Limit && len(b.parts) > 1)
	return b
}

// maxCandidates is the most that a builder is for: a cell has 24 bits for them.
const maxCandidates = 1<<24 - 1

func (b *Builder) readPart(r *wire.Reader) part {
	name := r.String()
	p := part{key: key{Hash(b.Seed, name), name}, group: r.String()}
	text := r.String()
	p.time, _ = subgraph.ParseTime(text)
	p.truth = unpacked(r)
	r.Refuse(p.time.String() != text)
	r.Refuse(len(p.truth) == 0)
	if offset := r.Floats(); len(offset) > 0 {
		r.Refuse(!p.setOffset(offset, len(p.truth)) || p.offset == nil)
	}
	r.Refuse(!p.readCells([]byte(r.String()), b.candidates))
	if len(b.Measures) > 0 {
		p.values = r.Floats()
		r.Refuse(len(p.values) != len(b.Measures)*len(p.truth) || slices.ContainsFunc(p.values, isInfinite))
	}
	return p
}

// readCells returns false where bytes are no cells of the part's atoms.
func (p *part) readCells(b []byte, candidates int) bool {
	p.first = make([]int, 1, len(p.truth)+1)
	number := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 || n > 1 && b[n-1] == 0 { // more bytes than the number takes
			b = nil
			return math.MaxUint64
		}
		b = b[n:]
		return v
	}
	for range p.truth {
		n, last := number(), uint64(0)
		if n > uint64(len(b)/2) {
			return false
		}
		for i := range n {
			step := number()
			if len(b) == 0 || step >= uint64(candidates) || i > 0 && step == 0 {
				return false
			}
			last += step
			if last >= uint64(candidates) || b[0] == 0 || b[0] > features.Level(math.MaxInt64) {
				return false
			}
			p.cells = append(p.cells, uint32(last)<<8|uint32(b[0]))
			b = b[1:]
		}
		p.first = append(p.first, len(p.cells))
	}
	return len(b) == 0
}
