package tableinit

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// pattern is a rule for any table, and the relation it defines. Capital letters are roles, to which a scene assigns columns: they become
// the columns' names in the relation's name, where T is the table's name, and their terms in the rule. In its body
//
//	rows(K, A)  the rows of the table with these columns,
//	past(K, A)  those from before the time of the target,
//	seen(K, A)  those of past that do not reveal the truth,
//	also(K, A)  the same for another table,
//	at(K, A)    rows with their time, t,
//	?A          requires A to be compared, if it is an anchor and not the center,
//	near(K)     requires K to be in the scene's relation,
//	gone(K)     the same, except for what is created with its row of the target;
//
// everything else is copied.
type pattern struct{ name, head, body string }

// of returns the pattern with another body.
func (p pattern) of(body string) pattern { return pattern{p.name, p.head, body} }

// scene is the subject of a pattern.
type scene struct {
	table *tabular
	near  string  // relation of the included things
	known *column // refers to rows known to be earlier than the target
	roles map[string]role
}

// role is a column and its term.
type role struct {
	*column
	term   string
	anchor bool // the term is a predicted thing or the center
}

// with returns the scene with a column added in a role.
func (s scene) with(letter string, c *column, term string) scene {
	return s.cast(letter, role{column: c, term: term})
}

func (s scene) cast(letter string, r role) scene {
	s.roles = maps.Clone(s.roles)
	if s.roles == nil {
		s.roles = map[string]role{}
	}
	s.roles[letter] = r
	return s
}

var (
	roleIn    = regexp.MustCompile(`\b[A-Z]\b`)
	literalIn = regexp.MustCompile(`[^ ,(][^,(]*(\([^)]*\))?`)
)

// terms replaces roles by terms.
func (s scene) terms(text string) string {
	return roleIn.ReplaceAllStringFunc(text, func(letter string) string { return s.roles[letter].term })
}

// named replaces roles by names.
func (s scene) named(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words {
		if r, ok := s.roles[word]; ok {
			words[i] = r.plain()
		} else if word == "T" {
			words[i] = s.table.plain()
		}
	}
	return strings.Join(words, "_")
}

// atom is the rows of a table in a rule; columns without a term are blank.
type atom struct {
	table *tabular
	terms map[*column]string
}

// rows returns the atom with columns in some roles.
func (s scene) rows(letters string) *atom {
	a := &atom{terms: map[*column]string{}}
	for letter := range strings.SplitSeq(letters, ", ") {
		if r := s.roles[letter]; r.column != nil {
			a.table = r.table
			a.bind(r.column, r.term)
		}
	}
	return a
}

// bind gives a column of an atom a term, unless it has one, and returns its term.
func (a *atom) bind(c *column, term string) string {
	if a.terms[c] == "" {
		a.terms[c] = term
	}
	return a.terms[c]
}

// rule is a rule of the recipe or, if body is nil, another line.
type rule struct {
	head string
	body []any // atoms, and literals as texts
	note string
}

// line appends a line that is not a rule.
func (w *writer) line(text string) { w.rules = append(w.rules, rule{head: text}) }

// section appends a comment on the rules that follow.
func (w *writer) section(text string) { w.rules = append(w.rules, rule{note: text}) }

// tell adds a rule for a predicate of the task, and returns its name, "" if none of its rows may be seen.
func (w *writer) tell(p pattern, s scene) string {
	body, ok := w.body(p.body, s)
	if !ok {
		return ""
	}
	name := w.predicate(p, s)
	w.rules = append(w.rules, rule{head: name + s.terms(p.head), body: body})
	return name
}

// add adds a rule for another relation, and reports whether any of its rows may be seen.
func (w *writer) add(relation, head, text string, s scene) bool {
	body, ok := w.body(text, s)
	if ok {
		w.rules = append(w.rules, rule{head: relation + s.terms(head), body: body})
	}
	return ok
}

// body returns the body of a rule, and reports whether any of its rows may be seen. Evidence that an outcome is part of waits for it.
func (w *writer) body(text string, s scene) (body []any, ok bool) {
	body, ok = w.literals(text, s)
	for _, b := range body {
		if a, isAtom := b.(*atom); isAtom && w.evidence && w.horizon > 0 && a.hasOutcome() {
			body = append(body, w.settled(a, body)...)
		}
	}
	return body, ok
}

// literals returns the body without that.
func (w *writer) literals(text string, s scene) (body []any, ok bool) {
	for _, literal := range literalIn.FindAllString(text, -1) {
		name, inside, isAtom := strings.Cut(strings.TrimSuffix(literal, ")"), "(")
		switch {
		case literal[0] == '?':
			if r := s.roles[literal[1:]]; r.anchor && r.term != "@center" {
				body = append(body, "member("+r.term+")")
			}
		case name == "rows":
			body = append(body, s.rows(inside))
		case name == "at":
			body = append(body, dated(s.rows(inside))...)
		case name == "past":
			a := s.rows(inside)
			body = append(append(body, a), w.before(a, "", s.known, false)...)
		case name == "seen", name == "also":
			a := s.rows(inside)
			hidden, ok := w.hides(a)
			if !ok {
				return nil, false
			}
			body = append(append(append(body, a), w.before(a, map[string]string{"also": "b"}[name], s.known, true)...), hidden...)
		case name == "gone":
			body = append(body, s.near+"("+s.terms(inside)+")")
			if w.born && s.table == w.request.table {
				body = append(body, "!member("+s.terms(inside)+")")
			}
		case name == "near":
			body = append(body, s.near+"("+s.terms(inside)+")")
		case isAtom:
			body = append(body, name+"("+s.terms(inside)+")")
		default:
			body = append(body, s.terms(literal))
		}
	}
	return body, true
}

