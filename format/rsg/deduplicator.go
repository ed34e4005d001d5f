package rsg

import (
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/grow"
)

// Limits that decide whether subgraphs share a relation.
const (
	maxRemembered = 1 << 24 // tuples kept for comparison, in all relations
	maxGrowth     = 4       // largest ratio of the remembered relation to a subgraph's for which sharing pays
	maxCredit     = 8
	maxPause      = 64 // records
)

// deduplicator decides, in one pass, which relations of a stream the subgraphs share. It remembers the union of the relations of each
// binary evidence predicate. If a subgraph's relation is what that union induces, or has tuples only where the union is incomplete, they
// are assumed to come from a common relation.
type deduplicator struct {
	schema     *mln.Schema
	local      [][]uint32 // by type: local ids of global ones in the current subgraph, NoEntity for others; owned by the writer
	marks      []bool     // by local id of any type
	preds      []memory
	background uint32 // position of the record with the last background, noBackground before
}

// memory is what is known about a predicate's relation.
type memory struct {
	background tuples // that subgraphs may share now
	union      tuples // for the next background
	wasted     int    // tuples written since the last background that it could have held
	credit     int    // number of subgraphs that agree with the union, less those that disagree
	pause      int    // records to skip
	back       int    // pause after the next disagreement
}

// share examines a subgraph about to become the record at position, given the global ids of its entities, below next, and their inverse. It
// sets, by predicate, which relations the background induces, and returns the background if the record has to contain it.
func (sh *deduplicator) share(induced []bool, s *subgraph.Subgraph, position int, ids, local [][]uint32, next []uint32) *background {
	sh.local = local
	for t := range ids {
		sh.marks = grow.Zeroed(sh.marks, max(len(ids[t]), len(sh.marks)))
	}
	for i := range induced {
		induced[i] = sh.judge(i, &s.Relations[i].True, ids)
	}
	if !sh.pays() {
		return nil
	}
	sh.background = uint32(position)
	background := sh.rebase(position, next)
	for i := range induced {
		induced[i] = sh.induces(i, &s.Relations[i].True)
	}
	return background
}

// overlap compares remembered tuples with a table of the current subgraph, see tuples.
func (sh *deduplicator) overlap(u tuples, pred int, t *subgraph.Table) (present, common int) {
	args := sh.schema.Predicates[pred].Args
	return u.overlap(&t.Forward, sh.local[args[0]], sh.local[args[1]], sh.marks)
}

// induces reports whether the background induces a table of the current subgraph, and is not much larger.
func (sh *deduplicator) induces(pred int, t *subgraph.Table) bool {
	background := sh.preds[pred].background
	if t.Len() == 0 || len(background) == 0 || len(background) > 2*maxGrowth*t.Len() {
		return false
	}
	present, common := sh.overlap(background, pred, t)
	return present == common && common == t.Len()
}

// judge reports whether the background induces a table; if not, it learns from the table.
func (sh *deduplicator) judge(pred int, t *subgraph.Table, ids [][]uint32) bool {
	m := &sh.preds[pred]
	switch {
	case !shareable(&sh.schema.Predicates[pred]) || t.Len() == 0:
		return false
	case sh.induces(pred, t):
		m.credit = min(m.credit+1, maxCredit)
		return true
	case m.pause > 0:
		m.pause--
		return false
	}
	present, common := sh.overlap(m.union, pred, t)
	agrees := present == common && 2*common >= t.Len() && len(m.union) <= maxGrowth*t.Len()
	args := sh.schema.Predicates[pred].Args
	rows, cols := ids[args[0]], ids[args[1]]
	switch {
	case agrees:
		if common < t.Len() {
			m.union = m.union.merge(tuplesOf(t, rows, cols))
		}
		m.wasted += t.Len()
		m.credit, m.back = min(m.credit+1, maxCredit), 0
	case m.credit > 0:
		m.credit--
	default:
		m.union, m.wasted = tuplesOf(t, rows, cols), t.Len()
		m.pause, m.back = m.back, min(2*m.back+1, maxPause)
	}
	tuples := 0
	for i := range sh.preds {
		tuples += len(sh.preds[i].background) + len(sh.preds[i].union)
	}
	if tuples > maxRemembered {
		*m = memory{pause: maxPause, back: maxPause}
	}
	return false
}

// pays reports whether a new background costs no more than was wasted without it.
func (sh *deduplicator) pays() bool {
	wasted, size := 0, 0
	for i := range sh.preds {
		if m := &sh.preds[i]; m.credit > 0 {
			wasted += m.wasted
			size += len(m.union)
		}
	}
	return size > 0 && wasted >= size
}

// rebase makes a background of the unions that agreed with subgraphs.
func (sh *deduplicator) rebase(position int, next []uint32) *background {
	types := len(sh.schema.Types)
	ids, place := make([][]uint32, types), make([][]uint32, types)
	for t := range place {
		place[t] = make([]uint32, next[t])
	}
	has := make([]bool, len(sh.preds))
	for i := range sh.preds {
		m, args := &sh.preds[i], sh.schema.Predicates[i].Args
		m.background, m.wasted, has[i] = nil, 0, m.credit > 0
		if !has[i] {
			continue
		}
		m.background = m.union
		for _, u := range m.background {
			place[args[0]][u>>32], place[args[1]][uint32(u)] = 1, 1
		}
	}
	for t := range place {
		for id, used := range place[t] {
			if used > 0 {
				place[t][id] = uint32(len(ids[t]))
				ids[t] = append(ids[t], uint32(id))
			}
		}
	}
	relations := make([]subgraph.Relation, len(sh.preds))
	for i := range relations {
		if has[i] {
			row, col := sh.schema.Predicates[i].Args[0], sh.schema.Predicates[i].Args[1]
			relations[i].True = sh.preds[i].background.table(place[row], place[col], len(ids[row]), len(ids[col]))
		}
	}
	return newBackground(position, ids, relations, has)
}
