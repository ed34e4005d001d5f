package recipe

import (
	"fmt"
	"slices"

	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/format/table"
)

// Recipe is a parsed and checked recipe. It is read-only once made. Relations, rules, types and variables are referred
// to by index.
type Recipe struct {
	Schema    *mln.Schema  // of the model
	Types     []string     // of entities: the model's, then those that only tables name
	Tables    []table.Spec // as declared, with their types as indices of Types
	Relations []Relation   // the tables in their order, then what rules define by first mention
	Rules     []Rule       // as written
	Requires  []Require
	Center    int     // the relation of the centers
	Folds     bool    // the centers' second column has their folds
	By        bool    // the centers' last column has what orders them
	Drawn     *Sample // N of the centers are kept, Per plays no part; nil for all
	Order     []int   // the relations that rules define, each after those that it depends on
	lastDay   *int64  // what @asof stands for, nil for the end of time
}

// Role says what a relation is for.
type Role uint8

// The roles of a relation. The zero value is none.
const (
	RoleTable  Role = iota + 1 // rows of a table
	RoleHelper                 // used by rules only
	RoleTrue                   // facts of a predicate
	RoleFalse                  // atoms of a listed target that are stated false
	RoleEntity                 // entities of a type that facts need not mention
	RoleCenter                 // the centers; see Recipe.Folds and Recipe.By for their further columns
)

// Relation is a set of tuples.
type Relation struct {
	Role    Role
	Name    string // of the table, helper, predicate or type
	Columns []Type
	Index   int     // in Recipe.Tables, Schema.Predicates or Schema.Types, as the role says; else -1
	Rules   []int   // that define it; their union is the relation
	Sample  *Sample // what is kept of the union, nil for all
	View    *View   // of another relation, in place of rules; nil for none
	Local   bool    // differs from center to center
	Pos     lex.Position
}

// Type is what a column or variable holds: entities of one type, or values of one kind. An argument of type
// [mln.NumberType] of a predicate is a column of floats.
type Type struct {
	Kind   table.Kind
	Entity int // of table.KindEntity: an index of Recipe.Types; else 0
}

// Sample keeps min(N |Per|, all) of a relation's tuples, drawn without replacement. Where it is Stratified, that holds for each value of
// the last column, which Per has too, among the tuples with that value.
type Sample struct {
	N          int
	Per        int // a relation
	Stratified bool
	Seed       uint64
	Pos        lex.Position
}

// Require is a condition on the numbers of tuples: a center that fails it forms no subgraph.
type Require struct {
	Left   int // a relation
	Op     Op
	Right  int     // a relation, -1 for a number
	Number float64 // where Right is -1
	Pos    lex.Position
}

// Rule adds to its head's relation a tuple for each binding of its variables that makes the body true.
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

// Variable is a variable of a rule. Each _ is one of its own, named "_".
type Variable struct {
	Name string
	Type Type
}

// Aggregate is a function over the bindings that agree in the other terms of a head.
type Aggregate uint8

// The aggregates. The zero value is a term that is none.
const (
	AggregateNone  Aggregate = iota
	AggregateCount           // number of distinct values
	AggregateMin
	AggregateMax
	AggregateSum // over the distinct bindings of the body
	AggregateAvg // their sum over their number
	AggregateRank
)

// String returns the word for the aggregate.
func (a Aggregate) String() string { return aggregateNames[a] }

var aggregateNames = [...]string{
	AggregateNone: "", AggregateCount: "count", AggregateMin: "min", AggregateMax: "max", AggregateSum: "sum",
	AggregateAvg: "avg", AggregateRank: "rank",
}

// HeadTerm is a term of a head; of an aggregate, the variable that it is over; of days(a - b) and a / b, a.
type HeadTerm struct {
	Aggregate Aggregate
	Term      Term
	// Second is b of days(a - b), the whole days from b to a, rounded down, and of a / b; of rank(a by b) it is what is ranked:
	// by falling a, equal ones alike, among the tuples that agree in the terms that are no aggregates and not b. It is of no kind in
	// other terms.
	Second   Term
	Quotient bool // a / b: no tuple where that is not a finite number
	ToFloat  bool // a whole number, stated of a predicate whose argument is a number
}

// IsDays reports whether a term is days(a - b).
func (h *HeadTerm) IsDays() bool {
	return h.Second.Kind != 0 && !h.Quotient && h.Aggregate == AggregateNone
}

// computed returns the kind of a term that is a number whatever it is over, 0 for others.
func (h *HeadTerm) computed() table.Kind {
	switch {
	case h.Quotient || h.Aggregate == AggregateAvg:
		return table.KindFloat
	case h.Aggregate == AggregateCount || h.Aggregate == AggregateRank || h.IsDays():
		return table.KindInt
	}
	return 0
}

// TermKind tells the terms apart.
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
	Int   int64   // of TermValue, where the type is not float
	Float float64 // of TermValue, where the type is float
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

// Op is a comparison.
type Op uint8

// The comparisons, as the sum of the orders that they hold of. The zero value is none.
const (
	OpLess         Op = 1
	OpEqual        Op = 2
	OpGreater      Op = 4
	OpLessEqual       = OpLess | OpEqual
	OpGreaterEqual    = OpGreater | OpEqual
	OpNotEqual        = OpLess | OpGreater
)

// String returns the comparison's symbol.
func (o Op) String() string { return opSymbols[o] }

var opSymbols = [...]string{
	0: "", OpEqual: "=", OpNotEqual: "!=", OpLess: "<", OpLessEqual: "<=", OpGreater: ">", OpGreaterEqual: ">=",
}

// Holds reports whether the comparison holds of two things that compare as c says: -1, 0 or 1.
func (o Op) Holds(c int) bool { return o>>(c+1)&1 != 0 }

// Mirrored returns the comparison with its sides changed.
func (o Op) Mirrored() Op { return o&OpEqual | o&OpLess<<2 | o&OpGreater>>2 }

// Comparison compares two terms of one type: A with B + Shift.
type Comparison struct {
	Op    Op
	A, B  Term
	Over  [2]Term // what A and B are divided by, of no kind for nothing: false where a quotient is not a finite number
	Shift Shift   // 0 unless both terms are variables
	Pos   lex.Position
}

// Terms returns the terms of the comparison.
func (c *Comparison) Terms() []Term { return []Term{c.A, c.B, c.Over[0], c.Over[1]} }

// IsQuotient reports whether a side is a quotient.
func (c *Comparison) IsQuotient() bool { return c.Over[0].Kind != 0 || c.Over[1].Kind != 0 }

// Shift is what is added to a value, in the unit of its type: days for days, seconds for times.
type Shift struct {
	Int   int64
	Float float64 // of floats, the other is for all the rest
}

// kindNames are the types of value columns.
var kindNames = map[table.Kind]string{
	table.KindInt: "int", table.KindFloat: "float", table.KindDay: "day", table.KindTime: "time",
}

// kindOf returns the kind of value columns that a type name means: numeric types of the model are floats.
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
	case RoleTable, RoleHelper, RoleTrue:
	}
	return r.Name
}

// statesNumber reports whether a relation states its i-th column as entities of the type of numbers.
func (r *Relation) statesNumber(i int) bool {
	return (r.Role == RoleTrue || r.Role == RoleFalse || r.Role == RoleEntity) && r.Columns[i].Kind == table.KindFloat
}

// plural returns a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
