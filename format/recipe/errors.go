package recipe

import "resolwe/format/lex"

// What is wrong with a recipe comes back as a [lex.ErrorList] of these and of [lex.SyntaxError]s.
type (
	// UnknownRelationError is a relation that no table, rule or model defines.
	UnknownRelationError struct {
		lex.Fault
		Name string
	}
	// UnusedRelationError is a table or helper relation that no rule uses.
	UnusedRelationError struct {
		lex.Fault
		Name string
	}
	// ArityError is a relation with more or fewer arguments than elsewhere.
	ArityError struct {
		lex.Fault
		Name      string
		Got, Want int
	}
	// TypeError is a term with two types, or of a type that its place does not allow.
	TypeError struct {
		lex.Fault
		First lex.Position // where the other type comes from, the zero value where from no one place
	}
	// UnsafeVariableError is a variable that no positive atom of the body binds.
	UnsafeVariableError struct {
		lex.Fault
		Variable string
	}
	// RecursionError is a relation that depends on itself.
	RecursionError struct {
		lex.Fault
		Cycle []string // from the relation back to itself
	}
	// AggregateError is an aggregate outside of a head.
	AggregateError struct{ lex.Fault }
	// NegatedHeadError is a negated head that is no listed target.
	NegatedHeadError struct {
		lex.Fault
		Name string
	}
	// DuplicateError is a name or statement that is there already.
	DuplicateError struct {
		lex.Fault
		Name     string
		Previous lex.Position // the zero value where it is the model's
	}
	// ColumnError is a table whose columns do not fit its types.
	ColumnError struct {
		lex.Fault
		Table string
	}
	// CenterError is a recipe without centers, or centers that depend on @center.
	CenterError struct{ lex.Fault }
	// UseError is a relation in a place that is not for relations of its kind.
	UseError struct {
		lex.Fault
		Name string
	}
	// RangeError is a number beyond its range.
	RangeError struct{ lex.Fault }
	// LimitError is a recipe beyond the limits of size.
	LimitError struct{ lex.Fault }
)
