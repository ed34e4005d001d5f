package main

import (
	"errors"
	"os"

	"resolwe"
)

// modelArg is a model on the command line.
type modelArg struct {
	Model  string   `arg:"" help:"Task file (.mln)."`
	Target []string `help:"Target predicates, for a model that marks none." short:"q" placeholder:"P"`
	CNF    bool     `help:"Split formulas into clauses that share the weight, as Alchemy does." name:"cnf"`
}

// read reads the model and prints its warnings.
func (a *modelArg) read(e *environment) (*resolwe.Model, error) {
	m, err := resolwe.ReadModel(a.Model, resolwe.ModelOptions{Targets: a.Target, CNF: a.CNF})
	if e, ok := err.(*os.PathError); ok { //nolint:errorlint // an included file's is wrapped, and says where
		return nil, pathError(a.Model, e)
	}
	if err != nil {
		return nil, err
	}
	for _, w := range m.Warnings {
		e.log.Warn(w.String())
	}
	return m, nil
}

// streamArg is a stream on the command line.
type streamArg struct {
	Stream      []string `help:"Subgraphs: .rsg or .db files (also .gz, .zst, .bz2), quoted globs, a folder, or - for standard input. Several follow one another: separate them by commas or repeat the flag." required:"" placeholder:"S"`
	SkipDamaged bool     `help:"Leave out damaged subgraphs, and say how many."`
}

// open opens the stream. names asks for the names of entities.
func (a *streamArg) open(e *environment, m *resolwe.Model, names bool) (*resolwe.Stream, error) {
	return resolwe.OpenStream(m, a.Stream, resolwe.StreamOptions{Names: names, SkipDamaged: a.SkipDamaged, Stdin: e.stdin})
}

// close closes the stream, and says what was left out of it.
func (a *streamArg) close(e *environment, s *resolwe.Stream) {
	if n := s.Skipped(); n > 0 && a.SkipDamaged {
		e.log.Warn("damaged subgraphs were skipped", "number", n)
	}
	if err := s.Close(); err != nil {
		e.log.Warn(err.Error())
	}
}

// unweighted warns of formulas that count as weight 0.
func (e *environment) unweighted(m *resolwe.Model) {
	n := 0
	for _, f := range m.Formulas {
		if !f.HasWeight && !f.Hard {
			n++
		}
	}
	if n > 0 {
		e.log.Warn("formulas without a weight count as weight 0", "number", n)
	}
}

// pathError says why the path cannot be used.
func pathError(path string, err error) error {
	if p := (*os.PathError)(nil); errors.As(err, &p) {
		err = p.Err
	}
	return &resolwe.PathError{Path: path, Err: err}
}
