package ground

import (
	"math"

	"resolwe/format/subgraph"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// Counts of many lists of a base are added up by its own ids, as bytes, eight to a word: a long list is kept as such bytes
// from one subgraph to the next, so that it is added a word at a time, and only the sums are translated to local ids.

const (
	laneBits  = 8
	wordLanes = 64 / laneBits
	mostSum   = math.MaxUint8
)

// mostLanes bounds the words of the lists that are kept as bytes: 1 MB.
const mostLanes = 1 << 17

// fewVisits is how many entities can be asked for their sum in the time that it takes to add one up.
const fewVisits = 4

// baseLists adds up lists of a base.
type baseLists struct {
	of    *subgraph.Base
	kept  map[rowKey][]uint64 // long lists, by the base's ids, as bytes
	words int                 // of them
	limit int                 // of words
	lists [][]uint32          // to be added up
	sums  []uint64
}

// reset begins a subgraph.
func (l *baseLists) reset(sh *subgraph.Shared) {
	if sh == nil || l.of == sh.Base {
		return
	}
	l.of, l.words = sh.Base, 0
	if l.kept == nil {
		l.kept = map[rowKey][]uint64{}
	}
	clear(l.kept)
}

// baseProduct returns the product of a row and an induced relation. It returns false for another matrix, where it does not
// pay, and where a sum might not fit.
func (r *rows) baseProduct(a join.Vec, b plan.NodeID) (join.Vec, bool) {
	n := &r.scratch.Prog.Nodes[b]
	if n.Op != plan.OpLeaf || !isBinary(n) || !r.shared(b) || !sumsTo(a, mostSum) {
		return join.Vec{}, false
	}
	l, sh := &r.base, r.scratch.Sub.Shared
	index := indexOf(n, &sh.Base.Relations[n.Leaf.Pred].True, false)
	rows, columns := sh.ToBase[n.Row], sh.ToBase[n.Col]
	l.lists = l.lists[:0]
	visits := 0
	for _, z := range a.IDs {
		var list []uint32
		if id := baseID(rows, z); id != subgraph.NoEntity {
			list = index.Row(id)
		}
		l.lists = append(l.lists, list)
		visits += len(list)
	}
	if visits*fewVisits < len(columns) {
		return join.Vec{}, false
	}
	l.sums = resized(l.sums, (sh.Base.Sizes[n.Col]+wordLanes-1)/wordLanes)
	for i, z := range a.IDs {
		l.add(rowKey{b, baseID(rows, z)}, l.lists[i], uint64(a.At(i)))
	}
	return r.toLocal(l.sums, columns), true
}

// sumsTo reports whether a row's counts add up to at most a number.
func sumsTo(v join.Vec, most int) bool {
	if len(v.IDs) > most {
		return false
	}
	for _, n := range v.N {
		if n > int64(most) {
			return false
		}
		most -= int(n)
	}
	return most >= 0
}

// baseID returns the base's id of a local one, subgraph.NoEntity where there is none.
func baseID(toBase []uint32, local uint32) uint32 {
	if int(local) < len(toBase) {
		return toBase[local]
	}
	return subgraph.NoEntity
}

// add adds k for each entity of a list, which has a key.
func (l *baseLists) add(key rowKey, list []uint32, k uint64) {
	if len(list) >= len(l.sums) {
		if lanes := l.lanes(key, list); lanes != nil {
			for i, w := range lanes {
				l.sums[i] += w * k
			}
			return
		}
	}
	for _, y := range list {
		l.sums[y/wordLanes] += k << (y % wordLanes * laneBits)
	}
}

// lanes returns a list as bytes of 0 and 1; nil where there is no room for one more.
func (l *baseLists) lanes(key rowKey, list []uint32) []uint64 {
	if lanes, ok := l.kept[key]; ok {
		return lanes
	}
	if l.words+len(l.sums) > l.limit {
		return nil
	}
	lanes := make([]uint64, len(l.sums))
	for _, y := range list {
		lanes[y/wordLanes] |= 1 << (y % wordLanes * laneBits)
	}
	l.kept[key], l.words = lanes, l.words+len(lanes)
	return lanes
}

// toLocal returns the row of the local ids whose sums are not 0.
func (r *rows) toLocal(sums []uint64, columns []uint32) join.Vec {
	ids, counts := r.room(len(columns))
	k := 0
	for y, b := range columns {
		if int(b/wordLanes) >= len(sums) { // no entity of the base
			continue
		}
		n := sums[b/wordLanes] >> (b % wordLanes * laneBits) & mostSum
		ids[k], counts[k] = uint32(y), int64(n)
		if n != 0 {
			k++
		}
	}
	return r.keep(k)
}
