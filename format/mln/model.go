package mln

import (
	"path/filepath"
	"strings"
	"unicode/utf8"
)

const (
	maxSource  = 64 << 20 // bytes of all files together
	maxInclude = 1000     // included files
)

// Options say how [Parse] reads a model. The zero value reads a model that marks its targets and includes nothing.
type Options struct {
	// Targets names the target predicates of a model that marks none.
	Targets []string
	// Include returns the text of an included file. A relative name is joined to the folder of the file that includes it.
	Include func(name string) ([]byte, error)
	// CNF splits each formula into the clauses of its conjunctive normal form, which share its weight equally.
	CNF bool
}

// Model is a parsed, checked and expanded model. It is read-only once made.
type Model struct {
	Schema     Schema
	Constants  [][]string  // by type: the constants of its type lines, in order, each once
	Statements []Statement // as written, with those of included files in place
	Formulas   []*Formula  // expanded, in order; of unweighted ones that are equal as Canonical sees them, the first
	Warnings   []Diagnostic

	sources sources
}

// Parse reads a model from the text of a file, whose name is for messages and included files only. What is wrong with
// it comes back as an [ErrorList].
func Parse(file string, src []byte, opt Options) (*Model, error) {
	r := reader{opt: opt, sources: sources{}}
	statements := r.read(file, src, Position{File: file})
	if err := r.errs.err(); err != nil {
		return nil, err
	}
	c := checker{model: &Model{sources: r.sources}, opt: opt, errs: &r.errs}
	c.declare(statements)
	c.markTargets(file)
	c.checkTemplates()
	c.checkRules()
	if err := r.errs.err(); err != nil {
		return nil, err
	}
	c.formulas()
	if err := r.errs.err(); err != nil {
		return nil, err
	}
	c.warn()
	return c.model, nil
}

// reader parses a file and those that it includes.
type reader struct {
	opt     Options
	sources sources
	errs    collector
	stack   []string // files that are open
	files   int
	bytes   int
}

// read parses one file; from is where it is included.
func (r *reader) read(file string, src []byte, from Position) []Statement {
	r.bytes += len(src)
	if r.bytes > maxSource {
		r.errs.add(&LimitError{r.sources.at(from, "the model has more than %d bytes", maxSource)})
		return nil
	}
	text := strings.TrimPrefix(string(src), "\ufeff")
	r.sources[file] = strings.Split(text, "\n")
	if !utf8.ValidString(text) {
		r.errs.add(&SyntaxError{r.sources.at(badRune(file, text), "the text is not UTF-8"), "UTF-8"})
		return nil
	}
	r.stack = append(r.stack, file)
	defer func() { r.stack = r.stack[:len(r.stack)-1] }()
	p := parser{lex: newLexer(file, text), sources: r.sources, errs: &r.errs, include: r.include}
	return p.statements()
}

// badRune returns the place of the first byte that is not UTF-8.
func badRune(file, text string) Position {
	l := newLexer(file, text)
	for i, c := range text {
		if c == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			l.take(i)
			break
		}
	}
	return l.pos
}

// include reads the file that an #include names.
func (r *reader) include(name string, pos Position) []Statement {
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(pos.File), name)
	}
	fail := func(err error, format string, args ...any) []Statement {
		r.errs.add(&IncludeError{r.sources.at(pos, format, args...), err})
		return nil
	}
	if r.opt.Include == nil {
		return fail(nil, "#include is not possible here")
	}
	for _, open := range r.stack {
		if filepath.Clean(open) == name {
			return fail(nil, "%s includes itself", name)
		}
	}
	if r.files++; r.files > maxInclude {
		return fail(nil, "more than %d files are included", maxInclude)
	}
	src, err := r.opt.Include(name)
	if err != nil {
		return fail(err, "cannot include %s: %v", name, err)
	}
	return r.read(name, src, pos)
}
