package render

import (
	"fmt"
	"slices"
	"strings"

	"resolwe/format/mln"
)

// Speaker tells formulas over a schema to people who know the data and not the program: in the words of its "//=" lines, or else in words
// made from its names. Texts have no variable, no predicate's name with an underscore, and say nothing about cause.
type Speaker struct {
	schema *mln.Schema
	words  map[wordKey]mln.Word
}

// NewSpeaker returns a speaker.
func NewSpeaker(schema *mln.Schema) *Speaker { return &Speaker{schema, wordsOf(schema)} }

// Told is a formula in words.
type Told struct {
	Group    string // the cases told about: "loans whose account had been charged overdraft interest"; "" where Number
	Name     string // what Group says of its cases, without a comparison: "account's lowest balance in the last 365 days"
	Compared bool   // a number is compared with a threshold
	Number   bool   // the formula uses a number as it is, in ranks or relative to others: Name says which
	Plain    bool   // it has no short reading: Group and Name are empty, and the text of the formula has to do
}

// mostConditions is the maximum number of conditions in a text.
const mostConditions = 3

// Tell puts a formula with a head into words: the group of cases for which it holds.
func (s *Speaker) Tell(f *mln.Formula) Told {
	headed, ok := f.Headed(s.schema)
	if !ok || f.Hard || f.Shape == mln.ShapeMean {
		return Told{Plain: true}
	}
	rest, head := headed.Head()
	if !mln.DistinctVariables(head.Atom.Args) {
		return Told{Plain: true}
	}
	t := &teller{Speaker: s, f: headed, literals: rest, used: make([]bool, len(rest)), quantity: map[int]string{}}
	for i, a := range head.Atom.Args {
		t.met = append(t.met, a.Var)
		t.roots = append(t.roots, root{a.Var, t.ownerOf(head.Atom.Args, i)})
	}
	var conditions []condition
	for _, r := range t.roots {
		conditions = append(conditions, t.about(r.variable, r.owner)...)
	}
	if t.failed || slices.Contains(t.used, false) || len(conditions) == 0 {
		return Told{Plain: true}
	}
	names := make([]string, len(conditions))
	for i, c := range conditions {
		names[i] = c.name()
	}
	alone := len(conditions) == 1
	out := Told{Name: strings.Join(names, ", "), Compared: alone && t.compares, Number: f.Compares() && alone && conditions[0].form == formNumber && !t.compares}
	if n := s.Nouns(head.Atom.Pred); !out.Number {
		out.Group = n.Many + modifiers(conditions, len(t.roots) > 1, true, n.Who)
	}
	return out
}

// ownerOf returns how the text speaks of an argument of a head: "" for the case itself, "the article", "the second user".
func (t *teller) ownerOf(args []mln.Term, i int) string {
	one := t.noun(args[i].Type).One
	place := 0
	for k, a := range args {
		if a.Type == args[i].Type && k != i {
			place = i + 1
		}
	}
	switch {
	case len(args) == 1:
		return ""
	case place > 0 && place <= 3:
		return "the " + [...]string{"first ", "second ", "third "}[place-1] + one
	}
	return "the " + one
}

type root struct {
	variable int
	owner    string
}

// condition says something of an owner: the case ("" and several of them), or "account", "the user".
type condition struct {
	owner string
	form  form
	text  string // of formNumber its name
	is    string // of formNumber what it is: "is 5 or more"
}

type form uint8

const (
	formVerb   form = iota // "gets weekly statements"
	formWith               // "at least one transaction": with it, or has it
	formNumber             // "amount", "is 5 or more"
)

// of returns the condition of what the owner's condition is about: "account" as that of a loan, "account's district".
func (c condition) of(owner string) condition {
	switch {
	case owner == "":
	case c.owner == "":
		c.owner = owner
	default:
		c.owner = owner + "'s " + c.owner
	}
	return c
}

// name returns the condition without its number's comparison: "account's lowest balance".
func (c condition) name() string {
	text := c.text
	if c.owner != "" {
		switch c.form {
		case formNumber:
			text = c.owner + "'s " + text
		case formWith:
			text = c.owner + " has " + text
		case formVerb:
			text = c.owner + " " + text
		}
	}
	return text
}

