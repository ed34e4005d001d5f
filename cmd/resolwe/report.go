package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"resolwe"
	"resolwe/cmd/internal/report"
	htmlreport "resolwe/report"
)

type reportCmd struct {
	crossArgs
	Output  string `help:"Page to write; may be left out with --json." short:"o" placeholder:"FILE.html"`
	JSON    bool   `help:"Print what the page says as JSON, with the same figures." name:"json"`
	Test    int    `help:"For a task, maximum number of subgraphs to test in each fold, drawn at random, the same for all systems; 0 for all, as in a task with one query atom a subgraph." default:"100" placeholder:"N"`
	Watch   string `help:"Draw the curve written by watch --curve: figures over the stream, alarms, weights." placeholder:"FILE.csv" rare:""`
	Grow    string `help:"Draw the curves written by grow eval --csv: figures by the cost of look-ups." placeholder:"FILE.csv" rare:""`
	Timings bool   `help:"Add seconds to the page. Without them it is the same in every run."`

	PopulationRate float64 `help:"Share of true cases in the population that the cases were drawn from, if the stream does not say it: shares and probabilities are given at this rate." placeholder:"X"`
	Private        bool    `help:"Leave the names of cases out of the page: they are case 1, case 2, and so on. Numbers of single cases have two digits, files no folders."`
	Names          string  `help:"With --private, table to write of the numbers of the cases and their names." placeholder:"FILE.csv" rare:""`
}

func (*reportCmd) Help() string {
	return `Writes one HTML file, which needs no network, about a task or a model: the data, the path of selection, the formulas in words with
weights and intervals, accuracy compared with baselines by paired tests, ROC and precision-recall curves, calibration, the subgraphs
predicted worst, explained examples, diagnostics, and how to reproduce it.

A task, whose formulas have no weights, is cross-validated as by crossval, with the same options; then formulas are selected by gain on
the whole stream. A model with weights is evaluated on the whole given stream: hold out test data yourself.

At most 100 subgraphs of each fold are tested, and the page says so; --test 0 tests all. With --checkpoint, the same command with --resume
continues the cross-validation. It can also use a checkpoint of crossval with the same --test; crossval tests all subgraphs by default.

Half of --budget is for the cross-validation, which must finish a system on the first fold in it, and most of the rest for selection.
The page lists what was not done in time.

--json prints an object with the page's sections, in order: title, over, nouns, drawn, glance (verdict, tiles, systems), findings (cards, also,
rare, rules), cases (list, with start, reasons and rest, which add up to the log-odds of p; table of thresholds; undecided ones), quality,
trust, course, data, again. Texts are as on the page, shares between 0 and 1; undefined numbers are null.

Examples:

	resolwe report task.mln --stream s.rsg --systems gain,base -o report.html
	resolwe report task.mln --stream s.rsg --private --names n.csv -o r.html
	resolwe report model.mln --stream test.rsg -o report.html`
}

func (c *reportCmd) Run(ctx context.Context, e *environment, k *kong.Context) error {
	switch {
	case c.Output == "" && !c.JSON:
		return usageError("--output: name the page to write, or print it with --json")
	case c.Names != "" && !c.Private:
		return usageError("--names needs --private")
	}
	m, opt, s, err := c.begin(ctx, e, c.Test)
	if err != nil {
		return err
	}
	if s.ReadOnce() {
		return resolwe.ErrReadOnce
	}
	out, err := e.create(c.Output, ".html", ".htm")
	if err != nil {
		return err
	}
	names, err := e.createLike(".csv", c.Names)
	if err != nil {
		return err
	}
	predictions, err := c.predictionsArg.open(e)
	if err != nil {
		return err
	}
	full := htmlreport.Options{Cross: opt, Begin: e.run, Steps: e.parts("select:", "steps"), Budget: opt.Budget, Rate: c.PopulationRate, Private: c.Private}
	if c.Watch != "" {
		err = e.reading(ctx, c.Watch, func(r *bufio.Reader) (err error) { full.Watched, err = htmlreport.ReadWatched(c.Watch, r); return err })
	}
	if c.Grow != "" && err == nil {
		err = e.reading(ctx, c.Grow, func(r *bufio.Reader) (err error) { full.Grown, err = htmlreport.ReadGrown(c.Grow, r); return err })
	}
	if err != nil {
		return err
	}
	if full.About, err = about(ctx, e, slices.Concat(m.Files(), s.Manifests(), s.Files()), commandOf(k)); err != nil {
		return err
	}
	if !htmlreport.IsTask(m, &full) {
		e.log.Info("the model has weights: it is evaluated on the whole stream, and nothing is held out")
	}
	r, err := e.report(ctx, m, s, full, c.Timings, out)
	if err == nil {
		err = names.write(r.WriteNames)
	}
	if err == nil && c.JSON {
		err = e.results(r.WriteJSON)
	}
	if err == nil {
		err = predictions(ctx, m, s, r.Cross, opt.Infer)
	}
	return c.Named(err)
}

