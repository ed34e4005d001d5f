package tableinit

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"resolwe/format/lex"
)

// atom is the rows of a table as a rule has them; columns that it does not name are blank.
type atom struct {
	table  *tabular
	terms  map[*column]string
	suffix string // of variables of its own, where a rule has several atoms
}

// rule is a rule of the recipe, or a line of another kind, where body is nil.
type rule struct {
	head string
	body []any // atoms, and literals as texts
	note string
}

// predicate is a predicate of the task.
type predicate struct {
	name  string
	types []string
	id    string // what it is for: predicates of one purpose are one
}

// writer writes the recipe and the task.
type writer struct {
	*draft
	rules      []rule
	predicates []predicate
	defined    map[string]bool
	rel        map[*tabular]string
	cutoff     string                   // relation of the time of the target
	members    string                   // relation of what is predicted
	near       map[*tabular]string      // by table with a key: relation of the keys of its rows that are told of
	reached    map[*entityType][]string // what mentions things of a sort, as atoms with k
	links      []link
	helpers    map[string]string // names of helper relations by what they are for
}

// link is a relation between what is predicted and other things, by rows with a time.
type link struct {
	name          string
	others        string // the relation as an atom, with y for the other things
	member, other *column
	body          func() []any // over x and y
}

// rows makes an atom out of columns, each with its term.
func (w *writer) rows(t *tabular, terms ...any) *atom {
	a := &atom{table: t, terms: map[*column]string{}}
	for pair := range slices.Chunk(terms, 2) {
		w.bind(a, pair[0].(*column), pair[1].(string))
	}
	return a
}

// bind gives a column of an atom a term, unless it has one, which it returns.
func (w *writer) bind(a *atom, c *column, term string) string {
	if a.terms[c] == "" {
		a.terms[c] = term
	}
	return a.terms[c]
}

// add adds a rule.
func (w *writer) add(head string, body ...any) {
	w.rules = append(w.rules, rule{head: head, body: body})
}

// line adds a line that is no rule.
func (w *writer) line(text string) { w.rules = append(w.rules, rule{head: text}) }

// section adds a comment before rules.
func (w *writer) section(text string) { w.rules = append(w.rules, rule{note: text}) }

// define adds a predicate to the task, under a name that is free, once; it returns the name.
func (w *writer) define(name string, types ...string) string {
	id := name + "/" + strings.Join(types, ",")
	for _, p := range w.predicates {
		if p.id == id {
			return p.name
		}
	}
	free := w.names.take(name)
	w.predicates = append(w.predicates, predicate{name: free, types: types, id: id})
	return free
}

// before returns the literals that let an atom hold rows of before the time of the target only. Rows whose parent is as given are
// known to be.
func (w *writer) before(a *atom, known *column) []any {
	if !w.timed {
		return nil
	}
	if c := a.table.time; c != nil {
		return []any{w.cutoff + "(t0)", w.earlier(c, w.bind(a, c, "t"+a.suffix))}
	}
	var out []any
	for i, p := range a.table.parents() {
		if p == known {
			continue
		}
		of := p.refers.table
		term := "t" + a.suffix + itoa(i+1)
		parent := w.rows(of, p.refers, w.bind(a, p, "p"+a.suffix+itoa(i)), of.time, term)
		out = append(out, parent, w.cutoff+"(t0)", w.earlier(of.time, term))
	}
	return out
}

// earlier returns the condition that a time is before that of the target. A date says nothing of the hour, so that it is before
// only where the whole day is.
func (w *writer) earlier(c *column, term string) string {
	if w.clock && !c.hasClock() {
		return term + " <= t0 - 1 day"
	}
	return term + " < t0"
}

// visible returns an atom with what hides the rows that tell the truth. It reports whether any rows remain.
func (w *writer) visible(a *atom, known *column) ([]any, bool) {
	body := append([]any{a}, w.before(a, known)...)
	if w.timed && !a.table.timeless() {
		return body, true
	}
	hide, ok := w.hidden(a.table)
	if !ok {
		return body, true
	}
	for i, c := range hide {
		term := w.bind(a, c, "h"+itoa(i+1))
		if term == "@center" {
			return nil, false
		}
		body = append(body, term+" != @center")
	}
	return body, true
}

// hidden returns the columns of a table whose rows are hidden where they hold the center.
func (w *writer) hidden(t *tabular) ([]*column, bool) {
	pair, ok := w.repeats[t]
	if t == w.request.table && w.label == nil && t.key != w.group && t.key != w.member {
		pair, ok = [2]*column{w.group, w.member}, true
	}
	if !ok {
		return nil, false
	}
	if w.group.typ == w.member.typ {
		return pair[:], true
	}
	return pair[:1], true
}

// secret reports whether a column of the target's table must not be told of, and whether only of the center.
func (w *writer) secret(c *column) (always, ofCenter bool) {
	t := w.request.table
	if c.table != t || w.timed {
		return false, false
	}
	return c == w.label || w.label == nil && t.key == w.member && c == w.group, w.label == nil && t.key == w.group && c == w.member
}

