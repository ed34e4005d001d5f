package resolwe

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/isotime"
)

// Model is a task: predicates, and formulas of which some have weights. It is read-only, and safe for concurrent use.
type Model struct {
	Schema    *mln.Schema
	Constants [][]string // by type: constants that belong to its domain in every subgraph
	Formulas  []*mln.Formula
	Warnings  []mln.Diagnostic

	task  *mln.Model // as it was read
	files []string   // that it was read from
}

// ModelOptions say how to read a model. The zero value is good for one that marks its targets.
type ModelOptions struct {
	Targets []string // names of the target predicates of a model that marks none; some of those of one that does
	CNF     bool     // split formulas into clauses that share the weight, as Alchemy does

	// Constants returns, for each of some types, the constants that a + before a variable stands for where no type line gives
	// them, as Stream.Constants does for a stream opened for m, which has the predicates only. nil makes such a + an error.
	Constants func(m *Model, types []int) ([][]string, error)

	// ReadFile reads the model and the files that it includes; nil stands for
	// lex.ReadFile, which allows 64 MiB each.
	ReadFile func(path string) ([]byte, error)
}

func (o *ModelOptions) readFile(path string) ([]byte, error) {
	if o.ReadFile != nil {
		return o.ReadFile(path)
	}
	return lex.ReadFile(path)
}

// ReadModel reads a task file, and the files that it includes. Errors in it are a mln.ErrorList.
func ReadModel(path string, opt ModelOptions) (*Model, error) {
	src, err := opt.readFile(path)
	if err != nil {
		return nil, err
	}
	return ParseModel(path, src, opt)
}

