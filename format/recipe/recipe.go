package recipe

import (
	"slices"
	"time"

	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/format/table"
)

// Recipe is a parsed and checked recipe. It is read-only. Relations, rules, types and variables are referred to by index.
type Recipe struct {
	Schema    *mln.Schema  // of the model
	Types     []string     // of entities: the model's, then those named by tables only
	Tables    []table.Spec // as declared, with their types as indices of Types
	Relations []Relation   // the tables in order, then relations defined by rules, by first mention
	Rules     []Rule       // as written
	Requires  []Require
	Center    int            // the relation of the centers
	Folds     bool           // the centers' second column holds their folds
	By        bool           // the centers' last column determines their order
	Drawn     *Sample        // N of the centers are kept, Per is unused; nil keeps all
	Order     []int          // the relations defined by rules, each after its dependencies
	Zone      *time.Location // of days, and of times that state no offset; nil for UTC
	lastDay   *int64         // the day of @asof, nil for the end of time
}

// Role is the purpose of a relation.
type Role uint8

// The roles of a relation. The zero value is none.
const (
	RoleTable   Role = iota + 1 // rows of a table
	RoleHelper                  // used by rules only
	RoleTrue                    // facts of a predicate
	RoleFalse                   // atoms of a listed target stated to be false
	RoleUnknown                 // atoms of a target whose truth is unknown: to be predicted only
	RoleEntity                  // entities of a type that need not occur in facts
	RoleCenter                  // the centers; see Recipe.Folds and Recipe.By for their further columns
)

// Truth returns what the tuples of a relation say about atoms of a predicate, 0 if they do not.
func (r Role) Truth() subgraph.Truth {
	switch r {
	case RoleTrue:
		return subgraph.True
	case RoleFalse:
		return subgraph.False
	case RoleUnknown:
		return subgraph.Unknown
	case RoleTable, RoleHelper, RoleEntity, RoleCenter:
	}
	return 0
}

// Relation is a set of tuples.
type Relation struct {
	Role    Role
	Name    string // of the table, helper, predicate or type
	Columns []Type
	Index   int     // in Recipe.Tables, Schema.Predicates or Schema.Types, as the role says; else -1
	Rules   []int   // rules that define it; their union is the relation
	Sample  *Sample // sample of the union to keep, nil for all
	View    *View   // view of another relation, instead of rules; nil for none
	Local   bool    // differs from center to center
	Pos     lex.Position
}

// Type is the type of a column or variable: entities of one type, or values of one kind. For a predicate's argument of type
// [mln.NumberType], a column holds floats.
type Type struct {
	Kind   table.Kind
	Entity int // of table.KindEntity: an index of Recipe.Types; else 0
}

// Sample keeps min(N |Per|, all) of a relation's tuples, drawn without replacement. If it is Stratified, that holds for each value of the
// last column, which Per must have too, among the tuples with that value.
type Sample struct {
	N          int
	Per        int // a relation
	Stratified bool
	Seed       uint64
	Pos        lex.Position
}

// Require is a condition on numbers of tuples; a center that fails it yields no subgraph.
type Require struct {
	Left   int // a relation
	Op     lex.Comparison
	Right  int     // a relation, -1 for a number
	Number float64 // if Right is -1
	Pos    lex.Position
}

// Rule adds a tuple to its head's relation for each binding of its variables that makes the body true.
type Rule struct {
	Head        int // a relation
	Terms       []HeadTerm
	Positive    []Atom
	Negative    []Atom
	Comparisons []Comparison
	Vars        []Variable
	Pos         lex.Position
}

// atoms returns the atoms of the body, which share their arguments.
func (r *Rule) atoms() []Atom { return slices.Concat(r.Positive, r.Negative) }

// mentions reports whether the rule has a term of a kind.
func (r *Rule) mentions(is func(Term) bool) bool {
	return slices.ContainsFunc(r.Terms, func(h HeadTerm) bool { return is(h.Term) }) ||
		slices.ContainsFunc(r.atoms(), func(a Atom) bool { return slices.ContainsFunc(a.Args, is) }) ||
		slices.ContainsFunc(r.Comparisons, func(c Comparison) bool { return slices.ContainsFunc(c.Terms(), is) })
}

// Variable is a variable of a rule. Each _ is a separate variable, named "_".
type Variable struct {
	Name string
	Type Type
}

// Aggregate is a function over the bindings that agree in the head's other terms.
type Aggregate uint8

// The aggregates. The zero value means that a term is not an aggregate.
const (
	AggregateNone  Aggregate = iota
	AggregateCount           // number of distinct values
	AggregateMin
	AggregateMax
	AggregateSum // over the distinct bindings of the body
	AggregateAvg // the sum divided by the number of bindings
	AggregateRank
)

