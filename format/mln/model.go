package mln

import (
	"cmp"
	"errors"
	"path/filepath"

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
