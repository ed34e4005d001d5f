package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

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
	Report    string   `help:"HTML page to write at the end, as the command report does; demo.html in the current folder by default, none with --json or --csv." placeholder:"FILE.html" xor:"form"`
	crossResultArgs
}

func (*demoCmd) Help() string {
	return `Generates a small stream in which a few formulas are planted among noise, selects formulas, then cross-validates
selection by gain against the paper's and against baselines (see resolwe crossval --help), and ends by writing a page about it
all. A file that is not such a page is never replaced.

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
	if c.JSON || c.CSV {
		return e.crossValidate(ctx, m, stream, opt, &c.crossResultArgs, nil)
	}
	page, err := c.create(e)
	if err != nil {
		return err
	}
	sel, err := resolwe.Select(ctx, m, stream, resolwe.SelectOptions{Run: e.run("select", len(subs))})
	if err != nil {
		return err
	}
	if err := e.text(demoText(&task, len(m.Formulas), sel)); err != nil {
		return err
	}
	full := htmlreport.Options{Cross: opt, Begin: e.run, About: htmlreport.About{Version: thisVersion(), Command: commandOf(k)}}
	opt.Checkpoints.Save = func(data []byte) error { full.Cross.Checkpoints.Resume = bytes.Clone(data); return nil }
	if err := e.crossValidate(ctx, m, stream, opt, &c.crossResultArgs, nil); err != nil || page.file == nil {
		return err
	}
	if c.Timings {
		full.Now = time.Now
	}
	made, err := htmlreport.Make(ctx, m, stream, full) // its warnings are those of the cross-validation
	if err != nil {
		return err
	}
	if err := page.write(made.Write); err != nil {
		return err
	}
	return e.text("\nA page about it all, to open in a browser: " + cmp.Or(c.Report, demoPage) + "\n")
}

// demoPage is the page that the demo writes.
const demoPage = "demo.html"

// create opens the page, unless the default one cannot be written, of which it warns.
func (c *demoCmd) create(e *environment) (output, error) {
	path := cmp.Or(c.Report, demoPage)
	err := isPage(path)
	var out output
	if err == nil {
		out, err = e.create(path, ".html", ".htm")
	}
	if err != nil && c.Report == "" {
		e.log.Warn("no page is written: " + err.Error())
		err = nil
	}
	return out, err
}

// isPage returns an error if a file exists and is not a page of this program.
func isPage(path string) error {
	f, err := os.Open(path) // #nosec G304 -- named by the user
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return pathError(path, err)
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 4096))
	if err == nil && !bytes.Contains(head, []byte(`<meta name="generator" content="resolwe"/>`)) {
		return usageError("output " + path + ": it exists, and is not a page of resolwe: name another file")
	}
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
