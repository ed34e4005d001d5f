// Package mln reads and prints the task language: Alchemy's Markov logic files extended by templates, target predicates and the center of a
// subgraph. [Parse] checks a file and expands its templates into formulas; [Candidates] prepares the unweighted ones for selection;
// [Canonical] returns a form equal for formulas that differ only in names and order.
//
// A file passes through three forms: statements hold [Node] trees as written; expansion rewrites those trees; type checking turns the
// result into a [Formula], whose tree is an [Expr].
//
// Limits bound the size of hostile files: 64 MiB of text; formulas of 1000 literals, 128 variables and 1000 levels; predicates of 64
// arguments; 2^21 terms in all expansions together. Exceeding one is a [ModelError].
package mln

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"resolwe/format/lex"
)

const (
	maxSource  = 64 << 20 // bytes of all files together
	maxInclude = 1000     // included files
)

// Options controls how [Parse] reads a model. The zero value reads a model that marks its targets and includes nothing.
type Options struct {
	// Targets names the target predicates of a model that marks none, or repeats some of those it marks.
	Targets []string
	// Include returns the text of an included file. A relative name is joined to the folder of the including file.
	Include func(name string) ([]byte, error)
	// Constants returns, for each of the given types, the constants that a + before a variable stands for: those of the data, in order and
	// without duplicates. It is called at most once, for types without a type line. A type without constants yields no formula. If it is
	// nil, such a + is an error.
	Constants func(schema *Schema, types []int) ([][]string, error)
	// CNF splits each formula into the clauses of its conjunctive normal form, which share its weight equally.
	CNF bool
}

// Model is a parsed, checked and expanded model. It is read-only once made.
type Model struct {
	Schema    Schema
	Constants [][]string // by type: the constants of its type lines, in order, without duplicates
	Formulas  []*Formula // expanded, in order; of unweighted ones with equal Canonical texts, the first
	Warnings  []Diagnostic

	sources lex.Sources
}

// Parse reads a model from the text of a file; the name is used in messages and to resolve included files. Errors of the model are returned
// as an [ErrorList]; one of [Options.Constants] is returned unchanged.
func Parse(file string, src []byte, opt Options) (*Model, error) {
	r := reader{opt: opt, sources: lex.Sources{}}
	statements := r.read(file, src, Position{File: file})
	if err := r.errs.Err(); err != nil {
		return nil, err
	}
	c := checker{model: &Model{sources: r.sources}, opt: opt, errs: &r.errs}
	c.declare(statements)
	c.markTargets(file)
	c.readWords(r.notes)
	c.checkTemplates()
	c.checkRules()
	if err := r.errs.Err(); err != nil {
		return nil, err
	}
	if err := cmp.Or(c.formulas(), r.errs.Err()); err != nil {
		return nil, err
	}
	c.warn()
	return c.model, nil
}

// reader parses a file and the files that it includes.
type reader struct {
	opt     Options
	sources lex.Sources
	errs    lex.Collector
	notes   []lex.Note
	stack   []string // files that are open
	files   int
	bytes   int
}

// read parses one file, included at from. What does not parse in an included file is not shown: that file may be none of the user's.
func (r *reader) read(file string, src []byte, from Position) []statement {
	r.bytes += len(src)
	if r.bytes > maxSource {
		r.errs.Add(r.sources.At(from, "the model has more than %d bytes", maxSource))
		return nil
	}
	errs, included := &r.errs, len(r.stack) > 0
	if included {
		errs = &lex.Collector{}
	}
	var list []statement
	if cursor, ok := lex.NewCursor(&language, file, src, r.sources, errs); ok {
		r.stack = append(r.stack, file)
		p := parser{Cursor: cursor, include: r.include}
		r.notes = append(r.notes, p.Lexer.Notes()...)
		list = p.statements()
		r.stack = r.stack[:len(r.stack)-1]
	}
	if bad, ok := errors.AsType[lex.ErrorList](errs.Err()); ok && included {
		at := bad[0].At().Pos
		r.errs.Add(r.sources.At(from, "cannot include %s: line %d, column %d is not in the task language", file, at.Line, at.Column))
		return nil
	}
	return list
}

