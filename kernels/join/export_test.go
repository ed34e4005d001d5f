package join

import "resolwe/kernels/plan"

// OnBase returns the number of nodes that are evaluated over the base of the current subgraph.
func (s *Scratch) OnBase() int {
	n := 0
	for id := range s.Prog.Nodes {
		if s.onBase(plan.NodeID(id)) {
			n++
		}
	}
	return n
}

// Lanes returns how many lanes of columns the last group of products needed.
func (s *Scratch) Lanes() int { return len(s.pack.lanes) }

// BaseWords returns how many words of rows over the base are kept.
func (s *Scratch) BaseWords() uint64 { return uint64(s.base.scratch.words.taken) }

// LimitBase sets how many words of rows over the base may be kept for the next subgraph.
func (s *Scratch) LimitBase(words int) { s.base.limit = words }

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
type RowCache = rowCache

// Begin forgets all rows.
func (c *rowCache) Begin() { c.begin() }

// Row returns row x, nil where it is not there.
func (c *rowCache) Row(x uint32) []uint64 { return c.row(x) }

// Keep stores row x.
func (c *rowCache) Keep(x uint32, row []uint64) { c.keep(x, row) }

// Part returns one of n parts of a call on a node, n where none is left.
func (c *Claims) Part(id plan.NodeID, call uint32, n int, last bool) int {
	return c.part(id, call, n, last)
}
