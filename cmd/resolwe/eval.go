package main

import (
	"context"
	"os"
	"time"

	"resolwe"
	"resolwe/cmd/internal/report"
	"resolwe/internal/stage/inferring"
)

// noTruth is a warning.
const noTruth = "no query atom has a known truth"

type evalCmd struct {
	modelArg
	testArg
	inferArgs
	Marginals string `help:"Instead of inferring, score marginals saved from infer --json." placeholder:"FILE"`
	resultArgs
}

func (*evalCmd) Help() string {
	return `Infers as infer does and compares the marginals of the query atoms with their truth in the data.

Examples:

	resolwe eval weighted.mln --stream test.rsg --error 0.01 --budget 10m
	resolwe eval weighted.mln --stream test.rsg --marginals marginals.json`
}

func (c *evalCmd) Run(ctx context.Context, e *environment) error {
	began := time.Now()
	m, opt, s, err := task(ctx, e, &c.modelArg, &c.testArg, true, c.Options)
	if err != nil {
		return err
	}
	var saved inferring.SavedMarginals
	if c.Marginals != "" {
		if saved, err = e.marginals(m, c.Marginals); err != nil {
			return err
		}
	}
	if err := e.tellOrder(ctx, s, c.Split != nil); err != nil {
		return err
	}
	opt.Run = e.run("eval", s.Len())
	var ev *resolwe.Evaluation
	if saved != nil {
		ev, err = inferring.EvaluateSaved(ctx, m, s, saved, c.Marginals, opt)
	} else {
		if err := report.DoubtWeights(e.log, m); err != nil {
			return err
		}
		ev, err = resolwe.Evaluate(ctx, m, s, opt)
	}
	if err != nil {
		return err
	}
	if ev.Subgraphs == 0 && s.Len() != 0 {
		e.log.Warn(noTruth + ": there is nothing to compare with")
	}
	err = e.print(c.JSON, report.Eval(ev, c.Since(began)))
	e.judge(&ev.Quality, s, &opt, !c.JSON)
	return err
}

// marginals reads saved marginals from a file.
func (e *environment) marginals(m *resolwe.Model, path string) (inferring.SavedMarginals, error) {
	if err := e.Reads(path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, pathError(path, err)
	}
	defer f.Close()
	return inferring.ReadMarginals(m, f, path)
}
