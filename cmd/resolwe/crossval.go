package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
	"resolwe/crossval"
)

type crossvalCmd struct {
	modelArg
	streamArg
	crossArgs
	checkpointArgs
	Test int `help:"Test subgraphs of a fold at most, drawn at random, the same for all systems; 0 for all." default:"0" placeholder:"N"`
	crossResultArgs
}

// crossArgs are the parameters of cross-validation.
type crossArgs struct {
	Systems []string `help:"Systems to compare, the first with each other: ${systems}; by default all of them." placeholder:"NAME"`
	flags.Select
	flags.Within
	flags.Learn
	InferMethod string `help:"As --method of infer: ${enum}." enum:"auto,mcsat,gibbs,exact" default:"auto"`
	flags.Chain
	Folds   int      `help:"Folds, at least 2, where the stream names none." default:"4"`
	Split   *float64 `help:"No folds: train on the first subgraphs of the stream, as .8 of their number, and test on the rest." placeholder:"X"`
	LearnOn string   `help:"Training subgraphs that paper and skipSelection learn on: those that selection left (rest), or all; auto takes the rest where it has k2 or more." enum:"auto,rest,all" default:"auto"`
}

// crossVars are the systems that help texts name.
func crossVars() kong.Vars {
	systems := crossval.Systems()
	names := make([]string, len(systems))
	for i, s := range systems {
		names[i] = s.Name
	}
	return kong.Vars{"systems": strings.Join(names, ", ")}
}

// crossResultArgs say how a cross-validation is printed.
type crossResultArgs struct {
	resultArgs
	CSV bool `help:"Print CSV: a line for each measure of a system, a fold or a test." name:"csv" xor:"form"`
}

// Help says what the command does.
func (*crossvalCmd) Help() string {
	return `Trains on all folds but one and tests on that one, for each fold and system. The systems are

	gain           selection by gain, with the weights that it gives
	paper          selection on the first k2 by the paper's criterion, or
	               another --criterion, and weights learned on the rest
	skipSelection  weights of all candidates, learned on the same rest
	base           the base rates alone
	single         gain with one formula
	logistic       ridge regression on the logarithms of the counts of all
	               candidates with one target literal

The first is compared with each other by paired tests. Options are those of select (--formulas to --rows are of gain, single
and logistic), of learn (--method is its) and of infer (whose --method is --infer-method here). The times are those of the
paper's steps 2 (select) and 3 (learn).

With --discover each fold finds candidates of its own, on its training part only, as the command discover does.

With --checkpoint a system's fold that is finished is not done again: a run that was ended, by whatever cause, goes on with
the same command and --resume, and gives the same bytes as one that was never ended. --systems may be others then. What is
finished when a run ends early is printed, as a partial result.

Examples:

	resolwe crossval task.mln --stream data.rsg --folds 4
	resolwe crossval task.mln --stream data.rsg --split .8
	resolwe crossval task.mln --stream data.rsg --systems paper,base
	resolwe crossval task.mln --stream data.rsg --checkpoint run --resume
	resolwe crossval declarations.mln --stream data.rsg --discover
	resolwe crossval task.mln --stream data.rsg --csv --timings > result.csv`
}

// Run cross-validates.
func (c *crossvalCmd) Run(ctx context.Context, e *environment) error {
	m, opt, s, err := task(ctx, e, &c.modelArg, &c.streamArg, true, c.crossOptions)
	if err != nil {
		return err
	}
	defer c.close(e, s)
	if err := e.tellOrder(ctx, s, c.Split != nil || c.K2 != nil); err != nil {
		return err
	}
	opt.Test = c.Test
	if opt.Checkpoints, err = c.options(e); err != nil {
		return c.named(err)
	}
	return c.named(e.crossValidate(ctx, m, s, opt, &c.crossResultArgs))
}

func (c *crossArgs) crossOptions(seed uint64) (opt crossval.Options, err error) {
	opt.Folds, opt.Seed = flags.Stated(c.Folds), seed
	if c.Split != nil {
		opt.Split = flags.Stated(*c.Split)
	}
	opt.LearnOn = map[string]crossval.LearnOn{"auto": crossval.LearnAuto, "rest": crossval.LearnRest, "all": crossval.LearnAll}[c.LearnOn]
	if c.Systems != nil {
		if opt.Systems, err = crossval.Named(c.Systems...); err != nil {
			return opt, err
		}
	}
	if opt.Select, err = c.Select.Options(seed); err != nil {
		return opt, err
	}
	opt.Discover = c.Within.Within(c.Support)
	if opt.Learn, err = c.Learn.Options(seed); err != nil {
		return opt, err
	}
	opt.Infer, err = c.Chain.Options(c.InferMethod, seed)
	return opt, err
}

// crossValidate runs a cross-validation and prints its results, those of the finished folds where it ends early.
func (e *environment) crossValidate(
	ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt crossval.Options, args *crossResultArgs,
) error {
	opt.Run = e.run("crossval", -1)
	opt.Begin = func(total int) { e.run("crossval", total) } // which the folds decide
	opt.Now = time.Now
	opt.Stage = func(stage string) { e.log.Debug(stage) }
	cv, err := crossval.Run(ctx, m, s, opt)
	if cv == nil {
		return err
	}
	return errors.Join(err, e.crossResult(cv, opt.Infer.Error, args))
}

// crossResult prints the results, and what is to be said of them.
func (e *environment) crossResult(cv *crossval.Result, target float64, args *crossResultArgs) error {
	err := e.results(func(w io.Writer) error {
		switch {
		case args.JSON:
			return report.JSON(w, newCrossJSON(cv, args.Timings))
		case args.CSV:
			return crossCSV(w, cv, args.Timings)
		}
		return crossText(w, cv)
	})
	if cv.Finished < cv.Folds {
		e.log.Warn("the result is partial", "finished", cv.Finished, "folds", cv.Folds)
	}
	for i := range cv.Systems {
		sys := &cv.Systems[i]
		if !args.JSON && sys.Quality.Sampled > 0 {
			e.log.Info(sys.Name + ": " + qualityText(&sys.Quality))
		}
		e.doubt(&sys.Quality, target)
		e.shortOfOptimum(sys)
	}
	return err
}

// shortOfOptimum warns of a system whose learning ended short of the optimum: of the first fold, and how many there are.
func (e *environment) shortOfOptimum(sys *crossval.Outcome) {
	first, folds := "", 0
	for fold, r := range sys.Reached {
		text := r.ShortOfOptimum()
		if text == "" {
			continue
		}
		if folds++; folds == 1 {
			first = fmt.Sprintf("%s, fold %d: %s", sys.Name, fold+1, text)
		}
	}
	if folds > 0 {
		e.log.Warn(first, "folds", folds)
	}
}
