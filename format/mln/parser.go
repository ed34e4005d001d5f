package mln

import (
	"math"
	"slices"
	"strconv"

	"resolwe/format/lex"
)

const (
	maxDepth     = 1000      // nesting of a formula
	maxLiterals  = 1000      // atoms and comparisons of a formula
	maxVariables = 128       // variables of a formula
	maxArguments = 64        // of a predicate or template
	maxConstants = 1 << 20   // constants that the ranges of a file expand to
	maxCount     = 1<<53 - 1 // number compared with a count; the next one is still exact as a float64
	maxAlternate = 1000      // N of compound N and extend N
)

// MaxWeight is the largest absolute value of a weight. It keeps sums of weights times counts, which are below 2^63, finite.
const MaxWeight = 1e30

// language configures the lexer for the task language. FORALL and EXIST begin a statement, so they do not continue one.
var language = lex.Language{
	Symbols:   []string{"<=>", "...", "=>", "!=", ">=", "<=", "<", ">", "(", ")", "{", "}", ",", ".", "!", "=", "^", "|", "+", "*", "#", ":"},
	Marked:    []string{"@center", "#include"},
	Joins:     []string{"^", "=>", "<=>", "=", "!=", ">=", "<=", "<", ">", "|", ","},
	Continues: []string{"v", "^", "=>", "<=>", "|"},
	Lists:     true,
	Numbers:   true,
}

// starred refuses Alchemy's literals with both signs.
const starred = "* before a literal is not supported: write a formula for each sign"

// Kinds of templates beside a single alternative: a set of alternatives over the same terms, and a chain through fresh variables.
const compound, extend = "compound", "extend"

// parser turns one source into statements.
type parser struct {
	lex.Cursor
	depth  int  // nesting of the formula
	size   int  // atoms and comparisons of the formula
	ranged int  // constants that ranges expanded to
	quoted bool // the formula holds a quoted constant
	bare   bool // aggregates need no comparison

	include func(name string, pos Position) []statement // reads an included file
}

// statements parses the whole source.
func (p *parser) statements() []statement {
	var list []statement
	p.Statements(func() {
		p.depth, p.size, p.quoted, p.bare = 0, 0, false, false
		if p.Tok.Is("#include") {
			list = append(list, p.includeFile()...)
		} else {
			list = append(list, p.statement())
		}
	})
	return list
}

func (p *parser) statement() statement {
	p.closedWorld()
	if p.Tok.Kind == lex.Name && p.Tok.Parts == nil {
		next := p.Peek()
		switch {
		case next.Kind == lex.Name && p.Tok.Text == "target":
			return p.target()
		case next.Kind == lex.Name && p.Tok.Text == "template":
			return p.template()
		case next.Kind == lex.Name && p.Tok.Text == NumberType:
			return p.kinds()
		case next.Kind == lex.Name && !next.IsWord("v") && quantifier(p.Tok.Text) == 0:
			p.twoNames()
		case next.Is("="):
			if line := p.typeLine(); line != nil {
				return line
			}
		}
	}
	return p.rule()
}

// closedWorld refuses Tuffy's mark of a closed-world predicate, a * before a declaration. What looks like none is a formula.
func (p *parser) closedWorld() {
	pos, next := p.Tok.Pos, p.Peek()
	if !p.Tok.Is("*") || next.Kind != lex.Name {
		return
	}
	p.Advance()
	n := p.operand()
	if end := p.Tok.Kind == lex.Newline || p.Tok.Kind == lex.End; end && n.Op == OpAtom && len(slices.Collect(n.variables())) == len(n.Args) {
		p.Fail(p.Sources.At(pos, "* marks %s as a closed-world predicate, as all evidence is: drop the *", next.Text))
	}
	p.Fail(p.Sources.At(pos, starred))
}

