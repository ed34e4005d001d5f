package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"resolwe"
	"resolwe/bench/answers"
	"resolwe/bench/csvtables"
	"resolwe/bench/paperscale"
	"resolwe/bench/shop"
	"resolwe/cmd/internal/flags"
	"resolwe/examples"
	"resolwe/format/rsg"
	"resolwe/internal/atomicfile"
)

type genCmd struct {
	Task   string  `arg:"" help:"wikicollabs, delicious, shop, answers or drift." enum:"wikicollabs,delicious,shop,answers,drift"`
	Scale  float64 `help:"Size, above 0, at most 16; 1 is the paper's size, or 1,500 customers for shop." default:"1"`
	Rows   *int    `help:"Total rows of the tables of answers, at least 2,000; by default 1,800,000." placeholder:"N"`
	Output string  `help:"Folder for the tables, or a stream (.rsg) to build from them with the task's recipe." short:"o" required:"" placeholder:"DIR|S.rsg"`
	genDrift
}

func (*genCmd) Help() string {
	return `Generates the tables of a task:

	wikicollabs, delicious  the paper's tasks, with planted formulas
	shop                    a web shop, with known causes of who buys again
	answers                 the dump of a question-and-answer site, as gzipped
	                        CSV: who answers a question?

For the paper's tasks it prints its numbers beside the paper's. With an output that ends in .rsg it cuts the tables into
subgraphs.

drift is a stream of small subgraphs that changes after the first --at N: the causes of the target (abrupt; gradual over N subgraphs;
recurring every N), only the evidence (covariate), or nothing (none). It prints the models before and after, and their CLL.

Examples:

	resolwe gen wikicollabs --scale 0.1 -o wikicollabs.rsg
	resolwe gen answers --rows 100000 -o dump
	resolwe gen drift --kind abrupt --at 2000 -o drift.rsg`
}

func (c *genCmd) Run(ctx context.Context, e *environment) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.Rows != nil && c.Task != "answers" {
		return usageError("--rows is only for answers")
	}
	if c.Task == "drift" {
		return c.drift(ctx, e)
	}
	if c.genDrift != (genDrift{Kind: "abrupt", Size: 1}) {
		return usageError("--kind, --at, --size and --subgraphs are only for drift")
	}
	if !strings.HasSuffix(c.Output, ".rsg") {
		if err := e.makeFolder(c.Output); err != nil {
			return err
		}
		stats, err := c.tables(ctx, e, c.Output)
		if err != nil {
			return err
		}
		return e.text(stats + "\n")
	}
	m, err := c.model()
	if err != nil {
		return err
	}
	out := streamArgs{Output: c.Output}
	var stats string
	err = out.stream(e, m, rsg.WriterOptions{}, func(w *rsg.Writer) error {
		stats, err = c.cut(ctx, e, m, w)
		return err
	})
	if err != nil {
		return err
	}
	return e.text(stats + "\n")
}

// check checks the scale.
func (c *genCmd) check() error {
	if !(c.Scale > 0 && c.Scale <= paperscale.MaxScale) { // NaN too
		return &resolwe.OptionError{Option: "--scale", Reason: fmt.Sprintf("above 0, at most %d", paperscale.MaxScale)}
	}
	return nil
}

// model returns the task's model.
func (c *genCmd) model() (*resolwe.Model, error) {
	src, err := examples.FS.ReadFile(c.Task + "/" + c.Task + ".mln")
	if err != nil {
		return nil, err
	}
	return resolwe.ParseModel(c.Task+".mln", src, resolwe.ModelOptions{})
}

// cut writes the subgraphs of generated tables, and returns a summary of the tables.
func (c *genCmd) cut(ctx context.Context, e *environment, m *resolwe.Model, w *rsg.Writer) (stats string, err error) {
	recipe := c.Task + ".recipe"
	if c.Task == "delicious" {
		recipe = "generated.recipe"
	}
	rules, err := examples.FS.ReadFile(c.Task + "/" + recipe)
	if err != nil {
		return "", err
	}
	dir, done, err := scratchFolder("gen")
	if err != nil {
		return "", err
	}
	defer done()
	if stats, err = c.tables(ctx, e, dir); err != nil {
		return "", err
	}
	return stats, e.build(ctx, m, recipe, rules, resolwe.BuildOptions{Dir: dir}, w)
}

// scratchFolder makes a temporary folder, which done removes. It also removes what a killed run has left behind.
func scratchFolder(name string) (dir string, done func(), err error) {
	dir, release, err := atomicfile.Claim(filepath.Join(os.TempDir(), "resolwe-"+name+"-"), func(name string) error {
		return os.Mkdir(name, 0o700)
	})
	if err != nil {
		return "", nil, err
	}
	return dir, func() { _ = os.RemoveAll(dir); release() }, nil
}

// tables writes the tables to a folder, and returns a summary of them.
func (c *genCmd) tables(ctx context.Context, e *environment, dir string) (string, error) {
	opt := csvtables.Options{Scale: c.Scale, Rows: flags.Given(c.Rows), Seed: e.common.Seed}
	switch c.Task {
	case "answers":
		opt.Progress = e.parts("gen", "days")
		return answers.Generate(ctx, dir, opt)
	case "shop":
		opt.Progress = e.parts("gen", "windows")
		return shop.Generate(ctx, dir, opt)
	}
	generate := paperscale.WikiCollabs
	if c.Task == "delicious" {
		generate = paperscale.Delicious
	}
	opt.Progress = e.parts("write", "rows")
	stats, err := generate(ctx, dir, opt)
	if err != nil {
		return "", err
	}
	return stats.String(), nil
}
