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
	UnknownPredicateError struct {
		modelError
		Name string
	}
	// ArityError is a predicate or template with more or fewer arguments than declared.
	ArityError struct {
		modelError
		Name      string
		Got, Want int
	}
	// TypeConflictError is a variable with two types, or a comparison of two types.
	TypeConflictError struct {
		modelError
		Variable string
		First    Position // where the first type comes from
	}
	// UnboundVariableError is a variable that no atom mentions, so that it has no type.
	UnboundVariableError struct {
		modelError
		Variable string
	}
	// DeclarationError is a declaration that contradicts an earlier one.
	DeclarationError struct {
		modelError
		Name     string
		Previous Position
	}
	// TemplateRecursionError is a template that uses itself.
	TemplateRecursionError struct {
		modelError
		Cycle []string // from the template back to itself
	}
	// TemplateUseError is a template in a head or under a negation.
	TemplateUseError struct {
		modelError
		Name string
	}
	// WeightPeriodError is a formula with both a weight and a final period.
	WeightPeriodError struct{ modelError }
	// FunctionError is a function, which the language does not have.
	FunctionError struct{ modelError }
	// StarError is Alchemy's * before a literal, which the language does not have.
	StarError struct{ modelError }
	// ExclusiveError is Alchemy's ! after a variable of a declaration, which the language does not have.
	ExclusiveError struct{ modelError }
	// PlusError is a + before a variable that has no constants to stand for.
	PlusError struct {
		modelError
		Variable string
	}
	// UnknownTypeError is a + before a variable whose type no type line describes.
	UnknownTypeError struct {
		modelError
		Type string
	}
	// TargetError is a named target that is no predicate, or a model that marks its targets itself.
	TargetError struct {
		modelError
		Name string
	}
	// RangeError is a number beyond its range.
	RangeError struct{ modelError }
	// LimitError is a model beyond the limits of size, which guard against runaway expansion.
	LimitError struct{ modelError }
	// IncludeError is a file that cannot be included.
	IncludeError struct {
		modelError
		Err error
	}
	// HeadError is an evidence literal in the head of a candidate.
	HeadError struct {
		modelError
		Literal string
	}
	// NoTargetError is a candidate without a target literal.
	NoTargetError struct{ modelError }
	// ShapeError is an unweighted formula that is neither a conjunction nor an implication between conjunctions.
	ShapeError struct{ modelError }
)

// Unwrap returns why the file cannot be read.
func (e *IncludeError) Unwrap() error { return e.Err }
