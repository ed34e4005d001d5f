package tableinit

import (
	"fmt"
	"strings"

	"resolwe/format/lex"
)

// negatives is how many there are for each that is true, where there are that many.
const negatives = 4

// fewTrue is how many true pairs a center needs whose negatives are found by way of them.
const fewTrue = 3

// recipe writes the recipe. What of the tables is needed shows as the rules are made.
func (w *writer) recipe(opt Options) string {
	w.defined, w.rel, w.helpers = map[string]bool{}, map[*tabular]string{}, map[string]string{}
	w.cutoff, w.members = w.names.take("cutoff"), w.names.take("member")
	w.goal()
	w.relations()
	w.prune()
	var b strings.Builder
	fmt.Fprintf(&b, "// Drafted by resolwe init for the center %s and the target %s.\n", clip(opt.Center), clip(opt.Target))
	b.WriteString("// Below is what was found of each table, and why; what is wrong is yours to correct, here and in the task file.\n")
	for _, n := range w.notes {
		b.WriteString("// " + clipLong(n) + ".\n")
	}
	for _, o := range w.others {
		b.WriteString("// Not read: " + clipLong(o) + ".\n")
	}
	for _, t := range w.tables {
		w.describe(&b, t)
	}
	b.WriteByte('\n')
	for _, t := range w.tables {
		if len(t.listed) > 0 {
			b.WriteString(w.declaration(t) + "\n")
		}
	}
	for i := range w.rules {
		b.WriteString(w.text(&w.rules[i]) + "\n")
	}
	return b.String()
}

// describe says what was found of a table.
func (w *writer) describe(b *strings.Builder, t *tabular) {
	if t.problem != nil {
		return // said above
	}
	files := ""
	if t.files != "" {
		files = ", joined of " + t.files
	}
	fmt.Fprintf(b, "//\n// %s: %d rows%s%s\n", clip(t.file), t.rows, files, t.manner())
	for _, c := range t.columns {
		what := "left out"
		switch {
		case c == t.key:
			what = "key, a " + c.typ.name
		case c.kind == kindBool && c.typ != nil:
			what = "yes or no"
		case c.kind == kindEntity:
			what = "a " + c.typ.name
		case c.kind == kindWhole, c.kind == kindNumber:
			what = "number"
		case c == t.time:
			what = "time of the row"
		case c.kind == kindTime:
			what = "time"
		}
		if c.refers != nil {
			what += ", of " + clip(c.refers.table.name)
		}
		empty := ""
		if n := c.rows - c.filled; n > 0 && c.filled > 0 {
			empty = fmt.Sprintf("; %d cells are empty", n)
		}
		fmt.Fprintf(b, "//   %s: %s (%s%s)\n", clip(c.title()), what, clipLong(c.why), empty)
	}
	if w.timed && t.timeless() && len(t.listed) > 0 {
		b.WriteString("//   no column says when a row came to be: all rows are told of, whatever the time of the target\n")
	}
}

// manner says how a text is written, where that is not as usual.
func (t *tabular) manner() string {
	var out []string
	if t.spec.Encoding != "" {
		out = append(out, "in "+t.spec.Encoding)
	}
	if d := t.spec.Delimiter; d != 0 && d != endings[t.ending()] {
		out = append(out, fmt.Sprintf("with %q between cells", d))
	}
	if t.spec.NoHeader {
		out = append(out, "whose first row names no columns")
	}
	if len(out) == 0 {
		return ""
	}
	return ", " + strings.Join(out, ", ")
}

func clipLong(s string) string {
	const most = 300
	s = strings.TrimSuffix(s, ".")
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + ".."
	}
	return strings.Join(strings.Fields(s), " ")
}

// goal writes the centers, the target, and what it is compared with.
func (w *writer) goal() {
	t, c, m := w.request.table, w.group, w.member
	target := w.names.take(t.plain() + "_target")
	w.predicates = append(w.predicates, predicate{name: target, types: []string{m.typ.name}, id: "target"})
	if w.label != nil {
		w.labelled(target)
		return
	}
	truth := []any{w.rows(t, c, "@center", m, "x")}
	if w.timed {
		w.when(c, m)
		known := w.known()
		truth = append([]any{known + "(x)"}, truth...)
		if w.lasting {
			a, more := w.moment(w.rows(t, c, "@center", m, "x"))
			truth = append(append([]any{known + "(x)", w.cutoff + "(t0)", a}, more...), "t >= t0")
		}
		w.add(target+"(x)", truth...)
		w.compare(target, known)
		return
	}
	w.section("The centers. What their rows in " + clip(t.file) + " say of them is the target, and hidden.")
	w.add("center c", w.rows(t, c, "c", m, "x"))
	w.some(c)
	w.section("What is predicted: those with a row, and " + itoa(negatives) + " times as many without one.")
	w.add(target+"(x)", truth...)
	known := w.names.take("candidate")
	if c.typ == m.typ {
		edge := w.names.take("linked")
		w.add(edge+"(x, y)", w.rows(t, c, "x", m, "y"))
		w.add(edge+"(x, y)", w.rows(t, c, "y", m, "x"))
		w.add(known+"(x)", edge+"(@center, y)", edge+"(y, x)", "x != @center")
		w.compare(target, known, "!"+edge+"(@center, x)")
		if w.each >= fewTrue { // fewer do not tell what is two steps away of the center, and what of the one step between
			w.line(fmt.Sprintf("require count(%s) >= %d", target, fewTrue))
		}
		return
	}
	w.add(known+"(x)", w.rows(t, m, "x"))
	w.compare(target, known)
}

