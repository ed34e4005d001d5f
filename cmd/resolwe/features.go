package main

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"resolwe"
	"resolwe/cmd/internal/report"
	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/format/tablewrite"
)

type featuresCmd struct {
	modelArg
	testArg
	Output string `help:"Table to write, .parquet or .csv." short:"o" required:"" placeholder:"FILE"`
	Others string `help:"What to do with formulas of several target literals: none leaves them out, truth puts the other atoms at the truth that the data states, which only training data may know." enum:"none,truth" default:"none"`
}

// Help says what the command does.
func (*featuresCmd) Help() string {
	return `Writes a table for other learners: a row for each query atom, with the columns subgraph, fold, predicate, arg1, arg2, .., truth,
and a column for each formula of the model, f1, f2, .. by its place in "resolwe expand", with or without a weight. Its value is the
number of groundings that the atom has as the formula's head, or what the formula's shape (log:, once:, mean:) makes of that number.
Truth and fold are empty where the data has none.

Where the evidence of a formula without a shape is one comparison, the column has the number that is compared, not 0 or 1: the
value of an aggregate or a counting literal, as of avg{n, r: results(u, r) ^ points(r, n)} >= 6.5 => dnf(u), or the number that
an atom states, as of age(u, n) ^ n >= 30 => dnf(u). A cell is empty where there is no such number.

In a Parquet file the texts of the formulas are metadata of the file, under the names of their columns; in CSV a text is the name
of its column. In CSV, text that begins with an apostrophe, or that a spreadsheet would run, as it begins with =, +, - or @, gets an
apostrophe in front.

Examples:

	resolwe features task.mln --stream train.rsg -o features.parquet
	resolwe features selected.mln --stream train.rsg --others truth -o f.csv`
}

// Run writes the table.
func (c *featuresCmd) Run(ctx context.Context, e *environment) error {
	format, err := tableFormat(c.Output, tablewrite.CSV, tablewrite.Parquet)
	if err != nil {
		return err
	}
	options := func(uint64) (resolwe.FeatureOptions, error) {
		return resolwe.FeatureOptions{Others: c.Others == "truth", Quantities: true}, nil
	}
	m, opt, s, err := task(ctx, e, &c.modelArg, &c.testArg, true, options)
	if err != nil {
		return err
	}
	columns, leftOut := resolwe.FeatureColumns(m, opt)
	e.leftOut(m, leftOut)
	file, err := e.create(c.Output)
	if err != nil {
		return err
	}
	opt.Run = e.run("features", s.Len())
	return file.write(func(w io.Writer) error {
		return report.FeatureTable(w, format, m, columns, func(emit func(*resolwe.FeatureRows) error) error {
			return resolwe.Features(ctx, m, s, opt, emit)
		})
	})
}

// leftOut says which formulas are no features.
func (e *environment) leftOut(m *resolwe.Model, list []resolwe.FeatureError) {
	tied := 0
	for _, f := range list {
		if f.Tied {
			tied++
		} else {
			e.log.Warn("a formula is left out: "+f.Reason, "formula", mln.FormatFormula(m.Formulas[f.Formula]))
		}
	}
	if tied > 0 {
		e.log.Warn("formulas of several target literals are left out: see --others", "number", tied)
	}
}

// tableFormat returns the format of a table by its name, which is one of some; none for no name.
func tableFormat(path string, formats ...tablewrite.Format) (tablewrite.Format, error) {
	f := tablewrite.FormatOf(path)
	if path == "" || slices.Contains(formats, f) {
		return f, nil
	}
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Extension()
	}
	return 0, &resolwe.OptionError{Option: "--output", Reason: "a name that ends in " + strings.Join(names, " or ") + lex.DidYouMean(filepath.Ext(path), names)}
}
