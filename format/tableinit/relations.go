package tableinit

import (
	"slices"
	"strings"
)

// What is told of tables: of K, which the scene's relation holds; of A, which is predicted, or the center; of C, which is another
// thing, a number or a time; of W, when a row came to be.
var (
	alone     = pattern{"T", "(A)", "?A, seen(A)"}
	valueOf   = pattern{"T_C", "(K, C)", "near(K), rows(K, C)"}
	partOf    = pattern{"T_C", "(K, C)", "near(K), seen(K, C)"}
	daysOf    = pattern{"T_C_days", "(K, days(t0 - C))", "near(K), cutoff(t0), rows(K, C)"}
	countOf   = pattern{"T_count_A", "(A, count(K))", "?A, near(K), rows(K, A)"}
	connected = pattern{"T_A_C", "(A, C)", "near(K), ?A, rows(K, A, C)"}
	through   = pattern{"T_A_C", "(A, C)", "?A, seen(K, A), also(F, C)"} // rows that refer to those of A
	together  = pattern{"T_A_C", "(A, C)", "?A, ?C, seen(A, C)"}
	total     = pattern{"T_sum_A_C", "(A, sum(C))", "?A, seen(A, C)"}
	largest   = pattern{"T_max_A_C", "(A, max(C))", "?A, seen(A, C)"}
	firstOf   = pattern{"T_first_A", "(A, min(W))", "?A, seen(A, W)"}
	lastOf    = pattern{"T_last_A", "(A, max(W))", "?A, seen(A, W)"}
	ago       = pattern{"", "(A, days(t0 - W))", "?A, seen(A, W)"} // a helper, of the next
	keyedAgo  = pattern{"", "(A, days(t0 - W))", "cutoff(t0), near(K), ?A, rows(K, A, W)"}
	lastAgo   = pattern{"T_last_A", "(A, min(n))", ""}
)

// told reports whether a column holds values that rules may state, or things.
func (c *column) told() bool {
	return c.kind == kindWhole || c.kind == kindNumber || c.kind == kindTime || c.isThing()
}

func (c *column) isThing() bool { return c.typ != nil && (c.kind == kindEntity || c.kind == kindBool) }

// mostColumns is how many columns of a table are told of: relations have at most 64 arguments.
const mostColumns = 60

// tellable returns the columns of a table that relations are made of.
func (w *writer) tellable(t *tabular) (out []*column) {
	for _, c := range t.columns {
		if always, _ := w.secret(c); !always && c.told() && len(out) < mostColumns {
			out = append(out, c)
		}
	}
	return out
}

// anchorsOf returns a column in the roles of what is predicted, whose term is as given, and of the center, as far as it holds them.
func (w *writer) anchorsOf(c *column, term string) (out []role) {
	if !c.isThing() {
		return nil
	}
	if c.typ == w.member.typ {
		out = append(out, role{c, term, true})
	}
	none := w.timed && !w.lasting && c == w.group || // the first of the center's rows is the target
		c == w.group.typ.key && !w.ofOwn
	if c.typ == w.group.typ && !none {
		out = append(out, role{c, "@center", true})
	}
	return out
}

// anchors returns those of all columns of a table.
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

// relations writes what is known of the center and of what is predicted.
func (w *writer) relations() {
	for _, t := range w.tables {
		anchors, told := w.anchors(t), w.tellable(t)
		if len(anchors) == 0 {
			continue
		}
		if len(told) < 2 && t.key == nil {
			for _, a := range anchors {
				w.section("What " + clip(t.file) + " says.")
				if w.tell(alone, scene{table: t}.cast("A", a)) == "" {
					w.rules = w.rules[:len(w.rules)-1]
				}
			}
			continue
		}
		w.section("What " + clip(t.file) + " says.")
		switch {
		case t.key != nil:
			w.keyed(t, anchors)
		case w.expected(t) > mostPairs:
			w.note("%s was left out: it has about %.0f rows for each subgraph", t.file, w.expected(t))
		default:
			w.unkeyed(t, anchors)
		}
		if n := len(t.columns); n > mostColumns && len(told) == mostColumns {
			w.note("%s has %d columns, of which only the first %d are told of", t.file, n, mostColumns)
		}
	}
	w.ofCenters()
	w.upward()
	w.ring()
}

// About how many rows of a table a subgraph tells of: one by one, where they have a key, and as pairs of things.
const (
	mostRows  = 10_000
	mostPairs = 200_000
)

// expected estimates how many rows of a table are about what is predicted in a subgraph, half of them before its time.
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

