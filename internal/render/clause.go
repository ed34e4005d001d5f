package render

import (
	"cmp"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/internal/english"
)

// clause says something about a thing: "whose account's balance is 5 or more".
type clause struct {
	chain []string // possessed things: "account", "balance"
	verb  string   // what it, or the last of them, does: "is 5 or more"
	post  string   // if not "", what may stand behind the noun instead: "with an order"
	value bool     // it is about a number, the last of the chain
	owner string   // what one does that has such a thing, "" if no words say so: "was charged overdraft interest"
}

// behind returns the clause as it stands behind a noun.
func (c clause) behind(who string, many bool) string {
	switch {
	case c.post != "":
		return c.post
	case len(c.chain) > 0:
		return "whose " + possessed(c.chain) + " " + c.verb
	case many:
		return who + " " + english.ForMany(c.verb)
	}
	return who + " " + c.verb
}

// ofMany returns the clause as it stands behind many things.
func (c clause) ofMany() string {
	if len(c.chain) > 0 {
		return "are ones whose " + possessed(c.chain) + " " + c.verb
	}
	return english.ForMany(c.verb)
}

// possessed joins a chain: "account's district", "region of its account's district".
func possessed(chain []string) string {
	last := len(chain) - 1
	if last < 2 {
		return strings.Join(chain, "'s ")
	}
	return chain[last] + " of its " + possessed(chain[:last])
}

// place orders clauses: what stands behind the noun, what it does, what it possesses.
func (c clause) place() int {
	switch {
	case c.post != "":
		return 0
	case len(c.chain) > 0:
		return 2
	}
	return 1
}

// amount is a number of things.
type amount struct {
	op mln.Comparison
	k  float64
}

// of returns the amount of a noun, and whether it stands in the plural.
func (a amount) of(n Nouns, exists string) (text string, many bool) {
	k := number{}.text(a.k)
	switch {
	case a.op == mln.AtLeast && a.k == 1:
		return exists, false
	case a.op == mln.Less && a.k == 1, a.op == mln.SameAs && a.k == 0, a.op == mln.AtMost && a.k == 0:
		return "no " + n.One, false
	case a.op == mln.AtLeast:
		return k + " or more " + n.Many, true
	}
	word := map[mln.Comparison]string{mln.Less: "fewer than", mln.Greater: "more than", mln.AtMost: "at most", mln.SameAs: "exactly", mln.OtherThan: "not exactly"}[a.op]
	return word + " " + k + " " + Either(a.k == 1, n.One, n.Many), a.k != 1
}

// times returns what one does so many times.
func (a amount) times(verb string) string {
	k := number{}.text(a.k)
	switch {
	case a.op == mln.AtLeast && a.k == 1:
		return verb
	case a.op == mln.Less && a.k == 1, a.op == mln.SameAs && a.k == 0, a.op == mln.AtMost && a.k == 0:
		return english.Negated(verb)
	case a.op == mln.AtLeast:
		return verb + " " + k + " times or more"
	}
	text, _ := a.of(Nouns{One: "time", Many: "times"}, "")
	return verb + " " + text
}

// teller tells the literals of a formula, or of what a count is of, about variables that are told already.
type teller struct {
	*Speaker
	vars     []mln.Variable
	literals []mln.Literal
	used     map[int]bool   // of the literals
	known    map[int]string // what a variable is called that was told: "the user"
	nouns    Nouns          // of the cases
	counted  []int          // variables, of which the first that is told stands in an amount
	together bool           // more than one of them was told
	amount   amount
	most     int  // conditions of one noun; of others
	left     int  // the number is told
	flip     bool // the next condition is told in the negative
	cut      *Cut
	number   number
	name     string // of what is counted
	deep     bool   // within a noun
	bad      bool   // some literal is outside the grammar
}

// takeFlip reports once whether the next condition is told in the negative.
func (t *teller) takeFlip() (flip bool) {
	flip, t.flip = t.flip, false
	return flip
}

// within returns a teller of other literals.
func (t *teller) within(literals []mln.Literal) *teller {
	u := *t
	u.literals, u.used, u.counted, u.amount, u.together, u.flip = literals, map[int]bool{}, nil, amount{}, false, false
	return &u
}

