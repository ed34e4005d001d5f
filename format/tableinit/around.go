package tableinit

// ofCenters tells of rows that refer to things of the center's sort, such as comments on posts, where other rows of that sort are
// about what is predicted.
func (w *writer) ofCenters() {
	key := w.group.typ.key
	if key == nil || w.near[key.table] == "" || w.group.typ == w.member.typ {
		return
	}
	for _, t := range w.tables {
		if w.near[t] == "" || t == key.table {
			continue
		}
		for _, c := range t.columns {
			if c.typ != w.group.typ || c == t.key || w.expected(t) > mostRows {
				continue
			}
			if body, ok := w.visible(w.rows(t, t.key, "k", c, "x"), nil); ok {
				w.add(w.near[t]+"(k)", append([]any{w.near[key.table] + "(x)"}, body...)...)
			}
			break
		}
	}
}

// details tells of the rows that refer to those of a table, where nothing else connects them.
func (w *writer) details(t *tabular, near string) {
	for _, d := range w.tables {
		if d == t || w.near[d] != "" || len(w.anchored(d)) > 0 {
			continue
		}
		for _, f := range d.columns {
			if f.refers == nil || f.typ != t.key.typ || f == d.key {
				continue
			}
			w.section("What " + clip(d.file) + " says of these.")
			if d.key != nil {
				w.keyedDetails(d, f, near)
			} else {
				w.unkeyedDetails(d, f, near)
			}
			w.through(t, d, f)
			break
		}
	}
}

func (w *writer) keyedDetails(d *tabular, f *column, near string) {
	own := w.names.take("of_" + d.plain())
	body, _ := w.visible(w.rows(d, d.key, "k", f, "x"), f)
	w.add(own+"(k)", append([]any{near + "(x)"}, body...)...)
	w.near[d] = own
	w.attributes(d, own)
	w.details(d, own)
}

func (w *writer) unkeyedDetails(d *tabular, f *column, near string) {
	base := d.plain()
	for _, c := range w.tellable(d) {
		if c == f || c.kind == kindTime {
			continue
		}
		term, sort := "n", "number"
		if c.isThing() {
			term, sort = "y", c.typ.name
		}
		name := w.define(base+"_"+c.plain(), f.typ.name, sort)
		body, _ := w.visible(w.rows(d, f, "k", c, term), f)
		w.add(name+"(k, "+term+")", append([]any{near + "(k)"}, body...)...)
		if c.isThing() {
			w.reach(c.typ, name+"(_, k)")
		}
	}
}

// through connects what is predicted, or the center, with the things of detail rows directly.
func (w *writer) through(t, d *tabular, f *column) {
	base := d.plain()
	for _, m := range w.anchored(t) {
		for _, c := range w.tellable(d) {
			if m == t.key || c == f || c == d.key || !c.isThing() || !w.isShared(c, m) {
				continue
			}
			name := w.define(base+"_"+m.plain()+"_"+c.plain(), m.typ.name, c.typ.name)
			join := func(term string) ([]any, bool) {
				upper, ok := w.visible(w.rows(t, t.key, "k", m, term), nil)
				detail := w.rows(d, f, "k", c, "y")
				detail.suffix = "b"
				lower, _ := w.visible(detail, f)
				return append(upper, lower...), ok
			}
			for _, a := range w.anchorsOf(m, "x") {
				if body, ok := join(a.term); ok {
					w.add(name+"("+a.term+", y)", append(a.need, body...)...)
				}
			}
			w.reach(c.typ, name+"(_, k)")
			w.link(name, name+"(_, y)", m, c, func() []any {
				body, _ := join("x")
				return body
			})
		}
	}
}

// upward tells of the rows of tables with a key that what was told of refers to.
func (w *writer) upward() {
	for again := true; again; {
		again = false
		for _, t := range w.tables {
			if t.key == nil || w.near[t] != "" || len(w.reached[t.key.typ]) == 0 || len(w.tellable(t)) < 2 || len(w.anchored(t)) > 0 {
				continue
			}
			near := w.names.take("of_" + t.plain())
			w.section("What " + clip(t.file) + " says of these.")
			for _, pattern := range w.reached[t.key.typ] {
				body, _ := w.visible(w.rows(t, t.key, "k"), nil)
				w.add(near+"(k)", append([]any{pattern}, body...)...)
			}
			w.near[t] = near
			w.attributes(t, near)
			again = true
		}
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
		same := w.helper("same_" + l.name)
		w.add(same+"(y)", l.others)
		name := w.define(l.name+"_lately", l.member.typ.name, l.other.typ.name)
		body := append([]any{same + "(y)"}, l.body()...)
		t := "t"
		if l.member.table.time == nil {
			t = "t1"
		}
		w.add(name+"(x, y)", append(body, t+" >= t0 - "+w.lately.text)...)
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