// compare writes who is compared with those of the target: a sample of the candidates that are not.
func (w *writer) compare(target, known string, more ...any) {
	other := w.names.take("other")
	not := []any{"!" + target + "(x)"}
	if w.group.typ == w.member.typ {
		not = append(not, "x != @center")
	}
	w.add(other+"(x)", append(append([]any{known + "(x)"}, not...), more...)...)
	w.line(fmt.Sprintf("sample %s %d per %s seed 1", other, negatives, target))
	w.line("require count(" + target + ") >= 1")
	w.line("require count(" + other + ") >= 1")
	w.add("!"+target+"(x)", other+"(x)")
	w.add(w.members+"(x)", target+"(x)")
	w.add(w.members+"(x)", other+"(x)")
}

// moment returns an atom with the time of its rows as t, and what that takes.
func (w *writer) moment(a *atom) (*atom, []any) {
	if c := a.table.time; c != nil {
		w.bind(a, c, "t")
		return a, nil
	}
	p := a.table.parents()[0]
	return a, []any{w.rows(p.refers.table, p.refers, w.bind(a, p, "p0"), p.refers.table.time, "t")}
}

// when writes the centers in the order of time, and from when on nothing of each is told.
func (w *writer) when(c, m *column) {
	t := w.request.table
	when := w.names.take("when")
	least, which := "min", "first"
	if w.lasting {
		least, which = "max", "last"
	}
	w.section("The centers, in the order of time. The time of a target is that of the center's " + which + " row; nothing else is told of then or later.")
	a := w.rows(t, c, "c")
	if c != m {
		w.bind(a, m, "x")
	}
	a, more := w.moment(a)
	w.add(when+"(c, "+least+"(t))", append([]any{a}, more...)...)
	w.add("center c by t", when+"(c, t)")
	w.some(c)
	w.add(w.cutoff+"(t0)", when+"(@center, t0)")
}

// mostCenters is how many there are at most before a sample of them is taken.
const mostCenters = 2000

// some writes that a sample of the centers is taken where there are many.
func (w *writer) some(c *column) {
	if n := c.distinct(); n > mostCenters {
		w.line("// Of " + itoa(int(n)) + " centers so many are drawn by chance; without this line there is a subgraph for each.")
		w.line("sample center " + itoa(mostCenters) + " seed 1")
	}
}

// mostKnown is from how many things on those that were active lately are candidates, not all that are known.
const mostKnown = 20_000

// known writes who may be of the target: what was known of before, and lately active where there are many. It returns the relation.
func (w *writer) known() string {
	t, m := w.request.table, w.member
	known := w.names.take("candidate")
	w.section("What is predicted: of those that were known before, those with a row, and " + itoa(negatives) + " times as many without one.")
	if key := w.keyOf(m); key != nil && key.distinct() <= mostKnown {
		a := w.rows(key.table, key, "x")
		w.add(known+"(x)", append([]any{a}, w.before(a, nil)...)...)
		return known
	}
	a, more := w.moment(w.rows(t, m, "x"))
	time := t.time
	if time == nil {
		time = t.parents()[0].refers.table.time
	}
	body := append([]any{w.cutoff + "(t0)", a}, more...)
	body = append(body, w.earlier(time, "t"))
	if m.distinct() > mostKnown {
		body = append(body, "t >= t0 - "+w.lately.text)
	}
	w.add(known+"(x)", body...)
	return known
}

// keyOf returns the key that a column's things have in a table, nil for none.
func (w *writer) keyOf(c *column) *column {
	if k := c.typ.key; k != nil && k.table.problem == nil {
		return k
	}
	return nil
}

// labelled writes a target whose rows say yes or no.
func (w *writer) labelled(target string) {
	t, c, m := w.request.table, w.group, w.member
	yes, no, _ := w.label.bools()
	rows := func(center, x, label string) *atom {
		a := w.rows(t, m, x)
		if c.table == t {
			w.bind(a, c, center)
		}
		return w.labelOf(a, label)
	}
	if c == m {
		rows = func(center, _, label string) *atom { return w.labelOf(w.rows(t, m, center), label) }
	}
	x := "x"
	if c == m {
		x = "@center"
	}
	says := func(label string) []any { return []any{rows("@center", "x", label)} }
	if w.timed {
		w.when(c, m)
	} else {
		w.section("The centers. What is predicted is hidden.")
		w.add("center c", w.rows(t, c, "c"))
		w.some(c)
	}
	if w.lasting {
		says = func(label string) []any {
			a, more := w.moment(rows("@center", "x", label))
			return append(append([]any{a}, more...), w.cutoff+"(t0)", "t >= t0")
		}
	}
	w.section("What is predicted: what " + clip(w.label.title()) + " says.")
	w.add(target+"("+x+")", says(yes)...)
	w.add("!"+target+"("+x+")", append(says(no), "!"+target+"("+x+")")...)
	w.add(w.members+"("+x+")", says(yes)...)
	w.add(w.members+"("+x+")", says(no)...)
}

func (w *writer) labelOf(a *atom, text string) *atom {
	w.bind(a, w.label, lex.Quote(text))
	return a
}

// task writes the task file.
func (w *writer) task(opt Options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// Drafted by resolwe init for the center %s and the target %s.\n", clip(opt.Center), clip(opt.Target))
	b.WriteString("// Candidates for formulas come out of these declarations: resolwe select --discover, or crossval --discover.\n")
	for _, p := range w.predicates {
		if p.id == "target" {
			b.WriteString("target listed ")
		}
		b.WriteString(p.name + "(" + strings.Join(p.types, ", ") + ")\n")
	}
	return b.String()
}
