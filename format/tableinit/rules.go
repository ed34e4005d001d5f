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
//	rows(K, A)  the rows of the table with these columns; in evidence, K is known,
//	past(K, A)  those known before the time of the target,
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

// body returns the body of a rule, and reports whether any of its rows may be seen.
func (w *writer) body(text string, s scene) (body []any, ok bool) {
	for _, literal := range literalIn.FindAllString(text, -1) {
		name, inside, isAtom := strings.Cut(strings.TrimSuffix(literal, ")"), "(")
		switch {
		case literal[0] == '?':
			if r := s.roles[literal[1:]]; r.anchor && r.term != "@center" {
				body = append(body, "member("+r.term+")")
			}
		case name == "rows", name == "at", name == "seen", name == "also", name == "past":
			visible, ok := w.visible(s.rows(inside), name, s.known, body)
			if !ok {
				return nil, false
			}
			body = append(body, visible...)
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
		w.predicates = append(w.predicates, predicate{w.defined[purpose], args, s.table, s.roles["C"].column})
	}
	return w.defined[purpose]
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
