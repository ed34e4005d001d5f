package main

import (
	"context"
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

// constants are those that a + stands for where no type line gives them, as resolwe.ModelOptions.Constants returns them.
type constants = func(m *resolwe.Model, types []int) ([][]string, error)

// noConstants is for commands that need a model's predicates only: they have no formulas with such a +.
func noConstants(_ *resolwe.Model, types []int) ([][]string, error) {
	return make([][]string, len(types)), nil
}

// read reads the model and prints its warnings.
func (a *modelArg) read(e *environment, data constants) (*resolwe.Model, error) {
	m, err := resolwe.ReadModel(a.Model, resolwe.ModelOptions{Targets: a.Target, CNF: a.CNF, Constants: data})
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

// task reads a model, then the options, and then opens the stream. names asks for the names of entities.
func task[O any](
	ctx context.Context, e *environment, model *modelArg, stream *streamArg, names bool, options func(seed uint64) (O, error),
) (m *resolwe.Model, opt O, s *resolwe.Stream, err error) {
	if m, err = model.read(e, stream.constants(ctx, e)); err != nil {
		return nil, opt, nil, err
	}
	if opt, err = options(e.common.Seed); err != nil {
		return nil, opt, nil, err
	}
	s, err = stream.open(e, m, names)
	return m, opt, s, err
}

// constants takes the constants of the stream, which it opens for itself.
func (a *streamArg) constants(ctx context.Context, e *environment) constants {
	return func(m *resolwe.Model, types []int) ([][]string, error) {
		s, err := a.open(e, m, true)
		if err != nil {
			return nil, err
		}
		lists, err := s.Constants(ctx, types, e.run("constants", s.Len()))
		for i, list := range lists {
			if err == nil && len(list) == 0 {
				e.log.Warn("the stream has no entity of a type: formulas with + over it are left out", "type", m.Schema.Types[types[i]])
			}
		}
		return lists, errors.Join(err, s.Close())
	}
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
