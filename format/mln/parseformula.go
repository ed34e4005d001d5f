package mln

import (
	"strconv"
	"strings"

	"resolwe/format/lex"
)

// operators join formulas, from the loosest binding to the tightest.
var operators = [...]Op{OpIff, OpImplies, OpOr, OpAnd}

// formula parses a formula.
func (p *parser) formula() *Node {
	p.enter(2)
	n := p.joined(0)
	p.depth -= 2
	return n
}

// joined parses operands of the operators from a given precedence on. => is right-associative, <=> left-associative.
func (p *parser) joined(place int) *Node {
	if place == len(operators) {
		return p.operand()
	}
	op := operators[place]
	xs := []*Node{p.joined(place + 1)}
	for p.Resume(); p.Tok.Is(op.String()) || p.Tok.IsWord(op.String()); p.Resume() {
		p.Advance()
		p.SkipNewlines()
		if op == OpOr || op == OpAnd {
			xs = append(xs, p.joined(place+1))
			continue
		}
		right := place + 1
		if op == OpImplies {
			right = place
		}
		p.enter(1)
		xs[0] = &Node{Op: op, Xs: []*Node{xs[0], p.joined(right)}, Pos: xs[0].Pos}
		p.depth--
	}
	return join(op, xs)
}

// enter adds levels of nesting.
func (p *parser) enter(levels int) {
	if p.depth += levels; p.depth > 2*maxDepth {
		p.Fail(p.Sources.At(p.Tok.Pos, "the formula is nested more than %d deep", maxDepth))
	}
}

// literal counts an atom or comparison.
func (p *parser) literal() {
	if p.size++; p.size > maxLiterals {
		p.Fail(p.Sources.At(p.Tok.Pos, "the formula has more than %d literals", maxLiterals))
	}
}

// operand parses a negation, a quantifier, brackets, an atom or a comparison.
func (p *parser) operand() *Node {
	pos := p.Tok.Pos
	switch {
	case p.Tok.Is("!"):
		p.enter(1)
		p.Advance()
		n := negated(p.operand())
		n.Pos = pos
		p.depth--
		return n
	case p.Tok.Is("#"):
		return p.count(AggregateCount)
	case p.Tok.Is("*"):
		p.Fail(p.Sources.At(pos, starred))
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
		if kind := p.aggregateOf(); kind != AggregateCount {
			return p.count(kind)
		}
	}
	return p.comparison()
}

// quantifier returns the kind of quantifier that a word means in any of Alchemy's spellings, 0 for other words.
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
	p.arguments(func() { n.Args = append(n.Args, p.variable()) })
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
		p.Fail(p.Sources.Syntax(n.Pos, "no predicate may be called v, which means or"))
	}
	p.Advance()
	p.Advance()
	p.arguments(func() {
		n.Args = append(n.Args, p.term("a variable or constant"))
		p.notExclusive()
	})
	p.Expect(")", `"," or ")"`)
	return n
}

func (p *parser) comparison() *Node {
	p.literal()
	a := p.term("a formula")
	cmp := p.Comparison(`"(", "=" or "!="`)
	n := &Node{Op: OpEqual, Args: []Term{a, p.term("a variable or constant")}, Pos: a.Pos}
	switch cmp {
	case SameAs:
		return n
	case OtherThan:
		return negated(n)
	case AtLeast, Less, Greater, AtMost:
	}
	n.Op, n.Cmp = OpCompare, cmp
	if a.Kind == TermConstant {
		n.Args[0], n.Args[1], n.Cmp = n.Args[1], a, cmp.Mirrored()
	}
	return n
}

// count parses #{x, y: body} >= 3, reduced to one of the four comparisons of such a node, avg{n, y: body} > 2.5, and
// share{x: part | body} < .5.
func (p *parser) count(kind Aggregate) *Node {
	p.enter(1)
	p.literal()
	n := &Node{Op: OpCount, Kind: kind, Pos: p.Tok.Pos}
	p.Advance()
	p.Expect("{", `"{" and the variables that are counted`)
	p.arguments(func() { n.Args = append(n.Args, p.variable()) })
	p.Expect(":", `"," or ":"`)
	n.Xs = []*Node{p.formula()}
	if kind == AggregateShare {
		p.Expect("|", `"^", or "|" and what the share is of`)
		n.Xs = []*Node{p.formula(), n.Xs[0]}
	}
	p.Expect("}", `"^" or "}"`)
	if len(n.Args) < kind.Leading() {
		p.Fail(p.Sources.At(n.Pos, "%v lists a number and the time by which one is the last", kind))
	}
	p.depth--
	if p.bare && p.Tok.Comparison() == 0 {
		return n
	}
	n.Cmp = p.Comparison(`">=", ">", "<=", "<", "=" or "!="`)
	if kind != AggregateCount {
		n.K = p.bound()
		return n
	}
	k, err := strconv.ParseInt(p.Tok.Text, 10, 64)
	if p.Tok.Kind != lex.Number || err != nil || k < 0 || k > maxCount {
		p.Unexpected("a whole number up to " + strconv.FormatInt(maxCount, 10))
	}
	p.Advance()
	n.Cmp, n.K = canonicalCount(n.Cmp, float64(k))
	return n
}

// canonicalCount expresses a comparison with a count by AtLeast, Less, SameAs or OtherThan.
func canonicalCount(cmp Comparison, k float64) (Comparison, float64) {
	switch {
	case cmp == Greater:
		return AtLeast, k + 1
	case cmp == AtMost:
		return Less, k + 1
	case cmp == SameAs && k == 0:
		return Less, 1
	case cmp == OtherThan && k == 0:
		return AtLeast, 1
	}
	return cmp, k
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
	case p.Tok.Kind == lex.Number && !lex.IsPlain(t.Name):
		t.Kind, t.Number = TermConstant, true
	case p.Tok.Kind == lex.Name && p.Tok.Parts == nil || p.Tok.Kind == lex.Number:
		t.Kind = TermConstant
		if lex.IsVariable(t.Name) {
			t.Kind = TermVariable
		}
	default:
		p.Unexpected(want)
	}
	p.Advance()
	if p.Tok.Is("(") && !strings.HasPrefix(t.Name, "@") {
		p.Fail(p.Sources.At(t.Pos, "functions are not supported: %s(..) stands where a variable or constant belongs", t.Name))
	}
	return t
}
