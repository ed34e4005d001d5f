package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
	"resolwe/crossval"
)

type crossvalCmd struct {
	modelArg
	streamArg
	flags.Select
	flags.Learn
	InferMethod string `help:"As --method of infer: ${enum}." enum:"auto,mcsat,gibbs,exact" default:"auto"`
	flags.Chain
	Folds   int    `help:"Folds, at least 2, where the stream names none." default:"4"`
	LearnOn string `help:"Training subgraphs that weights are learned on: those that selection left (rest), or all; auto takes the rest where it has k2 or more." enum:"auto,rest,all" default:"auto"`
	crossResultArgs
}

// crossResultArgs say how a cross-validation is printed.
type crossResultArgs struct {
	resultArgs
	CSV bool `help:"Print CSV: a line for each measure of a system, a fold or a test." name:"csv" xor:"form"`
}

// Help says what the command does.
func (*crossvalCmd) Help() string {
	return `Trains on all folds but one and tests on that one, for each fold: RESOLWE, which selects formulas and learns their
weights, and skipSelection, which learns the weights of all. It takes the options of select, learn (--method is its) and
infer (whose --method is --infer-method here). The times are those of the paper's steps 2 (select) and 3 (learn).

Examples:

	resolwe crossval task.mln --stream data.rsg --folds 4 --k2 30
	resolwe crossval task.mln --stream data.rsg --csv --timings > result.csv`
}

// Run cross-validates.
func (c *crossvalCmd) Run(ctx context.Context, e *environment) error {
	m, opt, s, err := task(ctx, e, &c.modelArg, &c.streamArg, true, c.options)
	if err != nil {
		return err
	}
	defer c.close(e, s)
	return e.crossValidate(ctx, m, s, opt, &c.crossResultArgs)
}

func (c *crossvalCmd) options(seed uint64) (opt crossval.Options, err error) {
	opt.Folds, opt.Seed = flags.Stated(c.Folds), seed
	opt.LearnOn = map[string]crossval.LearnOn{"auto": crossval.LearnAuto, "rest": crossval.LearnRest, "all": crossval.LearnAll}[c.LearnOn]
	if opt.Select, err = c.Select.Options(); err != nil {
		return opt, err
	}
	if opt.Learn, err = c.Learn.Options(seed); err != nil {
		return opt, err
	}
	opt.Infer, err = c.Chain.Options(c.InferMethod, seed)
	return opt, err
}

// crossValidate runs a cross-validation and prints its results.
func (e *environment) crossValidate(
	ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt crossval.Options, args *crossResultArgs,
) error {
	opt.Run = e.run("crossval", -1)
	opt.Begin = func(total int) { e.run("crossval", total) } // which the folds decide
	opt.Now = time.Now
	opt.Stage = func(stage string) { e.log.Debug(stage) }
	cv, err := crossval.Run(ctx, m, s, opt)
	if err != nil {
		return err
	}
	if args.JSON {
		err = e.json(newCrossJSON(cv, args.Timings))
	} else {
		err = e.results(func(w io.Writer) error {
			if args.CSV {
				return crossCSV(w, cv, args.Timings)
			}
			return crossText(w, cv)
		})
	}
	for i := range cv.Systems {
		sys := &cv.Systems[i]
		if !args.JSON && sys.Quality.Sampled > 0 {
			e.log.Info(sys.Name + ": " + qualityText(&sys.Quality))
		}
		e.doubt(&sys.Quality, opt.Infer.Error)
	}
	return err
}

// crossJSON is what crossval prints with --json.
type crossJSON struct {
	Folds     int          `json:"folds"`
	K2        int          `json:"k2"`
	Theta     float64      `json:"theta"`
	Criterion string       `json:"criterion"`
	LearnedOn string       `json:"learned_on"`
	Systems   []systemJSON `json:"systems"`
	Tests     []testJSON   `json:"tests"`
}

type systemJSON struct {
	Name string `json:"name"`
	report.Measures
	Formulas []int           `json:"formulas"` // by fold
	Sampling *report.Quality `json:"sampling,omitempty"`
	Seconds  []secondsJSON   `json:"seconds,omitempty"`
}

type secondsJSON struct {
	Select number `json:"select"`
	Learn  number `json:"learn"`
}

type testJSON struct {
	Measure    string    `json:"measure"`
	N          int       `json:"n"`
	Difference number    `json:"mean_difference"`
	CI95       [2]number `json:"ci95"`
	T          number    `json:"t"`
	DF         int       `json:"df"`
	P          number    `json:"p"`
}

func newCrossJSON(cv *crossval.Result, timings bool) crossJSON {
	out := crossJSON{
		Folds: cv.Folds, K2: cv.Subgraphs, Theta: cv.Threshold, Criterion: cv.Criterion.String(), LearnedOn: "rest",
	}
	if cv.LearnedOn == crossval.LearnAll {
		out.LearnedOn = "all"
	}
	for i := range cv.Systems {
		s := &cv.Systems[i]
		j := systemJSON{
			Name: s.Name, Measures: report.NewMeasures(&s.Evaluation), Formulas: s.Formulas, Sampling: report.NewQuality(&s.Quality),
		}
		for _, t := range s.Seconds {
			if timings {
				j.Seconds = append(j.Seconds, secondsJSON{number(t.Select), number(t.Learn)})
			}
		}
		out.Systems = append(out.Systems, j)
	}
	for _, t := range cv.Tests {
		out.Tests = append(out.Tests, testJSON{
			t.Measure, t.N, number(t.MeanDifference), [2]number{number(t.CI95[0]), number(t.CI95[1])}, number(t.T), t.DF, number(t.P),
		})
	}
	return out
}

// crossText prints how good the systems are, whether the differences count, and the times of the paper's steps.
func crossText(w io.Writer, cv *crossval.Result) error {
	on := "subgraphs that selection left"
	if cv.LearnedOn == crossval.LearnAll {
		on = "whole training set"
	}
	fmt.Fprintf(w, "%d folds; selection on the first %d training subgraphs, theta = %v; weights learned on the %s\n\n",
		cv.Folds, cv.Subgraphs, cv.Threshold, on)
	measures := newTable("lrrrrrrl", "", "MAP", "AUC-ROC", "AUC-PR", "CLL", "Brier", "calib.", "formulas")
	seconds := newTable("lrrr", "seconds a fold", "select", "learn", "total")
	for _, s := range cv.Systems {
		measures.Row(s.Name, number(s.MAP), number(s.AUCROC), number(s.AUCPR), number(s.CLL),
			number(s.Brier), number(s.CalibrationError), s.Formulas)
		var sel, learn float64
		for _, t := range s.Seconds {
			sel += t.Select / float64(len(s.Seconds))
			learn += t.Learn / float64(len(s.Seconds))
		}
		seconds.Row(s.Name, seconds3(sel), seconds3(learn), seconds3(sel+learn))
	}
	tests := newTable("lrrrrrr", "difference", "mean", "95% from", "to", "t", "df", "p")
	for _, t := range cv.Tests {
		tests.Row(t.Measure, number(t.MeanDifference), number(t.CI95[0]), number(t.CI95[1]),
			number(t.T).Text('f', 2), t.DF, number(t.P).Text('g', 2))
	}
	for i, t := range []*report.Table{measures, tests, seconds} {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := t.Write(w); err != nil {
			return err
		}
	}
	return nil
}

// seconds3 prints seconds to the millisecond.
func seconds3(s float64) string { return fmt.Sprintf("%.3f", s) }
