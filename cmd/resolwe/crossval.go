package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
	"resolwe/crossval"
)

type crossvalCmd struct {
	modelArg
	streamArg
	flags.Crossval
	nullArg
	checkpointArgs
	Test int `help:"Test subgraphs of a fold at most, drawn at random, the same for all systems; 0 for all." default:"0" placeholder:"N"`
	crossResultArgs
}

// crossResultArgs say how a cross-validation is printed.
type crossResultArgs struct {
	resultArgs
	CSV bool `help:"Print CSV: a line for each system, fold and measure (system,fold,measure,value), with the fold all for what is about all folds, as tests are." name:"csv" xor:"form"`
}

// Help says what the command does.
func (*crossvalCmd) Help() string {
	return `Trains on all folds but one and tests on that one, for each fold and system:

	gain           selection by gain, with the weights that it gives
	base           the base rates alone
	single         gain with one formula
	logistic       ridge regression on the logarithms of the counts of all
	               candidates with one target literal
	paper          selection on the first k2 by the paper's criterion, or
	               another --criterion, and weights learned on the rest
	skipSelection  weights of all candidates, learned on the same rest

The last two take most of the time; they run only with --systems all or by name. Paired tests compare the first system with each of
the others. The options are those of select (--formulas to --rows apply to gain, single and logistic), learn (--method) and infer (whose
--method is --infer-method here). Times are those of the paper's steps 2 (select) and 3 (learn). With --discover each fold finds
candidates on its own training part, as discover does.

With --checkpoint a fold that is finished is not repeated: the same command with --resume goes on with a run that has ended, for
whatever reason, and gives the same bytes as one that never did; --systems may differ. What is finished when a run ends early
is printed as a partial result.

Examples:

	resolwe crossval task.mln --stream data.rsg --folds 4
	resolwe crossval task.mln --stream data.rsg --checkpoint run --resume
	resolwe crossval task.mln --stream data.rsg --csv --timings > result.csv`
}

// Run cross-validates.
func (c *crossvalCmd) Run(ctx context.Context, e *environment) error {
	m, opt, s, err := task(ctx, e, &c.modelArg, &c.streamArg, true, c.Options)
	if err != nil {
		return err
	}
	opt.Test = c.Test
	if opt.Null, err = c.nullArg.open(e, m); err != nil {
		return err
	}
	if opt.Checkpoints, err = c.options(e); err != nil {
		return c.Named(err)
	}
	if err := e.tellOrder(ctx, s, c.Split != nil || c.K2 != nil); err != nil {
		return err
	}
	return c.Named(e.crossValidate(ctx, m, s, opt, &c.crossResultArgs))
}

// crossValidate runs a cross-validation and prints its results, those of the finished folds where it ends early.
func (e *environment) crossValidate(
	ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt crossval.Options, args *crossResultArgs,
) error {
	cv, err := e.crossRun(ctx, m, s, opt)
	if cv == nil {
		return err
	}
	return errors.Join(err, e.crossResult(cv, opt.Infer.Error, args))
}

// crossRun runs a cross-validation with its progress and warnings; what it returns is as [crossval.Run] returns it.
func (e *environment) crossRun(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt crossval.Options) (*crossval.Result, error) {
	opt.Run = e.run("crossval", -1)
	if opt.Discover != nil {
		opt.Discover.Memory = int64(e.common.Memory) // #nosec G115 -- checked by UnmarshalText
	}
	opt.Begin = func(total int) { e.run("crossval", total) } // which the folds decide
	opt.Now = time.Now
	opt.Stage = func(stage string) { e.log.Debug(stage) }
	opt.Warn = func(text string) { e.log.Warn(text) }
	opt.Done = e.newPace(time.Now)
	return crossval.Run(ctx, m, s, opt)
}

// pace times the systems of the first fold that is done as a whole.
type pace struct {
	now   func() time.Time
	last  time.Time
	fold  int
	names []string
	took  []time.Duration
	said  bool
}

// newPace returns what to call as a system of a fold is done: after the first fold it says on standard error how long the others
// will take, where that is long, and what the first system alone takes.
func (e *environment) newPace(now func() time.Time) func(crossval.Trial) {
	p := &pace{now: now, last: now()}
	return func(t crossval.Trial) {
		if text := p.done(t); text != "" {
			e.log.Info(text)
		}
	}
}

// longJob is what is worth a forecast.
const longJob = time.Minute

// done notes a system of a fold, and returns the forecast once a fold is whole.
func (p *pace) done(t crossval.Trial) string {
	if t.Fold != p.fold {
		p.fold, p.names, p.took = t.Fold, nil, nil
	}
	now := p.now()
	p.names, p.took, p.last = append(p.names, t.System), append(p.took, now.Sub(p.last)), now
	if len(p.names) < t.Systems || p.said {
		return ""
	}
	p.said = true
	var all time.Duration
	for _, d := range p.took {
		all += d
	}
	rest := time.Duration(t.Folds - t.Fold)
	if all*rest < longJob {
		return ""
	}
	text := fmt.Sprintf("fold %d of %d took %v: about %v more", t.Fold, t.Folds, rounded(all), rounded(all*rest))
	if first := p.took[0]; len(p.took) > 1 && 4*first < 3*all {
		text += fmt.Sprintf("; --systems %s alone takes about %v for all folds", p.names[0], rounded(first*time.Duration(t.Folds)))
	}
	return text
}

// rounded returns a time as a forecast says it: in seconds below two minutes, else in minutes.
func rounded(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}

// crossResult prints the results, and what is to be said of them.
func (e *environment) crossResult(cv *crossval.Result, target float64, args *crossResultArgs) error {
	d := report.Crossval(cv, args.Timings)
	write := d.Text
	switch {
	case args.JSON:
		write = d.JSON
	case args.CSV:
		write = d.CSV
	}
	err := e.results(write)
	report.DoubtCrossval(e.log, cv, target, !args.JSON)
	return err
}
