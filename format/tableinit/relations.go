package tableinit

import (
	"fmt"
	"slices"
	"strings"
)

// The roles in rules about tables: K is in the scene's relation; A is predicted, or the center; C is another thing, a number or a time; W
// is when a row was created.
var (
	alone     = pattern{"T", "(A)", "?A, seen(A)"}
	valueOf   = pattern{"T_C", "(K, C)", "near(K), rows(K, C)"}
	partOf    = pattern{"T_C", "(K, C)", "near(K), seen(K, C)"}
	lookedUp  = pattern{"T_C", "(K, L)", "near(K), rows(K, C), rows(D, L)"} // a text for what C refers to
	daysOf    = pattern{"T_days", "(K, days(t0 - t))", "gone(K), cutoff(t0), at(K)"}
	otherDays = pattern{"T_C_days", "(K, days(t0 - C))", "near(K), cutoff(t0), rows(K, C)"}
	ranked    = pattern{"ranked_T_A", "(A, K, rank(W by K))", "?A, seen(K, A)"} // helper
	latestOf  = pattern{"T_latest_A", "(K, n)", ""}
	lastOfAll = pattern{"T_A_last_C", "(A, C)", ""} // C in the last row of A
	countOf   = pattern{"T_count_A", "(A, count(K))", "?A, gone(K), rows(K, A)"}
	connected = pattern{"T_A_C", "(A, C)", "gone(K), ?A, rows(K, A, C)"}
	through   = pattern{"T_A_C", "(A, C)", "?A, seen(K, A), also(F, C)"} // rows that refer to those of A
	together  = pattern{"T_A_C", "(A, C)", "?A, ?C, seen(A, C)"}
	total     = pattern{"T_sum_A_C", "(A, sum(C))", "?A, seen(A, C)"}
	largest   = pattern{"T_max_A_C", "(A, max(C))", "?A, seen(A, C)"}
	firstOf   = pattern{"T_first_A", "(A, min(W))", "?A, seen(A, W)"}
	lastOf    = pattern{"T_last_A", "(A, max(W))", "?A, seen(A, W)"}
)

// told reports whether a column holds things, or values that rules may state.
func (c *column) told() bool { return c.isValue() || c.isThing() }

func (c *column) isValue() bool {
	return c.kind == kindWhole || c.kind == kindNumber || c.kind == kindTime
}

func (c *column) isThing() bool { return c.typ != nil && (c.kind == kindEntity || c.kind == kindBool) }

// mostColumns is the number of values of a row that are included: relations have at most 64 arguments.
const mostColumns = 50

// tellable returns a table's columns from which relations are made: not those that are never known in time.
func (w *writer) tellable(t *tabular) (out []*column) {
	for _, c := range t.columns {
		dated := c == w.group && c.isThing() && (c.function == "date" || c.function == "time") // the days before the target say the same
		if w.visibility(c) != never && !dated {
			out = append(out, c)
		}
	}
	return out
}

// anchorsOf returns a column in the roles of predicted thing, with the given term, and of center, if it can hold them.
func (w *writer) anchorsOf(c *column, term string) (out []role) {
	if !c.isThing() {
		return nil
	}
	if c.typ == w.member.typ {
		out = append(out, role{c, term, true})
	}
	none := w.timed && !w.lasting && c == w.group || // the first of the center's rows is the target
		c == w.group.typ.key && !w.ofOwn || w.datesTarget(c)
	if c.typ == w.group.typ && !none {
		out = append(out, role{c, "@center", true})
	}
	return out
}

// datesTarget reports whether the target is as late as all rows in which a column refers to its center.
func (w *writer) datesTarget(c *column) bool {
	t := w.request.table
	return w.timed && !w.lasting && t.time == nil && c.dates() && c.refers == t.parents()[0].refers
}

// anchors returns the anchors of all columns of a table.
func (w *writer) anchors(t *tabular) (out []role) {
	for _, c := range t.columns {
		term := "x"
		if c == t.key {
			term = "k"
		}
		out = append(out, w.anchorsOf(c, term)...)
	}
	return out
}

// relations writes the data about the center and the predicted things.
func (w *writer) relations() {
	w.findTeams()
	for _, anchored := range []bool{false, true} { // so that details of other rows follow these
		for _, t := range w.tables {
			if (len(w.anchors(t)) > 0) == anchored {
				w.relationsOf(t)
			}
		}
	}
	w.ofCenters()
	w.upward()
}

