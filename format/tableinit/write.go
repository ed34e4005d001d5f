package tableinit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"resolwe/format/lex"
	"resolwe/format/table"
	"resolwe/internal/printable"
)

// predicate is a predicate of the task, and what it states: a column of a table, nil for a time or a rank of its rows.
type predicate struct {
	name, types string
	table       *tabular
	column      *column
}

// writer writes the recipe and the task.
type writer struct {
	*draft
	rules      []rule
	predicates []predicate       // the target first
	defined    map[string]string // names of relations, by purpose
	kinds      []string          // of numbers, as the task declares them
	isNew      string            // relation of the fresh centers and their times
	evidence   bool              // the rules that follow state evidence
	other      string            // relation of the rows whose things are compared with the target's, "" if none is hidden
}

// recipe writes the recipe, and what was found apart from it if it would be too long. The rules show which parts of the tables are needed.
func (w *writer) recipe(opt *Options) (recipe, findings string) {
	w.names.take("cutoff") // the time of the target
	for _, t := range w.tables {
		w.crowd(t)
	}
	w.nameKinds()
	w.numberRows()
	w.names.take("member") // the predicted things
	w.goal()
	w.evidence = true
	w.relations()
	return w.limit(opt)
}

// compose formats the recipe, with what was found or without.
func (w *writer) compose(opt *Options, findings bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// Drafted by resolwe init for the center %s and the target %s.\n", clip(opt.Center), clip(opt.Target))
	if findings {
		b.WriteString("// Below is what was found of each table, and why; what is wrong is yours to correct, here and in the task file.\n")
	} else {
		b.WriteString("// What was found of each table, and why, stands in task.findings; what is wrong is yours to correct, here and in the task file.\n")
	}
	for _, n := range w.notes {
		b.WriteString("// " + clipLong(n) + ".\n")
	}
	for _, o := range w.others {
		b.WriteString("// Not read: " + clipLong(o) + ".\n")
	}
	if findings {
		for _, t := range w.tables {
			w.describe(&b, t)
		}
	}
	w.annotate(&b, findings)
	b.WriteByte('\n')
	if w.zone != nil {
		fmt.Fprintf(&b, "zone %s\n", lex.Quote(w.zone.String()))
	}
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

// describe describes the findings about a table.
func (w *writer) describe(b *strings.Builder, t *tabular) {
	if t.problem != nil {
		return // said above
	}
	files := ""
	if t.files != "" {
		files = ", joined of " + t.files
	}
	comment := ""
	if t.declared != nil {
		comment = commented(t.declared.Comment)
	}
	fmt.Fprintf(b, "//\n// %s: %d rows%s%s%s\n", clip(t.file), t.rows, files, t.manner(), comment)
	for _, c := range t.columns {
		if c.ofRow {
			continue
		}
		what := "left out"
		switch {
		case c == t.key:
			what = "key, " + article(c.typ.name)
		case t.text == c:
			what = article(c.typ.name) + ", looked up where the key stands"
		case c.kind == kindBool && c.typ != nil:
			what = "yes or no"
		case c.kind == kindEntity:
			what = article(c.typ.name)
		case c.kind == kindWhole, c.kind == kindNumber:
			what = "number"
		case c == t.time:
			what = "time of the row"
		case slices.Contains(t.stamps, c):
			what = "another time of the row"
		case c.kind == kindTime:
			what = "time"
		}
		if c.refers != nil {
			what += ", of " + clip(c.refers.table.name)
		}
		fmt.Fprintf(b, "//   %s: %s (%s%s)%s\n", clip(c.title()), what, clipLong(c.why), c.respelling()+c.emptiness(), commented(c.comment))
	}
	if why := w.unusedWhy(t); why != "" {
		b.WriteString("//   not used: " + why + "\n")
	}
	if w.timed && t.timeless() && len(t.listed) > 0 {
		b.WriteString("//   no column says when a row came to be: all rows are included, whatever the time of the target\n")
	}
}

// unusedWhy says why no rule reads a table, "" if one does.
func (w *writer) unusedWhy(t *tabular) string {
	switch {
	case len(t.listed) > 0:
		return ""
	case t.problem != nil:
		return "it cannot be read"
	case t.rows == 0:
		return "it has no rows"
	}
	return cmp.Or(t.unused, "nothing connects it with the target")
}

// manner says how a text is written, if unusually.
func (t *tabular) manner() string {
	var out []string
	if t.spec.Encoding != "" {
		out = append(out, "in "+t.spec.Encoding)
	}
	l := t.spec.Layout
	if l.Delimiter == table.Blanks {
		out = append(out, "with blanks between cells")
	} else if l.Delimiter != endings[t.ending()] {
		out = append(out, fmt.Sprintf("with %q between cells", l.Delimiter))
	}
	if l.Skip > 0 {
		out = append(out, "below "+printable.Count(l.Skip, "skipped line"))
	}
	if l.Comment != "" {
		out = append(out, "with comments behind "+strconv.Quote(l.Comment))
	}
	for _, allowed := range []struct {
		is   bool
		what string
	}{
		{t.titles != nil, "whose columns a comment names"},
		{l.NoHeader && t.titles == nil, "whose first row names no columns"},
		{l.Trim, "without the blanks around cells"},
		{l.Escape, "with backslashes before quotes"},
		{l.Ragged, "some of whose rows lack cells at the end, or have empty ones more"},
	} {
		if allowed.is {
			out = append(out, allowed.what)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return ", " + strings.Join(out, ", ")
}

// task writes the task file.
func (w *writer) task(opt *Options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// Drafted by resolwe init for the center %s and the target %s.\n", clip(opt.Center), clip(opt.Target))
	b.WriteString("// Candidates for formulas come out of these declarations: resolwe select --discover, or crossval --discover.\n")
	kinds := slices.DeleteFunc(w.kinds, func(kind string) bool {
		return !slices.ContainsFunc(w.predicates, func(p predicate) bool { return slices.Contains(strings.Split(p.types, ", "), kind) })
	})
	if len(kinds) > 0 {
		b.WriteString("number " + strings.Join(kinds, ", ") + "\n")
	}
	b.WriteString("target listed ")
	for _, p := range w.predicates {
		b.WriteString(p.name + "(" + p.types + ")\n")
	}
	if lines := w.wording(mostLines - strings.Count(b.String(), "\n") - 1); len(lines) > 0 {
		b.WriteString("// How these read, in texts for people; correct what stands behind the colons.\n" + strings.Join(lines, "\n") + "\n")
	}
	return b.String()
}

// text formats a rule for the recipe.
func (w *writer) text(r *rule) string {
	if r.note != "" {
		return "\n// " + r.note
	}
	if r.body == nil {
		return r.head
	}
	var body []string
	for _, b := range r.body {
		text, ok := b.(string)
		if !ok {
			text = w.atom(b.(*atom))
		}
		if !slices.Contains(body, text) {
			body = append(body, text)
		}
	}
	return r.head + " :- " + strings.Join(body, ", ")
}

func (w *writer) atom(a *atom) string {
	terms := make([]string, len(a.table.listed))
	for i, c := range a.table.listed {
		if terms[i] = a.terms[c]; terms[i] == "" {
			terms[i] = "_"
		}
	}
	return a.table.relation + "(" + strings.Join(terms, ", ") + ")"
}

// declaration formats a table's declaration for the recipe.
func (w *writer) declaration(t *tabular) string {
	if t.relation == "" {
		t.relation = w.names.take(t.plain() + "_rows")
	}
	types, columns := make([]string, len(t.listed)), make([]string, len(t.listed))
	for i, c := range t.listed {
		columns[i], types[i] = w.columnOf(c)
	}
	text := "table " + t.relation + "(" + strings.Join(types, ", ") + ")\n  from " + lex.Quote(t.glob)
	return text + layoutOf(t) + " (" + strings.Join(columns, ", ") + ")"
}

// layoutOf formats the options of a table for the recipe.
func layoutOf(t *tabular) (text string) {
	l := t.spec.Layout
	switch d := l.Delimiter; {
	case d == table.Blanks:
		text += " delimiter blanks"
	case d != endings[t.ending()] || t.ending() == ".tab" || t.ending() == ".psv":
		text += " delimiter " + lex.Quote(d)
	}
	if l.Encoding != "" {
		text += " encoding " + lex.Quote(l.Encoding)
	}
	if l.Skip > 0 {
		text += " skip " + itoa(l.Skip)
	}
	if l.Comment != "" {
		text += " comment " + lex.Quote(l.Comment)
	}
	flag := func(is bool, word string) string {
		if is {
			return " " + word
		}
		return ""
	}
	return text + table.NullsText(t.spec.Nulls) + flag(l.NoHeader, "noheader") + flag(l.Trim, "trim") + flag(l.Escape, "escape") + flag(l.Ragged, "ragged")
}

// columnOf formats a column for the recipe, and returns its type.
func (w *writer) columnOf(c *column) (text, typ string) {
	spec := table.ColumnSpec{Row: c.ofRow, Nulls: c.nullsOf(), Optional: c.filled < c.rows}
	switch {
	case c.kind == kindWhole && c.respelled:
		spec.Func, typ = "float", "float"
	case c.kind == kindWhole, c.kind == kindNumber:
		spec.Func, typ = c.function, c.function
	case c.kind == kindTime && w.clock:
		spec.Func, typ = "time", "time"
	case c.kind == kindTime:
		spec.Func, typ = "date", "day"
	default:
		typ = c.typ.name
		if c.respelled {
			spec.Func = "int"
		}
	}
	parts := c.parts
	if len(parts) == 0 {
		parts = []*column{c}
	} else {
		spec.Func = "date"
	}
	for _, p := range parts {
		spec.Refs = append(spec.Refs, p.ref())
	}
	if spec.Func != "" {
		spec.Form = c.form
	}
	return spec.String(), typ
}

// ref identifies a column of the file by its header or, if that is not unique, its position.
func (c *column) ref() table.Ref {
	isSame := func(o *column) bool {
		return o.header == c.header && o.position != c.position && len(o.parts) == 0 && !o.ofRow
	}
	if c.header == "" || c.table.spec.NoHeader || !isPrintable(c.header) || slices.ContainsFunc(c.table.columns, isSame) {
		return table.Ref{Index: c.position}
	}
	return table.Ref{Header: c.header}
}

// escapeGlob returns a pattern that matches only a file's name.
func escapeGlob(name string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]", "{", "[{]").Replace(name)
}

// Kinds of numbers that no column holds: days before the target, ranks of rows by time, and counts.
const (
	kindOfDays   = "days"
	kindOfLatest = "latest"
	kindOfCounts = "rows"
)

// nameKinds gives each column of numbers or dates a kind of its own, with the column's name, preceded by the table's if another table or a
// type has that name.
func (w *writer) nameKinds() {
	for _, kind := range []string{kindOfDays, kindOfLatest, kindOfCounts} {
		w.typeNames.take(kind)
	}
	var values []*column
	named := map[string]int{}
	for _, c := range w.columns() {
		if c.isValue() {
			values = append(values, c)
			named[strings.ToLower(c.plain())]++
		}
	}
	for _, c := range values {
		name := c.plain()
		if named[strings.ToLower(name)] > 1 || !w.typeNames.free(name) {
			name = c.table.plain() + "_" + name
		}
		c.numbers = w.typeNames.take(name)
	}
}

// numberRows gives dated tables without a key a column of row numbers, if their rows are stated one by one.
func (w *writer) numberRows() {
	for _, t := range w.tables {
		if !w.timed || t.timeless() || t.key != nil || t.rows == 0 || len(t.columns) == 0 || w.expected(t) > mostRows {
			continue
		}
		name := strings.Join(t.stem(), "_")
		if name = plainName(name, "row"); !w.typeNames.free(name) {
			name += "_row"
		}
		c := &column{profile: newProfile(), table: t, header: t.name, kind: kindEntity, ofRow: true}
		c.rows, c.filled = t.rows, t.rows
		c.typ = &entityType{name: w.typeNames.take(name), key: c, columns: []*column{c}}
		t.key, t.columns = c, append([]*column{c}, t.columns...)
	}
}

// declare records a kind of numbers that the task uses.
func (w *writer) declare(kind string) string {
	if !slices.Contains(w.kinds, kind) {
		w.kinds = append(w.kinds, kind)
	}
	return kind
}
