package join

import (
	"math/bits"
	"slices"

	"resolwe/format/subgraph"
	"resolwe/internal/grow"
	"resolwe/kernels/bitset"
	"resolwe/kernels/plan"
)

// Rows of a product A B of two relations are unions of rows of B, which are kept as bits: only of relevant columns, renumbered without
// gaps, and if these are many, one tile of them at a time. This keeps the memory from growing with the square of a subgraph, and inside a
// cache.

// Limits of a tile, in words, unless its rows would be shorter than leastWidth.
const (
	tileWords  = 1 << 17
	leastWidth = 8
	maxTile    = 1 << 22 // 32 MB
)

// tiles is a relation as a matrix of bits, a tile of columns at a time.
type tiles struct {
	epoch  uint32
	active []uint64 // the relevant columns
	number []uint32 // by column: its number among these, NoEntity for others
	words  int      // of the relevant columns
	width  int      // words of a tile's row; 0 if the relation is better left as lists
	bits   []uint64 // the rows of the current tile, concatenated
	filled bool     // with the only tile
	end    uint32   // the first column after the tile
	next   []uint32 // by row: the position of its first id after the tile
}

// tiledPairs answers for a product of two relations, tile by tile. It reports false for other nodes.
func (s *Scratch) tiledPairs(id plan.NodeID) bool {
	n := &s.Prog.Nodes[id]
	if n.Op != plan.OpMul || n.Kids[1] != plan.None || s.onBackground(id) {
		return false
	}
	a, b := s.listScan(n.Kids[0]), s.listScan(n.Kids[2])
	if a == nil || b == nil {
		return false
	}
	t := s.tilesOf(n.Kids[2], b)
	if t.width == 0 {
		return t.words == 0
	}
	k := &s.pairs
	k.renumber(t)
	k.row = grow.To(k.row, t.width)
	t.begin(b)
	for lo := 0; lo < t.words; lo += t.width {
		s.fillTile(t, b, lo)
		k.each(s.size[n.Row], func(x uint32, in uint64) { s.meetTile(n, a, t, x, in, lo) })
	}
	return true
}

// meetTile counts the part of row x in the tile that begins at word lo.
func (s *Scratch) meetTile(n *plan.Node, a *scan, t *tiles, x uint32, in uint64, lo int) {
	z := a.rows.Row(x)
	if len(z) == 0 {
		return
	}
	k := &s.pairs
	row := t.bits[int(z[0])*t.width:][:t.width]
	if len(z) > 1 {
		copy(k.row, row)
		row = k.row
		bitset.OrRows(row, t.bits, z[1:])
	}
	if n.Row == n.Col && t.has(row, x, lo) {
		bitset.Set(k.same, x)
	}
	k.meet(in, row[:min(t.width, t.words-lo)], nil, lo)
	s.work.Rows++
	s.work.Words += uint64((len(z) + len(k.slots)) * t.width)
}

// tilesOf numbers the columns that the relation contains and a slot needs.
func (s *Scratch) tilesOf(id plan.NodeID, l *scan) *tiles {
	k, n := &s.pairs, &s.Prog.Nodes[id]
	if len(k.tiles) == 0 {
		k.tiles = make([]tiles, len(s.Prog.Nodes))
	}
	t := &k.tiles[id]
	k.active = grow.Zeroed(k.active, bitset.Words(s.size[n.Col]))
	k.present = grow.Zeroed(k.present, len(k.active))
	bitset.SetAll(k.present, l.rows.IDs)
	for i := range k.slots {
		bitset.OrInto(k.active, k.sets[k.slots[i]])
	}
	bitset.AndInto(k.active, k.present)
	if t.epoch == s.epoch && slices.Equal(t.active, k.active) {
		return t
	}
	t.epoch, t.filled = s.epoch, false
	t.keep(k.active, s.size[n.Col])
	rows := s.size[n.Row]
	t.width = min(t.words, max(k.room/max(rows, 1), k.least))
	if rows*t.width > maxTile || 64*len(l.rows.IDs) < rows*t.words {
		t.width = 0
	}
	return t
}

// keep numbers the active columns among n.
func (t *tiles) keep(active []uint64, n int) {
	t.active = append(t.active[:0], active...)
	t.number = grow.To(t.number, n)
	next := uint32(0)
	for c := range t.number { // without a branch, since outcomes are random
		in := uint32(active[c>>6] >> (c & 63) & 1)
		t.number[c] = next | (in - 1) // subgraph.NoEntity if the column is not active
		next += in
	}
	t.words = bitset.Words(int(next))
}

// fillTile fills the tile that begins at word lo. Tiles of a relation are filled in order, though some may be skipped.
func (s *Scratch) fillTile(t *tiles, l *scan, lo int) {
	if t.filled {
		return
	}
	k := &s.pairs
	rows := len(l.rows.Offsets) - 1
	if t.filled = t.width == t.words; t.filled { // kept for other products
		t.bits = s.words.take(rows * t.width)
	} else {
		k.bits = grow.Zeroed(k.bits, rows*t.width)
		t.bits = k.bits
	}
	s.work.Edges += uint64(len(l.rows.IDs))
	if t.filled && l.first != nil && len(l.first) < shortList*rows {
		bitset.SetTuples(t.bits, t.width, l.first, l.rows.IDs, t.number)
		return
	}
	t.advance(lo)
	for x := range rows {
		dst := t.bits[x*t.width:][:t.width]
		rest := l.rows.IDs[t.next[x]:l.rows.Offsets[x+1]]
		t.next[x] += uint32(bitset.SetPlaces(dst, rest, t.number[:t.end], uint32(64*lo)))
	}
}

// shortList is the number of ids of a row below which its end, which a processor cannot foresee, costs more than they do.
const shortList = 32

// begin moves before the first tile.
func (t *tiles) begin(l *scan) {
	if !t.filled {
		t.end, t.next = 0, append(t.next[:0], l.rows.Offsets[:len(l.rows.Offsets)-1]...)
	}
}

// advance finds the end of the tile that begins at word lo.
func (t *tiles) advance(lo int) {
	limit := uint32(64 * (lo + t.width))
	for int(t.end) < len(t.number) && (t.number[t.end] == subgraph.NoEntity || t.number[t.end] < limit) {
		t.end++
	}
}

// has reports whether a row of the tile that begins at word lo contains a column.
func (t *tiles) has(row []uint64, col uint32, lo int) bool {
	c := t.number[col] - uint32(64*lo)
	return c < uint32(64*len(row)) && bitset.Has(row, c)
}

// renumber converts the sets of columns to the numbering of the tiles.
func (k *pairs) renumber(t *tiles) {
	k.cols = grow.Zeroed(k.cols, t.words*k.stride)
	for j, at := range k.slots {
		k.lane = grow.Zeroed(k.lane, t.words)
		t.place(k.lane, k.sets[at])
		k.put(j, k.lane)
	}
}

// place adds a set, in the numbering of the tiles, to dst.
func (t *tiles) place(dst, set []uint64) {
	at := 0
	for w, active := range t.active {
		for m := set[w] & active; m != 0; m &= m - 1 {
			bitset.Set(dst, uint32(at+bits.OnesCount64(active&(m&-m-1))))
		}
		at += bits.OnesCount64(active)
	}
}
