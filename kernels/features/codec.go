package features

import (
	"encoding/binary"
	"math"
	"slices"

	"resolwe/format/subgraph"
	"resolwe/internal/wire"
)

// ReadBuilders reads builders that Write wrote, from any bytes; it takes memory in proportion to them.
func ReadBuilders(r *wire.Reader) []*Builder {
	const least = 6 * 8 // that a builder takes
	return wire.List(r, least, func() *Builder { return readBuilder(r) })
}

// Write writes the subgraphs, the same bytes whatever the order in which they were added.
func (b *Builder) Write(w *wire.Writer) {
	b.prune()
	w.Int(b.candidates)
	w.Uint(b.Seed)
	w.Int(b.Limit)
	b.writeKinds(w)
	w.Bool(b.bound != nil)
	if b.bound != nil {
		w.String(b.bound.Name)
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
const partBytes = 8 * 8

func (p *part) write(w *wire.Writer) {
	w.String(p.Name)
	w.String(p.Group)
	w.String(p.Time.String())
	w.Int(p.Facts)
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
	var clusters []byte
	for _, c := range p.clusters {
		clusters = binary.AppendUvarint(clusters, uint64(c))
	}
	w.String(string(clusters))
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

func readBuilder(r *wire.Reader) *Builder {
	b := NewBuilder(r.Int(), BuilderOptions{Seed: r.Uint(), Limit: r.Int()})
	b.readKinds(r)
	r.Refuse(b.candidates > maxCandidates || b.Thresholds != nil && len(b.Thresholds) != b.candidates)
	if r.Bool() {
		bound := b.origin(r.String())
		b.bound = &bound
	}
	b.parts = wire.List(r, partBytes, func() part { return b.readPart(r) })
	for i := range b.parts {
		p := &b.parts[i]
		r.Refuse(!b.wants(p.Origin) || i > 0 && b.parts[i-1].compare(p.Origin) > 0)
		b.rows += len(p.truth)
	}
	r.Refuse(b.Limit > 0 && b.rows > b.Limit && len(b.parts) > 1)
	return b
}

// maxCandidates is the most that a builder is for: a cell has 24 bits for them.
const maxCandidates = 1<<24 - 1

func (b *Builder) readPart(r *wire.Reader) part {
	p := part{Origin: b.origin(r.String())}
	p.Group = r.String()
	text := r.String()
	p.Time, _ = subgraph.ParseTime(text)
	p.Facts = r.Int()
	p.truth = unpacked(r)
	r.Refuse(p.Time.String() != text)
	r.Refuse(len(p.truth) == 0)
	if offset := r.Floats(); len(offset) > 0 {
		r.Refuse(!p.setOffset(offset, len(p.truth)) || p.offset == nil)
	}
	r.Refuse(!p.readCells([]byte(r.String()), b.candidates))
	r.Refuse(!p.readClusters([]byte(r.String())))
	if len(b.Measures) > 0 {
		p.values = r.Floats()
		r.Refuse(len(p.values) != len(b.Measures)*len(p.truth) || slices.ContainsFunc(p.values, isInfinite))
	}
	return p
}

// numbers reads varints from bytes.
type numbers []byte

// next returns the next number; a wrong one ends the bytes.
func (b *numbers) next() uint64 {
	v, n := binary.Uvarint(*b)
	if n <= 0 || n > 1 && (*b)[n-1] == 0 { // more bytes than the number takes
		*b = nil
		return math.MaxUint64
	}
	*b = (*b)[n:]
	return v
}

// readCells returns false where bytes are no cells of the part's atoms.
func (p *part) readCells(b numbers, candidates int) bool {
	p.first = make([]int, 1, len(p.truth)+1)
	for range p.truth {
		n, last := b.next(), uint64(0)
		if n > uint64(len(b)/2) {
			return false
		}
		for i := range n {
			step := b.next()
			if len(b) == 0 || step >= uint64(candidates) || i > 0 && step == 0 {
				return false
			}
			last += step
			if last >= uint64(candidates) || b[0] == 0 || b[0] > Level(math.MaxInt64) {
				return false
			}
			p.cells = append(p.cells, uint32(last)<<8|uint32(b[0]))
			b = b[1:]
		}
		p.first = append(p.first, len(p.cells))
	}
	return len(b) == 0
}

// readClusters returns false where bytes are no clusters of the part's atoms.
func (p *part) readClusters(b numbers) bool {
	for range p.truth {
		if len(b) == 0 {
			return p.clusters == nil
		}
		v := b.next()
		if v > math.MaxUint32 {
			return false
		}
		p.clusters = append(p.clusters, uint32(v))
	}
	return len(b) == 0
}

// writeKinds writes which candidates may be compared, and which are measures.
func (o *BuilderOptions) writeKinds(w *wire.Writer) {
	kinds := []byte(packed(o.Thresholds))
	for _, c := range o.Measures {
		kinds[c] = numberKind - kinds[c]
	}
	w.String(string(kinds))
}

const measureKind, numberKind = 2, 3 // of measures that may be compared, or not; besides 0 and 1, which say so of other candidates

func (o *BuilderOptions) readKinds(r *wire.Reader) {
	for i, k := range []byte(r.String()) {
		r.Refuse(k > numberKind)
		o.Thresholds = append(o.Thresholds, k == 1 || k == measureKind)
		if k >= measureKind {
			o.Measures = append(o.Measures, i)
		}
	}
}