// twoNames reports a name followed by another.
func (p *parser) twoNames() {
	e := p.Sources.Near(p.Tok.Text, []string{"target", "template", NumberType}, p.Tok.Pos, "%s before a name", p.Tok)
	if e.Hint != "" {
		p.Fail(&SyntaxError{Fault: e})
	}
	e.Msg = "functions are not supported: " + p.Tok.Text + " before a name declares one"
	p.Fail(e)
}

// includeFile parses #include "name".
func (p *parser) includeFile() []statement {
	p.Advance()
	if p.Tok.Kind != lex.Quoted {
		p.Unexpected("a quoted file name")
	}
	name, pos := p.Tok.Text, p.Tok.Pos
	p.Advance()
	if p.Tok.Kind != lex.Newline && p.Tok.Kind != lex.End {
		p.Unexpected("the end of the line")
	}
	return p.include(name, pos)
}

// target parses a declaration that begins with target.
func (p *parser) target() *declaration {
	d := &declaration{Role: RoleTarget, Pos: p.Tok.Pos}
	p.Advance()
	if p.Tok.IsWord("listed") && p.Peek().Kind == lex.Name {
		d.Role = RoleListed
		p.Advance()
	}
	d.Name = p.Name("the name of a predicate")
	if d.Name == "v" {
		p.Fail(p.Sources.Syntax(d.Pos, "no predicate may be called v, which means or"))
	}
	p.Expect("(", `"(" and the types of the arguments`)
	p.arguments(func() {
		d.Types = append(d.Types, p.Name("the name of a type"))
		p.notExclusive()
	})
	p.Expect(")", `"," or ")"`)
	return d
}

// kinds parses "number points, seconds".
func (p *parser) kinds() *kinds {
	k := &kinds{}
	p.Advance()
	for len(k.Names) == 0 || p.Accept(",") {
		k.Names = append(k.Names, p.Name("the name of a kind of numbers"))
	}
	return k
}

// arguments parses items separated by commas, one at a time.
func (p *parser) arguments(one func()) { p.Items(maxArguments, one) }

// notExclusive rejects Alchemy's ! after a variable of a declaration.
func (p *parser) notExclusive() {
	if p.Tok.Is("!") {
		p.Fail(p.Sources.At(p.Tok.Pos, "! after a variable of a declaration is not supported"))
	}
}

// typeLine parses "name = {A, B}"; it returns nil, consuming nothing, if a formula begins here instead.
func (p *parser) typeLine() *typeLine {
	ahead := p.Lexer
	ahead.Next()
	brace := ahead.Next()
	for brace.Kind == lex.Newline {
		brace = ahead.Next()
	}
	if !brace.Is("{") {
		return nil
	}
	line := &typeLine{Pos: p.Tok.Pos}
	line.Name = p.Name("the name of a type")
	p.Advance()
	p.Advance()
	for !p.Tok.Is("}") {
		if p.Tok.Is("...") {
			p.constantRange(line)
		} else {
			line.Constants = append(line.Constants, p.constant(line))
		}
		if !p.Accept(",") && !p.Tok.Is("}") {
			p.Unexpected(`"," or "}"`)
		}
	}
	p.Advance()
	return line
}

// constant consumes a constant of a type line, where lower-case names are constants too.
func (p *parser) constant(line *typeLine) string {
	text := p.Tok.Text
	plain := p.Tok.Kind == lex.Name && p.Tok.Parts == nil || p.Tok.Kind == lex.Number && lex.IsPlain(text)
	switch {
	case plain || p.Tok.Kind == lex.Quoted:
	case p.Tok.Kind == lex.Number:
		if line.signed == nil {
			line.signed = p.Sources.Syntax(p.Tok.Pos, "expected a constant, found %s", p.Tok)
		}
	default:
		p.Unexpected("a constant")
	}
	p.Advance()
	return text
}

