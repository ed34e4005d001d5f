package mln

import "strings"

// formula parses a formula: <=> binds loosest, then => (right associative), v, ^ and !.
func (p *parser) formula() *Node {
	p.enter()
	left := p.implication()
	for p.resume(); p.tok.is("<=>"); p.resume() {
		p.advance()
		left = &Node{Op: OpIff, Xs: []*Node{left, p.implication()}, Pos: left.Pos}
	}
	p.depth--
	return left
}

func (p *parser) implication() *Node {
	p.enter()
	left := p.disjunction()
	if p.resume(); p.tok.is("=>") {
		p.advance()
		left = &Node{Op: OpImplies, Xs: []*Node{left, p.implication()}, Pos: left.Pos}
	}
	p.depth--
	return left
}

func (p *parser) disjunction() *Node {
	xs := []*Node{p.conjunction()}
	for p.resume(); p.tok.isWord("v"); p.resume() {
		p.advance()
		p.skipNewlines()
		xs = append(xs, p.conjunction())
	}
	return join(OpOr, xs)
}

func (p *parser) conjunction() *Node {
	xs := []*Node{p.operand()}
	for p.resume(); p.tok.is("^"); p.resume() {
		p.advance()
		xs = append(xs, p.operand())
	}
	return join(OpAnd, xs)
}

// enter counts a level of nesting.
func (p *parser) enter() {
	if p.depth++; p.depth > 2*maxDepth {
		p.fail(&LimitError{p.sources.at(p.tok.pos, "the formula is nested more than %d deep", maxDepth)})
	}
}

// literal counts an atom or comparison.
func (p *parser) literal() {
	if p.size++; p.size > maxLiterals {
		p.fail(&LimitError{p.sources.at(p.tok.pos, "the formula has more than %d literals", maxLiterals)})
	}
}

// operand parses a negation, a quantifier, brackets, an atom or a comparison.
func (p *parser) operand() *Node {
	pos := p.tok.pos
	switch {
	case p.tok.is("!"):
		p.enter()
		p.advance()
		n := &Node{Op: OpNot, Xs: []*Node{p.operand()}, Pos: pos}
		p.depth--
		return n
	case p.tok.is("*"):
		p.fail(&StarError{p.sources.at(pos, "* before a literal is not supported: write a formula for each sign")})
	case p.tok.is("("):
		p.advance()
		n := p.formula()
		p.expect(")", `an operator or ")"`)
		return n
	case p.tok.kind == tokenName:
		next := p.peek()
		if op := quantifier(p.tok.text); op != 0 && next.kind == tokenName {
			return p.quantified(op)
		}
		if next.is("(") {
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
	n := &Node{Op: op, Pos: p.tok.pos}
	p.advance()
	for {
		p.argument(len(n.Args))
		n.Args = append(n.Args, p.variable())
		if !p.accept(",") {
			break
		}
	}
	n.Xs = []*Node{p.formula()}
	return n
}

func (p *parser) atom() *Node {
	p.literal()
	n := &Node{Op: OpAtom, Name: p.tok.parts, Pos: p.tok.pos}
	if n.Name == nil {
		n.Name = []NamePart{{Text: p.tok.text}}
	}
	if !n.Name[0].isList() && !isName(n.Name[0].Text) {
		p.unexpected("the name of a predicate")
	}
	if n.plainName() == "v" {
		p.fail(&SyntaxError{p.sources.at(n.Pos, "no predicate may be called v, which means or"), "a formula"})
	}
	p.advance()
	p.advance()
	for {
		p.argument(len(n.Args))
		n.Args = append(n.Args, p.term("a variable or constant"))
		if p.tok.is("!") {
			p.exclusive()
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(")", `"," or ")"`)
	return n
}

func (p *parser) comparison() *Node {
	p.literal()
	a := p.term("a formula")
	n := &Node{Op: OpEqual, Pos: a.Pos}
	negated := p.tok.is("!=")
	if !negated && !p.tok.is("=") {
		p.unexpected(`"(", "=" or "!="`)
	}
	p.advance()
	n.Args = []Term{a, p.term("a variable or constant")}
	if negated {
		return &Node{Op: OpNot, Xs: []*Node{n}, Pos: a.Pos}
	}
	return n
}

// term consumes a variable, perhaps with +, a constant or @center.
func (p *parser) term(want string) Term {
	t := Term{Name: p.tok.text, Pos: p.tok.pos}
	switch {
	case p.tok.is("+"):
		p.advance()
		t = p.variable()
		t.Plus = true
		return t
	case p.tok.kind == tokenCenter:
		t.Kind = TermCenter
	case p.tok.kind == tokenQuoted:
		t.Kind = TermConstant
		p.quoted = true
	case (p.tok.kind == tokenName && p.tok.parts == nil || p.tok.kind == tokenNumber) && isPlain(t.Name):
		t.Kind = TermConstant
		if isLower(t.Name[0]) {
			t.Kind = TermVariable
		}
	default:
		p.unexpected(want)
	}
	p.advance()
	if p.tok.is("(") && !strings.HasPrefix(t.Name, "@") {
		p.fail(&FunctionError{p.sources.at(t.Pos, "functions are not supported: %s(..) stands where a variable or constant belongs", t.Name)})
	}
	return t
}
