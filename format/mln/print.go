package mln

import (
	"strconv"
	"strings"

	"resolwe/format/lex"
)

// FormatFormula returns a formula as text with the fewest brackets. It includes the shape, but not the weight or period.
func FormatFormula(f *Formula) string { return f.prefix() + formatNode(toNode(f.Body, f.Vars)) }

// FormatRule returns a formula as a line of a model file, with its weight or period.
func FormatRule(f *Formula) string {
	var p printer
	n := toNode(f.Body, f.Vars)
	// Without quotes p(A) could be read as a declaration.
	p.quoteAll = n.Op == OpAtom && !f.HasWeight && !f.Hard && f.Shape == ShapeNone
	p.node(n, levelIff, true)
	body := f.prefix() + p.text.String()
	switch {
	case f.HasWeight:
		return FormatWeight(f.Weight) + " " + body
	case strings.HasPrefix(body, "v "): // would continue the line above
		body = "(" + body + ")"
	}
	if f.Hard {
		body += "."
	}
	return body
}

// FormatAtom returns an atom as text.
func FormatAtom(a *Atom) string { return formatNode(toNode(a, nil)) }

// FormatLiteral returns a literal of a formula with these variables as text.
func FormatLiteral(l Literal, vars []Variable) string { return formatNode(toNode(l.Expr(), vars)) }

// toNode converts a typed tree to one for printing; its quantified variables are indices in vars.
func toNode(x Expr, vars []Variable) *Node {
	n := &Node{Op: x.op()}
	local := func(bound []int) []Term {
		terms := make([]Term, len(bound))
		for i, v := range bound {
			terms[i] = Term{Kind: TermVariable, Name: vars[v].Name, Var: v}
		}
		return terms
	}
	switch x := x.(type) {
	case *Atom:
		n.Name, n.Args = []NamePart{{Text: x.Name}}, x.Args
	case *Equal:
		n.Args = []Term{x.A, x.B}
	case *Compare:
		n.Args, n.Cmp = []Term{x.X, x.Value}, x.Op
	case *Count:
		n.Kind, n.Args, n.Inner, n.Cmp, n.K = x.Kind, local(x.Listed), local(x.Inner), x.Op, x.K
	case *Exists:
		n.Args = local(x.Vars)
	case *ForAll:
		n.Args = local(x.Vars)
	case *Not:
		return negated(toNode(x.X, vars))
	}
	for _, y := range Operands(x) {
		n.Xs = append(n.Xs, toNode(y, vars))
	}
	if n.Kind == AggregateShare {
		n.Xs = n.Xs[0].Xs
	}
	return n
}

// Levels of precedence: a formula is put in brackets if its level is below the one its place requires.
const levelIff, levelUnary = 1, 5

var levels = map[Op]int{OpIff: levelIff, OpImplies: 2, OpOr: 3, OpAnd: 4}

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

// node writes a formula, in brackets if it binds less tightly than level. If tail is set nothing follows inside the same brackets, so a
// quantifier, which extends as far as possible, needs none.
func (p *printer) node(n *Node, level int, tail bool) {
	if own := levels[n.Op]; own > 0 && own < level || n.isQuantifier() && !tail {
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
	case OpCompare:
		p.comparison(n, " "+n.Cmp.String()+" ")
	case OpCount:
		p.put(n.Kind.String() + "{")
		p.terms(n.Args)
		p.put(": ")
		for _, part := range n.Xs[1:] {
			p.node(part, levelIff, true)
			p.put(" | ")
		}
		p.node(n.Xs[0], levelIff, true)
		p.put("}")
		if n.Cmp != 0 {
			p.put(" " + n.Cmp.String() + " " + FormatNumber(n.K))
		}
	case OpNot:
		p.not(n.Xs[0], tail)
	case OpAnd, OpOr, OpImplies, OpIff:
		p.operands(n, tail)
	case OpExists, OpForAll:
		p.put(n.Op.String() + " ")
		p.terms(n.Args)
		p.put(" ")
		p.node(n.Xs[0], levelIff, true)
	}
}