// relationsOf writes what a table says about the center, the predicted things and their teams.
func (w *writer) relationsOf(t *tabular) {
	anchors, told, teams := w.anchors(t), w.tellable(t), w.teamColumns(t)
	switch {
	case len(anchors)+len(teams) == 0:
		return
	case len(teams) > 0:
		w.section(fmt.Sprintf("What %s says; of each last %s for the %d days before the target.", clip(t.file), teams[0].typ.name, teamDays))
	default:
		w.section("What " + clip(t.file) + " says.")
	}
	switch {
	case len(told) < 2 && t.key == nil:
		for _, a := range anchors {
			w.tell(alone, scene{table: t}.cast("A", a))
		}
	case t.key != nil:
		w.keyed(t, anchors, teams)
	case w.expected(t) > mostPairs:
		t.unused = fmt.Sprintf("it has about %.0f rows for each subgraph", w.expected(t))
		w.note("%s was left out: %s", t.file, t.unused)
	default:
		w.unkeyed(t, anchors)
	}
}

// Approximate number of a table's rows in a subgraph: one by one if they have a key, and as pairs of things.
const (
	mostRows  = 10_000
	mostPairs = 200_000
)

// expected estimates how many rows of a table concern the predicted things of a subgraph, half of them before its time.
func (w *writer) expected(t *tabular) float64 {
	if t.key != nil && t.key.typ == w.member.typ {
		return 0
	}
	rows := 0.0
	for _, c := range t.columns {
		if c.isThing() && c.typ == w.member.typ {
			rows = max(rows, float64(c.filled)*min(1, w.around/max(c.distinct(), 1)))
		}
	}
	if w.timed {
		rows /= 2
	}
	return rows
}

// keyed includes the rows of a keyed table that concern the center, the predicted things or their teams.
func (w *writer) keyed(t *tabular, anchors []role, teams []*column) {
	s := scene{table: t, near: w.names.take("of_" + t.plain())}.with("K", t.key, "k")
	before := len(w.rules)
	if w.ranks(t) {
		w.rowsOf(s, anchors, teams)
	} else {
		for _, a := range anchors {
			of := s.cast("A", a)
			if a.column == t.key {
				of = of.cast("K", a)
			}
			w.add(s.near, "(K)", "?A, seen(K, A)", of)
		}
	}
	if len(w.rules) == before {
		return
	}
	t.near = s.near
	anchors = slices.DeleteFunc(anchors, func(a role) bool { return a.column == t.key })
	n := w.expected(t)
	switch {
	case n <= mostRows:
		w.attributes(s)
	case w.ranks(t):
		w.note("%s has about %.0f rows for each subgraph: they are counted, and those of the latest %d times of each thing stated one by one", t.file, n, mostLatest)
		w.attributes(s)
	default:
		w.note("%s has about %.0f rows for each subgraph: they are counted, not stated one by one", t.file, n)
		for _, a := range anchors {
			w.tell(countOf, s.cast("A", a))
		}
	}
	for _, a := range anchors {
		w.direct(s.cast("A", a))
	}
	if t.key.typ != w.member.typ {
		w.details(s)
	}
}

// attributes states the columns of the rows K, as their key or as what they refer to.
func (w *writer) attributes(s scene) {
	k := s.roles["K"].column
	ofRows := k == s.table.key
	for _, c := range w.tellable(s.table) {
		if c == k || c.kind == kindTime && (!ofRows || w.timed && c == s.table.time) {
			continue
		}
		p, of := w.attribute(s, c)
		name := w.tell(p, of)
		if of.roles["C"].term == "y" {
			w.reach(c.typ, name+"(_, k)")
		}
		if ofRows && k.typ == w.member.typ && w.mayBeTeam(c) && c.typ.team != "" {
			body := "member(K), seen(K, C)" // not the relation, which may also hold rows of the teams
			if w.born && s.table == w.request.table {
				body = "member(K), rows(K, C)"
			}
			w.add(c.typ.team, "(C)", body, of)
		}
	}
	if ofRows && w.timed && !s.table.timeless() {
		w.tell(daysOf, s)
	}
}

// attribute returns how a column C of the rows K is stated: as the thing y, or else as the number n or the time t.
func (w *writer) attribute(s scene, c *column) (p pattern, of scene) {
	p, of = valueOf, s
	ofRows, term := s.roles["K"].column == s.table.key, "n"
	if c.isThing() {
		term = "y"
	}
	switch {
	case c.kind == kindTime && w.timed:
		p, term = otherDays, "t"
	case ofRows && c.isLookedUp():
		p, of, term = lookedUp, s.with("D", c.refers, "n").with("L", c.refers.table.text, "y"), "n"
	case !ofRows:
		p = partOf
	}
	if w.born && (c == w.group || c == w.label) {
		p.body = strings.Replace(p.body, "near(K)", "gone(K)", 1)
	}
	if _, ofCenter := w.secret(c); ofCenter {
		p.body = strings.Replace(p.body, "near(K)", "near(K), K != @center", 1)
	}
	return p, of.with("C", c, term)
}

