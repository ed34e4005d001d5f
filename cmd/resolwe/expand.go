package main

import (
	"fmt"
	"io"

	"resolwe/cmd/internal/report"
)

type expandCmd struct {
	modelArg
	JSON bool `help:"Print JSON." name:"json"`
}

// Help says what the command does.
func (*expandCmd) Help() string {
	return `Prints every formula that the model's templates expand to, one a line and without weights.

Example:

	resolwe expand task.mln`
}

// Run lists the formulas.
func (c *expandCmd) Run(e *environment) error {
	m, err := c.read(e, nil)
	if err != nil {
		return err
	}
	formulas := report.Texts(m.Formulas)
	if c.JSON {
		return e.json(struct {
			Formulas []string `json:"formulas"`
			Count    int      `json:"count"`
		}{formulas, len(formulas)})
	}
	return e.results(func(w io.Writer) error {
		for _, f := range formulas {
			if _, err := fmt.Fprintln(w, f); err != nil {
				return err
			}
		}
		return nil
	})
}
