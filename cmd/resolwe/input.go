package main

import (
	"context"
	"errors"
	"strings"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
	"resolwe/format/source"
)

// modelArg is a model on the command line.
type modelArg struct {
	Model      string `arg:"" help:"Task file (.mln)."`
	modelFlags `group:"input"`
}

// modelFlags say how a model is read.
type modelFlags struct {
	Target []string `help:"Target predicates, for a model that marks none." short:"q" placeholder:"P"`
	CNF    bool     `help:"Split formulas into clauses that share the weight, as Alchemy does." name:"cnf"`
}

// constants returns the constants for a + if no type line gives them, as resolwe.ModelOptions.Constants does.
type constants = func(m *resolwe.Model, types []int) ([][]string, error)

// noConstants is for commands that need only a model's predicates; it leaves out formulas with such a +.
func noConstants(_ *resolwe.Model, types []int) ([][]string, error) {
	return make([][]string, len(types)), nil
}

// read reads the model and prints its warnings.
func (a *modelArg) read(e *environment, data constants) (*resolwe.Model, error) {
	m, err := resolwe.ReadModel(a.Model, resolwe.ModelOptions{Targets: a.Target, CNF: a.CNF, Constants: data})
	if err != nil {
		return nil, err
	}
	report.Warn(e.log, m.Warnings)
	return m, e.Reads(m.Files()...)
}

// streamArg is a stream on the command line.
type streamArg struct {
	Stream      []string `help:"Subgraphs: .rsg or .db files (also .gz, .zst, .bz2), quoted globs, a folder, or - for standard input. Several follow one another: separate them by commas or repeat the flag." required:"" placeholder:"S"`
	streamFlags `group:"input"`
}

// streamFlags say how a stream is read.
type streamFlags struct {
	SkipDamaged   bool `help:"Skip damaged subgraphs, and say how many."`
	IgnoreUnknown bool `help:"Skip facts of predicates that the model does not declare."`
}

// nullArg is a null stream on the command line.
type nullArg struct {
	Null []string `help:"Null stream written by build --null: the first system is also trained and tested on it, in an extra row." placeholder:"N.rsg"`
}

// open opens the null stream until the command ends. It returns nil if there is none.
func (a *nullArg) open(e *environment, m *resolwe.Model) (*resolwe.Stream, error) {
	if len(a.Null) == 0 {
		return nil, nil //nolint:nilnil // there is none
	}
	s, err := resolwe.OpenStream(m, a.Null, resolwe.StreamOptions{Names: true})
	if err != nil {
		return nil, err
	}
	e.closeAtEnd(s)
	return s, e.Reads(append(s.Files(), s.Manifests()...)...)
}

// input is a stream on the command line, or a part of one.
type input interface {
	// open opens the stream. names asks for the names of entities.
	open(ctx context.Context, e *environment, m *resolwe.Model, names bool) (*resolwe.Stream, error)
}

