package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"resolwe/cmd/internal/flags"
	"resolwe/forecast"
	"resolwe/format/mln"
	"resolwe/internal/printable"
	"resolwe/internal/render"
)

type planCmd struct {
	modelArg
	streamArg
	Take   int                       `help:"Subgraphs to sample, spread evenly over the stream, at least 1." default:"20" placeholder:"N"`
	Budget time.Duration             `help:"Stop after this time (30s) with the results so far; 0 for no limit." default:"1m" placeholder:"TIME"`
	Select flags.Stage[flags.Select] `help:"Options of selection, as resolwe select takes them, such as '--k2 50'." default:"" placeholder:"'..'"`
	Infer  flags.Stage[flags.Infer]  `help:"Options of inference, as resolwe infer takes them, such as '--method mcsat'." default:"" placeholder:"'..'"`
	resultArgs
}

func (*planCmd) Help() string {
	return `Forecasts the cost of a model from some subgraphs of a stream, before anything runs: for each formula, its groundings, the factors
that they become in the ground network, and their memory; how inference solves the connected components of the network; and the rows
and the memory of selection by gain. Numbers are means per subgraph, except that those of selection by gain are for the whole stream.
--select and --infer take the options of these commands.

The command stops after --budget, by default a minute, and lists what it did not reach. Groundings are counted, not listed. If the network
of a subgraph could have more than 2^24 terms, its groundings are counted but the network is not built.

Example:

	resolwe plan task.mln --stream data.rsg --take 50`
}

func (c *planCmd) Run(ctx context.Context, e *environment) error {
	m, opt, s, err := task(ctx, e, &c.modelArg, &c.streamArg, false, c.options)
	if err != nil {
		return err
	}
	opt.Run = e.run("plan", -1)
	p, err := forecast.Run(ctx, m, s, opt)
	if err != nil {
		return err
	}
	if p.Over {
		e.log.Warn("--budget expired: the forecast lacks " + strings.Join(p.Lacks(opt.Sample), ", "))
	}
	if p.TooLarge > 0 {
		e.log.Warn("networks may be too large to build: factors and routes are those of the other subgraphs",
			"subgraphs", p.TooLarge, "of", p.Sampled)
	}
	if p.Beyond > 0 {
		e.log.Warn("counts beyond 2^63 - 1: learn and infer fail on such subgraphs; factors and routes are those of the others",
			"subgraphs", p.Beyond, "of", p.Sampled)
	}
	if p.Learn != nil {
		e.log.Warn("learn fails: " + p.Learn.Error())
	}
	if g := p.Gain; g != nil && g.Err != nil && !errors.Is(g.Err, forecast.ErrBudget) {
		e.log.Warn("select fails on the sampled subgraphs: " + g.Err.Error())
	}
	return e.print(c.JSON, planDocument(p))
}

func (c *planCmd) options(seed uint64) (opt forecast.Options, err error) {
	opt.Sample, opt.Budget = flags.Stated(c.Take), c.Budget
	if opt.Select, err = c.Select.Flags.Options(seed); err != nil {
		return opt, err
	}
	opt.Infer, err = c.Infer.Flags.Options(seed)
	return opt, err
}