// report makes a report, writes it, and returns it.
func (e *environment) report(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt htmlreport.Options, timings bool, out output) (*htmlreport.Report, error) {
	opt.Cross.Stage = func(stage string) { e.log.Debug(stage) }
	if timings {
		opt.Now = time.Now
	}
	r, err := htmlreport.Make(ctx, m, s, opt)
	if err != nil {
		return nil, err
	}
	for _, w := range r.Warnings {
		e.log.Warn(w)
	}
	report.Doubt(e.log, &r.Quality, opt.Cross.Infer.Error)
	for i := range r.Cross.Systems {
		report.DoubtLearned(e.log, &r.Cross.Systems[i])
	}
	return r, out.write(r.Write)
}

// about returns what a report was made from: version, command and checksums of the inputs.
func about(ctx context.Context, e *environment, inputs []string, command string) (htmlreport.About, error) {
	out := htmlreport.About{Version: thisVersion(), Command: command}
	progress := e.runOver("checksums", "files", int64(len(inputs))).Progress
	for _, path := range inputs {
		err := e.reading(ctx, path, func(r *bufio.Reader) error {
			h := sha256.New()
			n, err := io.Copy(h, r)
			if err != nil {
				return pathError(path, err)
			}
			out.Inputs = append(out.Inputs, htmlreport.Input{Path: path, Bytes: n, SHA256: hex.EncodeToString(h.Sum(nil))})
			return nil
		})
		if err != nil {
			return out, err
		}
		progress(1)
	}
	return out, nil
}

// pageName replaces the name of the page in the command that it shows, so that pages of the same run are the same bytes.
const pageName = "report.html"

// apart are the flags that do not affect a report.
var apart = []string{"json", "names", "predictions", "workers", "profile", "profile-dir", "log-level", "progress", "checkpoint", "resume"}

// commandOf returns the command line, quoted for a shell, without flags that do not affect the result.
func commandOf(k *kong.Context) string {
	parts := []string{"resolwe"}
	printed := map[*kong.Flag]bool{} // a repeated flag holds all of its values
	for _, p := range k.Path {
		switch {
		case p.Command != nil:
			parts = append(parts, p.Command.Name)
		case p.Positional != nil:
			parts = append(parts, quotedPath(valueText(k.Value(p))))
		case p.Flag != nil && !printed[p.Flag] && !slices.Contains(apart, p.Flag.Name):
			printed[p.Flag] = true
			flag := "--" + p.Flag.Name
			switch value := valueText(k.Value(p)); {
			case p.Flag.Name == "output" || p.Flag.Name == "report": // of demo
				flag += " " + pageName
			case value == "true" && p.Flag.IsBool():
			case p.Flag.IsBool():
				flag += "=" + value
			case strings.Contains(","+value, ",-"): // else it would be a flag
				flag += "=" + quoted(value)
			default:
				flag += " " + quoted(value)
			}
			parts = append(parts, flag)
		}
	}
	return strings.Join(parts, " ")
}

// valueText prints a value as written on a command line.
func valueText(v reflect.Value) string {
	v = reflect.Indirect(v)
	if m, ok := reflect.TypeAssert[encoding.TextMarshaler](v); ok {
		text, _ := m.MarshalText() // it was read from a text
		return string(text)
	}
	if v.Kind() != reflect.Slice {
		return fmt.Sprint(v.Interface())
	}
	texts := make([]string, v.Len())
	for i := range texts {
		texts[i] = valueText(v.Index(i))
	}
	return kong.JoinEscaped(texts, ',')
}
