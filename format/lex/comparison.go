package lex

import "slices"

// Comparison is an order relation between two values: the sum of the orders for which it holds.
type Comparison uint8

// The comparisons. The zero value is none.
const (
	Less      Comparison = 1
	SameAs    Comparison = 2
	Greater   Comparison = 4
	AtMost               = Less | SameAs
	AtLeast              = Greater | SameAs
	OtherThan            = Less | Greater
)

var comparisons = [...]string{Less: "<", SameAs: "=", Greater: ">", AtMost: "<=", AtLeast: ">=", OtherThan: "!="}

// String returns the symbol of the comparison, "" for none.
func (c Comparison) String() string { return comparisons[c] }

// Comparison returns the comparison that a token is, 0 for other tokens.
func (t Token) Comparison() Comparison {
	if t.Kind != Symbol {
		return 0
	}
	return Comparison(max(0, slices.Index(comparisons[:], t.Text)))
}

// Comparison consumes a comparison, or fails if none is the current token.
func (c *Cursor) Comparison(want string) Comparison {
	op := c.Tok.Comparison()
	if op == 0 {
		c.Unexpected(want)
	}
	c.Advance()
	return op
}

// Opposite returns the comparison that holds exactly if c does not.
func (c Comparison) Opposite() Comparison { return c ^ (Less | SameAs | Greater) }

// Mirrored returns the comparison of b with a that is equivalent to c of a with b.
func (c Comparison) Mirrored() Comparison { return c&SameAs | c&Less<<2 | c&Greater>>2 }

// HoldsFor reports whether the comparison holds for an order: -1, 0 or 1.
func (c Comparison) HoldsFor(order int) bool { return c>>(order+1)&1 != 0 }

// Holds reports whether the comparison of a with b holds. None, the zero value, always holds; of what is no number, only OtherThan.
func (c Comparison) Holds(a, b float64) bool {
	return c == 0 || c&Less != 0 && a < b || c&SameAs != 0 && a == b || c&Greater != 0 && a > b || c == OtherThan && a != b
}
