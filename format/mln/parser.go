package mln

import (
	"math"
	"strconv"
)

const (
	maxDepth     = 1000    // nesting of a formula
	maxLiterals  = 1000    // atoms and comparisons of a formula
	maxVariables = 128     // variables of a formula
	maxArguments = 64      // of a predicate or template
	maxConstants = 1 << 20 // constants that the ranges of a file stand for
	maxAlternate = 1000    // N of compound N and extend N
)

// parser turns one source into statements. Methods that parse panic with a *bailout where they cannot go on, which the
// statement loop recovers; nothing else panics.
type parser struct {
	lex     lexer
	tok     token
	sources sources
	open    int  // brackets that are open
	depth   int  // nesting of the formula
	size    int  // atoms and comparisons of the formula
	ranged  int  // constants that ranges stand for
	quoted  bool // the formula holds a quoted constant
	errs    *collector
	include func(name string, pos Position) []Statement // reads an included file
}

// bailout carries an error up to the statement loop.
type bailout struct{ err Error }

func (p *parser) fail(e Error) { panic(bailout{e}) }

// unexpected fails because something else should stand at the token.
func (p *parser) unexpected(want string) {
	if p.tok.kind == tokenBad {
		p.fail(&SyntaxError{p.sources.at(p.tok.pos, "unexpected %s", p.tok.text), want})
	}
	p.fail(&SyntaxError{p.sources.at(p.tok.pos, "expected %s, found %s", want, p.tok), want})
}

// advance moves to the next token. A newline is passed over within brackets and after a binary operator or comma.
func (p *parser) advance() {
	joins := false
	if p.tok.kind == tokenSymbol {
		switch p.tok.text {
		case "(", "{":
			p.open++
		case ")", "}":
			p.open = max(p.open-1, 0)
		case "^", "=>", "<=>", "=", "!=", "|", ",":
			joins = true
		}
	}
	p.tok = p.lex.next()
	if joins || p.open > 0 {
		p.skipNewlines()
	}
}

func (p *parser) skipNewlines() {
	for p.tok.kind == tokenNewline {
		p.tok = p.lex.next()
	}
}

// peek returns the token after this one, past newlines within brackets.
func (p *parser) peek() token {
	ahead := p.lex
	next := ahead.next()
	for next.kind == tokenNewline && p.open > 0 {
		next = ahead.next()
	}
	return next
}

// resume passes over a newline that an operator follows: the statement goes on.
func (p *parser) resume() {
	if p.tok.kind != tokenNewline {
		return
	}
	ahead := p.lex
	next := ahead.next()
	for next.kind == tokenNewline {
		next = ahead.next()
	}
	if next.isWord("v") || next.is("^") || next.is("=>") || next.is("<=>") || next.is("|") {
		p.lex, p.tok = ahead, next
	}
}

// accept consumes a symbol if it is next.
func (p *parser) accept(symbol string) bool {
	if !p.tok.is(symbol) {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(symbol, want string) {
	if !p.accept(symbol) {
		p.unexpected(want)
	}
}

// statements parses the whole source. After an error it goes on with the next statement.
func (p *parser) statements() []Statement {
	var list []Statement
	for p.advance(); p.tok.kind != tokenEnd && !p.errs.full(); {
		if p.tok.kind == tokenNewline {
			p.advance()
			continue
		}
		list = append(list, p.recovered()...)
	}
	return list
}

// recovered parses a statement; in place of one with an error it returns none.
func (p *parser) recovered() (list []Statement) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case bailout:
			p.errs.add(r.err)
			p.skipStatement()
			list = nil
		default:
			panic(r)
		}
	}()
	p.open, p.depth, p.size, p.quoted = 0, 0, 0, false
	if p.tok.kind == tokenInclude {
		return p.includeFile()
	}
	s := p.statement()
	p.resume()
	if p.tok.kind != tokenNewline && p.tok.kind != tokenEnd {
		p.unexpected("the end of the statement")
	}
	return []Statement{s}
}