// operands writes operands with their operator. Only the left operand of <=> and the right one of => may be of the same kind.
func (p *printer) operands(n *Node, tail bool) {
	left := levels[n.Op] + 1
	last, end := left, len(n.Xs)-1
	if n.Op == OpIff {
		left--
	}
	if n.Op == OpImplies {
		last--
	}
	for _, x := range n.Xs[:end] {
		p.node(x, left, false)
		p.put(" " + n.Op.String() + " ")
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
	case t.Number:
		p.put(t.Name)
	case t.Kind == TermConstant && p.quoteAll:
		p.put(lex.Quote(t.Name))
	case t.Kind == TermConstant:
		p.put(FormatConstant(t.Name))
	case t.Plus:
		p.put("+" + t.Name)
	default:
		p.put(t.Name)
	}
}

// FormatConstant returns a constant as written in a formula: quoted unless it is a plain name that begins with an upper-case letter or a
// digit.
func FormatConstant(name string) string {
	if lex.IsPlain(name) && !lex.IsVariable(name) {
		return name
	}
	return lex.Quote(name)
}

// FormatEntity returns an entity's name as written in a file: a number unchanged, any other name as by FormatConstant.
func (s *Schema) FormatEntity(typ int, name string) string {
	if _, ok := ParseNumber(name); ok && s.IsNumber(typ) {
		return name
	}
	return FormatConstant(name)
}

// Respell returns a ground atom as FormatAtom prints it, whatever its blanks, its quotes and escapes, and the digits of its numbers. Text
// that is no ground atom of the schema is returned unchanged.
func (s *Schema) Respell(atom string) string {
	name, rest, _ := strings.Cut(atom, "(")
	pred := s.Predicate(strings.TrimSpace(name))
	if pred < 0 {
		return atom
	}
	var args []string
	types := s.Predicates[pred].Args
	for i, typ := range types {
		value, after := cutConstant(strings.TrimSpace(rest))
		end := ","
		if i == len(types)-1 {
			end = ")"
		}
		if !strings.HasPrefix(after, end) {
			return atom
		}
		rest = after[len(end):]
		if v, ok := ParseNumber(value); ok && s.IsNumber(typ) {
			value = FormatNumber(v)
		}
		args = append(args, FormatConstant(value))
	}
	if strings.TrimSpace(rest) != "" {
		return atom
	}
	return s.Predicates[pred].Name + "(" + strings.Join(args, ", ") + ")"
}

// cutConstant returns the name of the constant at the start of an atom's arguments, and what follows it and its blanks.
func cutConstant(text string) (name, rest string) {
	if !strings.HasPrefix(text, `"`) {
		end := max(0, strings.IndexAny(text, ",)"))
		return strings.TrimSpace(text[:end]), text[end:]
	}
	value, n, closed := lex.AppendUnquoted(nil, text)
	if !closed {
		return "", ""
	}
	return string(value), strings.TrimSpace(text[n:])
}

// FormatWeight returns a weight as written in a file: the shortest decimal that reads back as the same number.
func FormatWeight(w float64) string { return strconv.FormatFloat(w, 'g', -1, 64) }

// FormatTypeLine returns the constants of a type as a type line.
func (s *Schema) FormatTypeLine(typ int, constants []string) string {
	list := make([]string, len(constants))
	for i, c := range constants {
		list[i] = s.FormatEntity(typ, c)
	}
	return s.Types[typ] + " = {" + strings.Join(list, ", ") + "}"
}

// Declaration returns the line that declares a predicate over the schema's types.
func (s *Schema) Declaration(p Predicate) string {
	return strings.TrimPrefix(p.Role.String()+" "+p.Name, " ") + "(" + strings.Join(s.typeNames(&p), ", ") + ")"
}

// typeNames returns the names of the types of a predicate's arguments.
func (s *Schema) typeNames(p *Predicate) []string {
	names := make([]string, len(p.Args))
	for i, t := range p.Args {
		names[i] = s.Types[t]
	}
	return names
}

// Declarations returns the lines that begin a file: kinds of numbers, type lines, and declarations of predicates, and
// their words.
func (m *Model) Declarations() string {
	var b strings.Builder
	var kinds []string
	for t, declared := range m.Schema.Kinds {
		if declared {
			kinds = append(kinds, m.Schema.Types[t])
		}
	}
	if len(kinds) > 0 {
		b.WriteString(NumberType + " " + strings.Join(kinds, ", ") + "\n")
	}
	for t, constants := range m.Constants {
		if len(constants) > 0 {
			b.WriteString(m.Schema.FormatTypeLine(t, constants) + "\n")
		}
	}
	for _, p := range m.Schema.Predicates {
		b.WriteString(m.Schema.Declaration(p) + "\n")
	}
	return b.String() + m.Schema.wordLines()
}
