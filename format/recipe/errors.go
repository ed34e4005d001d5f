package recipe

import "resolwe/format/lex"

// Error is what is wrong with a recipe, beside a [lex.SyntaxError]. Both come back in a [lex.ErrorList].
type Error struct{ lex.Fault }

func (c *checker) fail(pos lex.Position, format string, args ...any) {
	c.errs.Add(&Error{c.sources.At(pos, format, args...)})
}
