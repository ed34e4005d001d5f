package tableinit

import (
	"fmt"
	"slices"
)

// visibility says when what a column holds may be told.
type visibility uint8

const (
	always     visibility = iota // what rows without a time say
	withRow                      // once the row is known
	afterwards                   // when the horizon after its row's date has passed too: the label, and what looks ahead like it
	never
)

// visibility returns that of a column.
func (w *writer) visibility(c *column) visibility {
	hidden, _ := w.secret(c)
	switch {
	case hidden, !c.told(), c.outcome && w.horizon == endless:
		return never
	case c.outcome && w.horizon > 0:
		return afterwards
	case w.timed && !c.table.timeless():
		return withRow
	}
	return always
}

// visible returns an atom with the literals that restrict evidence to what may be told of the columns that the atom binds, as the strictest of
// them has it, and reports whether that is anything. The kind of the atom is the word of patterns for it: rows are of known rows. Other
// literals precede it.
func (w *writer) visible(a *atom, kind string, known *column, preceding []any) (out []any, ok bool) {
	out = []any{a}
	switch kind {
	case "past":
		return append(out, w.before(a, "", known)...), true
	case "at":
		if c := a.table.time; c != nil {
			a.bind(c, "t")
		} else {
			out = append(out, a.parent(a.table.parents()[0], "p0", "t"))
		}
	}
	if !w.evidence {
		return out, true
	}
	strictest := always
	for c := range a.terms {
		strictest = max(strictest, w.visibility(c))
	}
	if strictest == never {
		return nil, false
	}
	switch kind {
	case "seen", "also":
		hidden, ok := w.hides(a)
		if !ok {
			return nil, false
		}
		out = append(append(out, w.before(a, map[string]string{"also": "b"}[kind], known)...), hidden...)
	case "rows":
		for _, c := range a.table.columns { // another date may be told once it has passed
			if term := a.terms[c]; w.timed && term != "" && c.kind == kindTime && c != a.table.time {
				out = append(out, w.bound(c, term)...)
			}
		}
	}
	if strictest == afterwards {
		out = append(out, w.settled(a, slices.Concat(preceding, out))...)
	}
	return out, true
}

// before returns literals that restrict an atom to rows known before the time of the target. Rows whose parent is known are earlier anyway.
func (w *writer) before(a *atom, suffix string, known *column) (out []any) {
	if !w.timed {
		return nil
	}
	if a.table.time != nil {
		return w.stamped(a, "t"+suffix)
	}
	for i, p := range a.table.parents() {
		if p != known {
			term := "t" + suffix + itoa(i+1)
			of := a.parent(p, "p"+suffix+itoa(i), term)
			out = append(append(out, of), w.stamped(of, term)...)
		}
	}
	return out
}

// stamped restricts all times of an atom's rows; term is for the first.
func (w *writer) stamped(a *atom, term string) (out []any) {
	for _, c := range a.table.stamps {
		of := term
		if c != a.table.time {
			of += "_" + c.plain()
		}
		out = append(out, w.bound(c, a.bind(c, of))...)
	}
	return out
}

// bound restricts a time to those before the target's and, for evidence, up to the last day of the build.
func (w *writer) bound(c *column, term string) []any {
	out := []any{"cutoff(t0)", w.earlier(c, term)}
	if w.evidence {
		out = append(out, term+" <= @asof")
	}
	return out
}

// earlier returns the condition that a time is before the target's. A date has no hour, so it is earlier only if the whole day is.
func (w *writer) earlier(c *column, term string) string {
	if w.clock && !c.hasClock() {
		return term + " <= t0 - 1 day"
	}
	return term + " < t0"
}

// settled restricts the rows of an atom to those whose outcomes are known by the horizon.
func (w *writer) settled(a *atom, preceding []any) (out []any) {
	term := "t"
	for _, b := range preceding { // which may use the variable for something else
		if other, ok := b.(*atom); ok {
			for c, used := range other.terms {
				if used == term && c != a.table.dating() {
					term = "t_known"
				}
			}
		}
	}
	if c := a.table.time; c != nil {
		term = a.bind(c, term)
	} else {
		out = append(out, a.parent(a.table.parents()[0], "p0", term))
	}
	return append(out, "cutoff(t0)", fmt.Sprintf("%s <= t0 - %d days", term, w.horizon), fmt.Sprintf("%s <= @asof - %d days", term, w.horizon))
}

// parent returns the rows to which a column of an atom refers, by a variable if it has none, with their time.
func (a *atom) parent(c *column, variable, time string) *atom {
	key := c.refers
	return &atom{key.table, map[*column]string{key: a.bind(c, variable), key.table.time: time}}
}

// hides returns literals that exclude an atom's rows that reveal the truth: the center's, and those from which candidates are drawn, as
// each true one lacks its own row. It reports whether any rows remain.
func (w *writer) hides(a *atom) (out []any, ok bool) {
	t, pair := a.table, w.hidden(a.table)
	if pair == nil {
		return nil, true
	}
	ends, late := pair[:1], w.timed && !t.dateless() // rows before the target need no hiding
	if w.group.typ == w.member.typ {
		ends = pair
	}
	if !late && slices.ContainsFunc(ends, func(c *column) bool { return a.terms[c] == "@center" }) {
		return nil, false
	}
	if late && w.other == "" {
		return nil, true
	}
	if t.key != nil {
		if t.hiding == "" {
			w.hideRows(t, pair, ends, late)
		}
		return []any{"!" + t.hiding + "(" + a.bind(t.key, "h") + ")"}, true
	}
	y, x := a.bind(pair[0], "h1"), a.bind(pair[1], "h2")
	for _, c := range ends {
		if !late {
			out = append(out, a.terms[c]+" != @center")
		}
	}
	if w.other != "" {
		out = append(out, "!"+w.other+"("+y+", "+x+")")
	}
	if w.other != "" && len(ends) > 1 {
		out = append(out, "!"+w.other+"("+x+", "+y+")")
	}
	return out, true
}

// hideRows defines the hidden rows of a keyed table. Cells of rows that are not hidden may be empty.
func (w *writer) hideRows(t *tabular, pair, ends []*column, late bool) {
	name := w.names.take("hidden_" + t.plain())
	t.hiding = name
	s := scene{table: t}.with("K", t.key, "k")
	for _, c := range ends {
		if !late {
			w.add(name, "(K)", "rows(K, C)", s.with("C", c, "@center"))
		}
	}
	if w.other == "" {
		return
	}
	s = s.with("C", pair[0], "y").with("M", pair[1], "x")
	w.add(name, "(K)", w.other+"(y, x), rows(K, C, M)", s)
	if len(ends) > 1 {
		w.add(name, "(K)", w.other+"(x, y), rows(K, C, M)", s)
	}
}

// hidden returns the columns of centers and predicted things in a table that states the target, nil for other tables.
func (w *writer) hidden(t *tabular) []*column {
	if t == w.request.table && w.label == nil && t.key != w.group && t.key != w.member {
		return []*column{w.group, w.member}
	}
	return t.repeats
}

// secret reports whether a column of the target's table must be hidden, always or only for the center.
func (w *writer) secret(c *column) (always, ofCenter bool) {
	t := w.request.table
	if c.table != t || w.timed {
		return false, false
	}
	return c == w.label || w.label == nil && t.key == w.member && c == w.group, w.label == nil && t.key == w.group && c == w.member
}