// predicate adds the relation of a pattern to the task, unless it is there, and returns its name.
func (w *writer) predicate(p pattern, s scene) string {
	var types []string
	for term := range strings.SplitSeq(p.head[1:len(p.head)-1], ", ") {
		r := s.roles[roleIn.FindString(term)]
		switch {
		case r.column == nil || strings.HasPrefix(term, "count("):
			typ := map[string]string{"n": kindOfLatest, "days(t0 - t)": kindOfDays}[term]
			types = append(types, w.declare(cmp.Or(typ, kindOfCounts)))
		case r.isThing():
			types = append(types, r.typ.name)
		default:
			types = append(types, w.declare(r.numbers))
		}
	}
	args := strings.Join(types, ", ")
	purpose := s.named(p.name) + "/" + args
	if w.defined[purpose] == "" {
		w.defined[purpose] = w.names.take(s.named(p.name))
		w.predicates = append(w.predicates, predicate{w.defined[purpose], args})
	}
	return w.defined[purpose]
}

// dated returns an atom whose rows have the time t, with the literals that requires.
func dated(a *atom) []any {
	if c := a.table.time; c != nil {
		a.bind(c, "t")
		return []any{a}
	}
	return []any{a, a.parent(a.table.parents()[0], "p0", "t")}
}

// parent returns the rows to which a column of an atom refers, by a variable if it has none, with their time.
func (a *atom) parent(c *column, variable, time string) *atom {
	key := c.refers
	return &atom{key.table, map[*column]string{key: a.bind(c, variable), key.table.time: time}}
}

// before returns literals that restrict an atom to rows before the time of the target and, for evidence, up to the last day of the build.
// Rows whose parent is known are earlier anyway.
func (w *writer) before(a *atom, suffix string, known *column, evidence bool) (out []any) {
	if !w.timed {
		return nil
	}
	bound := func(c *column, term string) {
		if out = append(out, "cutoff(t0)", w.earlier(c, term)); evidence {
			out = append(out, term+" <= @asof")
		}
	}
	if c := a.table.time; c != nil {
		bound(c, a.bind(c, "t"+suffix))
		return out
	}
	for i, p := range a.table.parents() {
		if p != known {
			term := "t" + suffix + itoa(i+1)
			out = append(out, a.parent(p, "p"+suffix+itoa(i), term))
			bound(p.refers.table.time, term)
		}
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

// prune removes unused helpers, rules that use undefined relations, and empty sections, and records the columns that rules read.
func (w *writer) prune() {
	predicates := map[string]bool{"": true} // statements that are not atoms
	for _, p := range w.predicates {
		predicates[p.name], predicates["!"+p.name], predicates["?"+p.name] = true, true, true
	}
	for before := -1; before != len(w.rules); {
		before = len(w.rules)
		used, heads := maps.Clone(predicates), map[string]bool{"": true}
		for _, r := range w.rules {
			if of, ok := strings.CutPrefix(r.head, "require count("); ok {
				of, _, _ = strings.Cut(of, ")")
				used[of] = true
			}
			heads[relationIn(r.head)] = true
			for _, b := range r.body {
				if text, ok := b.(string); ok {
					used[strings.TrimPrefix(relationIn(text), "!")] = true
				}
			}
		}
		w.rules = slices.DeleteFunc(w.rules, func(r rule) bool {
			return r.body != nil && (!used[relationIn(r.head)] || slices.ContainsFunc(r.body, func(b any) bool {
				text, ok := b.(string)
				return ok && !heads[strings.TrimPrefix(relationIn(text), "!")]
			}))
		})
	}
	named := map[*column]bool{}
	for _, r := range w.rules {
		for _, b := range r.body {
			if a, ok := b.(*atom); ok {
				for c := range a.terms {
					named[c] = true
				}
			}
		}
	}
	for _, t := range w.tables {
		t.listed = slices.DeleteFunc(slices.Clone(t.columns), func(c *column) bool { return !named[c] })
	}
	for i, r := range slices.Backward(w.rules) {
		if r.note != "" && (i+1 == len(w.rules) || w.rules[i+1].note != "") {
			w.rules = slices.Delete(w.rules, i, i+1)
		}
	}
}

// relationIn returns the relation of an atom or head as written.
func relationIn(text string) string {
	name, _, ok := strings.Cut(text, "(")
	if !ok {
		return ""
	}
	return name
}
