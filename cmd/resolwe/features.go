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
	"resolwe/internal/stage/inferring"
)

type featuresCmd struct {
	modelArg
	testArg
	Output string `help:"Table to write, .parquet or .csv." short:"o" required:"" placeholder:"FILE"`
	Names  string `help:"Names of the columns of formulas in CSV: text, those of the formulas; plain: f1, f2, .., which every learner takes, with the texts in a table beside the output, FILE.names.csv." enum:"text,plain" default:"text"`
	Others string `help:"What to do with formulas with several target literals: none leaves them out; truth sets the other atoms to their truth in the data, which only training data may use." enum:"none,truth" default:"none"`
}

func (*featuresCmd) Help() string {
	return `Writes a table for other learners: a row for each query atom, with the columns subgraph, fold, predicate, arg1, arg2, .., truth,
and a column for each formula of the model, with or without a weight: f1, f2, .., numbered as in "resolwe expand". The value is the
number of groundings with the atom as the formula's head, or the value of the formula's shape (log:, once:, ..) for that number.
Truth and fold are empty if the data have none.

If the only evidence of a formula without a shape is one number, the column holds the number, not 0 or 1: the value of an aggregate
or a counting literal, as in avg{n, r: results(u, r) ^ points(r, n)} >= 6.5 => dnf(u), or the number that an atom states, as in
age(u, n) ^ n >= 30 => dnf(u) or age(u, n) => dnf(u). A cell is empty if there is no such number.

Parquet files store the texts of the formulas as metadata, under the names of their columns; in CSV the text is the name of the column.
Some learners, such as LightGBM, refuse names with commas or brackets: --names plain writes f1, f2, .. instead, and the texts to a table
of their own: for f.csv or f.parquet it is f.names.csv.
In CSV, text that begins with an apostrophe, or that a spreadsheet would run because it begins with =, +, - or @, gets a leading
apostrophe.

Examples:

	resolwe features task.mln --stream train.rsg -o features.parquet
	resolwe features selected.mln --stream train.rsg --others truth -o f.csv`
}

func (c *featuresCmd) Run(ctx context.Context, e *environment) error {
	format, err := tableFormat("--output", c.Output, tablewrite.CSV, tablewrite.Parquet)
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
	formulas, leftOut := resolwe.FeatureColumns(m, opt)
	e.leftOut(m, leftOut)
	columns := report.FeatureColumns(m, formulas)
	file, err := e.create(c.Output)
	if err != nil {
		return err
	}
	titled, names := columns, output{}
	if c.Names == "plain" {
		if names, err = e.create(strings.TrimSuffix(c.Output, filepath.Ext(c.Output)) + ".names.csv"); err != nil {
			return err
		}
		columns = slices.Clone(columns)
		for i := range columns {
			columns[i].Title = ""
		}
	}
	opt.Run = e.run("features", s.Len())
	err = file.write(func(w io.Writer) error {
		return report.FeatureTable(w, format, m, columns, func(emit func(*resolwe.FeatureRows) error) error {
			return inferring.Features(ctx, m, s, opt, emit)
		})
	})
	if err != nil {
		return err
	}
	return names.write(func(w io.Writer) error { return report.ColumnNames(w, titled) })
}

// leftOut warns of formulas that have no column.
func (e *environment) leftOut(m *resolwe.Model, list []inferring.FeatureError) {
	tied := 0
	for _, f := range list {
		if f.Tied {
			tied++
		} else {
			e.log.Warn("a formula is left out: "+f.Reason, "formula", mln.FormatFormula(m.Formulas[f.Formula]))
		}
	}
	if tied > 0 {
		e.log.Warn("formulas with several target literals are left out: see --others", "number", tied)
	}
}

// tableFormat returns the format that the name of a table implies, which must be one of the given ones; none for no name.
func tableFormat(option, path string, formats ...tablewrite.Format) (tablewrite.Format, error) {
	f := tablewrite.FormatOf(path)
	if path == "" || slices.Contains(formats, f) {
		return f, nil
	}
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = string(f)
	}
	return "", &resolwe.OptionError{Option: option, Reason: "a name that ends in " + strings.Join(names, " or ") + lex.DidYouMean(filepath.Ext(path), names)}
}
