package gain

import "fmt"

// Kind says what a column is of its counts.
type Kind uint8

// The kinds of columns.
const (
	KindLog       Kind = iota + 1 // log2(1 + n)
	KindOnce                      // whether n >= 1
	KindThreshold                 // whether n >= k, k > 1
	KindRule                      // whether several literals hold
)

// String returns log, once, threshold or rule.
func (k Kind) String() string {
	if k < KindLog || k > KindRule {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return [...]string{"log", "once", "threshold", "rule"}[k-KindLog]
}

// Literal says that a candidate has at least AtLeast groundings for an atom, or, negated, that it has fewer.
type Literal struct {
	Candidate int
	AtLeast   int64
	Negated   bool
}

// Column is a feature of a query atom. A log has one literal, of which only the candidate counts.
type Column struct {
	Kind     Kind
	Literals []Literal // in the order in which they were found
}

// literal is a Literal over slots.
type literal struct {
	cut
	negated bool
}

// column is a Column over slots.
type column struct {
	log      bool
	literals []literal
}

func (c *column) export() Column {
	e := Column{Kind: KindRule, Literals: make([]Literal, len(c.literals))}
	for i, l := range c.literals {
		e.Literals[i] = Literal{l.candidate, l.k, l.negated}
	}
	switch {
	case c.log:
		e.Kind = KindLog
	case len(c.literals) > 1:
	case c.literals[0].k == 1:
		e.Kind = KindOnce
	default:
		e.Kind = KindThreshold
	}
	return e
}

// column finds the slots of a Column's literals.
func (m *Matrix) column(e *Column) column {
	c := column{log: e.Kind == KindLog}
	for _, l := range e.Literals {
		s := m.spans[l.Candidate]
		for s.lo < s.hi && least(int(m.level[s.lo])) < l.AtLeast {
			s.lo++
		}
		c.literals = append(c.literals, literal{cut{l.Candidate, l.AtLeast, s}, l.Negated})
	}
	return c
}
