package join

import "resolwe/kernels/plan"

// OnBackground returns the number of nodes that are evaluated over the background of the current subgraph.
func (s *Scratch) OnBackground() int {
	n := 0
	for id := range s.Prog.Nodes {
		if s.onBackground(plan.NodeID(id)) {
			n++
		}
	}
	return n
}

// Lanes returns how many lanes of columns the last group of products needed.
func (s *Scratch) Lanes() int { return len(s.batch.lanes) }

// BackgroundWords returns how many words of rows over the background are kept.
func (s *Scratch) BackgroundWords() uint64 { return uint64(s.background.scratch.words.taken) }

// LimitBackground sets how many words of rows over the background may be kept for the next subgraph.
func (s *Scratch) LimitBackground(words int) { s.background.limit = words }

// NarrowTiles makes tiles of one word a row.
func (s *Scratch) NarrowTiles() { s.pairs.room, s.pairs.least = 0, 1 }

// Tiled returns how many products are counted tile by tile.
func (s *Scratch) Tiled() (n int) {
	for _, t := range s.pairs.tiles {
		if t.epoch == s.epoch && t.width > 0 {
			n++
		}
	}
	return n
}

// AppendCommon appends the ids that two ascending lists share.
func (s *Scratch) AppendCommon(dst, a, b []uint32) []uint32 { return s.appendCommon(dst, a, b) }

// RowCache is the rows of a matrix that have been built.
type RowCache = rowCache[[]uint64]

// Begin forgets all rows.
func (c *rowCache[R]) Begin(size int) { c.begin(size) }

// Row returns row x, nil where it is not there.
func (c *rowCache[R]) Row(x uint32) *R { return c.row(x) }

// Keep stores row x.
func (c *rowCache[R]) Keep(x uint32, row R) { c.keep(x, row) }