// ParseModel reads a model from the text of a file, whose name stands in messages and leads to included files. Its errors
// are those of ReadModel and of ModelOptions.Constants.
func ParseModel(name string, src []byte, opt ModelOptions) (*Model, error) {
	files := []string{name}
	include := func(path string) ([]byte, error) {
		files = append(files, path)
		return opt.readFile(path)
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

// Files returns the paths of the file that the model was read from and of those that it includes.
func (m *Model) Files() []string { return slices.Clone(m.files) }

// With returns the model with other formulas over the same predicates. Streams of m are streams of it too; but where its
// formulas have constants that are not in m's, such a stream must have been opened with StreamOptions.Names.
func (m *Model) With(formulas []*mln.Formula) *Model {
	out := *m
	out.Formulas = formulas
	return &out
}

// Constants returns, for each of some types of the model, the names of the entities that the stream's subgraphs have of it,
// sorted. The stream must have been opened with StreamOptions.Names, and be readable more than once: the error is
// ErrReadOnce where it is not.
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

// Bounds of what Chronology takes for dates: the years 1980 to 2099 in days and in seconds since 1970.
const (
	firstDay, lastDay       = 3652, 47481
	firstSecond, lastSecond = firstDay * isotime.SecondsOfDay, (lastDay + 1) * isotime.SecondsOfDay
)

// Chronology returns what shows that the subgraphs of a stream stand in the order of time: "names" where their names are
// dates, else an evidence predicate with a number, a day or a time since 1970, whose latest in a subgraph is never before that
// in an earlier one. It looks at predicates in up to 32 subgraphs, and needs at least six different values. It returns "" where nothing
// shows it, and for a stream that can be read only once; errors are those of Entries and Each.
func (s *Stream) Chronology(ctx context.Context) (string, error) {
	if s.ReadOnce() {
		return "", nil
	}
	entries, err := s.Entries(ctx)
	if err != nil {
		return "", err
	}
	var named []int64
	for _, e := range entries {
		if t, ok := isotime.FormISO.ParseTime([]byte(e.Name)); ok && strings.Contains(e.Name, "-") {
			named = append(named, t)
		}
	}
	if len(named) == len(entries) && ascending(named, 3) {
		return "names", nil
	}
	predicates := s.model.dated()
	if len(predicates) == 0 || len(entries) < 6 {
		return "", nil
	}
	const most = 32
	sample := make([]int, min(most, len(entries)))
	for i := range sample {
		sample[i] = entries[i*(len(entries)-1)/(len(sample)-1)].Index
	}
	latest := make([][]float64, len(predicates))
	err = Each(ctx, s.Pick(sample), Run{}, func(sub *subgraph.Subgraph) error {
		for i, p := range predicates {
			if v, ok := latestNumber(s.model.Schema, sub, p); ok {
				latest[i] = append(latest[i], v)
			}
		}
		return nil
	})
	for i, p := range predicates {
		if len(latest[i]) == len(sample) && ascending(latest[i], 6) {
			return s.model.Schema.Predicates[p].Name, err
		}
	}
	return "", err
}

// ascending reports whether values never fall, and enough of them differ.
func ascending[T int64 | float64](values []T, different int) bool {
	return slices.IsSorted(values) && len(slices.Compact(slices.Clone(values))) >= different
}

// dated returns the evidence predicates that have one number among their arguments.
func (m *Model) dated() (out []int) {
	for i, p := range m.Schema.Predicates {
		numbers := 0
		for _, t := range p.Args {
			if m.Schema.IsNumber(t) {
				numbers++
			}
		}
		if numbers == 1 && !p.Role.IsTarget() {
			out = append(out, i)
		}
	}
	return out
}

// latestNumber returns the largest number that a predicate has in a subgraph, where all of them are days or all are times.
func latestNumber(schema *mln.Schema, sub *subgraph.Subgraph, predicate int) (float64, bool) {
	args := schema.Predicates[predicate].Args
	c := slices.IndexFunc(args, schema.IsNumber)
	number, column := args[c], sub.Relations[predicate].True.Cols[c]
	least, most := math.Inf(1), math.Inf(-1)
	for _, id := range column {
		v, ok := mln.ParseNumber(sub.Domains[number].Names.Name(id))
		if !ok || v != math.Trunc(v) {
			return 0, false
		}
		least, most = min(least, v), max(most, v)
	}
	return most, least >= firstDay && most <= lastDay || least >= firstSecond && most <= lastSecond
}

// NoTargetError says that a model predicts nothing.
type NoTargetError struct{}

// Error says what to do.
func (*NoTargetError) Error() string {
	return "the model marks no predicate as target: write `target` before a declaration, or name targets in ModelOptions.Targets"
}

// check returns a *NoTargetError where the model has no target predicate. It panics where a stream was opened for a model
// with other predicates.
func (m *Model) check(s *Stream) error {
	if s.model.Schema != m.Schema {
		panic("resolwe: the stream was opened for another model")
	}
	return m.Predicts()
}

// Predicts returns a *NoTargetError where the model has no target predicate.
func (m *Model) Predicts() error {
	for _, p := range m.Schema.Predicates {
		if p.Role.IsTarget() {
			return nil
		}
	}
	return &NoTargetError{}
}

// given returns the formulas that are no candidates: weighted and hard ones.
func (m *Model) given() []*mln.Formula {
	var out []*mln.Formula
	for _, f := range m.Formulas {
		if f.HasWeight || f.Hard {
			out = append(out, f)
		}
	}
	return out
}

// usesCenter reports whether a formula of the model uses @center.
func (m *Model) usesCenter() bool {
	found := false
	for _, f := range m.Formulas {
		mln.EachTerm(f.Body, func(t mln.Term) { found = found || t.Kind == mln.TermCenter })
	}
	return found
}

// Write writes the model as a task file: its declarations, then its formulas, each below the comment that note gives for
// its index, "" for none.
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
		b.WriteString(mln.FormatRule(f))
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// withUnitClauses returns the model with the unit clause of each target predicate added at the end where it has none of
// either sign, so that the base rate has a weight of its own.
func (m *Model) withUnitClauses() *Model {
	formulas := slices.Clip(m.Formulas)
	for pred, p := range m.Schema.Predicates {
		if p.Role.IsTarget() && !mln.HasUnitClause(m.Formulas, pred) {
			formulas = append(formulas, mln.UnitClause(m.Schema, pred))
		}
	}
	return m.With(formulas)
}

// SchemaError says that a stream does not fit a model.
type SchemaError = subgraph.SchemaError

// CenterError says that a subgraph has no center, which the model uses.
type CenterError = subgraph.CenterError

// mapped returns what of the model subgraphs are mapped to.
func (m *Model) mapped() subgraph.ModelSchema {
	return subgraph.ModelSchema{Schema: m.Schema, Constants: m.Constants, Center: m.usesCenter()}
}

// writePredicates writes the declaration of each predicate, a line each.
func (m *Model) writePredicates(w io.Writer) {
	for _, p := range m.Schema.Predicates {
		fmt.Fprintln(w, m.Schema.Declaration(p))
	}
}

// asRead reports whether the model's formulas are those that were read.
func (m *Model) asRead() bool {
	return slices.Equal(m.Formulas, m.task.Formulas)
}