// String returns the word for the aggregate.
func (a Aggregate) String() string { return aggregateNames[a] }

var aggregateNames = [...]string{
	AggregateNone: "", AggregateCount: "count", AggregateMin: "min", AggregateMax: "max", AggregateSum: "sum",
	AggregateAvg: "avg", AggregateRank: "rank",
}

// HeadTerm is a head term: for an aggregate, the variable to aggregate; for days(a - b) and a / b, a.
type HeadTerm struct {
	Aggregate Aggregate
	Term      Term
	// Second is b in days(a - b), the whole days from b to a, rounded down, and in a / b. In rank(a by b) it is the variable to rank: by
	// descending a, with equal ranks for equal values, among tuples that agree in the terms other than aggregates and b. For other terms it
	// has no kind.
	Second   Term
	Quotient bool // a / b: no tuple if it is not finite
	ToFloat  bool // a whole number, stated of a predicate with a numeric argument
}

// IsDays reports whether a term is days(a - b).
func (h *HeadTerm) IsDays() bool {
	return h.Second.Kind != 0 && !h.Quotient && h.Aggregate == AggregateNone
}

// computed returns the kind of a term that is a number for any operand, 0 for others.
func (h *HeadTerm) computed() table.Kind {
	switch {
	case h.Quotient || h.Aggregate == AggregateAvg:
		return table.KindFloat
	case h.Aggregate == AggregateCount || h.Aggregate == AggregateRank || h.IsDays():
		return table.KindInt
	}
	return 0
}

// TermKind distinguishes the kinds of terms.
type TermKind uint8

// The kinds of a term. The zero value is none.
const (
	TermVariable TermKind = iota + 1
	TermEntity            // an entity by its name
	TermValue             // a number
	TermCenter            // @center
)

// Term is an argument of an atom or a side of a comparison.
type Term struct {
	Kind  TermKind
	Name  string // as written, without quotes
	Var   int    // of TermVariable: an index of Rule.Vars
	Type  Type
	Int   int64   // of TermValue, unless the type is float
	Float float64 // of TermValue, if the type is float
	AsOf  bool    // of TermValue: @asof, to which Int is added; see [Recipe.AsOf]
	Pos   lex.Position
}

// Atom is a relation applied to terms.
type Atom struct {
	Relation int
	Name     string
	Args     []Term
	Pos      lex.Position
}

// Comparison compares two terms of one type: A with B + Shift.
type Comparison struct {
	Op    lex.Comparison
	A, B  Term
	Over  [2]Term // the divisors of A and B, of no kind for none; the comparison is false if a quotient is not finite
	Shift Shift   // 0 unless both terms are variables
	Pos   lex.Position
	added [2]offset // to A and B, as written
}

// Terms returns the terms of the comparison.
func (c *Comparison) Terms() []Term { return []Term{c.A, c.B, c.Over[0], c.Over[1]} }

// IsQuotient reports whether a side is a quotient.
func (c *Comparison) IsQuotient() bool { return c.Over[0].Kind != 0 || c.Over[1].Kind != 0 }

// Shift is added to a value, in the unit of its type: days for days, seconds for times.
type Shift struct {
	Int   int64
	Float float64 // for floats; the other field is for all other types
}

// kindNames are the types of value columns.
var kindNames = map[table.Kind]string{
	table.KindInt: "int", table.KindFloat: "float", table.KindDay: "day", table.KindTime: "time",
}

// kindOf returns the kind of value columns for a type name; the model's numeric types are floats.
func kindOf(schema *mln.Schema, name string) (table.Kind, bool) {
	if typ := schema.Type(name); name == mln.NumberType || typ >= 0 && schema.IsNumber(typ) {
		return table.KindFloat, true
	}
	for kind, n := range kindNames {
		if n == name {
			return kind, true
		}
	}
	return 0, false
}

// TypeName returns the name of a type.
func (r *Recipe) TypeName(t Type) string {
	if t.Kind == table.KindEntity {
		return r.Types[t.Entity]
	}
	return kindNames[t.Kind]
}

// describe names a relation in a message.
func (r *Relation) describe() string {
	switch r.Role {
	case RoleCenter:
		return "center"
	case RoleEntity:
		return "entity " + r.Name
	case RoleFalse:
		return "!" + r.Name
	case RoleUnknown:
		return "?" + r.Name
	case RoleTable, RoleHelper, RoleTrue:
	}
	return r.Name
}

// statesNumber reports whether a relation states its i-th column as entities of a numeric type.
func (r *Relation) statesNumber(i int) bool {
	return (r.Role.Truth() != 0 || r.Role == RoleEntity) && r.Columns[i].Kind == table.KindFloat
}
