package resolwe

import (
	"resolwe/internal/stage/run"
)

// Model is a task: predicates, and formulas, some of which may have weights. It is read-only and safe for concurrent use. Its fields are
// Schema, Constants, Formulas and Warnings; With replaces its formulas, and Write writes it as a task file.
type Model = run.Model

// ModelOptions say how to read a model. The zero value suits a model that marks its targets.
type ModelOptions = run.ModelOptions

// ReadModel reads a task file and the files that it includes. Errors in them are a mln.ErrorList; if the file itself cannot be read, the
// error is a *PathError.
func ReadModel(path string, opt ModelOptions) (*Model, error) { return run.ReadModel(path, opt) }

// ParseModel reads a model from the text of a file. The file's name appears in messages, and paths of included files are relative
// to it. Errors are those of ReadModel and of ModelOptions.Constants.
func ParseModel(name string, src []byte, opt ModelOptions) (*Model, error) {
	return run.ParseModel(name, src, opt)
}
