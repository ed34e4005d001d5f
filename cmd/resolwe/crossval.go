package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"resolwe"
	"resolwe/bench"
	"resolwe/format/subgraph"
)

type crossvalCmd struct {
	modelArg
	streamArg
	selectArgs
	learnArgs
	inferArgs
	Folds   int    `help:"Folds, where the stream names none." default:"4"`
	Infer   string `help:"Method of inference: ${enum}." enum:"auto,mcsat,gibbs,exact" default:"auto" name:"infer-method"`
	LearnOn string `help:"Training subgraphs that weights are learned on: those that selection left, or all; by default the rest where it has k2 or more: ${enum}." enum:"auto,rest,all" default:"auto"`
	Timings bool   `help:"Put seconds into the JSON."`
	JSON    bool   `help:"Print JSON." name:"json"`
}

// Help shows an example.
func (*crossvalCmd) Help() string {
	return "Example:\n  resolwe crossval task.mln --stream data.rsg --folds 4 --k2 30"
}

// Run cross-validates.
func (c *crossvalCmd) Run(ctx context.Context, e *environment) error {
	m, err := c.read(e)
	if err != nil {
		return err
	}
	opt, err := c.options(e)
	if err != nil {
		return err
	}
	s, err := c.open(e, m, true)
	if err != nil {
		return err
	}
	defer e.close(s)
	return e.crossValidate(ctx, m, s, opt, c.JSON, c.Timings)
}

func (c *crossvalCmd) options(e *environment) (opt resolwe.CrossOptions, err error) {
	opt = resolwe.DefaultCrossOptions()
	opt.Folds, opt.Seed = c.Folds, e.common.Seed
	opt.LearnOn = map[string]resolwe.LearnOn{"auto": resolwe.LearnAuto, "rest": resolwe.LearnRest, "all": resolwe.LearnAll}[c.LearnOn]
	if opt.Select, err = c.selectArgs.options(); err != nil {
		return opt, err
	}
	if opt.Learn, err = c.learnArgs.options(e.common.Seed); err != nil {
		return opt, err
	}
	opt.Infer, err = c.inferArgs.options(c.Infer, e.common.Seed)
	return opt, err
}

// crossValidate runs a cross-validation and prints its tables.
func (e *environment) crossValidate(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt resolwe.CrossOptions, json, timings bool) error {
	opt.Run = e.run("crossval", -1)
	opt.Now = time.Now
	opt.Stage = func(stage string) { e.log.Debug(stage) }
	cv, err := resolwe.CrossValidate(ctx, m, s, opt)
	if err != nil {
		return err
	}
	if json {
		return e.json(newCrossJSON(cv, timings))
	}
	return e.results(func(w io.Writer) error { return crossText(w, cv) })
}

// crossJSON is what crossval prints with --json.
type crossJSON struct {
	Folds     int          `json:"folds"`
	K2        int          `json:"k2"`
	Theta     float64      `json:"theta"`
	LearnedOn string       `json:"learned_on"`
	Systems   []systemJSON `json:"systems"`
	Tests     []testJSON   `json:"tests"`
}

type systemJSON struct {
	Name     string  `json:"name"`
	MAP      number  `json:"map"`
	AUCROC   number  `json:"auc_roc"`
	AUCPR    number  `json:"auc_pr"`
	CLL      number  `json:"cll"`
	MAPRanks number  `json:"map_all_ranks"`
	TNRanks  number  `json:"tn_all_ranks"`
	Formulas []int   `json:"formulas"`
	Seconds  []times `json:"seconds,omitempty"`
}

