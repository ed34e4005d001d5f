package mln

import (
	"strings"

	"resolwe/format/lex"
)

// formula parses a formula: <=> binds loosest, then => (right associative), v, ^ and !.
func (p *parser) formula() *Node {
	p.enter()
	left := p.implication()
	for p.Resume(); p.Tok.Is("<=>"); p.Resume() {
		p.Advance()
		left = &Node{Op: OpIff, Xs: []*Node{left, p.implication()}, Pos: left.Pos}
	}
	p.depth--
	return left
}

func (p *parser) implication() *Node {
	p.enter()
	left := p.disjunction()
	if p.Resume(); p.Tok.Is("=>") {
		p.Advance()
		left = &Node{Op: OpImplies, Xs: []*Node{left, p.implication()}, Pos: left.Pos}
	}
	p.depth--
	return left
}

func (p *parser) disjunction() *Node {
	xs := []*Node{p.conjunction()}
	for p.Resume(); p.Tok.IsWord("v"); p.Resume() {
		p.Advance()
		p.SkipNewlines()
		xs = append(xs, p.conjunction())
	}
	return join(OpOr, xs)
}

func (p *parser) conjunction() *Node {
	xs := []*Node{p.operand()}
	for p.Resume(); p.Tok.Is("^"); p.Resume() {
		p.Advance()
		xs = append(xs, p.operand())
	}
	return join(OpAnd, xs)
}

// enter counts a level of nesting.
func (p *parser) enter() {
	if p.depth++; p.depth > 2*maxDepth {
		p.Fail(&LimitError{p.Sources.At(p.Tok.Pos, "the formula is nested more than %d deep", maxDepth)})
	}
}

// literal counts an atom or comparison.
func (p *parser) literal() {
	if p.size++; p.size > maxLiterals {
		p.Fail(&LimitError{p.Sources.At(p.Tok.Pos, "the formula has more than %d literals", maxLiterals)})
	}
}

// operand parses a negation, a quantifier, brackets, an atom or a comparison.
func (p *parser) operand() *Node {
	pos := p.Tok.Pos
	switch {
	case p.Tok.Is("!"):
		p.enter()
		p.Advance()
		n := &Node{Op: OpNot, Xs: []*Node{p.operand()}, Pos: pos}
		p.depth--
		return n
	case p.Tok.Is("*"):
		p.Fail(&StarError{p.Sources.At(pos, "* before a literal is not supported: write a formula for each sign")})
	case p.Tok.Is("("):
		p.Advance()
		n := p.formula()
		p.Expect(")", `an operator or ")"`)
		return n
	case p.Tok.Kind == lex.Name:
		next := p.Peek()
		if op := quantifier(p.Tok.Text); op != 0 && next.Kind == lex.Name {
			return p.quantified(op)
		}
		if next.Is("(") {
			return p.atom()
		}
	}
	return p.comparison()
}

// quantifier returns the kind of the quantifier that a word is, in any of Alchemy's spellings, 0 for other words.
func quantifier(word string) Op {
	switch word {
	case "EXIST", "Exist", "exist":
		return OpExists
	case "FORALL", "Forall", "forall":
		return OpForAll
	}
	return 0
}

func (p *parser) quantified(op Op) *Node {
	n := &Node{Op: op, Pos: p.Tok.Pos}
	p.Advance()
	for {
		p.argument(len(n.Args))
		n.Args = append(n.Args, p.variable())
		if !p.Accept(",") {
			break
		}
	}
	n.Xs = []*Node{p.formula()}
	return n
}

func (p *parser) atom() *Node {
	p.literal()
	n := &Node{Op: OpAtom, Name: p.Tok.Parts, Pos: p.Tok.Pos}
	if n.Name == nil {
		n.Name = []NamePart{{Text: p.Tok.Text}}
	}
	if !n.Name[0].IsList() && !lex.IsName(n.Name[0].Text) {
		p.Unexpected("the name of a predicate")
	}
	if n.plainName() == "v" {
		p.Fail(p.Sources.Syntax(n.Pos, "a formula", "no predicate may be called v, which means or"))
	}
	p.Advance()
	p.Advance()
	for {
		p.argument(len(n.Args))
		n.Args = append(n.Args, p.term("a variable or constant"))
		if p.Tok.Is("!") {
			p.exclusive()
		}
		if !p.Accept(",") {
			break
		}
	}
	p.Expect(")", `"," or ")"`)
	return n
}

func (p *parser) comparison() *Node {
	p.literal()
	a := p.term("a formula")
	n := &Node{Op: OpEqual, Pos: a.Pos}
	negated := p.Tok.Is("!=")
	if !negated && !p.Tok.Is("=") {
		p.Unexpected(`"(", "=" or "!="`)
	}
	p.Advance()
	n.Args = []Term{a, p.term("a variable or constant")}
	if negated {
		return &Node{Op: OpNot, Xs: []*Node{n}, Pos: a.Pos}
	}
	return n
}

// term consumes a variable, perhaps with +, a constant or @center.
func (p *parser) term(want string) Term {
	t := Term{Name: p.Tok.Text, Pos: p.Tok.Pos}
	switch {
	case p.Tok.Is("+"):
		p.Advance()
		t = p.variable()
		t.Plus = true
		return t
	case p.Tok.Is("@center"):
		t.Kind = TermCenter
	case p.Tok.Kind == lex.Quoted:
		t.Kind = TermConstant
		p.quoted = true
	case (p.Tok.Kind == lex.Name && p.Tok.Parts == nil || p.Tok.Kind == lex.Number) && lex.IsPlain(t.Name):
		t.Kind = TermConstant
		if lex.IsVariable(t.Name) {
			t.Kind = TermVariable
		}
	default:
		p.Unexpected(want)
	}
	p.Advance()
	if p.Tok.Is("(") && !strings.HasPrefix(t.Name, "@") {
		p.Fail(&FunctionError{p.Sources.At(t.Pos, "functions are not supported: %s(..) stands where a variable or constant belongs", t.Name)})
	}
	return t
}
