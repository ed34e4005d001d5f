package rsg

import (
	"math"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/grow"
)

// head is the content of a record's HEAD section: everything except entities, names and tuples.
type head struct {
	name, center string
	fold         int
	time         subgraph.Time // in a separate section
	sizes        []int         // of the domains, by type
	centers      []uint32      // local id of the center in each domain, noCenter if it is not there
	counts       [][3]uint32   // tuples of each predicate: true, false, unknown
	background   uint32        // position of the record with the background, noBackground if none is used
	induced      []bool        // by predicate
}

// headOf describes a subgraph that fits the schema.
func headOf(s *subgraph.Subgraph) *head {
	h := &head{
		name: s.Name, center: s.Center, fold: s.Fold, time: s.Time, background: noBackground,
		sizes: make([]int, len(s.Domains)), centers: make([]uint32, len(s.Domains)),
		counts: make([][3]uint32, len(s.Relations)), induced: make([]bool, len(s.Relations)),
	}
	for i, d := range s.Domains {
		h.sizes[i], h.centers[i] = d.Size, noCenter
		if s.Center == "" || d.Size == 0 {
			continue
		}
		if id, ok := d.Names.Lookup(s.Center); ok {
			h.centers[i] = id
		}
	}
	for i := range s.Relations {
		for k, t := range s.Relations[i].Tables() {
			h.counts[i][k] = uint32(t.Len())
		}
	}
	return h
}

func (h *head) append(dst []byte) []byte {
	dst = le.AppendUint32(dst, uint32(len(h.name)))
	dst = le.AppendUint32(dst, uint32(len(h.center)))
	dst = le.AppendUint32(dst, uint32(int32(h.fold)))
	dst = le.AppendUint32(dst, h.background)
	for i, n := range h.sizes {
		dst = le.AppendUint32(dst, uint32(n))
		dst = le.AppendUint32(dst, h.centers[i])
	}
	for i, c := range h.counts {
		for _, n := range c {
			dst = le.AppendUint32(dst, n)
		}
		dst = appendFlag(dst, h.induced[i])
	}
	return append(append(dst, h.name...), h.center...)
}

// parse is the inverse of append, for streams over the schema. Names go to text.
func (h *head) parse(b []byte, schema *mln.Schema, text *texts) error {
	if len(b) < headFixedSize+2*wordSize*len(schema.Types)+4*wordSize*len(schema.Predicates) {
		return malformed("shorter than its fields")
	}
	c := cursor{rest: b}
	nameLen, centerLen, fold, background := c.word(), c.word(), int32(c.word()), c.word()
	if fold < -1 {
		return malformed("fold out of range")
	}
	h.fold, h.background = int(fold), background
	h.sizes, h.centers = grow.To(h.sizes, len(schema.Types)), grow.To(h.centers, len(schema.Types))
	h.counts, h.induced = grow.To(h.counts, len(schema.Predicates)), grow.To(h.induced, len(schema.Predicates))
	for i := range h.sizes {
		size, center := c.word(), c.word()
		if size >= math.MaxInt32 || center != noCenter && (center >= size || centerLen == 0) {
			return malformed("size or center of type %s out of range", schema.Types[i])
		}
		h.sizes[i], h.centers[i] = int(size), center
	}
	for i := range h.counts {
		for k := range h.counts[i] {
			h.counts[i][k] = c.word()
		}
		p, flag := &schema.Predicates[i], c.word()
		if p.Role == mln.RoleEvidence && (h.counts[i][1] > 0 || h.counts[i][2] > 0) {
			return malformed("evidence predicate %s has atoms that are false or unknown", p.Name)
		}
		if flag > 1 || flag == 1 && (!shareable(p) || h.counts[i][0] == 0) {
			return malformed("relation %s cannot be induced", p.Name)
		}
		h.induced[i] = flag == 1
	}
	if slices.Contains(h.induced, true) != (background != noBackground) {
		return malformed("a base without induced relations, or these without a base")
	}
	name, center := c.bytes(nameLen), c.bytes(centerLen)
	if c.short || len(c.rest) > 0 {
		return malformed("names do not fill the rest")
	}
	h.name, h.center = text.add(name), text.add(center)
	return nil
}

// entities returns the number of entities over all domains.
func (h *head) entities() (n uint64) {
	for _, size := range h.sizes {
		n += uint64(size)
	}
	return n
}

// factWords returns the number of words in the FACT section.
func (h *head) factWords(schema *mln.Schema) (n uint64) {
	for i := range h.counts {
		for k := range h.counts[i] {
			n += tableWords(schema.Predicates[i].Args, h.sizes, h.stored(i, k))
		}
	}
	return n
}

// stored returns how many tuples of a predicate's table the record itself stores.
func (h *head) stored(pred, table int) uint32 {
	if h.induced[pred] {
		return 0
	}
	return h.counts[pred][table]
}

func tableWords(args, sizes []int, rows uint32) uint64 {
	switch {
	case rows == 0:
		return 0
	case len(args) == 2:
		return 3*uint64(rows) + uint64(sizes[args[0]]) + uint64(sizes[args[1]]) + 2
	}
	return uint64(len(args)) * uint64(rows)
}
