package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"resolwe"
	"resolwe/bench/demo"
	"resolwe/cmd/internal/report"
	"resolwe/crossval"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	htmlreport "resolwe/report"
)

// leastDemo is the number of subgraphs that four folds need.
const leastDemo = 4

type demoCmd struct {
	Subgraphs int      `help:"Subgraphs to generate, at least 4." default:"80"`
	Systems   []string `help:"Systems to compare, the first with each of the others: ${systems}, or all." default:"all" placeholder:"NAME"`
	Report    string   `help:"Write everything to an HTML page instead, as the command report does." placeholder:"FILE.html" xor:"form"`
	crossResultArgs
}

func (*demoCmd) Help() string {
	return `Generates a small stream in which a few formulas are planted among noise, selects formulas, then cross-validates
selection by gain against the paper's and against baselines (see resolwe crossval --help).

Examples:

	resolwe demo
	resolwe demo --report demo.html`
}

// Run runs the whole job on the embedded task.
func (c *demoCmd) Run(ctx context.Context, e *environment, k *kong.Context) error {
	if c.Subgraphs < leastDemo {
		return &resolwe.OptionError{Option: "--subgraphs", Reason: fmt.Sprintf("at least %d", leastDemo)}
	}
	task := demo.New()
	m, err := resolwe.ParseModel("demo.mln", []byte(task.Model), resolwe.ModelOptions{})
	if err != nil {
		return err
	}
	var subs []*subgraph.Subgraph
	for s, err := range task.Generate(m.Schema, demo.Options{Subgraphs: c.Subgraphs, Seed: e.common.Seed}) {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		subs = append(subs, s)
	}
	stream := resolwe.NewStream(m, subs)
	opt := crossval.Options{Seed: e.common.Seed}
	if opt.Systems, err = crossval.Named(c.Systems...); err != nil {
		return err
	}
	opt.Learn.Seed, opt.Infer.Seed = e.common.Seed, e.common.Seed
	if c.Report != "" {
		return c.page(ctx, e, k, m, stream, opt)
	}
	if c.JSON || c.CSV {
		return e.crossValidate(ctx, m, stream, opt, &c.crossResultArgs, nil)
	}
	opt.Select.Run = e.run("select", len(subs))
	sel, err := resolwe.Select(ctx, m, stream, opt.Select)
	if err != nil {
		return err
	}
	if err := e.text(demoText(&task, len(m.Formulas), sel)); err != nil {
		return err
	}
	return e.crossValidate(ctx, m, stream, opt, &c.crossResultArgs, nil)
}

// page writes the report of the demo.
func (c *demoCmd) page(ctx context.Context, e *environment, k *kong.Context, m *resolwe.Model, s *resolwe.Stream, opt crossval.Options) error {
	out, err := e.create(c.Report, ".html", ".htm")
	if err != nil {
		return err
	}
	full := htmlreport.Options{Cross: opt, Begin: e.run}
	full.About = htmlreport.About{Version: thisVersion(), Command: commandOf(k)}
	_, err = e.report(ctx, m, s, full, c.Timings, out)
	return err
}

// demoText says what was planted and what selection found.
func demoText(task *demo.Task, candidates int, sel *resolwe.Selection) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d subgraphs, %d candidate formulas. Planted among them, with their weights:\n", sel.Subgraphs, candidates)
	for i, f := range task.Planted {
		fmt.Fprintf(&b, "  %.1f  %s\n", task.Strengths[i], f)
	}
	var also strings.Builder
	b.WriteString("\nEstablished, of what was selected by gain:\n")
	for i, f := range report.Texts(sel.Selected) {
		to := &also
		if sel.Selected[i].Standing == mln.StandingEstablished {
			to = &b
		}
		fmt.Fprintf(to, "  %s\n      %s\n", f, sel.Notes[i])
	}
	if also.Len() > 0 {
		b.WriteString("Also used for prediction:\n" + also.String())
	}
	return b.String() + "\nCross-validation:\n\n"
}