// prune takes out helper relations that nothing uses, and columns and tables that no rule reads.
func (w *writer) prune() {
	predicates := map[string]bool{"": true, "center": true}
	for _, p := range w.predicates {
		predicates[p.name], predicates["!"+p.name] = true, true
	}
	for again := true; again; {
		used := map[string]bool{}
		for i := range w.rules {
			for _, b := range w.rules[i].body {
				if text, ok := b.(string); ok {
					used[strings.TrimPrefix(relationIn(text), "!")] = true
				}
			}
		}
		before := len(w.rules)
		w.rules = slices.DeleteFunc(w.rules, func(r rule) bool {
			name := relationIn(r.head)
			return r.body != nil && !predicates[name] && !strings.HasPrefix(r.head, "center ") && !used[name]
		})
		again = len(w.rules) < before
	}
	for _, t := range w.tables {
		t.listed = nil
	}
	for i := range w.rules {
		for _, b := range w.rules[i].body {
			a, ok := b.(*atom)
			if !ok {
				continue
			}
			for _, c := range a.table.columns {
				if a.terms[c] != "" && !slices.Contains(a.table.listed, c) {
					a.table.listed = append(a.table.listed, c)
				}
			}
		}
	}
	for _, t := range w.tables {
		slices.SortStableFunc(t.listed, func(a, b *column) int { return slices.Index(t.columns, a) - slices.Index(t.columns, b) })
	}
	for i, r := range slices.Backward(w.rules) { // sections without rules
		if r.note != "" && (i+1 == len(w.rules) || w.rules[i+1].note != "") {
			w.rules = slices.Delete(w.rules, i, i+1)
		}
	}
}

// relationIn returns the relation of an atom or head that is written.
func relationIn(text string) string {
	name, _, ok := strings.Cut(text, "(")
	if !ok {
		return ""
	}
	return name
}

// text returns a rule as the recipe has it.
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
	return w.relation(a.table) + "(" + strings.Join(terms, ", ") + ")"
}

// relation returns the name of a table in the recipe.
func (w *writer) relation(t *tabular) string {
	if w.rel[t] == "" {
		w.rel[t] = w.names.take(t.plain() + "_rows")
	}
	return w.rel[t]
}

// declaration returns a table as the recipe declares it.
func (w *writer) declaration(t *tabular) string {
	types, columns := make([]string, len(t.listed)), make([]string, len(t.listed))
	for i, c := range t.listed {
		types[i], columns[i] = w.typeOfColumn(c), w.reference(c)
	}
	text := "table " + w.relation(t) + "(" + strings.Join(types, ", ") + ")\n  from " + lex.Quote(t.glob)
	if d := t.spec.Delimiter; d != 0 && d != endings[t.ending()] || t.ending() == ".tab" || t.ending() == ".psv" {
		text += " delimiter " + lex.Quote(string(d))
	}
	if t.spec.Encoding != "" {
		text += " encoding " + lex.Quote(t.spec.Encoding)
	}
	if t.spec.NoHeader {
		text += " noheader"
	}
	return text + " (" + strings.Join(columns, ", ") + ")"
}

// typeOfColumn returns the type of a column in the recipe.
func (w *writer) typeOfColumn(c *column) string {
	switch c.kind {
	case kindWhole:
		return "int"
	case kindNumber:
		return "float"
	case kindTime:
		if w.clock {
			return "time"
		}
		return "day"
	case kindEmpty, kindBool, kindCategory, kindText, kindEntity, kindPart:
	}
	return c.typ.name
}

// reference returns a column as the recipe has it.
func (w *writer) reference(c *column) string {
	text, optional := c.ref(), ""
	if c.filled < c.rows {
		optional = "optional "
	}
	if len(c.parts) > 0 {
		refs := make([]string, len(c.parts))
		for i, p := range c.parts {
			refs[i] = p.ref()
		}
		return optional + "date(" + strings.Join(refs, ", ") + ")"
	}
	function := ""
	switch c.kind {
	case kindWhole, kindNumber:
		function = c.function
	case kindTime:
		if function = "date"; w.clock {
			function = "time"
		}
	case kindEmpty, kindBool, kindCategory, kindText, kindEntity, kindPart:
		return optional + text
	}
	if c.form != "" {
		text += " as " + lex.Quote(c.form)
	}
	return optional + function + "(" + text + ")"
}

// ref names a column of the file, by its position where its header is not its own.
func (c *column) ref() string {
	same := 0
	for _, other := range c.table.columns {
		if other.header == c.header && other.position != c.position && len(other.parts) == 0 {
			same++
		}
	}
	switch {
	case c.header == "" || same > 0 || !isPrintable(c.header):
		return "#" + itoa(c.position)
	case lex.IsName(c.header):
		return c.header
	}
	return lex.Quote(c.header)
}

func isPrintable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) })
}

// escapeGlob makes a pattern of a file's name that no other file matches.
func escapeGlob(name string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]", "{", "[{]").Replace(name)
}
