package join

import (
	"math/bits"

	"resolwe/format/subgraph"
	"resolwe/internal/grow"
	"resolwe/kernels/bitset"
	"resolwe/kernels/plan"
)

// Rows of several products with one right factor B are built together: row x of A is a column of a bit matrix over the inner type, whose
// rows, the masks, are united along the tuples of B. This takes one pass over B for as many rows as a mask has bits, instead of a pass over
// part of B for each row.

// maxLanes is the number of words of a mask.
const maxLanes = 4

// alone is the relative cost of visiting a tuple of B for a row built by itself. Rows with so few members that this is still cheaper are
// not batched.
const alone = 4

// batch holds the requested rows of products, and the memory to build them together.
type batch struct {
	groups []product
	of     []int32 // by node: its group, -1 if it is not a product
	wanted []wanted

	shared, own []column // over the background's entities and the subgraph's
	lanes       []lane
	lists       *subgraph.Index // the rows of B, nil if they are not lists
	first       []uint32        // parallel to lists.IDs: the row of each; nil if that is not at hand
	masks       []uint64        // by entity of the inner type: a word for each lane
	out         []uint64        // by entity of B's column type
	block       [64]uint64
}

// product is a group of products with equal S and B.
type product struct {
	set, right plan.NodeID
	nodes      []plan.NodeID // those with requested rows
}

// wanted is the requested rows of a node.
type wanted struct {
	epoch uint32
	rows  []uint64
}

// column is row x of a node being built: the bits of its left factor.
type column struct {
	node plan.NodeID
	x    uint32
	bits []uint64
}

// lane is up to 64 columns that share a word of the masks. local translates their ids, if they are not local.
type lane struct {
	columns []column
	local   []uint32
}

// group finds the products of a program with equal right factors.
func (k *batch) group(p *plan.Program) {
	k.of = make([]int32, len(p.Nodes))
	k.wanted = make([]wanted, len(p.Nodes))
	at := map[[2]plan.NodeID]int32{}
	for id, n := range p.Nodes {
		k.of[id] = -1
		if n.Op != plan.OpMul {
			continue
		}
		key := [2]plan.NodeID{n.Kids[1], n.Kids[2]}
		g, ok := at[key]
		if !ok {
			g = int32(len(k.groups))
			at[key] = g
			k.groups = append(k.groups, product{set: key[0], right: key[1]})
		}
		k.of[id] = g
	}
}

// Prefetch announces that the given rows of a matrix node will be requested. After BuildBatches they are faster; nothing else changes.
func (s *Scratch) Prefetch(id plan.NodeID, rows []uint64) {
	n := &s.Prog.Nodes[id]
	if n.Op == plan.OpAnd {
		for _, k := range n.Kids {
			s.Prefetch(k, rows)
		}
	}
	if n.Op != plan.OpMul || s.onBackground(id) {
		return
	}
	w := &s.batch.wanted[id]
	if w.epoch != s.epoch {
		*w = wanted{epoch: s.epoch, rows: s.words.take(len(rows))}
		g := &s.batch.groups[s.batch.of[id]]
		g.nodes = append(g.nodes, id)
	}
	bitset.OrInto(w.rows, rows)
}

// BuildBatches builds the announced rows together if that is cheaper than one by one.
func (s *Scratch) BuildBatches() {
	for i := range s.batch.groups {
		g := &s.batch.groups[i]
		if len(g.nodes) > 0 {
			s.buildGroup(g)
			for _, id := range g.nodes {
				s.batch.wanted[id].epoch = 0 // which is none
			}
			g.nodes = g.nodes[:0]
		}
	}
}

// built returns row x of a matrix node if it is kept, else nil.
func (s *Scratch) built(id plan.NodeID, x uint32) *[]uint64 {
	return s.boolRows(id).row(x)
}

func (s *Scratch) buildGroup(g *product) {
	k := &s.batch
	if !s.columns(g) {
		return
	}
	k.lanes = k.lanes[:0]
	if len(k.shared) > 0 {
		k.addLanes(k.shared, s.Sub.Shared.FromBackground[s.Prog.Nodes[g.right].Row])
	}
	k.addLanes(k.own, nil)
	k.lists, k.first = nil, nil
	if l := s.listsOf(g.right); l.some() {
		k.lists, k.first = l.all(s, s.size[s.Prog.Nodes[g.right].Row])
	}
	for rest := k.lanes; len(rest) > 0; {
		n := min(len(rest), maxLanes)
		s.buildLanes(g, rest[:n])
		rest = rest[n:]
	}
}