// clause returns the condition as a clause: "account has at least one transaction".
func (c condition) clause() string {
	if c.form == formNumber {
		return c.name() + " " + c.is
	}
	return c.name()
}

// modifiers returns conditions as what follows a noun, of which there are one or several: " whose account .. and with ..".
func modifiers(list []condition, apart, many, who bool) string {
	var parts []string
	for i, c := range list {
		if i == mostConditions {
			parts = append(parts, fmt.Sprintf("%d more conditions hold", len(list)-i))
			break
		}
		switch {
		case apart:
			parts = append(parts, Either(i == 0, "where ", "")+c.clause())
		case c.owner != "" || c.form == formNumber:
			parts = append(parts, "whose "+c.clause())
		case c.form == formWith:
			parts = append(parts, "with "+c.text)
		default:
			verb := c.text
			if many {
				verb = plurally(verb)
			}
			parts = append(parts, Either(who, "who ", "that ")+verb)
		}
	}
	if parts == nil {
		return ""
	}
	return " " + strings.Join(parts, " and ")
}

// teller puts the literals beside a head into conditions, outwards from its variables.
type teller struct {
	*Speaker
	f        *mln.Formula
	literals []mln.Literal
	used     []bool // by literal
	met      []int  // variables that have been spoken of
	roots    []root
	quantity map[int]string // by counted variable: "3 or more"
	value    *aggregated    // what is told of the rows of an aggregate
	failed   bool           // the formula has no short reading
	unit     string         // of the number of an aggregate
	compares bool           // a number is compared with a threshold
}

// aggregated is an aggregate over the rows of a variable.
type aggregated struct {
	count *mln.Count
	row   int
}

// about returns the conditions on a variable of which the text speaks as owner.
func (t *teller) about(v int, owner string) (out []condition) {
	for i := range t.literals {
		l := t.literals[i]
		if t.used[i] || !mentions(l, v) {
			continue
		}
		switch {
		case l.Count != nil:
			t.used[i] = true
			out = append(out, t.counting(l, v).of(owner))
		case l.Atom != nil:
			t.used[i] = true
			for _, c := range t.atom(l, v) {
				out = append(out, c.of(owner))
			}
		case l.Equal != nil && l.Negated: // another one
			t.used[i] = true
		case l.Equal != nil:
			t.failed = true
		}
	}
	return out
}

// atom returns the conditions on a variable that an atom and what hangs on it state.
func (t *teller) atom(l mln.Literal, v int) []condition {
	a, negated := l.Atom, l.Negated
	if len(a.Args) == 1 {
		return []condition{{form: formVerb, text: t.unary(a, negated)}}
	}
	if len(a.Args) != 2 {
		t.failed = true
		return nil
	}
	place := 0
	if isVariable(a.Args[1], v) {
		place = 1
	}
	other := a.Args[1-place]
	switch {
	case t.schema.IsNumber(other.Type) && place == 0:
		return []condition{t.number(a, other, negated)}
	case other.Kind == mln.TermConstant:
		return []condition{t.constant(a, other, place, negated)}
	case other.Kind == mln.TermCenter:
		return []condition{t.related(a, place, "this "+t.noun(other.Type).One, negated)}
	case slices.Contains(t.met, other.Var):
		return []condition{t.again(a, place, negated)}
	}
	if t.failed = t.failed || negated; t.failed { // those to whom it does not relate are not nobody
		return nil
	}
	another := slices.ContainsFunc(t.met, func(m int) bool { return t.f.Vars[m].Type == other.Type })
	t.met = append(t.met, other.Var)
	if place == 0 && t.isOne(a) {
		return t.possessed(a, other)
	}
	if t.value != nil && t.value.row == other.Var {
		return []condition{t.ofRows(other, a, place)}
	}
	noun := t.noun(other.Type)
	quantity, many := t.quantity[other.Var]
	if !many {
		quantity = "at least one"
	}
	window, own := t.window(other.Var), t.about(other.Var, "")
	text := quantity + " " + Either(another, "other ", "") + Either(many, noun.Many, noun.One) + window + modifiers(own, false, many, noun.Who)
	return []condition{t.related(a, place, text, false)}
}

