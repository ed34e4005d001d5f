package tableinit

import (
	"fmt"
	"strings"

	"resolwe/format/lex"
)

// negatives is the number of negatives for each true one, if there are enough to draw from: spare times what a subgraph uses. With fewer,
// all frequent things would be drawn, and the true ones would stand out by their frequency.
const (
	negatives = 4
	spare     = 4
)

// perTrue returns the number of negatives for each true one, and whether they must be matched because there are few to draw from.
func (d *draft) perTrue() (n int, matched bool) {
	most := d.member.effective()/(spare*d.each) - 1
	if matched = most < negatives && !d.born && d.member.distinct() >= ofStep*float64(len(d.steps())); matched {
		return 1, true
	}
	return int(max(1, min(negatives, most))), false
}

const (
	ofStep    = 40 // least number of things of a step: a true thing lacks a row, and in a small step that would show
	fineSteps = 32 // if no step begins beyond it, each number of rows is matched exactly
)

// steps returns the numbers of rows at which steps begin. A step spans one number, from 8 on a quarter of the number.
func (d *draft) steps() (out []int) {
	most := int(min(d.group.distinct(), d.member.most()))
	for at := 1; at <= most; at = nextStep(at) {
		out = append(out, at)
	}
	return out
}

// nextStep returns where the step after the one that begins at a number begins.
func nextStep(at int) int { return max(at+1, at*5/4) }

// how describes how the negatives are drawn.
func (w *writer) how() string {
	n, matched := w.perTrue()
	if matched {
		return "and as many others that have as many rows of other centers, so that having many is no sign."
	}
	return "and " + itoa(n) + " for each of them from the rows of others, so that things are drawn as often as they have rows."
}

// goal writes the centers, the target and its negatives. C stands for the centers, M for what is predicted.
func (w *writer) goal() {
	t, c, m := w.request.table, w.group, w.member
	each := scene{table: t}.with("C", c, "c").with("M", m, "x")
	s := each.with("C", c, "@center")
	target := w.names.take(s.named("T_target"))
	w.predicates = []predicate{{target, m.typ.name, t, nil}}
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
		w.some()
		w.section("What is predicted: those with a row, " + w.how())
	}
	unlinked := ""
	if w.group.typ == w.member.typ && (!w.born || !w.timed) {
		linked := w.names.take("linked")
		w.add(linked, "(x)", "rows(C, M)", s)
		w.add(linked, "(x)", "rows(C, M)", s.with("C", w.group, "x").with("M", w.member, "@center"))
		unlinked = ", x != @center, !" + linked + "(x)"
	}
	other := w.names.take("other")
	of := other + "(_, x)"
	if n, matched := w.perTrue(); matched {
		w.match(target, other, known, body, unlinked, s)
		of = other + "(x, _)"
	} else {
		w.compare(target, other, known, body, unlinked, s)
		w.line(fmt.Sprintf("sample %s %d per %s seed 1", other, n, target))
	}
	if w.fresh == nil {
		w.line("require count(" + target + ") >= 1")
		w.line("require count(" + other + ") >= 1")
	} else {
		all := strings.TrimSuffix(w.isNew+"(@center, _), "+known, ", ")
		w.add("?"+target, "(x)", all, scene{})
		w.add("member", "(x)", all, scene{})
		w.either(target+"(x)", all)
		w.either(of, all)
	}
	w.add("!"+target, "(x)", of, scene{})
	w.add("member", "(x)", target+"(x)", scene{})
	w.add("member", "(x)", of, scene{})
}

// either requires x for which one of two bodies holds.
func (w *writer) either(a, b string) {
	name := w.names.take("enough")
	w.add(name, "(x)", a, scene{})
	w.add(name, "(x)", b, scene{})
	w.line("require count(" + name + ") >= 1")
}

// compare writes the target and its negatives: a sample of the rows of other centers, which each hide their row.
func (w *writer) compare(target, other, known, body, unlinked string, s scene) {
	w.other = other
	w.add(target, "(x)", known+body, s)
	if body = known + "rows(C, M)"; w.born && w.timed {
		body = "at(C, M), cutoff(t0), t >= t0"
	}
	w.add(other, "(y, x)", body+", !"+target+"(x), y != @center"+unlinked, s.with("C", w.group, "y"))
}