// direct states which things keyed rows connect with A.
func (w *writer) direct(s scene) {
	t, m := s.table, s.roles["A"].column
	for _, c := range w.tellable(t) {
		if c == m || c == t.key || !c.isThing() || c.isLookedUp() || w.timed && c.dates() || !w.connects(m, c) {
			continue
		}
		if name := w.tell(connected, s.with("C", c, "y")); c.typ != w.group.typ {
			w.reach(c.typ, name+"(_, k)")
		}
	}
}

// isLookedUp reports whether a text represents the rows to which a column refers.
func (c *column) isLookedUp() bool { return c.refers != nil && c.refers.table.text != nil }

// connects reports whether a keyed table should directly connect the things of two columns: predicted things with centers, and with things
// that several may share.
func (w *writer) connects(m, c *column) bool {
	if len(w.anchorsOf(c, "y")) > 0 {
		return m.typ == w.member.typ && c.typ == w.group.typ && (m.typ != c.typ || m.position < c.position)
	}
	return w.isShared(c, m)
}

// isShared reports whether several predicted things may share a thing of a column: it is more than a category, and not a row of a table
// that belongs to one of them.
func (w *writer) isShared(c, m *column) bool {
	if c.distinct() <= fewValues {
		return false
	}
	k := c.typ.key
	return k == nil || !slices.ContainsFunc(k.table.columns, func(c *column) bool { return c.typ == m.typ || c.typ == w.group.typ })
}

// unkeyed includes the rows of a table without a key that concern the center or the predicted things: a relation with each other thing, and
// the sum of each value.
func (w *writer) unkeyed(t *tabular, anchors []role) {
	columns := w.tellable(t)
	p := together
	if len(slices.DeleteFunc(slices.Clone(columns), func(c *column) bool { return !c.isThing() })) == 2 {
		p.name = "T"
	}
	for i, a := range columns {
		for _, c := range columns[i+1:] {
			switch {
			case a.isThing() && c.isThing():
				w.pair(p, t, a, c)
			case a.isThing():
				w.value(t, a, c)
			case c.isThing():
				w.value(t, c, a)
			}
		}
	}
	if t.time == nil || w.timed {
		return
	}
	for _, a := range anchors {
		s := scene{table: t}.cast("A", a).with("W", t.time, "t")
		w.tell(firstOf, s)
		w.tell(lastOf, s)
	}
}

// pair states which things occur together in a row.
func (w *writer) pair(p pattern, t *tabular, a, c *column) {
	left, right := w.anchorsOf(a, "x"), w.anchorsOf(c, "y")
	s := scene{table: t}.with("A", a, "x").with("C", c, "y")
	if len(left) > 0 && len(right) > 0 && a.typ == c.typ {
		for _, l := range left {
			for _, r := range right {
				if l.term != "@center" || r.term != "@center" {
					w.tell(p, s.cast("A", l).cast("C", r))
				}
			}
		}
		return
	}
	// By the predicted thing, if one is.
	isMember := func(c *column) bool { return c.typ == w.member.typ }
	every := !isMember(a) && !isMember(c) && (len(left) == 0 || len(right) == 0)
	for _, l := range left {
		if every || isMember(a) {
			w.tell(p, s.cast("A", l))
		}
	}
	for _, r := range right {
		if every || isMember(c) {
			w.tell(p, s.cast("C", r))
		}
	}
	if len(left)+len(right) == 0 {
		return
	}
	name := w.predicate(p, s)
	if w.isOther(c) {
		w.reach(c.typ, name+"(_, k)")
	}
	if w.isOther(a) {
		w.reach(a.typ, name+"(k, _)")
	}
}

// value states the sum of A's values over its rows, or their largest if a sum could overflow.
func (w *writer) value(t *tabular, thing, value *column) {
	if value.kind == kindTime {
		return // the first and the last
	}
	p := total
	if most := max(float64(value.hi), -float64(value.lo)); value.kind == kindWhole && most*float64(t.rows) > 1<<53 || thing.unique() {
		p = largest
	}
	for _, a := range w.anchorsOf(thing, "x") {
		w.tell(p, scene{table: t}.cast("A", a).with("C", value, "n"))
	}
}

func (w *writer) reach(t *entityType, atom string) {
	if !slices.Contains(t.reached, atom) {
		t.reached = append(t.reached, atom)
	}
}