// keyed tells of the rows of a table with a key that are about the center or what is predicted.
func (w *writer) keyed(t *tabular, anchors []role) {
	s := scene{table: t, near: w.names.take("of_" + t.plain())}.with("K", t.key, "k")
	some := false
	for _, a := range anchors {
		of := s.cast("A", a)
		if a.column == t.key {
			of = of.cast("K", a)
		}
		some = w.add(s.near, "(K)", "?A, seen(K, A)", of) || some
	}
	if !some {
		return
	}
	t.near = s.near
	anchors = slices.DeleteFunc(anchors, func(a role) bool { return a.column == t.key })
	if n := w.expected(t); n > mostRows {
		w.note("%s has about %.0f rows for each subgraph: they are counted, not told of one by one", t.file, n)
		for _, a := range anchors {
			w.tell(countOf, s.cast("A", a))
		}
	} else {
		w.attributes(s)
	}
	for _, a := range anchors {
		w.direct(s.cast("A", a))
	}
	if t.key.typ != w.member.typ {
		w.details(s)
	}
}

// attributes tells what the rows hold that have K: as their key, or as what they refer to.
func (w *writer) attributes(s scene) {
	k := s.roles["K"].column
	for _, c := range w.tellable(s.table) {
		p, term := valueOf, "n"
		switch {
		case c == k || c.kind == kindTime && k != s.table.key:
			continue
		case c.kind == kindTime && w.timed:
			if p, term = daysOf, "t"; c != s.table.time {
				p.body += ", " + w.earlier(c, term)
			}
		case k != s.table.key:
			p = partOf
		}
		if _, ofCenter := w.secret(c); ofCenter {
			p.body = strings.Replace(p.body, "near(K)", "near(K), K != @center", 1)
		}
		if c.isThing() {
			term = "y"
		}
		if name := w.tell(p, s.with("C", c, term)); c.isThing() {
			w.reach(c.typ, name+"(_, k)")
		}
	}
}

// direct tells which things rows with a key connect with A, and when the last of them was.
func (w *writer) direct(s scene) {
	t, m := s.table, s.roles["A"].column
	for _, c := range w.tellable(t) {
		if c == m || c == t.key || !c.isThing() || !w.connects(m, c) {
			continue
		}
		of := s.with("C", c, "y")
		if name := w.tell(connected, of); c.typ != w.group.typ {
			w.reach(c.typ, name+"(_, k)")
			w.link(name, name+"(_, y)", "seen(A, C)", of)
		}
	}
	if t.time != nil && w.timed {
		w.last(keyedAgo, s.with("W", t.time, "t"))
	}
}

// connects reports whether a table with a key is to say directly which things of a column belong to those of another: to what is
// predicted centers, and things that several may have.
func (w *writer) connects(m, c *column) bool {
	if len(w.anchorsOf(c, "y")) > 0 {
		return m.typ == w.member.typ && c.typ == w.group.typ && (m.typ != c.typ || m.position < c.position)
	}
	return w.isShared(c, m)
}

// isShared reports whether several of what is predicted may have the same thing of a column: it is more than a category, and not a row of
// a table that says whose it is.
func (w *writer) isShared(c, m *column) bool {
	if c.distinct() <= fewValues {
		return false
	}
	k := c.typ.key
	return k == nil || !slices.ContainsFunc(k.table.columns, func(c *column) bool { return c.typ == m.typ || c.typ == w.group.typ })
}

// last tells how many days ago the last row of A was.
func (w *writer) last(p pattern, s scene) {
	of := s
	s = s.with("A", s.roles["A"].column, "x")
	name := w.predicate(lastAgo, s)
	helper := w.define(name + "_ago") // columns of one name may be of different types
	w.add(helper, p.head, p.body, of)
	if head := name + s.terms(lastAgo.head); !slices.ContainsFunc(w.rules, func(r rule) bool { return r.head == head }) {
		w.add(name, lastAgo.head, helper+"(A, n)", s)
	}
}

// unkeyed tells of the rows of a table without a key that are about the center or what is predicted: a relation for these with each
// other thing, and the sum of each value.
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
	if t.time == nil {
		return
	}
	for _, a := range anchors {
		s := scene{table: t}.cast("A", a).with("W", t.time, "t")
		if w.timed {
			w.last(ago, s)
			continue
		}
		w.tell(firstOf, s)
		w.tell(lastOf, s)
	}
}

// pair tells which things stand in a row together.
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
	// By what is predicted, where one is it.
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
	isFree := func(c *column) bool { return !isMember(c) && c.typ != w.group.typ }
	if isFree(c) {
		w.reach(c.typ, name+"(_, k)")
	}
	if isFree(a) {
		w.reach(a.typ, name+"(k, _)")
	}
	if isFree(c) {
		w.link(name, name+"(_, y)", "seen(A, C)", s)
	}
	if isFree(a) {
		w.link(name, name+"(y, _)", "seen(A, C)", s.with("A", c, "x").with("C", a, "y"))
	}
}

// value tells the sum of the values of A over its rows; their largest, where a sum could be too large.
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
