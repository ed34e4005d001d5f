package tableinit

import (
	"fmt"

	"resolwe/format/lex"
)

// negatives is how many there are for each that is true, where there are enough to draw from: spare times as many as a subgraph takes.
// Else those that occur often would all be drawn, and the true ones stand out by occurring often.
const (
	negatives = 4
	spare     = 4
)

// perTrue returns how many negatives there are for each that is true.
func (w *writer) perTrue() int {
	most := w.member.effective()/(spare*w.each) - 1
	return int(max(1, min(negatives, most)))
}

// goal writes the centers, the target, and what it is compared with. C is who the centers are, M what is predicted.
func (w *writer) goal() {
	t, c, m := w.request.table, w.group, w.member
	each := scene{table: t}.with("C", c, "c").with("M", m, "x")
	s := each.with("C", c, "@center")
	target := w.names.take(s.named("T_target"))
	w.predicates = []predicate{{target, m.typ.name}}
	if w.label != nil {
		w.labelled(target, each)
		return
	}
	body, known := "rows(C, M)", ""
	if w.timed {
		w.when(each)
		if w.lasting {
			body = "cutoff(t0), at(C, M), t >= t0"
		}
		known = w.candidates(s)
	} else {
		w.section("The centers. What their rows in " + clip(t.file) + " say of them is the target, and hidden.")
		w.add("center c", "", "rows(C, M)", each)
		w.some(c)
		w.section("What is predicted: those with a row, and " + itoa(w.perTrue()) + " for each of them from the rows of others, so that things are drawn as often as they have rows.")
	}
	w.add(target, "(x)", known+body, s)
	w.compare(target, known, s)
}

// compare writes who is compared with those of the target: a sample of the rows of others, each of which hides its row.
func (w *writer) compare(target, known string, s scene) {
	w.other = w.names.take("other")
	body := known + "rows(C, M), !" + target + "(x), y != @center"
	switch {
	case w.born && w.timed:
		body = "at(C, M), cutoff(t0), t >= t0, !" + target + "(x), y != @center"
	case w.group.typ == w.member.typ:
		linked := w.names.take("linked")
		w.add(linked, "(x)", "rows(C, M)", s)
		w.add(linked, "(x)", "rows(C, M)", s.with("C", w.group, "x").with("M", w.member, "@center"))
		body += ", x != @center, !" + linked + "(x)"
	}
	w.add(w.other, "(y, x)", body, s.with("C", w.group, "y"))
	w.line(fmt.Sprintf("sample %s %d per %s seed 1", w.other, w.perTrue(), target))
	w.line("require count(" + target + ") >= 1")
	w.line("require count(" + w.other + ") >= 1")
	w.add("!"+target, "(x)", w.other+"(_, x)", scene{})
	w.add("member", "(x)", target+"(x)", scene{})
	w.add("member", "(x)", w.other+"(_, x)", scene{})
}

// when writes the centers in the order of time, and from when on nothing of each is told.
func (w *writer) when(s scene) {
	when := w.names.take("when")
	least, which := "min", "first"
	if w.lasting {
		least, which = "max", "last"
	}
	w.section("The centers, in the order of time. The time of a target is that of the center's " + which + " row; nothing else of then or later is included.")
	w.add(when, "(c, "+least+"(t))", "at(C, M)", s)
	w.add("center c by t", "", when+"(c, t)", s)
	w.some(w.group)
	w.add("cutoff", "(t0)", when+"(@center, t0)", s)
}

// mostCenters is how many there are at most before a sample of them is taken.
const mostCenters = 2000

// some writes that a sample of the centers is taken where there are many.
func (w *writer) some(c *column) {
	if n := c.distinct(); n > mostCenters {
		w.line("// A random " + itoa(mostCenters) + " of " + itoa(int(n)) + " centers are kept; without this line there is a subgraph for each.")
		w.line("sample center " + itoa(mostCenters) + " seed 1")
	}
}

// mostKnown is from how many things on those that were active lately are candidates, not all that are known.
const mostKnown = 20_000

// candidates writes who may be of the target: what was known of before, and lately active where there are many. It returns the atom.
// What comes to be with its row was not known before.
func (w *writer) candidates(s scene) string {
	t, m := w.request.table, w.member
	w.section("What is predicted: of those that were known before, those with a row, and " + itoa(w.perTrue()) +
		" for each of them from the rows of others, so that things are drawn as often as they have rows.")
	if w.born {
		return ""
	}
	known := w.names.take("candidate")
	if key := m.typ.key; key != nil && key.table.problem == nil && key.distinct() <= mostKnown {
		w.add(known, "(x)", "past(K)", s.with("K", key, "x"))
		return known + "(x), "
	}
	time := t.time
	if time == nil {
		time = t.parents()[0].refers.table.time
	}
	body := "cutoff(t0), at(M), " + w.earlier(time, "t")
	if m.distinct() > mostKnown {
		body += ", t >= t0 - " + w.lately.text
	}
	w.add(known, "(x)", body, s)
	return known + "(x), "
}

// labelled writes a target whose rows say yes or no.
func (w *writer) labelled(target string, each scene) {
	if w.timed {
		w.when(each)
	} else {
		w.section("The centers. What is predicted is hidden.")
		w.add("center c", "", "rows(C)", each)
		w.some(w.group)
	}
	head, body := "(x)", "rows(C, M, L)"
	if w.group == w.member {
		head = "(@center)"
	}
	if w.lasting {
		body = "at(C, M, L), cutoff(t0), t >= t0"
	}
	w.section("What is predicted: what " + clip(w.label.title()) + " says.")
	yes, no, _ := w.label.bools()
	s := each.with("C", w.group, "@center")
	isTrue, isFalse := s.with("L", w.label, lex.Quote(yes)), s.with("L", w.label, lex.Quote(no))
	w.add(target, head, body, isTrue)
	w.add("!"+target, head, body+", !"+target+head, isFalse)
	w.add("member", head, body, isTrue)
	w.add("member", head, body, isFalse)
}