// skipStatement moves to the newline that ends the statement.
func (p *parser) skipStatement() {
	for p.open = 0; p.tok.kind != tokenEnd; {
		p.resume()
		if p.tok.kind == tokenNewline {
			return
		}
		p.tok = p.lex.next()
	}
}

func (p *parser) statement() Statement {
	if p.tok.kind == tokenName && p.tok.parts == nil {
		next := p.peek()
		switch {
		case next.kind == tokenName && p.tok.text == "target":
			return p.target()
		case next.kind == tokenName && p.tok.text == "template":
			return p.template()
		case next.kind == tokenName && !next.isWord("v") && quantifier(p.tok.text) == 0:
			p.twoNames()
		case next.is("="):
			if line := p.typeLine(); line != nil {
				return line
			}
		}
	}
	return p.rule()
}

// twoNames fails at a name that another one follows.
func (p *parser) twoNames() {
	e := p.sources.near(p.tok.text, []string{"target", "template"}, p.tok.pos, "%s before a name", p.tok)
	if e.Hint != "" {
		p.fail(&SyntaxError{e, "target or template"})
	}
	e.Msg = "functions are not supported: " + p.tok.text + " before a name declares one"
	p.fail(&FunctionError{e})
}

// includeFile parses #include "name".
func (p *parser) includeFile() []Statement {
	p.advance()
	if p.tok.kind != tokenQuoted {
		p.unexpected("a quoted file name")
	}
	name, pos := p.tok.text, p.tok.pos
	p.advance()
	if p.tok.kind != tokenNewline && p.tok.kind != tokenEnd {
		p.unexpected("the end of the line")
	}
	return p.include(name, pos)
}

