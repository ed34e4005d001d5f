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
	// ModelError is a text of the language that makes no model: names and types that do not fit, what Alchemy has and the
	// language has not, formulas that are no candidates, files that cannot be included, and what is beyond the limits of size.
	ModelError = lex.Fault
)
