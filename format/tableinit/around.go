package tableinit

import "slices"

// ofCenters tells of rows that refer to things of the center's sort, such as comments on posts, where other rows of that sort are
// about what is predicted.
func (w *writer) ofCenters() {
	key := w.group.typ.key
	if key == nil || key.table.near == "" || w.group.typ == w.member.typ {
		return
	}
	for _, t := range w.tables {
		if t.near == "" || t == key.table || w.expected(t) > mostRows {
			continue
		}
		i := slices.IndexFunc(t.columns, func(c *column) bool { return c.typ == w.group.typ && c != t.key })
		if i >= 0 {
			s := scene{near: key.table.near}.with("K", t.key, "k").with("C", t.columns[i], "x")
			w.add(t.near, "(K)", "near(C), seen(K, C)", s)
		}
	}
}

// details tells of the rows that refer to those of a table, where nothing else connects them.
func (w *writer) details(s scene) {
	for _, d := range w.tables {
		if d == s.table || d.near != "" || len(w.anchors(d)) > 0 {
			continue
		}
		i := slices.IndexFunc(d.columns, func(f *column) bool { return f.refers != nil && f.typ == s.table.key.typ && f != d.key })
		if i < 0 {
			continue
		}
		f := d.columns[i]
		w.section("What " + clip(d.file) + " says of these.")
		of := scene{table: d, near: s.near, known: f}
		if d.key == nil {
			w.attributes(of.with("K", f, "k"))
		} else {
			own := w.names.take("of_" + d.plain())
			w.add(own, "(K)", "near(F), seen(K, F)", of.with("K", d.key, "k").with("F", f, "x"))
			d.near = own
			of = scene{table: d, near: own}.with("K", d.key, "k")
			w.attributes(of)
			w.details(of)
		}
		w.through(s.table, f)
	}
}

// through connects what is predicted, or the center, directly with the things of rows that refer to those of a table.
func (w *writer) through(t *tabular, f *column) {
	d := f.table
	for _, m := range t.columns {
		anchors := w.anchorsOf(m, "x")
		for _, c := range w.tellable(d) {
			if len(anchors) == 0 || m == t.key || c == f || c == d.key || !c.isThing() || !w.isShared(c, m) {
				continue
			}
			s := scene{table: d, known: f}.with("K", t.key, "k").with("F", f, "k").with("A", m, "x").with("C", c, "y")
			name := w.predicate(through, s)
			for _, a := range anchors {
				w.add(name, through.head, through.body, s.cast("A", a))
			}
			w.reach(c.typ, name+"(_, k)")
			w.link(name, name+"(_, y)", through.body, s)
		}
	}
}

// upward tells of the rows of tables with a key that what was told of refers to.
func (w *writer) upward() {
	for again := true; again; {
		again = false
		for _, t := range w.tables {
			if t.key == nil || t.near != "" || len(t.key.typ.reached) == 0 || len(w.tellable(t)) < 2 || len(w.anchors(t)) > 0 {
				continue
			}
			t.near, again = w.names.take("of_"+t.plain()), true
			s := scene{table: t, near: t.near}.with("K", t.key, "k")
			w.section("What " + clip(t.file) + " says of these.")
			for _, atom := range t.key.typ.reached {
				w.add(t.near, "(K)", atom+", seen(K)", s)
			}
			w.attributes(s)
		}
	}
}

// link is a relation between what is predicted and other things, by rows with a time.
type link struct {
	name          string
	others        string // the relation as an atom, with y for the other things
	member, other *column
	body          []any // over x and y
}

// link notes a relation of A and C, once.
func (w *writer) link(name, others, body string, s scene) {
	m, c := s.roles["A"].column, s.roles["C"].column
	if w.timed && m.typ == w.member.typ && !slices.ContainsFunc(w.links, func(l link) bool { return l.name == name }) {
		literals, _ := w.body(body, s.with("A", m, "x").with("C", c, "y"))
		w.links = append(w.links, link{name, others, m, c, literals})
	}
}

// mostRing is about how many rows of others a subgraph takes.
const mostRing = 20_000

// ring tells of the others that lately had to do with the same things: what is predicted like them is like them.
func (w *writer) ring() {
	for i, l := range w.links {
		if !w.isShared(l.other, l.member) {
			continue
		}
		lo, hi := w.span(l.other.table)
		rows := float64(l.other.rows) * float64(w.lately.seconds) / max(hi-lo, 1)
		if rows > mostRing {
			w.note("%s of others lately is left out: about %.0f rows of each subgraph", l.name, rows)
			continue
		}
		if i == 0 {
			w.section("Others that had to do with the same things in the last " + w.lately.text + ".")
		}
		same := w.define("same_" + l.name)
		w.add(same, "(y)", l.others, scene{})
		name := w.define(l.name+"_lately", l.member.typ.name, l.other.typ.name)
		t := "t"
		if l.member.table.time == nil {
			t = "t1"
		}
		body := slices.Concat([]any{same + "(y)"}, l.body, []any{t + " >= t0 - " + w.lately.text})
		w.rules = append(w.rules, rule{head: name + "(x, y)", body: body})
	}
}

// span returns the first and the last time of a table's rows, or of those that they refer to.
func (w *writer) span(t *tabular) (lo, hi float64) {
	c := t.time
	if c == nil && len(t.parents()) > 0 {
		c = t.parents()[0].refers.table.time
	}
	if c == nil {
		return 0, 0
	}
	a, b := c.times()
	return float64(a), float64(b)
}
