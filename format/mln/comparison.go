package mln

// Comparison is how two numbers are compared.
type Comparison uint8

// The comparisons. The zero value is none.
const (
	AtLeast Comparison = iota + 1
	Less
	Greater
	AtMost
	SameAs
	OtherThan
)

var comparisons = [...]string{AtLeast: ">=", Less: "<", Greater: ">", AtMost: "<=", SameAs: "=", OtherThan: "!="}

// comparisonOf returns the comparison that a symbol of the task language stands for, 0 for other symbols.
func comparisonOf(symbol string) Comparison {
	for c := AtLeast; c <= OtherThan; c++ {
		if comparisons[c] == symbol {
			return c
		}
	}
	return 0
}

// String returns the symbol of the task language.
func (c Comparison) String() string { return comparisons[c] }

// opposite returns the comparison that holds exactly where c does not.
func (c Comparison) opposite() Comparison {
	return [...]Comparison{AtLeast: Less, Less: AtLeast, Greater: AtMost, AtMost: Greater, SameAs: OtherThan, OtherThan: SameAs}[c]
}

// mirrored returns the comparison of b and a that says what c says of a and b.
func (c Comparison) mirrored() Comparison {
	return [...]Comparison{AtLeast: AtMost, Less: Greater, Greater: Less, AtMost: AtLeast, SameAs: SameAs, OtherThan: OtherThan}[c]
}

// Holds reports whether a stands to b as c says.
func (c Comparison) Holds(a, b float64) bool {
	switch c {
	case AtLeast:
		return a >= b
	case Less:
		return a < b
	case Greater:
		return a > b
	case AtMost:
		return a <= b
	case SameAs:
		return a == b
	case OtherThan:
		return a != b
	}
	return false
}
