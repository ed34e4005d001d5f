package join

import (
	"math/bits"
	"slices"

	"resolwe/format/subgraph"
	"resolwe/internal/grow"
	"resolwe/kernels/bitset"
	"resolwe/kernels/plan"
)

// backgroundWords bounds the rows over a background kept between subgraphs: 1 MB, since the rows that a subgraph needs are few and quickly
// rebuilt.
const backgroundWords = 1 << 17

// background evaluates shared data once for all subgraphs: matrix nodes whose scans are all induced relations have rows over the
// background, which are restricted to a subgraph's entities.
type background struct {
	of      *subgraph.Background
	limit   int      // words to keep
	scratch *Scratch // bound to the background
	sub     subgraph.Subgraph
	places  []place    // by node
	rows    []boolNode // by node: restricted to the current subgraph's entities
	tables  []expanded // by predicate: induced relations needed as tables
}

// expanded is an induced relation as a table of the current subgraph.
type expanded struct {
	epoch uint32
	table subgraph.Table
}

// place says whether a matrix node may be evaluated over the background, and whether then all entries in the rows, or columns, of the
// subgraph's entities are in the subgraph.
type place struct {
	epoch          uint32
	on, rows, cols bool
}

// bind starts a subgraph. Results for the background are kept while it stays the same.
func (b *background) bind(s *Scratch) {
	sh := s.Sub.Shared
	if sh == nil {
		return
	}
	if b.scratch == nil {
		b.scratch = NewScratch(s.Prog)
		b.places = make([]place, len(s.Prog.Nodes))
		b.rows = make([]boolNode, len(s.Prog.Nodes))
		b.tables = make([]expanded, len(s.Prog.Schema.Predicates))
	}
	if b.of != sh.Background {
		b.of = sh.Background
		b.sub.Relations = sh.Background.Relations
		b.sub.Domains = grow.Zeroed(b.sub.Domains, len(s.size)) // a program may have types beyond the stream's
		for typ, n := range sh.Background.Sizes {
			b.sub.Domains[typ].Size = n
		}
		b.scratch.Reset(&b.sub)
	} else if b.scratch.words.taken > b.limit {
		b.scratch.Reset(&b.sub)
	}
}

// induced reports whether a predicate's relation is induced, not stored with the subgraph.
func (s *Scratch) induced(pred int) bool { return s.Sub.Shared != nil && s.Sub.Shared.Induced[pred] }

// expand builds the table of an induced relation, unless that has been done. Borrowed.
func (s *Scratch) expand(pred int) *subgraph.Table {
	e := &s.background.tables[pred]
	if e.epoch != s.epoch {
		e.epoch = s.epoch
		s.Sub.Shared.Expand(&e.table, pred, s.Prog.Schema.Predicates[pred].Args)
		s.work.Edges += uint64(e.table.Len())
	}
	return &e.table
}

// unexpanded reports whether a node is an induced relation between two entities that are not constants, without a table so far, or an
// intersection with one. Counting then lists the rows that it reads, which are often few, instead of the whole relation.
func (s *Scratch) unexpanded(id plan.NodeID) bool {
	n := &s.Prog.Nodes[id]
	if n.Op == plan.OpAnd {
		return slices.ContainsFunc(n.Kids, s.unexpanded)
	}
	l := &n.Literal
	return n.Op == plan.OpScan && n.Arity == 2 && len(l.Args) == 2 && !l.Negated && s.induced(l.Pred) &&
		s.background.tables[l.Pred].epoch != s.epoch
}

// inducedRow lists row x of an unexpanded relation in ascending order. It uses the accumulator's hits, which must be zero.
func (s *Scratch) inducedRow(n *plan.Node, x uint32) []uint32 {
	to := s.Sub.Shared.ToBackground[n.Row]
	if int(x) >= len(to) || to[x] == subgraph.NoEntity {
		return nil
	}
	table := &s.background.of.Relations[n.Literal.Pred].True
	lists := [...]*subgraph.Index{&table.Forward, &table.Backward}[n.Literal.Args[0]]
	row := lists.Row(to[x])
	ids, from := s.ids.take(len(row))[:0], s.Sub.Shared.FromBackground[n.Col]
	for _, y := range row {
		if y = from[y]; y != subgraph.NoEntity {
			ids = append(ids, y)
		}
	}
	if !slices.IsSorted(ids) { // subgraphs need not number entities in the background's order
		words := s.hit[:bitset.Words(s.size[n.Col])]
		bitset.SetAll(words, ids)
		ids = bitset.AppendIDs(ids[:0], words)
		clear(words)
	}
	s.work.Edges += uint64(len(ids))
	return ids
}

