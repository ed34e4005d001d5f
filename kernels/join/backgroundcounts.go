package join

import (
	"math"

	"resolwe/format/subgraph"
	"resolwe/internal/grow"
	"resolwe/kernels/plan"
)

// Counts of many lists of a background are added up by its own ids, as bytes, eight to a word: a long list is kept as
// such bytes from one subgraph to the next, so that it is added a word at a time, and only the sums are translated to
// local ids.

const (
	laneBits  = 8
	wordLanes = 64 / laneBits
	mostSum   = math.MaxUint8
)

// sumWords bounds the words of the lists that are kept as bytes: 1 MB.
const sumWords = 1 << 17

// fewVisits is how many entities can be asked for their sum in the time that it takes to add one up.
const fewVisits = 4

// backgroundSums adds up lists of a background.
type backgroundSums struct {
	kept  map[backgroundList][]uint64 // long lists, by the background's ids, as bytes
	words int                         // of them
	limit int                         // of words
	lists [][]uint32                  // to be added up
	sums  []uint64
}

// backgroundList is a row of an induced relation over the background.
type backgroundList struct {
	node plan.NodeID
	row  uint32
}

// forget begins another background.
func (l *backgroundSums) forget() {
	clear(l.kept)
	l.words = 0
}

// backgroundIndex returns the lists of an induced relation over the background.
func (s *Scratch) backgroundIndex(n *plan.Node) *subgraph.Index {
	t := &s.background.of.Relations[n.Literal.Pred].True
	if n.Literal.Args[0] == 0 {
		return &t.Forward
	}
	return &t.Backward
}

// inducedRow lists row x of an induced relation in any order, without its table. Borrowed until the next call.
func (s *Scratch) inducedRow(id plan.NodeID, x uint32) []uint32 {
	n := &s.Prog.Nodes[id]
	s.common = s.common[:0]
	at := backgroundID(s.Sub.Shared.ToBackground[n.Row], x)
	if at == subgraph.NoEntity {
		return nil
	}
	from := s.Sub.Shared.FromBackground[n.Col]
	for _, y := range s.backgroundIndex(n).Row(at) {
		if local := from[y]; local != subgraph.NoEntity {
			s.common = append(s.common, local)
		}
	}
	return s.common
}

// backgroundProduct returns the product of a row and an induced relation. It returns false for another matrix, where it
// does not pay, and where a sum might not fit.
func (s *Scratch) backgroundProduct(a Vec, b plan.NodeID) (Vec, bool) {
	if !s.unexpanded(b) || !sumsTo(a, mostSum) {
		return Vec{}, false
	}
	n, l, sh := &s.Prog.Nodes[b], &s.background.sums, s.Sub.Shared
	index, rows, columns := s.backgroundIndex(n), sh.ToBackground[n.Row], sh.ToBackground[n.Col]
	l.lists = l.lists[:0]
	visits := 0
	for _, z := range a.IDs {
		var list []uint32
		if id := backgroundID(rows, z); id != subgraph.NoEntity {
			list = index.Row(id)
		}
		l.lists = append(l.lists, list)
		visits += len(list)
	}
	if visits*fewVisits < len(columns) {
		return Vec{}, false
	}
	l.sums = grow.Zeroed(l.sums, (sh.Background.Sizes[n.Col]+wordLanes-1)/wordLanes)
	for i, z := range a.IDs {
		l.add(backgroundList{b, backgroundID(rows, z)}, l.lists[i], uint64(a.At(i)))
	}
	return s.toLocal(l.sums, columns), true
}

// sumsTo reports whether a row's counts add up to at most a number.
func sumsTo(v Vec, most int) bool {
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

// backgroundID returns the background's id of a local one, subgraph.NoEntity where there is none.
func backgroundID(toBackground []uint32, local uint32) uint32 {
	if int(local) < len(toBackground) {
		return toBackground[local]
	}
	return subgraph.NoEntity
}

// add adds k for each entity of a list.
func (l *backgroundSums) add(key backgroundList, list []uint32, k uint64) {
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
func (l *backgroundSums) lanes(key backgroundList, list []uint32) []uint64 {
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
func (s *Scratch) toLocal(sums []uint64, columns []uint32) Vec {
	ids, counts := s.ids.take(len(columns)), s.nums.take(len(columns))
	k := 0
	for y, b := range columns {
		if int(b/wordLanes) >= len(sums) { // no entity of the background
			continue
		}
		n := sums[b/wordLanes] >> (b % wordLanes * laneBits) & mostSum
		ids[k], counts[k] = uint32(y), int64(n)
		if n != 0 {
			k++
		}
	}
	return s.kept(ids, counts, k)
}
