package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"resolwe"
	"resolwe/cmd/internal/report"
	"resolwe/crossval"
	"resolwe/format/rsg"
)

type paperCmd struct {
	Scale float64 `help:"Size of the generated data, above 0, at most 16; 1 is the paper's size." default:"0.1"`
	Test  int     `help:"Maximum number of subgraphs to test in each fold, drawn at random, the same for both systems; 0 for all." default:"15" placeholder:"N"`
	resultArgs
}

func (*paperCmd) Help() string {
	return `Generates the paper's tasks, WikiCollabs and Delicious, and compares selection by the paper's criterion (k2 = 30, theta = 0.4)
with no selection: four folds, one pass of contrastive divergence, MC-SAT with 100 samples. Prints accuracy with its significance, and
the times of steps 2 (selection) and 3 (learning). docs/paper.md says what reproduces and what does not. The default takes a few
minutes; the paper's size, --scale 1 --test 0, needs about 4 GB in the temporary folder and takes hours.

Examples:

	resolwe paper
	resolwe paper --scale 1 --test 0 --json --timings > paper.json`
}

// paperTasks are the tasks with the minutes of the paper's Table 5: steps 2 and 3 with selection, step 3 without.
var paperTasks = []report.PaperTask{
	{Name: "WikiCollabs", Minutes: [3]float64{94.01, 91.15, 3236.40}},
	{Name: "Delicious", Minutes: [3]float64{30.66, 62.76, 602.08}},
}

func (c *paperCmd) Run(ctx context.Context, e *environment) error {
	dir, done, err := scratchFolder("paper")
	if err != nil {
		return err
	}
	e.atEnd(done)
	results := make([]report.PaperTask, len(paperTasks))
	for i, t := range paperTasks {
		t.Cross, err = c.task(ctx, e, dir, strings.ToLower(t.Name))
		if err != nil {
			return err
		}
		results[i] = t
	}
	return e.print(c.JSON, report.Paper(results, c.Timings))
}

// task generates a task and cross-validates it.
func (c *paperCmd) task(ctx context.Context, e *environment, dir, name string) (cv *crossval.Result, err error) {
	gen := genCmd{Task: name, Scale: c.Scale}
	if err := gen.check(); err != nil {
		return nil, err
	}
	m, err := gen.model()
	if err != nil {
		return nil, err
	}
	out := streamArgs{Output: filepath.Join(dir, name+".rsg")}
	if err := out.stream(e, m, rsg.WriterOptions{}, func(w *rsg.Writer) error { _, err := gen.cut(ctx, e, m, w); return err }); err != nil {
		return nil, err
	}
	s, err := resolwe.OpenStream(m, []string{out.Output}, resolwe.StreamOptions{Names: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	opt := crossval.Options{Folds: 4, Random: true, Test: c.Test, Seed: e.common.Seed}
	if opt.Systems, err = crossval.Named("paper", "skipSelection"); err != nil {
		return nil, err
	}
	opt.Select.Subgraphs, opt.Select.Threshold = 30, new(0.4)
	opt.Learn.Passes, opt.Learn.Seed = 1, e.common.Seed
	opt.Infer.Method, opt.Infer.Samples, opt.Infer.Seed = resolwe.MethodMCSAT, 100, e.common.Seed
	return e.crossRun(ctx, m, s, opt)
}