// constantRange parses the end of Alchemy's "1, ..., 10".
func (p *parser) constantRange(line *typeLine) {
	pos := p.Tok.Pos
	p.Advance()
	p.Expect(",", `","`)
	last := p.constant(line)
	if len(line.Constants) == 0 {
		p.Fail(p.Sources.Syntax(pos, "a range without a first number"))
	}
	first, err1 := strconv.Atoi(line.Constants[len(line.Constants)-1])
	end, err2 := strconv.Atoi(last)
	if err1 != nil || err2 != nil || end < first || uint(end-first) > uint(maxConstants-p.ranged) {
		p.Fail(p.Sources.At(pos, "a range goes from a whole number to a greater one, over at most %d constants", maxConstants))
	}
	p.ranged += end - first
	for i := first + 1; i <= end; i++ {
		line.Constants = append(line.Constants, strconv.Itoa(i))
	}
}

// template parses a template.
func (p *parser) template() *template {
	t := &template{Limit: 1, Pos: p.Tok.Pos}
	p.Advance()
	t.Name = p.Name("the name of a template")
	if t.Name == "v" {
		p.Fail(p.Sources.Syntax(t.Pos, "no template may be called v, which means or"))
	}
	p.Expect("(", `"(" and the variables of the template`)
	p.arguments(func() { t.Params = append(t.Params, p.variable()) })
	p.Expect(")", `"," or ")"`)
	p.templateKind(t)
	p.Expect("=", `"=", "compound" or "extend"`)
	for {
		p.size = 0
		t.Alternatives = append(t.Alternatives, p.formula())
		p.Resume()
		if !p.Accept("|") {
			return t
		}
	}
}

// templateKind parses "compound N" and "extend N".
func (p *parser) templateKind(t *template) {
	if !p.Tok.IsWord(compound) && !p.Tok.IsWord(extend) {
		return
	}
	t.Kind = p.Tok.Text
	p.Advance()
	if p.Tok.Kind != lex.Number {
		p.Unexpected("the greatest number of alternatives")
	}
	n, err := strconv.Atoi(p.Tok.Text)
	if err != nil || n < 1 || n > maxAlternate {
		p.Fail(p.Sources.At(p.Tok.Pos, "%s %s: a number from 1 to %d stands here", t.Kind, p.Tok.Text, maxAlternate))
	}
	t.Limit = n
	p.Advance()
}

// variable consumes a variable.
func (p *parser) variable() Term {
	t := Term{Kind: TermVariable, Name: p.Tok.Text, Pos: p.Tok.Pos}
	if p.Tok.Kind != lex.Name || p.Tok.Parts != nil || !lex.IsVariable(t.Name) {
		p.Unexpected("a variable")
	}
	p.Advance()
	return t
}

// rule parses a formula with its weight or period, or a declaration without role, which has the same form.
func (p *parser) rule() *rule {
	r := &rule{Pos: p.Tok.Pos, Standing: Standing(max(0, slices.Index(standings, p.Tok.Mark)))}
	if p.Tok.Kind == lex.Number && p.Peek().Comparison() == 0 {
		p.weight(r)
	}
	if p.Tok.Kind == lex.Name && p.Tok.Parts == nil {
		p.shape(r)
	}
	p.bare = measures(r.Shape, r.Numbers)
	r.Body = p.formula()
	r.quoted = p.quoted
	if p.Tok.Is(".") {
		if r.Shape != ShapeNone {
			p.Fail(p.Sources.At(p.Tok.Pos, "a formula with a shape is soft: no final period"))
		}
		if r.HasWeight {
			p.Fail(p.Sources.At(p.Tok.Pos, "a formula has a weight or a final period, not both"))
		}
		r.Hard = true
		p.Advance()
	}
	return r
}

func (p *parser) weight(r *rule) {
	w, err := strconv.ParseFloat(p.Tok.Text, 64)
	if err != nil || math.Abs(w) > MaxWeight {
		p.Fail(p.Sources.At(p.Tok.Pos, "weight %s is out of range: -1e30 to 1e30; to make the formula hard, end it with a period instead", p.Tok.Text))
	}
	r.Weight, r.HasWeight = w, true
	p.Advance()
}