// after takes over what a teller of other literals found.
func (t *teller) after(u *teller) {
	for i := range u.literals {
		u.bad = u.bad || !u.used[i]
	}
	t.bad, t.left = t.bad || u.bad, u.left
	t.cut, t.number, t.name = u.cut, u.number, u.name
}

// join returns clauses as they stand behind a noun; those beyond the most are counted.
func (t *teller) join(list []clause, who, many bool) string {
	if len(list) > t.most {
		t.left += len(list) - t.most
		list = list[:t.most]
	}
	slices.SortStableFunc(list, func(a, b clause) int { return cmp.Compare(a.place(), b.place()) })
	var text strings.Builder
	for i, c := range list {
		between := " "
		if i > 0 && !strings.HasPrefix(list[i-1].post, "over ") && !strings.HasPrefix(list[i-1].post, "of ") {
			between = " and "
		}
		if i > 0 && c.place() == 2 && slices.Equal(c.chain, list[i-1].chain) {
			text.WriteString(" and " + c.verb)
		} else {
			text.WriteString(between + c.behind(Either(who, "who", "that"), many))
		}
	}
	return text.String()
}

// clauses tells all literals that mention a variable and were not told.
func (t *teller) clauses(v int) (out []clause) {
	for i, l := range t.literals {
		if t.used[i] || !mentions(l, v) || l.Compare != nil {
			continue
		}
		switch {
		case l.Count != nil:
			t.used[i] = true
			out = append(out, t.count(l.Count, l.Negated != t.takeFlip(), v)...)
		case l.Equal != nil:
			t.used[i] = true
			out = append(out, t.equal(l, v)...)
		default:
			t.used[i] = true
			out = append(out, t.atom(l, v)...)
		}
	}
	return out
}

// equal tells x = y or x != y.
func (t *teller) equal(l mln.Literal, v int) []clause {
	other := l.Equal.A
	if isVariable(other, v) {
		other = l.Equal.B
	}
	if other.Kind == mln.TermVariable && l.Negated { // the noun says so, see np
		return nil
	}
	text := t.ref(other)
	t.bad = t.bad || text == ""
	return []clause{{verb: Either(l.Negated != t.takeFlip(), "is not ", "is ") + text}}
}

// ref returns what a term is called, "" for a variable that was not told.
func (t *teller) ref(x mln.Term) string {
	switch x.Kind {
	case mln.TermCenter:
		return "the center"
	case mln.TermConstant:
		if v, ok := mln.ParseNumber(x.Name); ok && t.schema.IsNumber(x.Type) {
			return number{}.text(v)
		}
		return marked(cmp.Or(x.Name, "(no name)"))
	case mln.TermVariable:
	}
	return t.known[x.Var]
}

// atom tells an atom that mentions a variable.
func (t *teller) atom(l mln.Literal, v int) []clause {
	a := l.Atom
	if len(a.Args) == 1 {
		yes, no := t.verb(a.Pred)
		return []clause{{verb: Either(l.Negated != t.takeFlip(), no, yes)}}
	}
	last := a.Args[len(a.Args)-1]
	switch {
	case len(a.Args) > 2:
		return t.many(l, v)
	case isVariable(a.Args[0], v) && isVariable(last, v):
		yes, no := t.verb(a.Pred)
		return []clause{{verb: Either(l.Negated != t.takeFlip(), no, yes) + " with itself"}}
	case isVariable(a.Args[0], v) && last.Kind == mln.TermConstant:
		return []clause{t.value(l, last)}
	case isVariable(a.Args[0], v) && last.Kind == mln.TermVariable && t.schema.IsNumber(t.vars[last.Var].Type):
		return t.stated(l, last.Var)
	}
	return t.related(l, v)
}

// value tells that a thing has a value.
func (t *teller) value(l mln.Literal, value mln.Term) clause {
	not := l.Negated != t.takeFlip()
	if w := t.schema.WordsOf(false, l.Atom.Name, &value.Name); w != nil {
		return clause{verb: Either(not, english.Negated(w.One), w.One), owner: Either(not, "", w.Two)}
	}
	return clause{chain: []string{t.numberOf(l.Atom.Pred).name}, verb: Either(not, "is not ", "is ") + t.ref(value)}
}

