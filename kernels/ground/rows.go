package ground

import (
	"slices"

	"resolwe/format/subgraph"
	"resolwe/kernels/bitset"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// rows evaluates rows of counts as join.Scratch does, but where subgraphs share relations without their tables: what is
// 0 or 1 comes from the base's lists and rows of bits, which the subgraphs share too.
type rows struct {
	scratch *join.Scratch
	kept    map[rowKey]join.Vec
	acc     []int64  // by column, zero between uses
	hit     []uint64 // its columns that are not 0, zero between uses
	ids     []uint32 // of a row of bits
	vecIDs  []uint32 // of the rows that are kept
	vecN    []int64
	lists   []lists // by node and whether it is transposed
	base    baseLists
	columns [len(batchBits)][]batchColumn
	packed  []uint64 // counts of left factors
	some    []uint32 // entities for which packed counts were added up
	added   []uint64 // their sums
}

type rowKey struct {
	node plan.NodeID
	row  uint32
}

// reset begins a subgraph.
func (r *rows) reset(s *join.Scratch) {
	r.scratch = s
	if r.kept == nil {
		r.kept = map[rowKey]join.Vec{}
	}
	clear(r.kept)
	r.vecIDs, r.vecN = r.vecIDs[:0], r.vecN[:0]
	r.base.reset(s.Sub.Shared)
	r.lists = slices.Grow(r.lists[:0], 2*len(s.Prog.Nodes))[:2*len(s.Prog.Nodes)]
	for i := range r.lists {
		r.lists[i].known = false
	}
	largest := 0
	for _, d := range s.Sub.Domains {
		largest = max(largest, d.Size)
	}
	r.acc, r.hit = resized(r.acc, largest), resized(r.hit, bitset.Words(largest))
}

// row returns row x of a matrix. Borrowed, until the next subgraph; it must run under join's Counting.
func (r *rows) row(id plan.NodeID, x uint32) join.Vec {
	key := rowKey{id, x}
	if v, ok := r.kept[key]; ok {
		return v
	}
	if !r.shared(id) {
		return r.scratch.CountRow(id, x)
	}
	v := r.evaluate(id, x)
	r.kept[key] = v
	return v
}

// room returns memory for a row of at most n entries. Of any content, until keep.
func (r *rows) room(n int) (ids []uint32, counts []int64) {
	begin := len(r.vecIDs)
	r.vecIDs, r.vecN = slices.Grow(r.vecIDs, n), slices.Grow(r.vecN, n)
	return r.vecIDs[begin : begin+n], r.vecN[begin : begin+n]
}

// keep returns the row of the first n entries of the memory that room has returned last.
func (r *rows) keep(n int) join.Vec {
	begin := len(r.vecIDs)
	end := begin + n
	r.vecIDs, r.vecN = r.vecIDs[:end], r.vecN[:end]
	return join.Vec{IDs: r.vecIDs[begin:end:end], N: r.vecN[begin:end:end]}
}

// shared reports whether a matrix has a relation in it that is not stored with the subgraph.
func (r *rows) shared(id plan.NodeID) bool {
	sh := r.scratch.Sub.Shared
	if sh == nil || id == plan.None {
		return false
	}
	n := &r.scratch.Prog.Nodes[id]
	if n.Op == plan.OpLeaf {
		return sh.Induced[n.Leaf.Pred]
	}
	return slices.ContainsFunc(n.Kids, r.shared)
}

func (r *rows) evaluate(id plan.NodeID, x uint32) join.Vec {
	n := &r.scratch.Prog.Nodes[id]
	switch {
	case isSet(r.scratch.Prog, id):
		return join.Vec{IDs: r.ascending(id, x)}
	case n.Op == plan.OpAnd:
		return r.and(n, x)
	case n.Op == plan.OpMul && n.Kids[1] == plan.None && isSet(r.scratch.Prog, n.Kids[2]):
		return r.product(n, x)
	}
	return r.scratch.CountRow(id, x)
}

// set lists row x of a matrix of zeros and ones. Borrowed, until the next call.
func (r *rows) set(id plan.NodeID, x uint32) []uint32 {
	r.ids = bitset.AppendIDs(r.ids[:0], r.scratch.Row(id, x))
	return r.ids
}

// ascending lists row x of a matrix of zeros and ones.
func (r *rows) ascending(id plan.NodeID, x uint32) []uint32 {
	ids := slices.Clone(r.unordered(id, x))
	if !slices.IsSorted(ids) { // subgraphs need not number entities in the base's order
		slices.Sort(ids)
	}
	return ids
}

// unordered is set in any order, which comes cheaper from the list of an induced relation.
func (r *rows) unordered(id plan.NodeID, x uint32) []uint32 {
	n := &r.scratch.Prog.Nodes[id]
	if n.Op != plan.OpLeaf || !isBinary(n) {
		return r.set(id, x)
	}
	sh := r.scratch.Sub.Shared
	to, from := sh.ToBase[n.Row], sh.FromBase[n.Col]
	lists := indexOf(n, &sh.Base.Relations[n.Leaf.Pred].True, false)
	r.ids = r.ids[:0]
	if int(x) >= len(to) || to[x] == subgraph.NoEntity {
		return r.ids
	}
	for _, y := range lists.Row(to[x]) {
		if local := from[y]; local != subgraph.NoEntity {
			r.ids = append(r.ids, local)
		}
	}
	return r.ids
}

// and returns row x of an elementwise product.
func (r *rows) and(n *plan.Node, x uint32) join.Vec {
	out := r.row(n.Kids[0], x)
	for _, k := range n.Kids[1:] {
		out = multiplied(out, r.row(k, x))
	}
	return out
}

// product returns row x of a matrix product whose right side has zeros and ones.
func (r *rows) product(n *plan.Node, x uint32) join.Vec {
	a, b := r.row(n.Kids[0], x), n.Kids[2]
	if v, ok := r.baseProduct(a, b); ok {
		return v
	}
	acc, hit := r.acc, r.hit
	for i, z := range a.IDs {
		k := a.At(i)
		for _, y := range r.members(b, z) {
			acc[y] = join.Add(acc[y], k)
			bitset.Set(hit, y)
		}
	}
	words := r.hit[:bitset.Words(r.scratch.Size(n.Col))]
	r.ids = bitset.AppendIDs(r.ids[:0], words)
	ids, counts := r.room(len(r.ids))
	for i, y := range r.ids {
		ids[i], counts[i], acc[y] = y, acc[y], 0
	}
	clear(words)
	return r.keep(len(ids))
}

// plain returns row x of a matrix as the subgraph's own relations give it. Borrowed, until the next subgraph; it must run
// under join's Counting.
func (r *rows) plain(id plan.NodeID, x uint32) join.Vec {
	if index, ok := r.stored(id, false); ok {
		return join.Vec{IDs: index.Row(x)}
	}
	return r.scratch.CountRow(id, x)
}

// members lists row x of a matrix of zeros and ones in any order. Borrowed, until the next call.
func (r *rows) members(id plan.NodeID, x uint32) []uint32 {
	if index, ok := r.stored(id, false); ok {
		return index.Row(x)
	}
	if r.shared(id) {
		return r.unordered(id, x)
	}
	return r.scratch.CountRow(id, x).IDs
}

// multiplied returns the elementwise product of two rows.
func multiplied(a, b join.Vec) join.Vec {
	var out join.Vec
	for i, j := 0, 0; i < len(a.IDs) && j < len(b.IDs); {
		switch {
		case a.IDs[i] < b.IDs[j]:
			i++
		case a.IDs[i] > b.IDs[j]:
			j++
		default:
			out.IDs = append(out.IDs, a.IDs[i])
			out.N = append(out.N, join.Mul(a.At(i), b.At(j)))
			i++
			j++
		}
	}
	return out
}