// onBackground reports whether the rows of a matrix node come from the background.
func (s *Scratch) onBackground(id plan.NodeID) bool { return s.Sub.Shared != nil && s.placeOf(id).on }

func (s *Scratch) placeOf(id plan.NodeID) *place {
	p := &s.background.places[id]
	if p.epoch == s.epoch {
		return p
	}
	*p = place{epoch: s.epoch}
	switch n := &s.Prog.Nodes[id]; n.Op {
	case plan.OpScan:
		s.placeScan(p, n)
	case plan.OpAnd:
		p.on = n.Arity == 2
		for _, k := range n.Kids {
			q := s.placeOf(k)
			p.on = p.on && q.on
			p.rows, p.cols = p.rows || q.rows, p.cols || q.cols
		}
	case plan.OpMul:
		a, b := s.placeOf(n.Kids[0]), s.placeOf(n.Kids[2])
		p.on = n.Kids[1] == plan.None && a.on && b.on && (a.rows || b.cols)
		p.rows, p.cols = a.rows && b.rows, a.cols && b.cols
	case plan.OpDiffer, plan.OpDifferConst, plan.OpAll, plan.OpVec, plan.OpSum, plan.OpProject: // specific to the subgraph
	}
	return p
}

// placeScan places a relation between two entities that are not constants.
func (s *Scratch) placeScan(p *place, n *plan.Node) {
	l := &n.Literal
	if n.Arity != 2 || len(l.Args) != 2 || l.Negated || !s.induced(l.Pred) || !s.near(n.Row) || !s.near(n.Col) {
		return
	}
	table := &s.background.of.Relations[l.Pred].True
	lists := [2]*subgraph.Index{&table.Forward, &table.Backward}
	p.on = true
	p.rows = s.closed(l.Pred, n.Row, lists[l.Args[1]^1])
	p.cols = s.closed(l.Pred, n.Col, lists[l.Args[1]])
}

// near reports whether the subgraph has a large share of the background's entities of a type; if not, rows over the background would cost
// more than they save.
func (s *Scratch) near(typ int) bool { return len(s.Sub.Shared.Lacks[typ]) <= 4*s.size[typ]+64 }

// closed reports whether all partners of the subgraph's entities of a type in an induced relation, given its lists by that type, are in the
// subgraph: then its entities' lists in the background add up to the induced tuples.
func (s *Scratch) closed(pred, typ int, lists *subgraph.Index) bool {
	n := s.background.of.Relations[pred].True.Len()
	for _, id := range s.Sub.Shared.Lacks[typ] {
		if n > 0 {
			n -= int(lists.Offsets[id+1] - lists.Offsets[id])
		}
	}
	return n == s.Sub.Shared.Counts[pred]
}

// backgroundRow returns row x of a node over the background, nil if the background lacks x. Borrowed until the next Reset. Rows requested
// by subgraphs rarely recur: only the rows from which they are built are kept with the background.
func (s *Scratch) backgroundRow(id plan.NodeID, x uint32) []uint64 {
	n := &s.Prog.Nodes[id]
	to := s.Sub.Shared.ToBackground[n.Row]
	if int(x) >= len(to) || to[x] == subgraph.NoEntity {
		return nil
	}
	b := &s.background
	cache := &b.rows[id]
	if cache.epoch != s.epoch {
		cache.epoch = s.epoch
		cache.rows.begin(s.size[n.Row])
	}
	if row := cache.rows.row(x); row != nil {
		return *row
	}
	dst := s.words.take(bitset.Words(b.scratch.size[n.Col]))
	if n.Op == plan.OpAnd {
		copy(dst, s.backgroundRow(n.Kids[0], x))
		for _, k := range n.Kids[1:] {
			bitset.AndInto(dst, s.backgroundRow(k, x))
		}
	} else {
		b.scratch.rowInto(dst, id, to[x])
	}
	cache.rows.keep(x, dst)
	s.work.Rows++
	return dst
}

// backgroundRowInto restricts row x of a node over the background to the subgraph's entities.
func (s *Scratch) backgroundRowInto(dst []uint64, id plan.NodeID, x uint32) {
	from := s.Sub.Shared.FromBackground[s.Prog.Nodes[id].Col]
	for i, w := range s.backgroundRow(id, x) {
		s.work.Edges += uint64(bits.OnesCount64(w))
		for ; w != 0; w &= w - 1 {
			if local := from[i<<6+bits.TrailingZeros64(w)]; local != subgraph.NoEntity {
				bitset.Set(dst, local)
			}
		}
	}
}