// planDocument is what plan prints.
func planDocument(p *forecast.Forecast) *render.Document {
	formulas := render.NewTable("rrrrrrrrl",
		"groundings", "selected", "atoms", "pairs", "as sums of", "summands", "others", "memory", "formula")
	formulaData := render.Objects(p.Formulas, func(f *forecast.Formula) render.Object {
		t, text := &f.Factors, mln.FormatFormula(f.Formula)
		formulas.Row(count(f.Groundings), count(f.Body), count(t.Unary), count(t.Pairs), count(t.Factored), count(t.Members),
			count(t.Others), bytesText(f.Bytes), text)
		return render.Object{
			"formula", text, "groundings", f.Groundings, "selected", f.Body, "most_factors", f.Most, "atoms", t.Unary, "pairs", t.Pairs,
			"factored_pairs", t.Factored, "summands", t.Members, "others", t.Others, "bytes", f.Bytes,
		}
	})
	n := &p.Network
	network := render.NewTable("lr", "network", "")
	network.Row("atoms", count(n.Atoms))
	network.Row("hard constraints", count(n.Hard))
	network.Row("memory", bytesText(n.Bytes))
	network.Row("memory of the largest", bytesText(float64(n.Largest)))
	routes := render.NewTable("lrrrr", "route", "component of", "components", "atoms", "width")
	routeData := render.Objects(p.Routes, func(r *forecast.Components) render.Object {
		routes.Row(r.Route, sizes(r), count(r.Components), count(r.Atoms), widthText(r))
		var most any = render.Null // no bound
		if r.Most > 0 {
			most = r.Most
		}
		return render.Object{
			"route", r.Route.String(), "least_atoms", r.Least, "most_atoms", most, "components", r.Components, "atoms", r.Atoms,
			"width", render.OrNothing(r.Width), // of the junction tree; a lower bound if the tree is too large
		}
	})
	page := render.Page{
		fmt.Sprintf("%s, of which %d were sampled; means of a subgraph:\n\n", printable.Count(p.Subgraphs, "subgraph"), p.Sampled), formulas,
	}
	if p.Built() > 0 {
		page = append(page, "\n", network, "\n", routes)
	}
	var gainData any
	if g := p.Gain; g != nil && g.Err == nil {
		t := render.NewTable("lr", "select, whole stream", "")
		t.Row("candidates", g.Candidates)
		t.Row("subgraphs", g.Subgraphs)
		t.Row("query atoms", count(math.Round(g.Atoms)))
		t.Row("that it selects by", count(math.Round(g.Rows)))
		t.Row("counts", count(math.Round(g.Counts)))
		t.Row("memory", bytesText(g.Bytes))
		page = append(page, "\n", t)
		gainData = render.Object{
			"candidates", g.Candidates, "subgraphs", g.Subgraphs, "query_atoms", g.Atoms, "rows", g.Rows, "counts", g.Counts, "bytes", g.Bytes,
		}
	}
	return &render.Document{Page: page, Data: render.Object{
		"subgraphs", p.Subgraphs, "looked", p.Sampled, "too_large", render.OrNothing(p.TooLarge), "beyond", render.OrNothing(p.Beyond),
		"formulas", formulaData,
		"network",
		render.Object{"atoms", n.Atoms, "hard_constraints", n.Hard, "bytes", n.Bytes, "bytes_of_largest", n.Largest},
		"routes", routeData, "gain", gainData,
	}}
}

// sizes prints the range of sizes of a class of components.
func sizes(r *forecast.Components) string {
	switch r.Most {
	case r.Least:
		return strconv.Itoa(r.Least)
	case 0:
		return fmt.Sprintf("%d or more", r.Least)
	}
	return fmt.Sprintf("%d to %d", r.Least, r.Most)
}

// count prints a mean number, to three digits unless it is whole or long.
func count(v float64) string {
	switch {
	case math.IsInf(v, 0):
		return "> 9.2e18"
	case v == math.Trunc(v) && v < 1e7:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v < 1000:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case v < 1e7:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'e', 2, 64)
}

// bytesText prints a number of bytes.
func bytesText(v float64) string {
	unit := 0
	for ; v >= 1000 && unit < 3; unit++ {
		v /= 1024
	}
	return strconv.FormatFloat(v, 'f', min(unit, 1), 64) + [...]string{" B", " KiB", " MiB", " GiB"}[unit]
}

// widthText returns the width of the junction trees; if they are too large, a lower bound and a plus sign.
func widthText(r *forecast.Components) string {
	switch {
	case r.Width == 0:
		return "-"
	case r.Route == forecast.RouteTree:
		return strconv.Itoa(r.Width)
	}
	return strconv.Itoa(r.Width) + "+"
}
