package main

import (
	"context"
	"io"

	"resolwe/format/export"
)

type exportCmd struct {
	modelArg
	To     string `help:"System to write for: ${enum}." enum:"alchemy,psl,sql,problog" required:""`
	Output string `help:"File to write; by default standard output." short:"o" placeholder:"FILE"`
}

func (*exportCmd) Help() string {
	return `Writes a model for another system. If that system cannot express a formula, the error names it and nothing is written.

alchemy: the same formulas, with templates expanded, to be run with "-q" and the targets. psl: a rule for each formula with one target
literal; PSL relaxes truth values, so its results differ. sql: tables for one subgraph, and for each formula a query that gives what
"resolwe counts" prints, for SQLite and PostgreSQL. problog: a program with the same distribution, to be combined with the facts of one
subgraph.

Examples:

	resolwe export weighted.mln --to alchemy -o alchemy.mln
	resolwe export weighted.mln --to sql | sqlite3 subgraph.db`
}

func (c *exportCmd) Run(_ context.Context, e *environment) error {
	m, err := c.read(e, nil)
	if err != nil {
		return err
	}
	file, err := e.createLike(map[string]string{"alchemy": ".mln", "psl": ".psl", "sql": ".sql", "problog": ".pl"}[c.To], c.Output)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error {
		return export.Write(w, c.To, &export.Model{Schema: m.Schema, Constants: m.Constants, Formulas: m.Formulas})
	}
	if c.Output == "" {
		err = e.results(write)
	} else {
		err = file.write(write)
	}
	if err != nil {
		return err
	}
	split := 0
	for _, f := range m.Formulas {
		if c.To == "alchemy" && !f.Hard && !export.IsClause(f) {
			split++
		}
	}
	if split > 0 {
		e.log.Warn("Alchemy splits formulas that are not clauses, and divides their weight among the parts: read the file with --cnf to see the result", "number", split)
	}
	return nil
}