// match writes the target and its negatives, with as many false as true ones among those with as many rows of other centers.
func (w *writer) match(target, other, known, body, unlinked string, s scene) {
	often, did, drawn := w.names.take("often"), w.names.take("did"), w.names.take("drawn")
	counted, steps := often, w.steps()
	if steps[len(steps)-1] > fineSteps {
		counted = w.names.take("rows_of_others")
	}
	w.add(counted, "(x, count(y))", known+"rows(C, M), y != @center", s.with("C", w.group, "y"))
	if counted != often {
		w.add(often, "(x, n)", counted+"(x, n), n < 8", s)
		for _, at := range steps[7:] {
			w.add(often, "(x, "+itoa(at)+")", fmt.Sprintf("%s(x, n), n >= %d, n < %d", counted, at, nextStep(at)), s)
		}
	}
	w.add(did, "(x, n)", body+", "+often+"(x, n)", s)
	w.add(other, "(x, n)", often+"(x, n), !"+did+"(x, n)"+unlinked, s)
	w.line("sample " + other + " 1 per " + did + " stratified seed 1")
	w.add(drawn, "(x, n)", did+"(x, n)", s)
	w.line("sample " + drawn + " 1 per " + other + " stratified seed 1")
	w.add(target, "(x)", body+", "+drawn+"(x, _)", s)
}

// when writes the centers in order of time, and the time from which on each center's data are hidden.
func (w *writer) when(s scene) {
	when := w.names.take("when")
	least, which := "min", "first"
	if w.lasting {
		least, which = "max", "last"
	}
	w.section("The centers, in the order of time. The time of a target is that of the center's " + which + " row; nothing else of then or later is included.")
	w.add(when, "(c, "+least+"(t))", "at(C, M)", s)
	w.add("center c by t", "", when+"(c, t)", s)
	w.some()
	w.add("cutoff", "(t0)", when+"(@center, t0)", s)
	if w.fresh == nil {
		return
	}
	latest, answered, isNew := w.names.take("latest_row"), w.names.take("answered"), w.names.take("new")
	w.isNew = isNew
	w.section("New centers are later than all rows of " + clip(w.request.table.file) + ": of these, what is predicted is unknown.")
	w.add(latest, "(max(t))", "at(C, M)", s)
	w.add(answered, "(c)", when+"(c, t)", s)
	w.add(isNew, "(c, t)", "at(C), !"+answered+"(c), "+latest+"(t1), t > t1", scene{table: w.fresh.table}.with("C", w.fresh, "c"))
	w.add("center c by t", "", isNew+"(c, t)", scene{})
	w.add("cutoff", "(t0)", isNew+"(@center, t0)", scene{})
}

// mostCenters is the number of centers above which they are sampled.
const mostCenters = 2000

// some writes that the centers are sampled if there are many.
func (w *writer) some() {
	if n := w.group.distinct(); n > mostCenters {
		w.line("// A random " + itoa(mostCenters) + " of " + itoa(int(n)) + " centers are kept; without this line there is a subgraph for each.")
		w.line("sample center " + itoa(mostCenters) + " seed 1")
	}
}

// mostKnown is the number of known things above which only recently active ones are candidates.
const mostKnown = 20_000

// candidates writes which things may be of the target: those known before it, and recently active if there are many. It returns the atom.
// What is created with its row was not known before.
func (w *writer) candidates(s scene) string {
	t, m := w.request.table, w.member
	w.section("What is predicted: of those that were known before, those with a row, " + w.how())
	if w.born {
		return ""
	}
	known := w.names.take("candidate")
	if key := m.typ.key; key != nil && key.table.problem == nil && key.distinct() <= mostKnown {
		w.add(known, "(x)", "past(K)", s.with("K", key, "x"))
		return known + "(x), "
	}
	body := "cutoff(t0), at(M), " + w.earlier(t.dating(), "t")
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
		w.some()
	}
	head, body := "(x)", "rows(C, M)"
	if w.group == w.member {
		head = "(@center)"
	}
	if w.lasting {
		body = "at(C, M), cutoff(t0), t >= t0"
	}
	labels := strings.Replace(body, "M)", "M, L)", 1)
	w.section("What is predicted: what " + clip(w.label.title()) + " says.")
	yes, no, isPair := w.label.bools()
	s := each.with("C", w.group, "@center")
	isTrue, isFalse, other := s.with("L", w.label, lex.Quote(yes)), s.with("L", w.label, lex.Quote(no)), ""
	if !isPair {
		isFalse, other = s.with("L", w.label, "y"), ", y != "+lex.Quote(yes)
	}
	w.add(target, head, labels, isTrue)
	w.add("!"+target, head, labels+other+", !"+target+head, isFalse)
	w.add("member", head, labels, isTrue)
	w.add("member", head, labels+other, isFalse)
	if w.label.filled == w.label.rows {
		return
	}
	labelled := w.names.take("labelled")
	w.section("What has no label is to be predicted only.")
	w.add(labelled, head, labels, s.with("L", w.label, "y"))
	w.add("?"+target, head, body+", !"+labelled+head, s)
	w.add("member", head, body, s)
}
