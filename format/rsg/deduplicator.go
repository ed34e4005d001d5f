package rsg

import (
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/grow"
)

// What decides whether subgraphs share a relation.
const (
	maxRemembered = 1 << 24 // tuples that are kept for comparison, of all relations
	maxGrowth     = 4       // how many times a subgraph's relation what is remembered may be, so that it pays
	maxCredit     = 8
	maxPause      = 64 // records
)

// deduplicator decides which relations of a stream the subgraphs share, while they pass. It remembers for each binary evidence
// predicate the union of the relations that it saw; where a subgraph's own is what that union induces, and more only where
// the union knows too little, they are taken to come from one relation in common.
type deduplicator struct {
	schema     *mln.Schema
	local      [][]uint32 // by type: local ids of the global ones in the subgraph at hand, NoEntity where it lacks them; the writer's
	marks      marks
	preds      []memory
	background uint32 // position of the record that brings the last background, noBackground before
}

// memory is what is known of the relation of a predicate.
type memory struct {
	background tuples // that the subgraphs may share now
	union      tuples // that the next background would hold
	wasted     int    // tuples that were written since the last background though they could have been in it
	credit     int    // agreements of the union with subgraphs, less the disagreements
	pause      int    // records that are not looked at
	back       int    // pause after the next disagreement
}

func newDeduplicator(schema *mln.Schema) *deduplicator {
	return &deduplicator{schema: schema, preds: make([]memory, len(schema.Predicates)), background: noBackground}
}

// share looks at a subgraph that becomes the record at the position, whose entities have the given global ids, below next, with
// their inverse. It sets by predicate which relations are induced by the background, and returns that where the record has to bring it.
func (sh *deduplicator) share(induced []bool, s *subgraph.Subgraph, position int, ids, local [][]uint32, next []uint32) *background {
	sh.local = local
	for t := range ids {
		if n := len(ids[t]); n > len(sh.marks.epochs) {
			sh.marks.epochs = grow.Zeroed(sh.marks.epochs, n)
		}
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

// overlap compares remembered tuples with a table of the subgraph at hand, see tuples.
func (sh *deduplicator) overlap(u tuples, pred int, t *subgraph.Table) (present, common int) {
	args := sh.schema.Predicates[pred].Args
	return u.overlap(&t.Forward, sh.local[args[0]], sh.local[args[1]], &sh.marks)
}

// induces reports whether the background induces a table of the subgraph at hand, and is not much larger.
func (sh *deduplicator) induces(pred int, t *subgraph.Table) bool {
	background := sh.preds[pred].background
	if t.Len() == 0 || len(background) == 0 || len(background) > 2*maxGrowth*t.Len() {
		return false
	}
	present, common := sh.overlap(background, pred, t)
	return present == common && common == t.Len()
}

// judge reports whether the background induces a table, and else learns from it.
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
	if sh.remembered() > maxRemembered {
		*m = memory{pause: maxPause, back: maxPause}
	}
	return false
}

// remembered returns the number of tuples that are kept.
func (sh *deduplicator) remembered() (n int) {
	for i := range sh.preds {
		n += len(sh.preds[i].background) + len(sh.preds[i].union)
	}
	return n
}

// pays reports whether a new background takes no more than what was wasted for want of it.
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

// rebase makes a background of the unions that have agreed with subgraphs.
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
