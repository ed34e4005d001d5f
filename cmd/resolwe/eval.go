package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"resolwe"
)

type evalCmd struct {
	modelArg
	streamArg
	inferArgs
	Marginals string `help:"Score marginals that infer --json has saved, instead of inferring." placeholder:"FILE"`
	resultArgs
}

// Help says what the command does.
func (*evalCmd) Help() string {
	return `Infers as infer does and compares the marginals of the query atoms with their truth in the data.

Examples:

	resolwe eval weighted.mln --stream test.rsg
	resolwe eval weighted.mln --stream test.rsg --error 0.01 --budget 10m
	resolwe eval weighted.mln --stream test.rsg --marginals marginals.json`
}

// Run evaluates.
func (c *evalCmd) Run(ctx context.Context, e *environment) error {
	watch := startWatch()
	m, err := c.read(e)
	if err != nil {
		return err
	}
	opt, err := c.options(e.common.Seed)
	if err != nil {
		return err
	}
	var saved resolwe.SavedMarginals
	if c.Marginals != "" {
		if saved, err = readMarginals(c.Marginals); err != nil {
			return err
		}
	}
	s, err := c.open(e, m, true)
	if err != nil {
		return err
	}
	defer c.close(e, s)
	opt.Run = e.run("eval", s.Len())
	var ev *resolwe.Evaluation
	if saved != nil {
		ev, err = resolwe.EvaluateSaved(ctx, m, s, saved, c.Marginals, c.Given, opt.Run)
	} else {
		e.unweighted(m)
		ev, err = resolwe.Evaluate(ctx, m, s, opt)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		err = e.json(newEvalJSON(ev, c.timed(watch)))
	} else {
		err = e.results(func(w io.Writer) error { return evalText(w, ev, watch.seconds()) })
	}
	e.judge(&ev.Quality, s, &opt, !c.JSON)
	return err
}

func readMarginals(path string) (resolwe.SavedMarginals, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, pathError(path, err)
	}
	defer f.Close()
	return resolwe.ReadMarginals(f, path)
}

// evalJSON is what eval prints with --json.
type evalJSON struct {
	measuresJSON
	Subgraphs int `json:"subgraphs"`            // that the means are over
	WithTruth int `json:"subgraphs_with_truth"` // that cll is over

	Sampling *qualityJSON `json:"sampling,omitempty"`
	Seconds  *number      `json:"seconds,omitempty"`
}

// measuresJSON are the measures of an evaluation.
type measuresJSON struct {
	MAP      number `json:"map"`
	AUCROC   number `json:"auc_roc"`
	AUCPR    number `json:"auc_pr"`
	CLL      number `json:"cll"`
	MAPRanks number `json:"map_all_ranks"`
	TNRanks  number `json:"tn_all_ranks"`
}

func newMeasuresJSON(e *resolwe.Evaluation) measuresJSON {
	return measuresJSON{
		number(e.MAP), number(e.AUCROC), number(e.AUCPR), number(e.CLL),
		number(e.PrecisionAllRanks), number(e.TrueNegativeAllRanks),
	}
}

func newEvalJSON(e *resolwe.Evaluation, seconds *number) evalJSON {
	return evalJSON{newMeasuresJSON(e), e.Ranked, e.Subgraphs, newQualityJSON(&e.Quality), seconds}
}

func evalText(w io.Writer, ev *resolwe.Evaluation, seconds float64) error {
	t := newTable("lr", "MAP", number(ev.MAP).String())
	t.row("AUC-ROC", number(ev.AUCROC))
	t.row("AUC-PR", number(ev.AUCPR))
	t.row("CLL", number(ev.CLL))
	t.row("precision, all ranks", number(ev.PrecisionAllRanks))
	t.row("true negatives, all ranks", number(ev.TrueNegativeAllRanks))
	if err := t.write(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%d subgraphs with known truth, %d of them with both true and false atoms; %.3f seconds\n",
		ev.Subgraphs, ev.Ranked, seconds)
	return err
}
