package main

import (
	"context"
	"errors"
	"io"
	"time"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
	"resolwe/crossval"
	"resolwe/format/tablewrite"
	"resolwe/watch"
)

// crossArgs are the parameters of a cross-validation, and what it is of.
type crossArgs struct {
	modelArg
	streamArg
	flags.Crossval
	budgetArg
	nullArg
	checkpointArgs
	predictionsArg
}

// predictionsArg is a table of what the systems predict.
type predictionsArg struct {
	Predictions string `help:"Table to write, .csv or .parquet: a row for each tested query atom of known truth, with its subgraph, arguments, time, fold (from 1) and truth, and the probability that each system gives it." placeholder:"FILE"`
}

// predictionsWriter writes what the systems predict on a stream.
type predictionsWriter func(context.Context, *resolwe.Model, *resolwe.Stream, *crossval.Result, resolwe.InferOptions) error

// open opens the table, and returns how to write it.
func (a *predictionsArg) open(e *environment) (predictionsWriter, error) {
	format, err := tableFormat("--predictions", a.Predictions, tablewrite.CSV, tablewrite.Parquet)
	if err != nil {
		return nil, err
	}
	file, err := e.create(a.Predictions)
	return func(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, cv *crossval.Result, opt resolwe.InferOptions) error {
		return file.write(func(w io.Writer) error {
			opt.Run = e.run("predictions", len(cv.Tested))
			return report.PredictionTable(w, format, m, cv, func(emit func(*resolwe.Marginals, crossval.Tested, [][]float64) error) error {
				return cv.Predictions(ctx, m, s, opt, emit)
			})
		})
	}, err
}

// begin reads the model and the options, of which test is given by each command, and opens the streams until the command ends.
func (c *crossArgs) begin(ctx context.Context, e *environment, test int) (m *resolwe.Model, opt crossval.Options, s *resolwe.Stream, err error) {
	budget, err := c.budget()
	if err != nil {
		return nil, opt, nil, err
	}
	if m, opt, s, err = task(ctx, e, &c.modelArg, &c.streamArg, true, c.Options); err != nil {
		return nil, opt, nil, err
	}
	opt.Test, opt.Budget = test, budget
	if opt.Discover != nil {
		opt.Discover.Memory = int64(e.common.Memory) // #nosec G115 -- checked by UnmarshalText
	}
	if opt.Null, err = c.nullArg.open(e, m); err != nil {
		return nil, opt, nil, err
	}
	if opt.Checkpoints, err = c.options(e); err != nil {
		return nil, opt, nil, c.Named(err)
	}
	return m, opt, s, e.tellOrder(ctx, s, c.Split != nil || opt.Select.Subgraphs != 0)
}

type crossvalCmd struct {
	crossArgs
	Prequential bool                     `help:"No folds: predict the stream block by block, each before learning from it, and compare the systems of watch." xor:"division"`
	Watch       flags.Stage[flags.Watch] `help:"With --prequential, options as resolwe watch takes them, such as '--block 20'." default:"" placeholder:"'..'"`
	Test        int                      `help:"Maximum number of subgraphs to test in each fold, drawn at random, the same for all systems; 0 for all, as in a task with one query atom a subgraph." default:"0" placeholder:"N"`
	crossResultArgs
}

// crossResultArgs say how a cross-validation is printed.
type crossResultArgs struct {
	resultArgs
	CSV bool `help:"Print CSV: a line for each system, fold and measure (system,fold,measure,value); the fold all has the figures for all folds, such as tests." name:"csv" xor:"form"`
}

func (*crossvalCmd) Help() string {
	return `For each fold and system, trains on all other folds and tests on that one:

	gain           selection by gain, with its weights
	base           the base rates alone
	single         gain with one formula
	logistic       ridge regression on all candidates with one target literal:
	               the logarithms of counts, the ranks of values
	paper          selection on the first k2 by the paper's criterion, or
	               another --criterion; weights learned on the rest
	skipSelection  weights for all candidates, learned on the same rest

Folds go forward in time where all subgraphs have times (--forward 0 for random ones). Measures that pool the atoms of a fold have
95% intervals; where subgraphs have one query atom each, they alone are printed.

The last two take most of the time; they run only with --systems all or by name. Paired tests compare the first system with each of
the others, and allow for the training data that folds share. --select, --learn and --infer take the options of these commands. Times
are those of the paper's steps 2 (select) and 3 (learn). With --discover, each fold finds candidates in its own training part, as discover does.

With --prequential there are no folds: as watch does, it predicts a block of the stream, then learns from it, and compares watch's systems:
the mixture of experts (watch) with the published model, the first one (frozen), learning from everything (all), the base rate (base),
and the rate by an atom's last known label (last). If the model has candidates, the first one is selected on the first 500 subgraphs.

With --checkpoint, finished folds are not repeated: the same command with --resume continues a run that ended for any reason, and
gives the same bytes as an uninterrupted run; --systems and --budget may differ. If a run ends early, the finished folds are printed as a
partial result.

When --budget expires, folds that are finished for all systems are reported, or if there are none, the systems finished on the first
fold; a warning names the rest. Discovery may take half of a fold's share of the time; candidates that it did not find in time are
sought again by --resume.

Examples:

	resolwe crossval task.mln --stream data.rsg --folds 4
	resolwe crossval task.mln --stream data.rsg --discover --select '--length 2'
	resolwe crossval task.mln --stream data.rsg --checkpoint run --resume
	resolwe crossval task.mln --stream data.rsg --predictions p.csv
	resolwe crossval task.mln --stream data.rsg --csv --timings > result.csv`
}

