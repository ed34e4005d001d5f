package mln

import (
	"strconv"
	"strings"

	"resolwe/format/lex"
)

// Levels of binding: a formula stands in brackets where its level is below what its place asks for.
const (
	levelIff = iota + 1
	levelImplies
	levelOr
	levelAnd
	levelUnary
)

// printer writes formulas with the fewest brackets.
type printer struct {
	text     strings.Builder
	quoteAll bool // quote every constant
}

func (p *printer) put(text string) { p.text.WriteString(text) }

// formatNode returns a formula as text.
func formatNode(n *Node) string {
	var p printer
	p.node(n, levelIff, true)
	return p.text.String()
}

// node writes a formula in brackets where it binds less than level. Where tail holds nothing follows at this depth of
// brackets, so that a quantifier, which reaches as far as it can, needs none.
func (p *printer) node(n *Node, level int, tail bool) {
	if levelOf(n) < level || n.isQuantifier() && !tail {
		p.put("(")
		p.node(n, levelIff, true)
		p.put(")")
		return
	}
	switch n.Op {
	case OpAtom:
		p.put(lex.FormatName(n.Name))
		p.put("(")
		p.terms(n.Args)
		p.put(")")
	case OpEqual:
		p.comparison(n, " = ")
	case OpNot:
		p.not(n.Xs[0], tail)
	case OpAnd:
		p.operands(n, " ^ ", levelAnd+1, levelAnd+1, tail)
	case OpOr:
		p.operands(n, " v ", levelOr+1, levelOr+1, tail)
	case OpImplies:
		p.operands(n, " => ", levelImplies+1, levelImplies, tail)
	case OpIff:
		p.operands(n, " <=> ", levelIff, levelIff+1, tail)
	case OpExists, OpForAll:
		p.put(quantifierWords[n.Op])
		p.terms(n.Args)
		p.put(" ")
		p.node(n.Xs[0], levelIff, true)
	}
}

var quantifierWords = map[Op]string{OpExists: "EXIST ", OpForAll: "FORALL "}

func levelOf(n *Node) int {
	switch n.Op {
	case OpIff:
		return levelIff
	case OpImplies:
		return levelImplies
	case OpOr:
		return levelOr
	case OpAnd:
		return levelAnd
	case OpAtom, OpEqual, OpNot, OpExists, OpForAll:
	}
	return levelUnary
}

// operands writes operands with an operator between them; the last may ask for another level.
func (p *printer) operands(n *Node, operator string, level, last int, tail bool) {
	end := len(n.Xs) - 1
	for _, x := range n.Xs[:end] {
		p.node(x, level, false)
		p.put(operator)
	}
	p.node(n.Xs[end], last, tail)
}

func (p *printer) not(x *Node, tail bool) {
	if x.Op == OpEqual {
		p.comparison(x, " != ")
		return
	}
	p.put("!")
	if x.Op == OpNot && x.Xs[0].Op == OpEqual {
		p.put("(")
		p.not(x.Xs[0], true)
		p.put(")")
		return
	}
	p.node(x, levelUnary, tail)
}

func (p *printer) comparison(n *Node, operator string) {
	p.term(n.Args[0])
	p.put(operator)
	p.term(n.Args[1])
}

func (p *printer) terms(ts []Term) {
	for i, t := range ts {
		if i > 0 {
			p.put(", ")
		}
		p.term(t)
	}
}

func (p *printer) term(t Term) {
	switch {
	case t.Kind == TermConstant && p.quoteAll:
		p.put(quote(t.Name))
	case t.Kind == TermConstant:
		p.put(FormatConstant(t.Name))
	case t.Plus:
		p.put("+" + t.Name)
	default:
		p.put(t.Name)
	}
}

// FormatConstant returns a constant as it stands in a formula: quoted where it is not a plain name that begins with an
// uppercase letter or a digit.
func FormatConstant(name string) string {
	if lex.IsPlain(name) && !lex.IsVariable(name) {
		return name
	}
	return quote(name)
}

func quote(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}

// FormatWeight returns a weight as it stands in a file: the shortest decimal that reads back as the same number.
func FormatWeight(w float64) string { return strconv.FormatFloat(w, 'g', -1, 64) }

// String returns the declaration as a line of a file.
func (d *Declaration) String() string {
	text := d.Name + "(" + strings.Join(d.Types, ", ") + ")"
	if d.Role.IsTarget() {
		return d.Role.String() + " " + text
	}
	return text
}

// String returns the type line as a line of a file.
func (l *TypeLine) String() string {
	constants := make([]string, len(l.Constants))
	for i, c := range l.Constants {
		constants[i] = FormatConstant(c)
	}
	return l.Name + " = {" + strings.Join(constants, ", ") + "}"
}

// String returns the template as a line of a file.
func (t *Template) String() string {
	var p printer
	p.put("template " + t.Name + "(")
	p.terms(t.Params)
	p.put(")")
	if t.Kind != TemplatePlain {
		p.put(" " + t.Kind.String() + " " + strconv.Itoa(t.Limit))
	}
	separator := " = "
	for _, alternative := range t.Alternatives {
		p.put(separator)
		p.node(alternative, levelIff, true)
		separator = " | "
	}
	return p.text.String()
}

// String returns the formula with its weight or period as a line of a file.
func (r *Rule) String() string {
	var p printer
	// Without quotes p(A) could be read as a declaration.
	p.quoteAll = r.Body.Op == OpAtom && !r.HasWeight && !r.Hard
	p.node(r.Body, levelIff, true)
	body := p.text.String()
	switch {
	case r.HasWeight:
		return FormatWeight(r.Weight) + " " + body
	case strings.HasPrefix(body, "v "): // would go on with the line above
		body = "(" + body + ")"
	}
	if r.Hard {
		body += "."
	}
	return body
}

// String returns the model as a file that parses to the same statements. Included files stand in place of their
// #include; comments are not kept.
func (m *Model) String() string {
	var b strings.Builder
	for _, s := range m.Statements {
		b.WriteString(s.String() + "\n")
	}
	return b.String()
}