// target parses a declaration that begins with target.
func (p *parser) target() *Declaration {
	d := &Declaration{Role: RoleTarget, Pos: p.tok.pos}
	p.advance()
	if p.tok.isWord("listed") && p.peek().kind == tokenName {
		d.Role = RoleListed
		p.advance()
	}
	d.Name = p.name("the name of a predicate")
	if d.Name == "v" {
		p.fail(&SyntaxError{p.sources.at(d.Pos, "no predicate may be called v, which means or"), "another name"})
	}
	p.expect("(", `"(" and the types of the arguments`)
	for {
		p.argument(len(d.Types))
		d.Types = append(d.Types, p.name("the name of a type"))
		if p.tok.is("!") {
			p.exclusive()
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(")", `"," or ")"`)
	return d
}

// name consumes a name.
func (p *parser) name(want string) string {
	text := p.tok.text
	if p.tok.kind != tokenName || p.tok.parts != nil || !isName(text) {
		p.unexpected(want)
	}
	p.advance()
	return text
}

// argument fails where there are too many arguments.
func (p *parser) argument(n int) {
	if n == maxArguments {
		p.fail(&LimitError{p.sources.at(p.tok.pos, "more than %d arguments", maxArguments)})
	}
}

func (p *parser) exclusive() {
	p.fail(&ExclusiveError{p.sources.at(p.tok.pos, "! after a variable of a declaration is not supported")})
}

// typeLine parses "name = {A, B}"; it returns nil, and consumes nothing, where a formula begins here instead.
func (p *parser) typeLine() *TypeLine {
	ahead := p.lex
	ahead.next()
	brace := ahead.next()
	for brace.kind == tokenNewline {
		brace = ahead.next()
	}
	if !brace.is("{") {
		return nil
	}
	line := &TypeLine{Pos: p.tok.pos}
	line.Name = p.name("the name of a type")
	p.advance()
	p.advance()
	for !p.tok.is("}") {
		if p.tok.is("...") {
			p.constantRange(line)
		} else {
			line.Constants = append(line.Constants, p.constant())
		}
		if !p.accept(",") && !p.tok.is("}") {
			p.unexpected(`"," or "}"`)
		}
	}
	p.advance()
	return line
}

// constant consumes a constant of a type line, where lowercase names are constants too.
func (p *parser) constant() string {
	text := p.tok.text
	plain := (p.tok.kind == tokenName && p.tok.parts == nil || p.tok.kind == tokenNumber) && isPlain(text)
	if !plain && p.tok.kind != tokenQuoted {
		p.unexpected("a constant")
	}
	p.advance()
	return text
}

// constantRange parses the end of Alchemy's "1, ..., 10".
func (p *parser) constantRange(line *TypeLine) {
	pos := p.tok.pos
	p.advance()
	p.expect(",", `","`)
	last := p.constant()
	if len(line.Constants) == 0 {
		p.fail(&SyntaxError{p.sources.at(pos, "a range without a first number"), "a number"})
	}
	first, err1 := strconv.Atoi(line.Constants[len(line.Constants)-1])
	end, err2 := strconv.Atoi(last)
	if err1 != nil || err2 != nil || end < first || uint(end-first) > uint(maxConstants-p.ranged) {
		p.fail(&RangeError{p.sources.at(pos, "a range goes from a whole number to a greater one, over at most %d constants", maxConstants)})
	}
	p.ranged += end - first
	for i := first + 1; i <= end; i++ {
		line.Constants = append(line.Constants, strconv.Itoa(i))
	}
}

// template parses a template.
func (p *parser) template() *Template {
	t := &Template{Kind: TemplatePlain, Limit: 1, Pos: p.tok.pos}
	p.advance()
	t.Name = p.name("the name of a template")
	if t.Name == "v" {
		p.fail(&SyntaxError{p.sources.at(t.Pos, "no template may be called v, which means or"), "another name"})
	}
	p.expect("(", `"(" and the variables of the template`)
	for {
		p.argument(len(t.Params))
		t.Params = append(t.Params, p.variable())
		if !p.accept(",") {
			break
		}
	}
	p.expect(")", `"," or ")"`)
	p.templateKind(t)
	p.expect("=", `"=", "compound" or "extend"`)
	for {
		p.size = 0
		t.Alternatives = append(t.Alternatives, p.formula())
		p.resume()
		if !p.accept("|") {
			return t
		}
	}
}

// templateKind parses "compound N" and "extend N".
func (p *parser) templateKind(t *Template) {
	switch {
	case p.tok.isWord("compound"):
		t.Kind = TemplateCompound
	case p.tok.isWord("extend"):
		t.Kind = TemplateExtend
	default:
		return
	}
	p.advance()
	if p.tok.kind != tokenName || !isDigit(p.tok.text[0]) {
		p.unexpected("the greatest number of alternatives")
	}
	n, err := strconv.Atoi(p.tok.text)
	if err != nil || n < 1 || n > maxAlternate {
		p.fail(&RangeError{p.sources.at(p.tok.pos, "%s %s: a number from 1 to %d stands here", t.Kind, p.tok.text, maxAlternate)})
	}
	t.Limit = n
	p.advance()
}

// variable consumes a variable.
func (p *parser) variable() Term {
	t := Term{Kind: TermVariable, Name: p.tok.text, Pos: p.tok.pos}
	if p.tok.kind != tokenName || p.tok.parts != nil || !isLower(t.Name[0]) {
		p.unexpected("a variable")
	}
	p.advance()
	return t
}

// rule parses a formula with its weight or period, or a declaration without role, which looks like one.
func (p *parser) rule() *Rule {
	r := &Rule{Pos: p.tok.pos}
	if p.tok.kind == tokenNumber && !p.comparisonNext() {
		p.weight(r)
	}
	r.Body = p.formula()
	r.quoted = p.quoted
	if p.tok.is(".") {
		if r.HasWeight {
			p.fail(&WeightPeriodError{p.sources.at(p.tok.pos, "a formula has a weight or a final period, not both")})
		}
		r.Hard = true
		p.advance()
	}
	return r
}

// comparisonNext reports whether a comparison follows the token.
func (p *parser) comparisonNext() bool {
	next := p.peek()
	return next.is("=") || next.is("!=")
}

func (p *parser) weight(r *Rule) {
	w, err := strconv.ParseFloat(p.tok.text, 64)
	if err != nil || math.IsInf(w, 0) {
		p.fail(&RangeError{p.sources.at(p.tok.pos, "weight %s is out of range", p.tok.text)})
	}
	r.Weight, r.HasWeight = w, true
	p.advance()
}