func (c *crossvalCmd) Run(ctx context.Context, e *environment) error {
	if c.Prequential && (len(c.Systems)+c.Test+len(c.Null) > 0 || c.Checkpoint+c.Predictions != "" || c.Learn.Given() || c.Infer.Given() ||
		c.Discover || c.Select.Flags.Discover || c.Select.Flags.Criterion != "gain") {
		return usageError("--prequential compares the systems of watch: --systems, --test, --null, --checkpoint, --predictions, --learn, --infer, --discover and criteria other than gain do not go with it")
	}
	if !c.Prequential && c.Watch.Given() {
		return usageError("--watch needs --prequential")
	}
	m, opt, s, err := c.begin(ctx, e, c.Test)
	if err != nil {
		return err
	}
	if c.Prequential {
		return c.prequential(ctx, e, m, s, &opt)
	}
	predictions, err := c.predictionsArg.open(e)
	if err != nil {
		return err
	}
	return c.Named(e.crossValidate(ctx, m, s, opt, &c.crossResultArgs, predictions))
}

// prequential compares the systems of watch.
func (c *crossvalCmd) prequential(ctx context.Context, e *environment, m *resolwe.Model, s *resolwe.Stream, opt *crossval.Options) error {
	watched, err := c.Watch.Flags.Options(e.common.Seed)
	if err != nil {
		return err
	}
	entries, err := s.Entries(ctx)
	if err != nil {
		return err
	}
	p := crossval.NewPrequential(entries, watch.Systems[:]...)
	p.Seed = e.common.Seed
	limited, cancel := opt.Budget.Context(ctx)
	defer cancel()
	watched.Select = opt.Select
	watched.Run, watched.Scored = e.run("crossval", s.Len()), p.Add
	_, err = watch.Watch(limited, m, s, watched)
	cv := p.Result()
	if resolwe.Expired(ctx, err) && len(cv.Tested) > 0 {
		cv.Left, err = []string{"what follows the subgraph " + cv.Tested[len(cv.Tested)-1].Name}, nil
	}
	if err != nil {
		return err
	}
	e.endProgress()
	return e.crossResult(cv, 0, &c.crossResultArgs)
}

// crossValidate runs a cross-validation and prints its results; if it ends early, those of the finished folds. If there is no error,
// predictions, unless nil, is called first.
func (e *environment) crossValidate(
	ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt crossval.Options, args *crossResultArgs, predictions predictionsWriter,
) error {
	cv, err := e.crossRun(ctx, m, s, opt)
	if cv == nil {
		return err
	}
	if err == nil && predictions != nil {
		err = predictions(ctx, m, s, cv, opt.Infer)
	}
	return errors.Join(err, e.crossResult(cv, opt.Infer.Error, args))
}

// crossRun runs a cross-validation with progress and warnings. It returns what [crossval.Run] returns.
func (e *environment) crossRun(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt crossval.Options) (*crossval.Result, error) {
	opt.Run = e.run("crossval", -1)
	opt.Begin = func(total int) { e.run("crossval", total) } // which the folds decide
	opt.Now = time.Now
	opt.Stage = func(stage string) { e.log.Debug(stage) }
	opt.Warn = func(text string) { e.log.Warn(text) }
	return crossval.Run(ctx, m, s, opt)
}

// crossResult prints the results, and the doubts about them.
func (e *environment) crossResult(cv *crossval.Result, target float64, args *crossResultArgs) error {
	d := report.Crossval(cv, args.Timings)
	write := d.Text
	switch {
	case args.JSON:
		write = d.JSON
	case args.CSV:
		write = d.CSV
	}
	if cv.Finished > 0 && cv.Systems[0].Subgraphs == 0 {
		e.log.Warn(noTruth + ": there is nothing to compare with")
	}
	err := e.results(write)
	report.DoubtCrossval(e.log, cv, target, !args.JSON)
	return err
}