func (a *streamArg) open(_ context.Context, e *environment, m *resolwe.Model, names bool) (*resolwe.Stream, error) {
	s, err := resolwe.OpenStream(m, a.Stream, resolwe.StreamOptions{
		Names: names, SkipDamaged: a.SkipDamaged, IgnoreUnknown: a.IgnoreUnknown, Stdin: e.stdin,
	})
	if err != nil {
		return nil, err
	}
	if err := e.Reads(append(s.Files(), s.Manifests()...)...); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// partArg is a part of a stream on the command line.
type partArg struct {
	streamArg
	Fold  *int         `help:"Divide the stream into the subgraphs of this fold (test) and all others (train)." placeholder:"N" xor:"part"`
	Split *flags.Split `help:"Divide the stream into its first subgraphs (train), a share such as .8 or those before a date such as 2010-01-31, and the others (test)." placeholder:"X" xor:"part"`
	Only  string       `help:"Part to take: train or test; by default train for commands that learn, and test for others." enum:",train,test" default:"" placeholder:"PART"`
}

// subset opens the part named by --only, or else the command's usual one.
func (a *partArg) subset(ctx context.Context, e *environment, m *resolwe.Model, names bool, usual resolwe.Part) (*resolwe.Stream, error) {
	whole := a.Fold == nil && a.Split == nil
	if whole && a.Only != "" {
		return nil, usageError("--only needs --fold or --split")
	}
	s, err := a.open(ctx, e, m, names)
	if err != nil || whole {
		return s, err
	}
	part := map[string]resolwe.Part{"": usual, "train": resolwe.Train, "test": resolwe.Test}[a.Only]
	subset := resolwe.Subset{Part: part, Fold: a.Fold}
	if a.Split != nil {
		subset.Split, subset.From = a.Split.Share, a.Split.From
	}
	some, err := s.Subset(ctx, subset)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return some, nil
}

// trainArg is the part that a command learns from, testArg the part that it is applied to.
type (
	trainArg struct{ partArg }
	testArg  struct{ partArg }
)

func (a *trainArg) open(ctx context.Context, e *environment, m *resolwe.Model, names bool) (*resolwe.Stream, error) {
	return a.subset(ctx, e, m, names, resolwe.Train)
}

func (a *testArg) open(ctx context.Context, e *environment, m *resolwe.Model, names bool) (*resolwe.Stream, error) {
	return a.subset(ctx, e, m, names, resolwe.Test)
}

// task reads the model and the options, and opens the stream until the command ends. names asks for the names of entities.
func task[O any](
	ctx context.Context, e *environment, model *modelArg, stream input, names bool, options func(seed uint64) (O, error),
) (m *resolwe.Model, opt O, s *resolwe.Stream, err error) {
	if m, err = model.read(e, constantsOf(ctx, e, stream)); err != nil {
		return nil, opt, nil, err
	}
	if opt, err = options(e.common.Seed); err != nil {
		return nil, opt, nil, err
	}
	if s, err = stream.open(ctx, e, m, names); err != nil {
		return m, opt, s, err
	}
	e.closeAtEnd(s)
	if _, ok := stream.(*testArg); ok && s.Len() == 0 { // other commands say so themselves
		e.log.Warn("the stream has no subgraph")
	}
	return m, opt, s, nil
}

// noOptions are the options of a command that has none.
func noOptions(uint64) (struct{}, error) { return struct{}{}, nil }

// constantsOf returns a function that reads the constants of a stream, which it opens separately.
func constantsOf(ctx context.Context, e *environment, stream input) constants {
	return func(m *resolwe.Model, types []int) ([][]string, error) {
		s, err := stream.open(ctx, e, m, true)
		if err != nil {
			return nil, err
		}
		lists, err := s.Constants(ctx, types, e.run("constants", s.Len()))
		for i, list := range lists {
			if err == nil && len(list) == 0 {
				e.log.Warn("the stream has no entity of a type: formulas with + on it are left out", "type", m.Schema.Types[types[i]])
			}
		}
		return lists, errors.Join(err, s.Close())
	}
}

// tellOrder says that the first subgraphs of a stream are its earliest, if only some are taken and their times show it.
func (e *environment) tellOrder(ctx context.Context, s *resolwe.Stream, some bool) error {
	if !some || s.ReadOnce() {
		return nil
	}
	entries, err := s.Entries(ctx)
	if err == nil && len(entries) > 0 && resolwe.InTime(entries, "") == nil {
		e.log.Info("the stream is ordered by time: the first subgraphs are the earliest")
	}
	return err
}

// closeAtEnd closes a stream when the command ends, and says what was skipped, and which data are impossible.
func (e *environment) closeAtEnd(s *resolwe.Stream) {
	e.atEnd(func() {
		if n := s.Skipped(); n > 0 {
			for _, d := range s.Damaged() {
				e.log.Warn("skipped: " + d.Error())
			}
			e.log.Warn("damaged subgraphs were skipped", "number", n)
		}
		report.DoubtData(e.log, s.Violations)
		if left := s.Ignored(); len(left) > 0 {
			e.log.Info("facts of predicates that the model does not declare were skipped", "predicates", strings.Join(left, ","))
		}
		if err := s.Close(); err != nil {
			e.log.Warn(err.Error())
		}
	})
}

// pathError says why the path cannot be used.
func pathError(path string, err error) error { return source.NewPathError(path, err) }
