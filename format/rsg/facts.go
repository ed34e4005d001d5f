package rsg

import (
	"fmt"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/grow"
)

// appendTable writes a table of arguments of the given types, over domains of the given sizes; FORMAT.md gives the order of
// its arrays.
func appendTable(dst []byte, t *subgraph.Table, args, sizes []int) []byte {
	if t.Len() == 0 {
		return dst
	}
	for _, c := range t.Cols {
		dst = appendWords(dst, c)
	}
	if len(t.Cols) == 2 {
		dst = appendOffsets(dst, t.Forward.Offsets, sizes[args[0]])
		dst = appendOffsets(dst, t.Backward.Offsets, sizes[args[1]])
		dst = appendWords(dst, t.Backward.IDs)
	}
	return dst
}

// appendOffsets writes the offsets of an index over n entities; the last may be larger than n.
func appendOffsets(dst []byte, offsets []uint32, n int) []byte {
	dst = appendWords(dst, offsets)
	for range n + 1 - len(offsets) {
		dst = le.AppendUint32(dst, offsets[len(offsets)-1])
	}
	return dst
}

// wordReader returns consecutive parts of a section of words.
type wordReader struct{ rest []uint32 }

func (r *wordReader) take(n int) []uint32 {
	out := r.rest[:n:n]
	r.rest = r.rest[n:]
	return out
}

// table reads n tuples into t, whose columns are allocated but nil. The words are known to suffice.
func (r *wordReader) table(t *subgraph.Table, n int, args, sizes []int) {
	if n == 0 {
		return
	}
	for c := range t.Cols {
		t.Cols[c] = r.take(n)
	}
	if len(args) == 2 {
		t.Forward = subgraph.Index{Offsets: r.take(sizes[args[0]] + 1), IDs: t.Cols[1]}
		t.Backward = subgraph.Index{Offsets: r.take(sizes[args[1]] + 1), IDs: r.take(n)}
	}
}

// parseFacts reads and checks the relations of a FACT section, which has the number of words that the head requires.
func (b *Buffer) parseFacts(section []byte, schema *mln.Schema) error {
	h := &b.head
	arities := 0
	for i := range schema.Predicates {
		arities += len(schema.Predicates[i].Args)
	}
	b.cols = grow.To(b.cols, 3*arities)
	clear(b.cols)
	cols := b.cols
	r := wordReader{rest: words(section)}
	b.relations = grow.To(b.relations, len(schema.Predicates))
	clear(b.relations)
	for i := range b.relations {
		p := &schema.Predicates[i]
		for k, t := range b.relations[i].Tables() {
			t.Cols, cols = cols[:len(p.Args):len(p.Args)], cols[len(p.Args):]
			r.table(t, int(h.stored(i, k)), p.Args, h.sizes)
			if err := t.Check(p.Args, h.sizes); err != nil {
				return factError(p, k, err)
			}
		}
	}
	return nil
}

// factError reports which table of a predicate is malformed: 0 to 2 for true, false and unknown.
func factError(p *mln.Predicate, table int, err error) error {
	return fmt.Errorf("%s, %v: %w", p.Name, subgraph.True+subgraph.Truth(table), malformed("%v", err))
}
