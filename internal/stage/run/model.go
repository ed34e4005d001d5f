package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// Model is a task: predicates, and formulas, some of which may have weights. It is read-only and safe for concurrent use.
type Model struct {
	Schema    *mln.Schema
	Constants [][]string // by type: constants that belong to its domain in every subgraph
	Formulas  []*mln.Formula
	Warnings  []mln.Diagnostic

	task  *mln.Model // as read
	files []string   // files that it was read from
}

// ModelOptions say how to read a model. The zero value suits a model that marks its targets.
type ModelOptions struct {
	Targets []string // names of the target predicates, for a model that marks none; may repeat marked ones
	CNF     bool     // split formulas into clauses that share the weight, as Alchemy does

	// Constants returns, for each of some types, the constants to use for a + before a variable if no type line gives them; see
	// Stream.Constants. m has only the predicates. With nil, such a + is an error.
	Constants func(m *Model, types []int) ([][]string, error)

	// ReadFile reads the model and the files that it includes; nil for lex.ReadFile, which allows 64 MiB, and lex.ReadIncluded.
	ReadFile func(path string) ([]byte, error)
}

// ReadModel reads a task file and the files that it includes. Errors in them are a mln.ErrorList; if the file itself cannot be read, the
// error is a *PathError.
func ReadModel(path string, opt ModelOptions) (*Model, error) {
	read := opt.ReadFile
	if read == nil {
		read = lex.ReadFile
	}
	src, err := read(path)
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		err = &PathError{Path: path, Err: e.Err}
	}
	if err != nil {
		return nil, err
	}
	return ParseModel(path, src, opt)
}

// ParseModel reads a model from the text of a file. The file's name appears in messages, and paths of included files are relative
// to it. Errors are those of ReadModel and of ModelOptions.Constants.
func ParseModel(name string, src []byte, opt ModelOptions) (*Model, error) {
	files, read := []string{name}, opt.ReadFile
	if read == nil {
		read = lex.ReadIncluded
	}
	include := func(path string) ([]byte, error) {
		files = append(files, path)
		return read(path)
	}
	options := mln.Options{Targets: opt.Targets, CNF: opt.CNF, Include: include}
	if opt.Constants != nil {
		options.Constants = func(schema *mln.Schema, types []int) ([][]string, error) {
			return opt.Constants(&Model{Schema: schema}, types)
		}
	}
	task, err := mln.Parse(name, src, options)
	if err != nil {
		return nil, err
	}
	return &Model{
		Schema: &task.Schema, Constants: task.Constants, Formulas: task.Formulas, Warnings: task.Warnings, task: task,
		files: files,
	}, nil
}

// Files returns the paths of the file that the model was read from and of the files that it includes.
func (m *Model) Files() []string { return slices.Clone(m.files) }

// With returns the model with other formulas over the same predicates. A stream opened for m can be used with it; but if its
// formulas have constants that m lacks, the stream must have been opened with StreamOptions.Names.
func (m *Model) With(formulas []*mln.Formula) *Model {
	out := *m
	out.Formulas = formulas
	return &out
}

// Constants returns, for each of some types of the model, the sorted names of all its entities in the stream's subgraphs. The
// stream must have been opened with StreamOptions.Names. If it can be read only once, the error is ErrReadOnce.
func (s *Stream) Constants(ctx context.Context, types []int, run Run) ([][]string, error) {
	if s.ReadOnce() {
		return nil, ErrReadOnce
	}
	seen := make([]map[string]bool, len(types))
	for i := range seen {
		seen[i] = map[string]bool{}
	}
	err := Process(ctx, s, &run, func() struct{} { return struct{}{} },
		func(_ struct{}, sub *subgraph.Subgraph) (*subgraph.Subgraph, error) { return sub, nil },
		func(sub *subgraph.Subgraph) error {
			for i, t := range types {
				d := sub.Domains[t]
				for id := range d.Size {
					if name := d.Names.Name(uint32(id)); !seen[i][name] {
						seen[i][strings.Clone(name)] = true
					}
				}
			}
			return nil
		})
	out := make([][]string, len(types))
	for i := range out {
		out[i] = slices.Sorted(maps.Keys(seen[i]))
	}
	return out, err
}

