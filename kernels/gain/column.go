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

// holds tells whether the literal holds for row i.
func (m *Matrix) holds(i int32, l *literal) bool {
	slot, ok := m.slot(i, l.candidate)
	return (ok && slot >= l.lo) != l.negated
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

// entries are the values of a column that are not 0: of ones, or of levels where levels is not nil; or, where dense is not
// nil, all its values.
type entries struct {
	rows   []int32 // places in a list of rows, ascending
	levels []uint8
	dense  []float64
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

// entries returns the column on the rows.
func (m *Matrix) entries(c *column, rows []int32) entries {
	var e entries
	if c.log {
		for at, i := range rows {
			if slot, ok := m.slot(i, c.literals[0].candidate); ok {
				e.rows = append(e.rows, int32(at)) // #nosec G115 -- an index of rows
				e.levels = append(e.levels, m.level[slot])
			}
		}
		return e
	}
	for at, i := range rows {
		if m.holdAll(i, c.literals) {
			e.rows = append(e.rows, int32(at)) // #nosec G115 -- an index of rows
		}
	}
	return e
}

// holdAll tells whether all the literals hold for row i.
func (m *Matrix) holdAll(i int32, literals []literal) bool {
	for l := range literals {
		if !m.holds(i, &literals[l]) {
			return false
		}
	}
	return true
}
