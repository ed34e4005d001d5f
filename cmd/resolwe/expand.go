package main

import (
	"resolwe/cmd/internal/report"
	"resolwe/internal/render"
)

type expandCmd struct {
	modelArg
	JSON bool `help:"Print JSON." name:"json"`
}

func (*expandCmd) Help() string {
	return `Prints every formula that the model's templates expand to, one per line, without weights.

Example:

	resolwe expand task.mln`
}

func (c *expandCmd) Run(e *environment) error {
	m, err := c.read(e, nil)
	if err != nil {
		return err
	}
	formulas := report.Texts(m.Formulas)
	d := &render.Document{Data: render.Object{"formulas", formulas, "count", len(formulas)}}
	for i, f := range formulas {
		d.Page = append(d.Page, render.Plain(m.Formulas[i].Standing.Line()+f+"\n"))
	}
	return e.print(c.JSON, d)
}
