package mln

import "resolwe/format/lex"

type (
	// Position is a place in a source file.
	Position = lex.Position
	// Diagnostic is a message about a place in a source file.
	Diagnostic = lex.Diagnostic
	// Error is what is wrong with a model. Every error of this package is one, or an [ErrorList] of them.
	Error = lex.Error
	// ErrorList holds the errors of a model, sorted by position: at least one and at most ten.
	ErrorList = lex.ErrorList //nolint:errname // a list, named as in go/scanner
	// SyntaxError is a text that is not of the language.
	SyntaxError = lex.SyntaxError
	// modelError is what all errors of a model share.
	modelError = lex.Fault
)

// Suggest returns the name of among that is nearest to name, "" where none is near.
func Suggest(name string, among []string) string { return lex.Suggest(name, among) }

type (
	// UnknownPredicateError is a formula's predicate, or template, that nothing declares.
	UnknownPredicateError struct{ modelError }
	// ArityError is a predicate or template with more or fewer arguments than declared.
	ArityError struct{ modelError }
	// TypeConflictError is a variable with two types, or a comparison of two types.
	TypeConflictError struct{ modelError }
	// UnboundVariableError is a variable that no atom mentions, so that it has no type.
	UnboundVariableError struct{ modelError }
	// DeclarationError is a declaration that contradicts an earlier one.
	DeclarationError struct{ modelError }
	// TemplateRecursionError is a template that uses itself.
	TemplateRecursionError struct{ modelError }
	// TemplateUseError is a template in a head or under a negation.
	TemplateUseError struct{ modelError }
	// WeightPeriodError is a formula with both a weight and a final period.
	WeightPeriodError struct{ modelError }
	// ShapeError is a shape that is none, or of a formula that cannot have it.
	ShapeError struct{ modelError }
	// UnsupportedError is what Alchemy has and the language has not: functions, * before a literal, ! after a variable of a
	// declaration.
	UnsupportedError struct{ modelError }
	// PlusError is a + before a quantified variable.
	PlusError struct{ modelError }
	// UnknownTypeError is a + before a variable for whose type neither a type line nor data gives constants.
	UnknownTypeError struct{ modelError }
	// TargetError is a named target that is no predicate, or no target of a model that marks its targets itself.
	TargetError struct{ modelError }
	// RangeError is a number beyond its range.
	RangeError struct{ modelError }
	// NumberError is a constant of type number that is no finite number.
	NumberError struct{ modelError }
	// CountError is a counting literal whose body is no conjunction of evidence literals, or whose variables stand where they
	// may not.
	CountError struct{ modelError }
	// LimitError is a model beyond the limits of size, which guard against runaway expansion.
	LimitError struct{ modelError }
	// IncludeError is a file that cannot be included.
	IncludeError struct {
		modelError
		Err error
	}
	// HeadError is an evidence literal in the head of a candidate.
	HeadError struct{ modelError }
	// NoTargetError is a candidate without a target literal.
	NoTargetError struct{ modelError }
	// CandidateError is an unweighted formula that is neither a conjunction nor an implication between conjunctions, or has
	// a shape.
	CandidateError struct{ modelError }
)

// Unwrap returns why the file cannot be read.
func (e *IncludeError) Unwrap() error { return e.Err }