// stated tells the number w that a thing states.
func (t *teller) stated(l mln.Literal, w int) []clause {
	var cuts []Cut
	for i, c := range t.literals {
		if c.Compare != nil && c.Compare.X.Var == w {
			t.used[i] = true
			x, _ := mln.ParseNumber(c.Compare.Value.Name)
			cuts = append(cuts, Cut{c.Compare.Op, x})
			if c.Negated {
				cuts[len(cuts)-1].Op = c.Compare.Op.Opposite()
			}
		} else if !t.used[i] && mentions(c, w) {
			t.bad = true // two things state one number
		}
	}
	n, not := t.numberOf(l.Atom.Pred), t.takeFlip()
	if len(cuts) == 0 {
		return []clause{{chain: []string{n.name}, verb: Either(not != l.Negated, "is missing", "is known"), value: true}}
	}
	t.bad = t.bad || l.Negated
	if t.number = n; len(cuts) == 1 {
		c := cuts[0]
		if not {
			c.Op = c.Op.Opposite()
		}
		t.cut = &c
		if t.schema.IsAge(l.Atom.Pred) {
			return []clause{{verb: "is dated " + ago(c)}}
		}
	}
	text := n.within(cuts, not)
	c := clause{chain: []string{n.name}, verb: "is " + text, value: true}
	if prefix, ok := map[string]string{"amount": "of ", "duration": "over "}[n.name]; ok {
		c.post = prefix + text
	} else if !strings.Contains(n.name, " of ") && n.unit != "year" {
		c.post = "with " + english.Article(n.name) + " of " + text
		if english.Singular(n.name) != n.name {
			c.post = "with " + n.name + " of " + text
		}
	}
	return []clause{c}
}

// many tells an atom of three or more arguments.
func (t *teller) many(l mln.Literal, v int) []clause {
	if t.bad = t.bad || l.Negated; l.Negated {
		return nil
	}
	var others []string
	for _, x := range l.Atom.Args {
		switch {
		case isVariable(x, v):
		case x.Kind == mln.TermVariable && t.schema.IsNumber(t.vars[x.Var].Type):
			t.bad = true
		case t.ref(x) != "":
			others = append(others, t.ref(x))
		default:
			text, _ := t.np(x.Var)
			others = append(others, text)
		}
	}
	text := "is in " + marked(`"`+spoken(l.Atom.Name)+`"`) + " with "
	if others == nil {
		others = []string{"itself"}
	}
	if last := len(others) - 1; last > 0 {
		text += strings.Join(others[:last], ", ") + " and "
	}
	return []clause{{verb: text + others[len(others)-1]}}
}

// np returns the noun for a variable that was not told with what is said of it and, if the words of a value say so, what one does that has
// such a thing, else "".
func (t *teller) np(w int) (text, owner string) {
	n := t.noun(t.vars[w].Type)
	exists := Either(t.deep, english.Article(n.One), "at least one "+n.One)
	for i, l := range t.literals {
		if l.Equal == nil || !l.Negated || !mentions(l, w) {
			continue
		}
		for _, x := range []mln.Term{l.Equal.A, l.Equal.B} {
			if x.Kind == mln.TermVariable && x.Var != w && t.known[x.Var] != "" {
				exists, t.used[i] = "another "+n.One, true
			}
		}
	}
	a := amount{mln.AtLeast, 1}
	if slices.Contains(t.counted, w) {
		t.together = t.amount.op == 0
		if a, t.amount = t.amount, (amount{}); t.together {
			a = amount{mln.AtLeast, 1}
		}
	}
	first := t.amount.op == 0 && !t.together
	if t.takeFlip() {
		a.op = a.op.Opposite()
	}
	t.known[w] = "the " + n.One
	deep := t.deep
	t.deep = true
	when := t.window(w, n)
	list := t.clauses(w)
	t.deep = deep
	if first && t.together {
		n.One = "combination of " + english.Article(n.One)
		n.Many = "combinations" + strings.TrimPrefix(n.One, "combination")
		exists = english.Article(n.One)
	}
	head, many := a.of(n, exists)
	many = many && !t.together
	if len(list) == 1 && list[0].owner != "" {
		owner = a.times(list[0].owner) + when
	}
	left := t.left
	if !deep {
		t.name = "number of " + n.Many + t.join(list, n.Who, true) + when
	}
	t.left = left
	return head + t.join(list, n.Who, many) + when, owner
}
