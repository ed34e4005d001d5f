package tableinit

import "slices"

// ofCenters includes rows that refer to things of the center's type, such as comments on posts, if other rows of that type concern the
// predicted things.
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
			s := scene{table: t, near: t.near}.with("K", t.key, "k").with("A", t.columns[i], "x")
			if body := key.table.near + "(A), seen(K, A)"; w.ranks(t) {
				w.rank(ranked.of(body), s)
			} else {
				w.add(t.near, "(K)", body, s)
			}
		}
	}
}

// details includes the rows that refer to those of a table, if nothing else connects them.
func (w *writer) details(s scene) {
	for _, d := range w.tables {
		if d == s.table || d.near != "" && d.key == nil || len(w.anchors(d)) > 0 {
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
			known := d.near != ""
			if !known {
				d.near = w.names.take("of_" + d.plain())
			}
			w.add(d.near, "(K)", "near(F), seen(K, F)", of.with("K", d.key, "k").with("F", f, "x"))
			if of = (scene{table: d, near: d.near}).with("K", d.key, "k"); !known {
				w.attributes(of)
				w.details(of)
			}
		}
		w.through(s.table, f)
	}
}

// through connects the predicted thing, or the center, directly with the things in rows that refer to those of a table.
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
		}
	}
}

// upward includes the rows of keyed tables to which included rows refer.
func (w *writer) upward() {
	for again := true; again; {
		again = false
		for _, t := range w.tables {
			if t.key == nil || t.near != "" || t.text != nil || len(t.key.typ.reached) == 0 || len(w.tellable(t)) < 2 || len(w.anchors(t)) > 0 {
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
