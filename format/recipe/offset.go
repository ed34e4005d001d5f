package recipe

import (
	"math"
	"strconv"
	"strings"

	"resolwe/format/lex"
	"resolwe/format/table"
	"resolwe/internal/isotime"
)

// offset is added to one side of a comparison, as in "d - 30 days"; number is "" for none.
type offset struct {
	number string // with its sign
	unit   string // "" if none is written
	pos    lex.Position
}

// String returns the offset as written after a term.
func (o offset) String() string {
	if o.number == "" {
		return ""
	}
	return strings.TrimSuffix(" "+o.number[:1]+" "+o.number[1:]+" "+o.unit, " ")
}

// units are units of time, in seconds.
var units = map[string]int64{
	"week": 7 * isotime.SecondsOfDay, "day": isotime.SecondsOfDay, "hour": 60 * 60, "minute": 60, "second": 1,
}

// unitOf returns the length of a unit in the singular or plural, 0 for other words.
func unitOf(word string) int64 { return units[strings.TrimSuffix(word, "s")] }

// adds reports whether an offset to the preceding term begins here: a sign, alone or with its number.
func (p *parser) adds() bool {
	return p.Tok.Is("+") || p.Tok.Is("-") || p.Tok.Kind == lex.Number && strings.ContainsAny(p.Tok.Text[:1], "+-")
}

// notDate rejects an unquoted date whose first number was just consumed, such as 2016 before -01.
func (p *parser) notDate(text string, pos lex.Position) {
	if p.Tok.Kind == lex.Number && len(text) == 4 && len(p.Tok.Text) == 3 && p.Tok.Pos.Column == pos.Column+4 {
		p.Fail(p.Sources.Syntax(pos, `a date stands in quotes, as in "2016-01-31"`))
	}
}

// plain consumes a term without an offset.
func (b *body) plain(want string) Term {
	t := b.term(want)
	if t.AsOf {
		b.Fail(b.Sources.Syntax(t.Pos, "@asof stands in comparisons only, as in t <= @asof"))
	}
	if b.adds() {
		b.Fail(b.Sources.Syntax(b.Tok.Pos, "sums stand in comparisons only: give %s a variable of its own, as in d = %s - 30", t.Name, t.Name))
	}
	return t
}

// side consumes one side of a comparison: a term with its divisor or offset.
func (b *body) side(want string) (t, over Term, o offset) {
	t = b.term(want)
	if t.Kind == TermVariable && b.Accept("/") {
		over = b.variable()
	}
	if !b.adds() {
		return t, over, offset{}
	}
	if over.Kind != 0 {
		b.Fail(b.Sources.Syntax(b.Tok.Pos, "nothing is added to a quotient"))
	}
	o.pos = b.Tok.Pos
	if b.Tok.Kind == lex.Symbol {
		o.number = b.Tok.Text
		b.Advance()
	}
	if b.Tok.Kind != lex.Number || o.number != "" && b.adds() {
		b.Unexpected("a number, as in d - 30")
	}
	o.number += b.Tok.Text
	b.Advance()
	if b.Tok.Kind == lex.Name {
		if unitOf(b.Tok.Text) == 0 {
			b.Fail(&lex.SyntaxError{Fault: b.Sources.Near(b.Tok.Text, []string{"weeks", "days", "hours", "minutes", "seconds"},
				b.Tok.Pos, "unknown unit %s", b.Tok)})
		}
		o.unit = b.Tok.Text
		b.Advance()
	}
	return t, over, o
}

// shift converts an offset to values of a type.
func (f *inference) shift(o offset, typ Type) Shift {
	var s Shift
	fail := func(format string, args ...any) Shift {
		f.fail(o.pos, format, args...)
		return Shift{}
	}
	var err error
	switch span := unitOf(o.unit); {
	case o.number == "":
		return s
	case typ.Kind == table.KindEntity:
		return fail("nothing can be added to entities of type %s: declare the column int, float, day or time", f.recipe.TypeName(typ))
	case o.unit != "" && typ.Kind != table.KindDay && typ.Kind != table.KindTime:
		return fail("%s are added to a day or time, not to type %s", o.unit, f.recipe.TypeName(typ))
	case typ.Kind == table.KindTime && o.unit == "":
		return fail("a time takes a unit: %s days, hours, minutes or seconds", o.number)
	case typ.Kind == table.KindDay && span != 0 && span%isotime.SecondsOfDay != 0:
		return fail("%s are added to a time, not to type day: read the column as time", o.unit)
	case typ.Kind == table.KindFloat:
		s.Float, err = strconv.ParseFloat(o.number, 64)
	default:
		s.Int, err = strconv.ParseInt(o.number, 10, 64)
		if typ.Kind == table.KindDay {
			span /= isotime.SecondsOfDay
		}
		span = max(span, 1)
		if n := s.Int; n > math.MaxInt64/span || n < -math.MaxInt64/span {
			err = strconv.ErrRange
		}
		s.Int *= span
	}
	if err != nil {
		f.fail(o.pos, "%s is out of range, or not whole", o.number)
	}
	return s
}

// fold moves the offsets of both sides of a comparison to its right side, and into the value if that side is one.
func (f *inference) fold(c *Comparison) {
	if c.added == ([2]offset{}) {
		return
	}
	left, right := f.shift(c.added[0], c.A.Type), f.shift(c.added[1], c.A.Type)
	sum, ok := subtract(right.Int, left.Int)
	c.Shift = Shift{sum, right.Float - left.Float}
	if ok && c.A.Kind == TermValue && c.Shift != (Shift{}) {
		c.A, c.B, c.Op = c.B, c.A, c.Op.Mirrored()
		c.Shift = Shift{-c.Shift.Int, -c.Shift.Float}
	}
	if ok && c.B.Kind == TermValue {
		c.B.Float += c.Shift.Float
		c.B.Int, ok = subtract(c.B.Int, -c.Shift.Int)
		c.Shift = Shift{}
	}
	if !ok || math.IsInf(c.B.Float, 0) || math.IsInf(c.Shift.Float, 0) {
		f.fail(c.Pos, "the sum is out of range")
	}
}

// subtract returns a - b, and whether its absolute value fits in 64 bits.
func subtract(a, b int64) (int64, bool) {
	d := a - b
	return d, d != math.MinInt64 && (a >= b) == (d >= 0)
}
