package lex

import (
	"slices"
	"strings"
	"unicode/utf8"

	"resolwe/internal/printable"
)

// Cursor moves a parser through the tokens of a source, one statement at a time. A newline ends a statement unless a bracket is open or the
// language joins the lines. Parsers embed it. Methods that cannot continue call [Cursor.Fail], which [Cursor.Statements] recovers; nothing
// else panics.
type Cursor struct {
	Lexer   Lexer
	Tok     Token // the current token
	Sources Sources
	Errs    *Collector
	open    int // number of open brackets
}

// NewCursor returns a cursor over the text of a file, which it adds to the sources: call [Cursor.Statements]. It drops a byte order mark.
// It reports whether the text is valid UTF-8, and adds an error if not.
func NewCursor(language *Language, file string, src []byte, sources Sources, errs *Collector) (Cursor, bool) {
	text := strings.TrimPrefix(string(src), "\ufeff")
	sources.Add(file, text)
	if wrong := Misread(src); wrong != "" {
		errs.Add(sources.Syntax(Position{File: file, Line: 1, Column: 1}, "%s", wrong))
		return Cursor{}, false
	}
	if !utf8.ValidString(text) {
		bad := Position{File: file, Line: 1, Column: 1}.after(printable.Valid(text))
		errs.Add(sources.Syntax(bad, "the text is not UTF-8"))
		return Cursor{}, false
	}
	return Cursor{Lexer: NewLexer(language, file, text), Sources: sources, Errs: errs}, true
}

// bailout carries an error up to the statement loop.
type bailout struct{ err Error }

// Fail abandons the statement with an error.
func (c *Cursor) Fail(e Error) { panic(bailout{e}) }

// Unexpected fails because something else is wanted instead of the current token.
func (c *Cursor) Unexpected(want string) {
	if c.Tok.Kind == Bad {
		c.Fail(c.Sources.Syntax(c.Tok.Pos, "unexpected %s", c.Tok.Text))
	}
	c.Fail(c.Sources.Syntax(c.Tok.Pos, "expected %s, found %s", want, c.Tok))
}

// Advance moves to the next token. It skips newlines within brackets and after a symbol that joins lines.
func (c *Cursor) Advance() {
	joins := false
	if c.Tok.Kind == Symbol {
		switch c.Tok.Text {
		case "(", "{":
			c.open++
		case ")", "}":
			c.open = max(c.open-1, 0)
		default:
			joins = slices.Contains(c.Lexer.language.Joins, c.Tok.Text)
		}
	}
	c.Tok = c.Lexer.Next()
	if joins || c.open > 0 {
		c.SkipNewlines()
	}
}

// SkipNewlines moves to the next token that is not a newline.
func (c *Cursor) SkipNewlines() {
	for c.Tok.Kind == Newline {
		c.Tok = c.Lexer.Next()
	}
}

// Peek returns the token after this one, past newlines within brackets.
func (c *Cursor) Peek() Token {
	ahead := c.Lexer
	next := ahead.Next()
	for next.Kind == Newline && c.open > 0 {
		next = ahead.Next()
	}
	return next
}

// Resume skips a newline if the next token continues the statement.
func (c *Cursor) Resume() {
	if c.Tok.Kind != Newline {
		return
	}
	ahead := c.Lexer
	next := ahead.Next() // newlines are one token
	if slices.ContainsFunc(c.Lexer.language.Continues, func(s string) bool { return next.Is(s) || next.IsWord(s) }) {
		c.Lexer, c.Tok = ahead, next
	}
}

// Accept consumes a symbol if it is next.
func (c *Cursor) Accept(symbol string) bool {
	if !c.Tok.Is(symbol) {
		return false
	}
	c.Advance()
	return true
}

// Expect consumes a symbol, or fails if it is not the current token.
func (c *Cursor) Expect(symbol, want string) {
	if !c.Accept(symbol) {
		c.Unexpected(want)
	}
}

// Name consumes a name, or fails if none is the current token.
func (c *Cursor) Name(want string) string {
	text := c.Tok.Text
	if c.Tok.Kind != Name || c.Tok.Parts != nil || !IsName(text) {
		c.Unexpected(want)
	}
	c.Advance()
	return text
}

// Items parses items separated by commas, one at a time, at most most.
func (c *Cursor) Items(most int, one func()) {
	for n := 0; n == 0 || c.Accept(","); n++ {
		if n == most {
			c.Fail(c.Sources.At(c.Tok.Pos, "more than %d arguments", most))
		}
		one()
	}
}

// Statements calls parse at the start of each statement. After an error it continues with the next one.
func (c *Cursor) Statements(parse func()) {
	for c.Advance(); c.Tok.Kind != End && !c.Errs.Full(); {
		if c.Tok.Kind == Newline {
			c.Advance()
			continue
		}
		c.statement(parse)
	}
}

// statement parses one statement, up to its end.
func (c *Cursor) statement(parse func()) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case bailout:
			c.Errs.Add(r.err)
			c.skipStatement()
		default:
			panic(r)
		}
	}()
	c.open = 0
	parse()
	c.Resume()
	if c.Tok.Kind != Newline && c.Tok.Kind != End {
		c.Unexpected("the end of the statement")
	}
}

// skipStatement moves to the newline that ends the statement.
func (c *Cursor) skipStatement() {
	for c.open = 0; c.Tok.Kind != End; {
		c.Resume()
		if c.Tok.Kind == Newline {
			return
		}
		c.Tok = c.Lexer.Next()
	}
}
