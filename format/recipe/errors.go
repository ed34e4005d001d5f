package recipe

import "resolwe/format/lex"

// Error is an error in a recipe, other than a [lex.SyntaxError]. Both are returned in a [lex.ErrorList].
type Error struct{ lex.Fault }

func (c *checker) fail(pos lex.Position, format string, args ...any) {
	c.errs.Add(&Error{c.sources.At(pos, format, args...)})
}
