package recipe

import (
	"cmp"
	"strconv"

	"resolwe/format/lex"
	"resolwe/format/table"
	"resolwe/internal/printable"
)

// maxExact is the limit beyond which floats no longer distinguish whole numbers.
const maxExact = 1 << 53

// where parses "where condition, ..", if it begins here or on the next line.
func (p *parser) where(t *tableStatement) {
	ahead, next := p.Lexer, p.Tok
	for next.Kind == lex.Newline {
		next = ahead.Next()
	}
	if after := ahead; !next.IsWord("where") || after.Next().Is("(") { // a rule may have that name
		return
	}
	p.Lexer, p.Tok = ahead, next
	p.Advance()
	for {
		if len(t.spec.Where) == maxLiterals {
			p.Fail(p.Sources.At(p.Tok.Pos, "table %s has more than %d conditions", t.spec.Name, maxLiterals))
		}
		t.spec.Where = append(t.spec.Where, p.condition(t))
		p.Resume()
		if !p.Accept(",") {
			return
		}
	}
}

// condition parses "cell is [not] empty" or "cell comparison value".
func (p *parser) condition(t *tableStatement) table.Condition {
	var c table.Condition
	pos := p.Tok.Pos
	p.cell(t, &c.Column)
	if len(c.Column.Refs) != 1 && (len(c.Column.Refs) != 3 || c.Column.Func != "date") {
		p.Fail(p.Sources.At(pos, "%s(..) reads %s: one, or year, month and day for a date", c.Column.Func,
			printable.Count(len(c.Column.Refs), "column")))
	}
	if p.Tok.IsWord("is") {
		p.Advance()
		if c.Test = table.TestEmpty; p.Tok.IsWord("not") {
			p.Advance()
			c.Test = table.TestNotEmpty
		}
		p.word("empty")
		return c
	}
	op := p.Comparison("a comparison")
	c.Test, c.Holds = table.TestCompare, [3]bool{op.HoldsFor(-1), op.HoldsFor(0), op.HoldsFor(1)}
	p.literal(&c, op)
	return c
}

// literal consumes the value of a comparison, which determines how a column without a function is read.
func (p *parser) literal(c *table.Condition, op lex.Comparison) {
	isNumber, text, pos := p.Tok.Kind == lex.Number, p.Tok.Text, p.Tok.Pos
	if !isNumber && p.Tok.Kind != lex.Quoted {
		p.Unexpected("a number, or a text or date in quotes")
	}
	p.Advance()
	p.notDate(text, pos)
	kind := cmp.Or(table.Kinds[c.Column.Func], table.KindEntity)
	if c.Column.Func == "" && isNumber {
		kind, c.Column.Func = table.KindFloat, functions[table.KindFloat]
	}
	fail := func(format string, args ...any) {
		p.Fail(p.Sources.At(pos, format, args...))
	}
	var err error
	switch kind {
	case table.KindInt:
		c.Num, err = strconv.ParseInt(text, 10, 64)
	case table.KindFloat:
		if c.Float, err = strconv.ParseFloat(text, 64); c.Float >= maxExact || c.Float <= -maxExact {
			fail("%s is beyond 2^53: compare it as int(..), or in quotes as a text", text)
		}
	case table.KindDay, table.KindTime:
		num, ok := parseDate(text, kind, p.zone)
		if c.Num = num; isNumber || !ok {
			fail("%s is not a date: write it %s", text, dateForms[kind])
		}
	case table.KindEntity:
		if c.Text = text; op != lex.SameAs && op != lex.OtherThan {
			fail("texts have no order: compare with a number, or read the column as date(..) or time(..)")
		}
	}
	if err != nil || !isNumber && (kind == table.KindInt || kind == table.KindFloat) {
		fail("%s is not a number that %s(..) reads", strconv.Quote(text), c.Column.Func)
	}
}
