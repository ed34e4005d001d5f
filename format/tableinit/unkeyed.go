package tableinit

// unkeyed tells of the rows of a table without a key that are about the center or what is predicted: a relation for these with each
// other thing, and the sum of each value.
func (w *writer) unkeyed(t *tabular) {
	columns := w.tellable(t)
	things := 0
	for _, c := range columns {
		if c.isThing() {
			things++
		}
	}
	for i, a := range columns {
		for _, b := range columns[i+1:] {
			switch {
			case a.isThing() && b.isThing():
				w.pair(t, a, b, things == 2)
			case a.isThing():
				w.value(t, a, b)
			case b.isThing():
				w.value(t, b, a)
			}
		}
	}
	for _, c := range w.anchored(t) {
		for _, a := range w.anchorsOf(c, "x") {
			if t.time == nil {
				continue
			}
			body, ok := w.visible(w.rows(t, c, a.term, t.time, "t"), nil)
			body = append(a.need, body...)
			switch {
			case !ok:
			case w.timed:
				w.last(t, c, a.term, body)
			default:
				w.ends(t, c, a.term, body)
			}
		}
	}
}

// ends tells when the first and the last row of what is predicted, or of the center, was.
func (w *writer) ends(t *tabular, c *column, term string, body []any) {
	base, of := t.plain(), "_"+c.plain()
	w.add(w.define(base+"_first"+of, c.typ.name, "number")+"("+term+", min(t))", body...)
	w.add(w.define(base+"_last"+of, c.typ.name, "number")+"("+term+", max(t))", body...)
}

// pair tells which things stand in a row together.
func (w *writer) pair(t *tabular, a, b *column, alone bool) {
	base := t.plain()
	name := base + "_" + a.plain() + "_" + b.plain()
	if alone {
		name = base
	}
	define := func() string { return w.define(name, a.typ.name, b.typ.name) }
	left, right := w.anchorsOf(a, "x"), w.anchorsOf(b, "y")
	rule := func(head string, need []any, terms ...any) {
		if body, ok := w.visible(w.rows(t, terms...), nil); ok {
			w.add(define()+head, append(need, body...)...)
		}
	}
	if len(left) > 0 && len(right) > 0 && a.typ == b.typ {
		for _, l := range left {
			for _, r := range right {
				if l.term != "@center" || r.term != "@center" {
					rule("("+l.term+", "+r.term+")", append(l.need, r.need...), a, l.term, b, r.term)
				}
			}
		}
		return
	}
	// By what is predicted, where one is it.
	isMember := func(c *column) bool { return c.typ == w.member.typ }
	every := !isMember(a) && !isMember(b) && (len(left) == 0 || len(right) == 0)
	for _, l := range left {
		if every || isMember(a) {
			rule("("+l.term+", y)", l.need, a, l.term, b, "y")
		}
	}
	for _, r := range right {
		if every || isMember(b) {
			rule("(x, "+r.term+")", r.need, a, "x", b, r.term)
		}
	}
	if len(left)+len(right) > 0 {
		w.reachPair(t, a, b, define())
	}
}

// reachPair notes what a relation of two columns mentions.
func (w *writer) reachPair(t *tabular, a, b *column, name string) {
	isFree := func(c *column) bool { return c.typ != w.member.typ && c.typ != w.group.typ }
	if isFree(b) {
		w.reach(b.typ, name+"(_, k)")
	}
	if isFree(a) {
		w.reach(a.typ, name+"(k, _)")
	}
	link := func(others string, member, other *column) {
		if member.typ == w.member.typ && isFree(other) {
			w.link(name, others, member, other, func() []any {
				body, _ := w.visible(w.rows(t, member, "x", other, "y"), nil)
				return body
			})
		}
	}
	link(name+"(_, y)", a, b)
	link(name+"(y, _)", b, a)
}

// value tells the sum of the values of what is predicted, or of the center, over its rows; their largest, where a sum could be too
// large.
func (w *writer) value(t *tabular, thing, value *column) {
	if value.kind == kindTime {
		return // the first and the last
	}
	function := "sum"
	if most := max(float64(value.hi), -float64(value.lo)); value.kind == kindWhole && most*float64(t.rows) > 1<<53 || thing.unique() {
		function = "max"
	}
	name := t.plain() + "_" + function + "_" + thing.plain() + "_" + value.plain()
	for _, a := range w.anchorsOf(thing, "x") {
		if body, ok := w.visible(w.rows(t, thing, a.term, value, "n"), nil); ok {
			w.add(w.define(name, thing.typ.name, "number")+"("+a.term+", "+function+"(n))", append(a.need, body...)...)
		}
	}
}
