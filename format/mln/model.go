package mln

import (
	"cmp"
	"path/filepath"

	"resolwe/format/lex"
)

const (
	maxSource  = 64 << 20 // bytes of all files together
	maxInclude = 1000     // included files
)

// Options say how [Parse] reads a model. The zero value reads a model that marks its targets and includes nothing.
type Options struct {
	// Targets names the target predicates of a model that marks none, or repeats some of those that it marks.
	Targets []string
	// Include returns the text of an included file. A relative name is joined to the folder of the file that includes it.
	Include func(name string) ([]byte, error)
	// Constants returns, for each of some types of the schema, the constants that a + before a variable stands for: they are
	// those of the data, in order and each once, for types that no type line describes. A type without any leaves no formula.
	// It is called at most once. Where it is nil, such a + is an error.
	Constants func(schema *Schema, types []int) ([][]string, error)
	// CNF splits each formula into the clauses of its conjunctive normal form, which share its weight equally.
	CNF bool
}

// Model is a parsed, checked and expanded model. It is read-only once made.
type Model struct {
	Schema    Schema
	Constants [][]string // by type: the constants of its type lines, in order, each once
	Formulas  []*Formula // expanded, in order; of unweighted ones that are equal as Canonical sees them, the first
	Warnings  []Diagnostic

	sources lex.Sources
}

// Parse reads a model from the text of a file, whose name is for messages and included files only. What is wrong with
// it comes back as an [ErrorList]; an error of [Options.Constants] comes back as it is.
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

// reader parses a file and those that it includes.
type reader struct {
	opt     Options
	sources lex.Sources
	errs    lex.Collector
	stack   []string // files that are open
	files   int
	bytes   int
}

// read parses one file; from is where it is included.
func (r *reader) read(file string, src []byte, from Position) []statement {
	r.bytes += len(src)
	if r.bytes > maxSource {
		r.errs.Add(r.sources.At(from, "the model has more than %d bytes", maxSource))
		return nil
	}
	cursor, ok := lex.NewCursor(&language, file, src, r.sources, &r.errs)
	if !ok {
		return nil
	}
	r.stack = append(r.stack, file)
	defer func() { r.stack = r.stack[:len(r.stack)-1] }()
	p := parser{Cursor: cursor, include: r.include}
	return p.statements()
}

// include reads the file that an #include names.
func (r *reader) include(name string, pos Position) []statement {
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(pos.File), name)
	}
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
