package recipe

import (
	"slices"

	"resolwe/format/lex"
)

// number is the kind of a written number until its context shows whether it is a value or an entity's name.
const number TermKind = 255

// center parses "center VAR [fold VAR] [by VAR] :- body", after the first word.
func (p *parser) center(pos lex.Position) {
	s := ruleStatement{role: RoleCenter, name: "center", namePos: pos}
	s.rule.Pos = pos
	b := body{parser: p, rule: &s.rule}
	s.rule.Terms = []HeadTerm{{Term: b.variable()}}
	for _, c := range []struct {
		word string
		has  *bool
	}{{"fold", &s.fold}, {"by", &s.by}} {
		if *c.has = p.Tok.IsWord(c.word); *c.has {
			p.Advance()
			s.rule.Terms = append(s.rule.Terms, HeadTerm{Term: b.variable()})
		}
	}
	b.parse()
	p.rules = append(p.rules, s)
}

// rule parses "[!|?]name(terms) :- body".
func (p *parser) rule(s ruleStatement) {
	s.rule.Pos = p.Tok.Pos
	if role, ok := map[string]Role{"!": RoleFalse, "?": RoleUnknown}[p.Tok.Text]; ok && p.Tok.Kind == lex.Symbol && s.role == 0 {
		p.Advance()
		s.role = role
	}
	s.namePos = p.Tok.Pos
	s.name = p.Name("a statement")
	b := body{parser: p, rule: &s.rule}
	p.list(`"(" and the terms of the head`, func() { s.rule.Terms = append(s.rule.Terms, b.headTerm()) })
	b.parse()
	p.rules = append(p.rules, s)
}

// body is the parser of a rule.
type body struct {
	*parser
	rule *Rule
	size int
}

// parse parses ":- literal, ..".
func (b *body) parse() {
	b.Resume()
	b.Expect(":-", `":-" and the body of the rule`)
	for {
		if b.size++; b.size > maxLiterals {
			b.Fail(b.Sources.At(b.Tok.Pos, "the body has more than %d literals", maxLiterals))
		}
		b.literal()
		b.Resume()
		if !b.Accept(",") {
			return
		}
	}
}

// literal parses an atom, a negated atom or a comparison.
func (b *body) literal() {
	switch {
	case b.Tok.Is("!"):
		b.Advance()
		b.rule.Negative = append(b.rule.Negative, b.atom())
	case b.Tok.Kind == lex.Name && b.Peek().Is("("):
		b.rule.Positive = append(b.rule.Positive, b.atom())
	default:
		c := Comparison{Pos: b.Tok.Pos}
		c.A, c.Over[0], c.added[0] = b.side("a literal")
		c.Op = b.Comparison("a comparison")
		c.B, c.Over[1], c.added[1] = b.side("a variable, a constant or a number")
		b.rule.Comparisons = append(b.rule.Comparisons, c)
	}
}

// atom parses "name(term, ..)".
func (b *body) atom() Atom {
	a := Atom{Pos: b.Tok.Pos}
	a.Name = b.Name("the name of a relation")
	b.list(`"(" and the terms`, func() { a.Args = append(a.Args, b.plain("a variable, a constant or _")) })
	if b.Tok.Comparison() != 0 {
		b.notInBody(a.Name, a.Pos)
	}
	return a
}

// notInBody rejects a function in a body.
func (b *body) notInBody(name string, pos lex.Position) {
	if aggregateOf(name) != AggregateNone {
		b.Fail(b.Sources.At(pos, "aggregate %s(..) stands in a body: only heads have them, so give it a relation of its own", name))
	}
	b.Fail(b.Sources.Syntax(pos, "%s(..) is compared: only variables, constants and numbers are", name))
}

// aggregateOf returns the aggregate that a word means.
func aggregateOf(word string) Aggregate {
	return Aggregate(max(slices.Index(aggregateNames[:], word), 0))
}

// headTerm parses a term, an aggregate, "a / b" or "days(a - b)".
func (b *body) headTerm() HeadTerm {
	if b.Tok.Kind != lex.Name || !b.Peek().Is("(") {
		h := HeadTerm{Term: b.plain("a variable, a constant or an aggregate")}
		if h.Quotient = h.Term.Kind == TermVariable && b.Accept("/"); h.Quotient {
			h.Second = b.variable()
		}
		return h
	}
	if b.Tok.Text == "days" {
		b.Advance()
		b.Expect("(", `"("`)
		h := HeadTerm{Term: b.variable()}
		b.Expect("-", `"-", as in days(t0 - t)`)
		h.Second = b.variable()
		b.Expect(")", `")"`)
		return h
	}
	h := HeadTerm{Aggregate: aggregateOf(b.Tok.Text)}
	if h.Aggregate == AggregateNone {
		f := b.Sources.Near(b.Tok.Text, append([]string{"days"}, aggregateNames[1:]...), b.Tok.Pos, "unknown aggregate %s", b.Tok)
		b.Fail(&lex.SyntaxError{Fault: f})
	}
	b.Advance()
	b.Expect("(", `"("`)
	h.Term = b.variable()
	if h.Aggregate == AggregateRank {
		b.word("by")
		h.Second = b.variable()
	}
	b.Expect(")", `")"`)
	return h
}

// variable consumes a variable.
func (b *body) variable() Term {
	t := Term{Kind: TermVariable, Name: b.Tok.Text, Pos: b.Tok.Pos}
	if b.Tok.Kind != lex.Name || !lex.IsVariable(t.Name) {
		b.Unexpected("a variable")
	}
	t.Var = b.lookup(t.Name)
	b.Advance()
	return t
}

// lookup returns the index of a variable, which it adds if it is new or _.
func (b *body) lookup(name string) int {
	if name != "_" {
		if i := slices.IndexFunc(b.rule.Vars, func(v Variable) bool { return v.Name == name }); i >= 0 {
			return i
		}
	}
	if len(b.rule.Vars) == maxVariables {
		b.Fail(b.Sources.At(b.Tok.Pos, "the rule has more than %d variables", maxVariables))
	}
	b.rule.Vars = append(b.rule.Vars, Variable{Name: name})
	return len(b.rule.Vars) - 1
}

// term consumes a variable, _, a constant, a number or @center.
func (b *body) term(want string) Term {
	t := Term{Name: b.Tok.Text, Pos: b.Tok.Pos}
	switch {
	case b.Tok.Is("@center"):
		t.Kind = TermCenter
	case b.Tok.Is("@asof"):
		t.Kind, t.AsOf = TermValue, true
	case b.Tok.Kind == lex.Quoted:
		t.Kind = TermEntity
	case b.Tok.Kind == lex.Number:
		t.Kind = number
	case b.Tok.Is("_") || b.Tok.Kind == lex.Name && lex.IsVariable(t.Name):
		t.Kind, t.Var = TermVariable, b.lookup(t.Name)
	case b.Tok.Kind == lex.Name:
		t.Kind = TermEntity
	default:
		b.Unexpected(want)
	}
	b.Advance()
	if b.Tok.Is("(") && t.Kind == TermVariable {
		b.notInBody(t.Name, t.Pos)
	}
	b.notDate(t.Name, t.Pos)
	return t
}