// unary returns what an atom of one argument says of it.
func (t *teller) unary(a *mln.Atom, negated bool) string {
	verb := t.words[wordKey{name: a.Name}].Text
	if t.schema.Predicates[a.Pred].Role.IsTarget() {
		verb, _, _ = strings.Cut(verb, "|")
		verb = strings.TrimSpace(verb)
	}
	if verb == "" {
		verb = "is “" + spaced(a.Name) + "”"
	}
	return Either(negated, denied(verb), verb)
}

// again says that a relation holds with what the text has spoken of, seen from one of its places.
func (t *teller) again(a *mln.Atom, place int, negated bool) condition {
	other := a.Args[1-place]
	for _, r := range t.roots {
		if r.variable == other.Var && r.owner != "" {
			return t.related(a, place, r.owner, negated)
		}
	}
	t.failed = t.failed || !isVariable(a.Args[place], other.Var)
	return t.related(a, place, "itself", negated)
}

// possessed returns the conditions on the one thing that an atom refers to, as those of its owner.
func (t *teller) possessed(a *mln.Atom, other mln.Term) []condition {
	name := strings.TrimPrefix(t.words[wordKey{name: a.Name}].Text, "its ")
	if name == "" {
		name = t.noun(other.Type).One
	}
	list := t.about(other.Var, name)
	if list == nil {
		return []condition{{form: formNumber, text: name, is: "is known"}}
	}
	return list
}

// related says that a relation holds with what a text names, seen from one of its two places.
func (t *teller) related(a *mln.Atom, place int, with string, negated bool) condition {
	types := t.schema.Predicates[a.Pred].Args
	c := condition{form: formVerb}
	names := func(i int) []string { return []string{fmt.Sprintf("{%d}", i+1), "{" + t.schema.Types[types[i]] + "}"} } // of an argument, in words
	w := t.words[wordKey{name: a.Name}]
	for alternative := range strings.SplitSeq(w.Text, "|") {
		alternative = strings.TrimSpace(alternative)
		for _, own := range names(place) {
			verb, ok := strings.CutPrefix(alternative, own+" ")
			if !ok {
				continue
			}
			for _, other := range names(1 - place) {
				if before, after, ok := strings.Cut(verb, other); ok {
					if before = strings.TrimSpace(before); before == "has" && !negated {
						return condition{form: formWith, text: strings.TrimSpace(with + after)}
					}
					c.text = strings.TrimSpace(before + " " + with + after)
				}
			}
		}
	}
	switch {
	case c.text != "":
	case t.isOne(a) && place == 1:
		c.form, c.text = formWith, with
	default:
		c.text = "is related by “" + spaced(a.Name) + "” to " + with
	}
	if negated {
		c.form, c.text = formVerb, denied(Either(c.form == formWith, "has "+c.text, c.text))
	}
	return c
}

// constant says that a relation holds with a constant.
func (t *teller) constant(a *mln.Atom, value mln.Term, place int, negated bool) condition {
	name := Clip(value.Name, MostName)
	if place == 1 {
		return t.related(a, place, name, negated)
	}
	if w, ok := t.words[wordKey{name: a.Name, value: value.Name}]; ok {
		return condition{form: formVerb, text: Either(negated, denied(w.Text), w.Text)}
	}
	return condition{form: formNumber, text: t.column(a), is: Either(negated, "is not ", "is ") + name}
}

// column returns how the second argument of a predicate is called: by its words, or its name without that of the first type.
func (t *teller) column(a *mln.Atom) string {
	if w := t.words[wordKey{name: a.Name}]; w.Text != "" && !strings.ContainsAny(w.Text, "|{") {
		return strings.TrimPrefix(w.Text, "its ")
	}
	name := a.Name
	for _, table := range []string{t.schema.Types[a.Args[0].Type], plural(t.schema.Types[a.Args[0].Type])} {
		if rest, ok := strings.CutPrefix(name, table+"_"); ok {
			name = rest
			break
		}
	}
	return strings.TrimSuffix(spaced(name), " id")
}