// NoTargetError says that a model has no target predicate.
type NoTargetError struct{}

// Error says what to do.
func (*NoTargetError) Error() string {
	return "the model marks no predicate as target: write `target` before a declaration, or name targets in ModelOptions.Targets"
}

// domains returns, by type, the constants in every domain.
func (m *Model) domains() [][]string { return m.Schema.Domains(m.Constants, m.Formulas) }

// On returns a stream with the constants of the model's formulas in its domains, for a stage that computes with these. The error is a
// *NoTargetError, or an *OptionError if the stream was opened for a model with other predicates.
func (m *Model) On(s *Stream) (*Stream, error) {
	if s.model.Schema != m.Schema {
		return nil, &OptionError{"resolwe.Stream", "it was opened for another model"}
	}
	return s.settled(m.domains()), m.Predicts()
}

// Offers is On for a stage in which unweighted formulas are candidates.
func (m *Model) Offers(s *Stream) (*Stream, error) {
	return m.On(s.settled(m.Schema.Domains(m.Constants, mln.Given(m.Formulas))))
}

// Predicts returns a *NoTargetError if the model has no target predicate.
func (m *Model) Predicts() error {
	for _, p := range m.Schema.Predicates {
		if p.Role.IsTarget() {
			return nil
		}
	}
	return &NoTargetError{}
}

// Weighs returns an *OptionError if no formula has a weight or is hard, so that the model predicts nothing.
func (m *Model) Weighs() error {
	if len(m.Formulas) == 0 || slices.ContainsFunc(m.Formulas, func(f *mln.Formula) bool { return f.HasWeight || f.Hard }) {
		return nil
	}
	return &OptionError{"resolwe.Model", "no formula has a weight: learn them first"}
}

// Write writes the model as a task file: its declarations, then its formulas. note returns a comment to write above the formula of
// a given index, or "" for none. The text is read back first: if it is not the same model, nothing is written, and the error is an
// *mln.ReadBackError.
func (m *Model) Write(w io.Writer, note func(int) string) error {
	var b strings.Builder
	b.WriteString(m.task.Declarations())
	b.WriteByte('\n')
	for i, f := range m.Formulas {
		if note != nil {
			for line := range strings.Lines(note(i)) {
				fmt.Fprintf(&b, "// %s\n", strings.TrimSuffix(line, "\n"))
			}
		}
		b.WriteString(f.Standing.Line() + mln.FormatRule(f))
		b.WriteByte('\n')
	}
	if err := mln.ReadBack(b.String(), &mln.Model{Schema: *m.Schema, Constants: m.Constants, Formulas: m.Formulas}); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// SchemaError says that a stream does not fit a model.
type SchemaError = subgraph.SchemaError

// CenterError says that a subgraph has no center, although the model uses it.
type CenterError = subgraph.CenterError

// mapped returns the part of the model that subgraphs are mapped to.
func (m *Model) mapped() subgraph.ModelSchema {
	out := subgraph.ModelSchema{Schema: m.Schema}
	for _, f := range m.Formulas {
		mln.EachTerm(f.Body, func(t mln.Term) { out.Center = out.Center || t.Kind == mln.TermCenter })
	}
	return out
}

// WritePredicates writes the declaration of each predicate on its own line.
func (m *Model) WritePredicates(w io.Writer) {
	for _, p := range m.Schema.Predicates {
		fmt.Fprintln(w, m.Schema.Declaration(p))
	}
}

// Task returns the model as package mln has it: as it was read, unless its formulas are others.
func (m *Model) Task() *mln.Model {
	if slices.Equal(m.Formulas, m.task.Formulas) {
		return m.task
	}
	return &mln.Model{Schema: *m.Schema, Formulas: m.Formulas}
}