// columns collects the rows of the left factors, and reports whether together they justify a pass over B.
func (s *Scratch) columns(g *product) bool {
	k := &s.batch
	k.shared, k.own = k.shared[:0], k.own[:0]
	inner := s.size[s.Prog.Nodes[g.right].Row]
	members := 0
	for _, id := range g.nodes {
		left := s.Prog.Nodes[id].Kids[0]
		background := s.onBackground(left)
		for i, w := range k.wanted[id].rows {
			for ; w != 0; w &= w - 1 {
				c := column{node: id, x: uint32(i<<6 + bits.TrailingZeros64(w))}
				if s.built(id, c.x) != nil {
					continue
				}
				if background {
					c.bits = s.backgroundRow(left, c.x)
				} else {
					c.bits = s.Row(left, c.x)
				}
				n := bitset.Count(c.bits)
				switch {
				case 64*n*alone < inner:
					continue
				case background:
					k.shared = append(k.shared, c)
				default:
					k.own = append(k.own, c)
				}
				members += n
			}
		}
	}
	return members*alone > inner
}

func (k *batch) addLanes(columns []column, local []uint32) {
	for len(columns) > 0 {
		n := min(len(columns), 64)
		k.lanes = append(k.lanes, lane{columns: columns[:n], local: local})
		columns = columns[n:]
	}
}

// buildLanes builds the rows of a few lanes of columns.
func (s *Scratch) buildLanes(g *product, lanes []lane) {
	k := &s.batch
	right := &s.Prog.Nodes[g.right]
	width := len(lanes)
	k.masks = grow.Zeroed(k.masks, s.size[right.Row]*width)
	for i, l := range lanes {
		k.fillMasks(l, i, width)
	}
	if g.set != plan.None {
		within := s.Set(g.set)
		for z := range uint32(s.size[right.Row]) {
			if !bitset.Has(within, z) {
				clear(k.masks[int(z)*width:][:width])
			}
		}
	}
	words := bitset.Words(s.size[right.Col])
	k.out = grow.Zeroed(k.out, 64*words*width)
	s.unite(g.right, width)
	for i, l := range lanes {
		s.unpack(l, i, width, words)
	}
}

// fillMasks transposes a lane's columns into word i of the masks.
func (k *batch) fillMasks(l lane, i, width int) {
	for block := range l.columns[0].bits {
		clear(k.block[:])
		used := uint64(0)
		for j, c := range l.columns {
			k.block[j] = c.bits[block]
			used |= c.bits[block]
		}
		if used == 0 {
			continue
		}
		bitset.Transpose64(&k.block)
		for ; used != 0; used &= used - 1 {
			bit := bits.TrailingZeros64(used)
			id := block<<6 + bit
			if l.local != nil {
				if l.local[id] == subgraph.NoEntity {
					continue
				}
				id = int(l.local[id])
			}
			k.masks[id*width+i] = k.block[bit]
		}
	}
}

// unite adds each entity's mask to its partners in a matrix node.
func (s *Scratch) unite(right plan.NodeID, width int) {
	k := &s.batch
	rows := s.size[s.Prog.Nodes[right].Row]
	if width == 1 && k.first != nil && len(k.first) < shortList*rows {
		s.work.Edges += uint64(len(k.first))
		s.work.Words += uint64(len(k.first))
		for i, id := range k.lists.IDs[:len(k.first)] {
			k.out[id] |= k.masks[k.first[i]]
		}
		return
	}
	for z := range uint32(rows) {
		mask := k.masks[int(z)*width:][:width]
		if !bitset.Any(mask) {
			continue
		}
		var partners []uint32
		if k.lists != nil {
			partners = k.lists.Row(z)
		} else {
			s.common = bitset.AppendIDs(s.common[:0], s.Row(right, z))
			partners = s.common
		}
		s.work.Edges += uint64(len(partners))
		s.work.Words += uint64(len(partners) * width)
		orMask(k.out, mask, partners)
	}
}

// orMask adds a mask to those of some entities.
func orMask(out, mask []uint64, ids []uint32) {
	for _, id := range ids {
		o := out[int(id)*len(mask):][:len(mask)]
		for i, m := range mask {
			o[i] |= m
		}
	}
}

// unpack transposes word i of the united masks into the rows of a lane's columns, and stores them.
func (s *Scratch) unpack(l lane, i, width, words int) {
	k := &s.batch
	rows := s.words.take(len(l.columns) * words)
	for block := range words {
		for j := range k.block {
			k.block[j] = k.out[(block<<6+j)*width+i]
		}
		bitset.Transpose64(&k.block)
		for j := range l.columns {
			rows[j*words+block] = k.block[j]
		}
	}
	for j, c := range l.columns {
		s.boolRows(c.node).keep(c.x, rows[j*words:(j+1)*words:(j+1)*words])
	}
	s.work.Rows += uint64(len(l.columns))
	s.work.Words += uint64(len(rows))
}
