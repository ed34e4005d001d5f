package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
	"resolwe/format/mln"
	"resolwe/internal/printable"
	"resolwe/internal/render"
	"resolwe/kernels/discover"
)

type discoverCmd struct {
	modelArg
	trainArg
	flags.Discovery `group:"Discovery:"`
	budgetArg
	Support *int   `help:"Minimum number of query atoms for which a candidate must have a grounding. Default: 1% of the sample's true ones, but 5 to 20." placeholder:"N"`
	Output  string `help:"Write the model with the candidates, for select." short:"o" placeholder:"FILE"`
	checkpointArgs
	resultArgs
}

func (*discoverCmd) Help() string {
	return `Finds candidates for select in the declarations of a model and a sample of the subgraphs of a stream, without templates.

A candidate is a conjunction of evidence literals that leads from the variables of a query atom, literal by literal and in any
direction, to the center, to another variable of the atom, or anywhere; constants are the entities of types with at most 12 entities.
One more literal, of a target predicate, ties query atoms to one another. Candidates grow in length as long as they have support. Of
those with equal counts on all query atoms the shortest is kept; candidates with numbers, which may differ, are all kept. The result
does not depend on the number of workers. Formulas already in the model are kept. With --discover, select and crossval discover too.
--budget keeps the lengths that were finished.

With --checkpoint, the same command with --resume continues a run that ended for any reason, --budget included, and gives the same
bytes as an uninterrupted run. The budget may differ.

Examples:

	resolwe discover task.mln --stream train.rsg -o candidates.mln
	resolwe select candidates.mln --stream train.rsg -o model.mln`
}

func (c *discoverCmd) Run(ctx context.Context, e *environment) error {
	began := time.Now()
	budget, err := c.budget()
	if err != nil {
		return err
	}
	m, _, s, err := task(ctx, e, &c.modelArg, &c.trainArg, true, noOptions)
	if err != nil {
		return err
	}
	out, err := e.createLike(".mln", c.Output)
	if err != nil {
		return err
	}
	opt := c.Discovered(c.Support, e.common.Seed)
	opt.Budget = budget
	if opt.Checkpoints, err = c.options(e); err != nil {
		return c.Named(err)
	}
	found, err := e.discover(ctx, m, s, opt)
	if err != nil {
		return c.Named(err)
	}
	notes := map[*mln.Formula]string{}
	for _, c := range found.Candidates {
		notes[c.Formula] = fmt.Sprintf("support %d", c.Support)
	}
	note := func(i int) string { return notes[found.Model.Formulas[i]] }
	if err := out.write(func(w io.Writer) error { return found.Model.Write(w, note) }); err != nil {
		return err
	}
	return e.print(c.JSON, discoverDocument(found, c.Since(began)))
}

// discover discovers, and prints the warnings.
func (e *environment) discover(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt resolwe.DiscoverOptions) (*resolwe.Discovery, error) {
	opt.Run, opt.Memory = e.run("discover", -1), int64(e.common.Memory) // #nosec G115 -- checked by UnmarshalText
	opt.Part = e.parts("discover:", "subgraphs")
	found, err := resolwe.Discover(ctx, m, s, opt)
	if err != nil {
		return nil, err
	}
	report.Warn(e.log, found.Warnings)
	return found, nil
}

// discoverDocument is what discover prints.
func discoverDocument(d *resolwe.Discovery, seconds report.Seconds) *render.Document {
	var page render.Page
	byLength := make([]int, d.Length+1)
	candidates := render.Objects(d.Candidates, func(c *discover.Candidate) render.Object {
		text := mln.FormatFormula(c.Formula)
		page = append(page, render.Plain(fmt.Sprintf("%9d  %s\n", c.Support, text)))
		byLength[c.Length]++
		return render.Object{"formula", text, "length", c.Length, "support", c.Support}
	})
	page = append(page, render.Plain(fmt.Sprintf("%s on %s, by length:", printable.Count(len(d.Candidates), "candidate"), printable.Count(d.Subgraphs, "subgraph"))))
	for _, n := range byLength[min(1, len(byLength)):] {
		page = append(page, render.Plain(fmt.Sprintf(" %d", n)))
	}
	doc := &render.Document{
		Data: render.Object{"subgraphs", d.Subgraphs, "length", d.Length, "candidates", candidates, "seconds", seconds.Data()},
		Page: append(page, render.Plain(fmt.Sprintf("; %.1f s\n", seconds.Taken))),
	}
	sayCut(doc, d)
	return doc
}

// sayCut adds to a result which limits left candidates out of the discovery that it is based on.
func sayCut(doc *render.Document, d *resolwe.Discovery) {
	var by []string
	if d.CutByMax {
		by = append(by, "max")
	}
	if d.CutByMemory {
		by = append(by, "memory")
	}
	if len(by) > 0 {
		doc.Data = append(doc.Data.(render.Object), "candidates_cut_by", by)
		doc.Page = append(doc.Page, render.Plain(fmt.Sprintf("--%s left out the candidates with the least gain\n", strings.Join(by, " and --"))))
	}
}
