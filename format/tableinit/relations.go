package tableinit

// told reports whether a column holds values that rules may state, or things.
func (c *column) told() bool {
	switch c.kind {
	case kindWhole, kindNumber, kindTime:
		return true
	case kindEntity, kindBool:
		return c.typ != nil
	case kindEmpty, kindCategory, kindText, kindPart:
	}
	return false
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

// anchors are the terms for what a column may hold of what is predicted, or the center, with what they need.
type anchor struct {
	term string
	need []any
}

func (w *writer) anchorsOf(c *column, term string) (out []anchor) {
	if c.typ == w.member.typ {
		out = append(out, anchor{term, []any{w.members + "(" + term + ")"}})
	}
	none := w.timed && !w.lasting && c == w.group || // the first of the center's rows is the target
		c == w.group.typ.key && !w.ofOwn
	if c.typ == w.group.typ && !none {
		out = append(out, anchor{"@center", nil})
	}
	return out
}

// anchored returns the columns of a table that hold what is predicted, or the center.
func (w *writer) anchored(t *tabular) (out []*column) {
	for _, c := range t.columns {
		if c.isThing() && len(w.anchorsOf(c, "x")) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// relations writes what is known of the center and of what is predicted.
func (w *writer) relations() {
	w.near, w.reached = map[*tabular]string{}, map[*entityType][]string{}
	for _, t := range w.tables {
		if t.refused != "" || len(w.anchored(t)) == 0 {
			continue
		}
		if len(w.tellable(t)) < 2 && t.key == nil {
			w.only(t)
			continue
		}
		w.section("What " + clip(t.file) + " says.")
		if t.key != nil {
			w.keyed(t)
		} else {
			w.unkeyed(t)
		}
	}
	w.ofCenters()
	w.upward()
	w.ring()
}

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

// only tells of a table of one column.
func (w *writer) only(t *tabular) {
	for _, c := range w.anchored(t) {
		name := plainName(t.name, "table")
		for _, a := range w.anchorsOf(c, "x") {
			if body, ok := w.visible(w.rows(t, c, a.term), nil); ok {
				w.section("What " + clip(t.file) + " says.")
				w.add(w.define(name, c.typ.name)+"("+a.term+")", append(a.need, body...)...)
			}
		}
	}
}

// keyed tells of the rows of a table with a key that are about the center or what is predicted.
func (w *writer) keyed(t *tabular) {
	near := w.names.take("of_" + plainName(t.name, "table"))
	some := false
	for _, c := range w.anchored(t) {
		term := "x"
		if c == t.key {
			term = "k"
		}
		for _, a := range w.anchorsOf(c, term) {
			key := "k"
			if c == t.key {
				key = a.term
			}
			if body, ok := w.visible(w.rows(t, t.key, key, c, a.term), nil); ok {
				w.add(near+"("+key+")", append(a.need, body...)...)
				some = true
			}
		}
	}
	if !some {
		return
	}
	w.near[t] = near
	if many := w.expected(t) > mostRows; many {
		w.note("%s has about %.0f rows for each subgraph: they are counted, not told of one by one", t.file, w.expected(t))
		w.counts(t, near)
	} else {
		w.attributes(t, near)
	}
	for _, m := range w.anchored(t) {
		if m != t.key {
			w.direct(t, near, m)
		}
	}
	if t.key.typ != w.member.typ {
		w.details(t, near)
	}
}

// mostRows is about how many rows of a table with a key a subgraph tells of one by one.
const mostRows = 10_000

// expected estimates how many rows of a table are about what is predicted in a subgraph, half of them before its time.
func (w *writer) expected(t *tabular) float64 {
	if t.key.typ == w.member.typ {
		return 0
	}
	rows := 0.0
	for _, c := range w.anchored(t) {
		if c.typ == w.member.typ {
			rows = max(rows, float64(c.filled)*min(1, w.around/max(c.distinct(), 1)))
		}
	}
	if w.timed {
		rows /= 2
	}
	return rows
}

// counts tells how many rows there are of what is predicted, and of the center.
func (w *writer) counts(t *tabular, near string) {
	for _, c := range w.anchored(t) {
		if c == t.key {
			continue
		}
		for _, a := range w.anchorsOf(c, "x") {
			name := w.define(plainName(t.name, "table")+"_count_"+plainName(c.header, "c"+itoa(c.position)), c.typ.name, "number")
			w.add(name+"("+a.term+", count(k))", append(a.need, near+"(k)", w.rows(t, t.key, "k", c, a.term))...)
		}
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
	if k := c.typ.key; k != nil {
		for _, other := range k.table.columns {
			if other.typ == m.typ || other.typ == w.group.typ {
				return false
			}
		}
	}
	return true
}

// attributes tells what the rows of a table with a key hold, for those whose keys are in a relation.
func (w *writer) attributes(t *tabular, near string) {
	base := plainName(t.name, "table")
	key := t.key.typ.name
	for _, c := range w.tellable(t) {
		if c == t.key {
			continue
		}
		name := base + "_" + plainName(c.header, "c"+itoa(c.position))
		body := []any{near + "(k)"}
		if _, ofCenter := w.secret(c); ofCenter {
			body = append(body, "k != @center")
		}
		switch {
		case c.isThing():
			name = w.define(name, key, c.typ.name)
			w.add(name+"(k, y)", append(body, w.rows(t, t.key, "k", c, "y"))...)
			w.reach(c.typ, name+"(_, k)")
		case c.kind == kindTime && w.timed:
			name = w.define(name+"_days", key, "number")
			body = append(body, w.cutoff+"(t0)", w.rows(t, t.key, "k", c, "t"))
			if c != t.time {
				body = append(body, w.earlier(c, "t"))
			}
			w.add(name+"(k, days(t0 - t))", body...)
		default:
			w.add(w.define(name, key, "number")+"(k, n)", append(body, w.rows(t, t.key, "k", c, "n"))...)
		}
	}
}

// direct tells which things rows with a key connect with what is predicted, or the center, and when the last of them was.
func (w *writer) direct(t *tabular, near string, m *column) {
	base := plainName(t.name, "table")
	for _, a := range w.anchorsOf(m, "x") {
		for _, c := range w.tellable(t) {
			if c == m || c == t.key || !c.isThing() || !w.connects(m, c) {
				continue
			}
			name := w.define(base+"_"+plainName(m.header, "c"+itoa(m.position))+"_"+plainName(c.header, "c"+itoa(c.position)), m.typ.name, c.typ.name)
			body := append([]any{near + "(k)"}, a.need...)
			w.add(name+"("+a.term+", y)", append(body, w.rows(t, t.key, "k", m, a.term, c, "y"))...)
			if c.typ == w.group.typ {
				continue
			}
			w.reach(c.typ, name+"(_, k)")
			w.link(name, m, c, func() []any {
				body, _ := w.visible(w.rows(t, m, "x", c, "y"), nil)
				return body
			})
		}
		if t.time != nil && w.timed {
			body := append([]any{w.cutoff + "(t0)", near + "(k)"}, a.need...)
			w.last(t, m, a.term, append(body, w.rows(t, t.key, "k", m, a.term, t.time, "t")))
		}
	}
}

// last tells how many days ago the last row of what is predicted, or of the center, was.
func (w *writer) last(t *tabular, m *column, term string, body []any) {
	base := plainName(t.name, "table") + "_last_" + plainName(m.header, "c"+itoa(m.position))
	ago := w.helper(base + "_ago")
	w.add(ago+"("+term+", days(t0 - t))", body...)
	if name := w.define(base, m.typ.name, "number"); !w.defined[name] {
		w.defined[name] = true
		w.add(name+"(x, min(n))", ago+"(x, n)")
	}
}

// helper returns the name of a helper relation, the same for the same purpose.
func (w *writer) helper(purpose string) string {
	if name, ok := w.helpers[purpose]; ok {
		return name
	}
	w.helpers[purpose] = w.names.take(purpose)
	return w.helpers[purpose]
}

func (w *writer) reach(t *entityType, pattern string) {
	for _, p := range w.reached[t] {
		if p == pattern {
			return
		}
	}
	w.reached[t] = append(w.reached[t], pattern)
}

func (w *writer) link(name string, member, other *column, body func() []any) {
	for _, l := range w.links {
		if l.name == name {
			return
		}
	}
	if w.timed && member.typ == w.member.typ {
		w.links = append(w.links, link{name, member, other, body})
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
	own := w.names.take("of_" + plainName(d.name, "table"))
	body, _ := w.visible(w.rows(d, d.key, "k", f, "x"), f)
	w.add(own+"(k)", append([]any{near + "(x)"}, body...)...)
	w.near[d] = own
	w.attributes(d, own)
	w.details(d, own)
}

func (w *writer) unkeyedDetails(d *tabular, f *column, near string) {
	base := plainName(d.name, "table")
	for _, c := range w.tellable(d) {
		if c == f || c.kind == kindTime {
			continue
		}
		term, sort := "n", "number"
		if c.isThing() {
			term, sort = "y", c.typ.name
		}
		name := w.define(base+"_"+plainName(c.header, "c"+itoa(c.position)), f.typ.name, sort)
		body, _ := w.visible(w.rows(d, f, "k", c, term), f)
		w.add(name+"(k, "+term+")", append([]any{near + "(k)"}, body...)...)
		if c.isThing() {
			w.reach(c.typ, name+"(_, k)")
		}
	}
}

// through connects what is predicted, or the center, with the things of detail rows directly.
func (w *writer) through(t, d *tabular, f *column) {
	base := plainName(d.name, "table")
	for _, m := range w.anchored(t) {
		for _, c := range w.tellable(d) {
			if m == t.key || c == f || c == d.key || !c.isThing() || !w.isShared(c, m) {
				continue
			}
			name := w.define(base+"_"+plainName(m.header, "c"+itoa(m.position))+"_"+plainName(c.header, "c"+itoa(c.position)), m.typ.name, c.typ.name)
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
			w.link(name, m, c, func() []any { body, _ := join("x"); return body })
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
			near := w.names.take("of_" + plainName(t.name, "table"))
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
		w.add(same+"(y)", l.name+"(_, y)")
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