// include reads the file named by an #include.
func (r *reader) include(name string, pos Position) []statement {
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(pos.File), name)
	}
	name = filepath.Clean(name)
	fail := func(format string, args ...any) []statement {
		r.errs.Add(r.sources.At(pos, format, args...))
		return nil
	}
	if r.opt.Include == nil {
		return fail("#include is not possible here")
	}
	for _, open := range r.stack {
		if filepath.Clean(open) == name {
			return fail("%s includes itself", name)
		}
	}
	if r.files++; r.files > maxInclude {
		return fail("more than %d files are included", maxInclude)
	}
	src, err := r.opt.Include(name)
	if err != nil {
		return fail("cannot include %s: %v", name, err)
	}
	return r.read(name, src, pos)
}

// ReadBackError says that a model was written as text that does not read as the same model: a fault of this program.
type ReadBackError struct {
	Formula string // as written, "" if it is the declarations
	Reason  string
}

// Error names the formula.
func (e *ReadBackError) Error() string {
	what := "the declarations"
	if e.Formula != "" {
		what = e.Formula
	}
	return fmt.Sprintf("internal fault: %s cannot be read back as written: %s; please report it", what, e.Reason)
}

// ReadBack parses the text of a model file, and compares it with the model that it was written from: predicates, constants, and formulas in
// order, which must be equal up to renaming variables, with equal bits of weights. The error is a *ReadBackError.
func ReadBack(text string, written *Model) error {
	fault := func(formula int, reason string) error {
		e := &ReadBackError{Reason: reason}
		if formula >= 0 {
			e.Formula = FormatRule(written.Formulas[formula])
		}
		return e
	}
	read, err := Parse("model", []byte(text), Options{})
	if err != nil {
		declarations := written.Declarations()
		for i, f := range written.Formulas {
			if _, err := Parse("formula", []byte(declarations+FormatRule(f)), Options{}); err != nil {
				return fault(i, err.Error())
			}
		}
		return fault(-1, err.Error())
	}
	for _, p := range written.Schema.Predicates {
		if i := read.Schema.Predicate(p.Name); i < 0 || read.Schema.Declaration(read.Schema.Predicates[i]) != written.Schema.Declaration(p) {
			return fault(-1, "predicate "+p.Name+" differs")
		}
	}
	if written.Schema.wordLines() != read.Schema.wordLines() {
		return fault(-1, "a line of words differs")
	}
	for t, constants := range written.Constants {
		name := written.Schema.Types[t]
		if i := read.Schema.Type(name); i < 0 && len(constants) > 0 ||
			i >= 0 && (!slices.Equal(read.Constants[i], constants) || read.Schema.IsNumber(i) != written.Schema.IsNumber(t)) {
			return fault(-1, "type "+name+" differs")
		}
	}
	for i, f := range written.Formulas {
		if i == len(read.Formulas) {
			return fault(i, "it is not in what was read")
		}
		if g := read.Formulas[i]; !sameRule(f, g) {
			return fault(i, "it reads as "+FormatRule(g))
		}
	}
	if len(read.Formulas) > len(written.Formulas) {
		return fault(-1, "one reads as a formula")
	}
	return nil
}

// sameRule reports whether two formulas are equal up to renaming variables, with equal weights, periods and standings.
func sameRule(f, g *Formula) bool {
	asNumbered := func(f *Formula) string {
		numbers := make([]int, len(f.Vars))
		for v := range numbers {
			numbers[v] = v
		}
		return fmt.Sprint(f.Free, f.prefix(), canonicalText(headed(f), numbers))
	}
	return f.Hard == g.Hard && f.HasWeight == g.HasWeight && math.Float64bits(f.Weight) == math.Float64bits(g.Weight) && f.Standing == g.Standing &&
		(asNumbered(f) == asNumbered(g) || Canonical(f) == Canonical(g))
}
