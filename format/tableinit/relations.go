package tableinit

import "slices"

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

// anchor is a term for what is predicted, or the center, with the literals that say so.
type anchor struct {
	term string
	need []any
}

// anchorsOf returns the terms that a column may hold: that of what is predicted is as given.
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
		if len(w.anchored(t)) == 0 {
			continue
		}
		if len(w.tellable(t)) < 2 && t.key == nil {
			w.only(t)
			continue
		}
		w.section("What " + clip(t.file) + " says.")
		switch {
		case t.key != nil:
			w.keyed(t)
		case w.expected(t) > mostPairs:
			w.note("%s was left out: it has about %.0f rows for each subgraph", t.file, w.expected(t))
		default:
			w.unkeyed(t)
		}
		if n := len(t.columns); n > mostColumns && len(w.tellable(t)) == mostColumns {
			w.note("%s has %d columns, of which only the first %d are told of", t.file, n, mostColumns)
		}
	}
	w.ofCenters()
	w.upward()
	w.ring()
}

// only tells of a table of one column.
func (w *writer) only(t *tabular) {
	for _, c := range w.anchored(t) {
		name := t.plain()
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
	near := w.names.take("of_" + t.plain())
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
			name := w.define(t.plain()+"_count_"+c.plain(), c.typ.name, "number")
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
	base := t.plain()
	key := t.key.typ.name
	for _, c := range w.tellable(t) {
		if c == t.key {
			continue
		}
		name := base + "_" + c.plain()
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
	base := t.plain()
	for _, a := range w.anchorsOf(m, "x") {
		for _, c := range w.tellable(t) {
			if c == m || c == t.key || !c.isThing() || !w.connects(m, c) {
				continue
			}
			name := w.define(base+"_"+m.plain()+"_"+c.plain(), m.typ.name, c.typ.name)
			body := append([]any{near + "(k)"}, a.need...)
			w.add(name+"("+a.term+", y)", append(body, w.rows(t, t.key, "k", m, a.term, c, "y"))...)
			if c.typ == w.group.typ {
				continue
			}
			w.reach(c.typ, name+"(_, k)")
			w.link(name, name+"(_, y)", m, c, func() []any {
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
	base := t.plain() + "_last_" + m.plain()
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
	if !slices.Contains(w.reached[t], pattern) {
		w.reached[t] = append(w.reached[t], pattern)
	}
}

func (w *writer) link(name, others string, member, other *column, body func() []any) {
	for _, l := range w.links {
		if l.name == name {
			return
		}
	}
	if w.timed && member.typ == w.member.typ {
		w.links = append(w.links, link{name, others, member, other, body})
	}
}