type times struct {
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

func newCrossJSON(cv *resolwe.CrossValidation, timings bool) crossJSON {
	out := crossJSON{Folds: cv.Folds, K2: cv.Subgraphs, Theta: cv.Threshold, LearnedOn: learnedOn(cv)}
	for _, s := range cv.Systems {
		j := systemJSON{
			Name: s.Name, MAP: number(s.MAP), AUCROC: number(s.AUCROC), AUCPR: number(s.AUCPR), CLL: number(s.CLL),
			MAPRanks: number(s.PrecisionAllRanks), TNRanks: number(s.TrueNegativeAllRanks), Formulas: s.Formulas,
		}
		if timings {
			for _, t := range s.Seconds {
				j.Seconds = append(j.Seconds, times{number(t.Select), number(t.Learn)})
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

func learnedOn(cv *resolwe.CrossValidation) string {
	if cv.LearnedOn == resolwe.LearnAll {
		return "all"
	}
	return "rest"
}

// crossText prints the tables: how good, whether the difference counts, and the paper's training times.
func crossText(out io.Writer, cv *resolwe.CrossValidation) error {
	fmt.Fprintf(out, "%d folds; selection on the first %d training subgraphs, theta = %v; weights learned on the %s\n\n",
		cv.Folds, cv.Subgraphs, cv.Threshold, map[string]string{"rest": "rest", "all": "whole training set"}[learnedOn(cv)])
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tMAP\tAUC-ROC\tAUC-PR\tCLL\tformulas\t")
	for _, s := range cv.Systems {
		fmt.Fprintf(w, "%s\t%v\t%v\t%v\t%v\t%v\t\n", s.Name, number(s.MAP), number(s.AUCROC), number(s.AUCPR), number(s.CLL), s.Formulas)
	}
	fmt.Fprintln(w, "\t\t\t\t\t\t")
	fmt.Fprintln(w, "difference\tmean\t95% from\tto\tt\tdf\tp\t")
	for _, t := range cv.Tests {
		fmt.Fprintf(w, "%s\t%v\t%v\t%v\t%.2f\t%d\t%.2g\t\n", t.Measure, number(t.MeanDifference), number(t.CI95[0]), number(t.CI95[1]), t.T, t.DF, t.P)
	}
	fmt.Fprintln(w, "\t\t\t\t\t\t\t")
	fmt.Fprintln(w, "seconds a fold\tstep 2\tstep 3\ttotal\t")
	for _, s := range cv.Systems {
		var sel, learn float64
		for _, t := range s.Seconds {
			sel += t.Select / float64(len(s.Seconds))
			learn += t.Learn / float64(len(s.Seconds))
		}
		step2 := fmt.Sprintf("%.3f", sel)
		if s.Name != cv.Systems[0].Name {
			step2 = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%.3f\t%.3f\t\n", s.Name, step2, learn, sel+learn)
	}
	return w.Flush()
}

type demoCmd struct {
	Subgraphs int  `help:"Subgraphs to generate." default:"80"`
	JSON      bool `help:"Print JSON." name:"json"`
	Timings   bool `help:"Put seconds into the JSON."`
}

// Help says what the demo does.
func (*demoCmd) Help() string {
	return "Generates a small stream in which a few formulas are planted among noise, selects formulas on its first 30 " +
		"subgraphs, then cross-validates selection, learning and prediction against the baseline that skips selection."
}

// Run runs the whole job on the embedded task.
func (c *demoCmd) Run(ctx context.Context, e *environment) error {
	demo := bench.NewDemo()
	m, err := resolwe.ParseModel("demo.mln", []byte(demo.Model), resolwe.ModelOptions{})
	if err != nil {
		return err
	}
	var subs []*subgraph.Subgraph
	for s, err := range demo.Generate(m.Schema, bench.DemoOptions{Subgraphs: c.Subgraphs, Seed: e.common.Seed}) {
		if err != nil {
			return usageError(err.Error())
		}
		subs = append(subs, s)
	}
	stream := resolwe.NewStream(m, subs)
	opt := resolwe.DefaultCrossOptions()
	opt.Seed, opt.Learn.Seed, opt.Infer.Seed = e.common.Seed, e.common.Seed, e.common.Seed
	if c.JSON {
		return e.crossValidate(ctx, m, stream, opt, true, c.Timings)
	}
	opt.Select.Run = e.run("select", min(len(subs), opt.Select.Subgraphs))
	sel, err := resolwe.Select(ctx, m, stream, opt.Select)
	if err != nil {
		return err
	}
	err = e.results(func(w io.Writer) error {
		fmt.Fprintf(w, "%d subgraphs, %d candidate formulas. Planted among them, with their weights:\n", len(subs), len(sel.Candidates))
		for i, f := range demo.Planted {
			fmt.Fprintf(w, "  %v  %s\n", demo.Strengths[i], f)
		}
		fmt.Fprintf(w, "\nSelected on the first %d subgraphs:\n", sel.Subgraphs)
		for i, f := range texts(sel.Selected) {
			fmt.Fprintf(w, "  %s\n      %s\n", f, sel.Notes[i])
		}
		_, err := fmt.Fprint(w, "\nCross-validation, RESOLWE against skipSelection:\n\n")
		return err
	})
	if err != nil {
		return err
	}
	return e.crossValidate(ctx, m, stream, opt, false, false)
}
