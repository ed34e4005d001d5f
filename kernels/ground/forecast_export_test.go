package ground

import "resolwe/format/mln"

// Split takes the selector out of a formula.
func Split(schema *mln.Schema, e mln.Expr) (selector []mln.Literal, rest mln.Expr) {
	selector, rest, _ = split(schema, e)
	return selector, rest
}
