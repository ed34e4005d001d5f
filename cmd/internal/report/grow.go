package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"resolwe/grow"
	"resolwe/internal/render"
	kernel "resolwe/kernels/grow"
)

// share prints a part of a whole.
func share(part, whole float64) string {
	if whole == 0 || math.IsNaN(part/whole) {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*part/whole)
}

// probes names the probes of a step.
func probes(p *grow.Policy, step grow.Step) string {
	out := make([]string, len(step))
	for i := range step {
		out[i] = step[i].String(p.Schema)
		if step[i].Hop > 1 {
			out[i] += fmt.Sprintf(" hop %d", step[i].Hop)
		}
	}
	return strings.Join(out, ", ")
}

// GrowPolicy presents a learned policy.
func GrowPolicy(p *grow.Policy, path string) *render.Document {
	t := render.NewTable("rrrrl", "step", "cost", "MAP", "CLL", "look-ups")
	steps := make([]any, 0, len(p.Learned.Prefixes))
	for k, f := range p.Learned.Prefixes {
		text := probes(p, p.Order[k].Step)
		t.Row(k, fmt.Sprintf("%.1f", f.Cost), f.MAP, f.CLL, text)
		steps = append(steps, render.Object{"cost", f.Cost, "map", f.MAP, "cll", f.CLL, "probes", text, "formulas", len(p.Order[k].Formulas)})
	}
	c, full := p.Learned.Chosen, p.Learned.Prefixes[len(p.Learned.Prefixes)-1]
	goal := fmt.Sprintf("keep %g of the full MAP", p.Keep)
	if p.Budget > 0 {
		goal = fmt.Sprintf("spend %g of the full cost", p.Budget)
	}
	chosen := fmt.Sprintf("%s: stops at a cost of %.1f (%s of all), MAP %.4f (%s), CLL %.4f", goal, c.Cost, share(c.Cost, full.Cost), c.MAP, share(c.MAP, full.MAP), c.CLL)
	return &render.Document{
		Data: render.Object{
			"policy", path, "subgraphs", p.Learned.Subgraphs, "steps", steps,
			"chosen",
			render.Object{"cost", c.Cost, "share", render.Number(c.Cost / full.Cost), "map", c.MAP, "cll", c.CLL},
		},
		Page: render.Page{t, fmt.Sprintf("\n%s\nheld-out predictions of %d subgraphs; costs are means of a center\n", chosen, p.Learned.Subgraphs)},
	}
}

// growHeader is the header of the curves as CSV, which the report page reads.
var growHeader = []any{"system", "parameter", "cost", "share", "calls", "facts", "map", "map_low", "map_high", "cll", "cll_low", "cll_high"}

// GrowEval presents the replay of a policy.
func GrowEval(ev *grow.Evaluation) *render.Document {
	full := ev.Full
	line := func(system string, d *kernel.Dot) []any {
		return []any{
			system, d.Parameter, d.Cost, d.Cost / full.Cost, d.Calls, d.Facts, d.MAP.Mean, d.MAP.Low, d.MAP.High, d.CLL.Mean, d.CLL.Low, d.CLL.High,
		}
	}
	object := func(d *kernel.Dot) render.Object {
		out := make(render.Object, 0, 2*len(growHeader))
		for i, v := range line("", d)[1:] {
			out = append(out, growHeader[i+1], v)
		}
		return out
	}
	lines := [][]any{growHeader, line("policy", ev.Policy)}
	curves, less := make(render.Object, 0, 2*len(grow.Systems)), make(render.Object, 0, 2*len(grow.Systems))
	for i, name := range grow.Systems {
		var list []any
		for _, d := range ev.Curves[i] {
			lines, list = append(lines, line(name, d)), append(list, object(d))
		}
		curves = append(curves, name, list)
	}
	t := render.NewTable("lrrrrrrr", "", "cost", "of all", "calls", "facts", "MAP", "of full", "CLL")
	spent := func(name string, d *kernel.Dot) {
		t.Row(name, fmt.Sprintf("%.1f", d.Cost), share(d.Cost, full.Cost), fmt.Sprintf("%.1f", d.Calls), fmt.Sprintf("%.1f", d.Facts),
			d.MAP.Mean, share(d.MAP.Mean, full.MAP.Mean), d.CLL.Mean)
	}
	spent("all", full)
	spent("policy", ev.Policy)
	against := render.NewTable("lrrrr", "policy less, at equal cost", "MAP", "95% interval", "CLL", "95% interval")
	interval := func(e kernel.Estimate) string { return fmt.Sprintf("%+.4f to %+.4f", e.Low, e.High) }
	for i, name := range grow.Systems[1:] {
		d := ev.Less[i+1]
		against.Row(name, fmt.Sprintf("%+.4f", d.MAP.Mean), interval(d.MAP), fmt.Sprintf("%+.4f", d.CLL.Mean), interval(d.CLL))
		of := func(e kernel.Estimate) render.Object {
			return render.Object{"mean", e.Mean, "low", e.Low, "high", e.High}
		}
		less = append(less, name, render.Object{"map", of(d.MAP), "cll", of(d.CLL)})
	}
	curve := render.NewTable("rrrrrr", "cost", "of all", "MAP", "95% interval", "less prefix", "CLL")
	for i, d := range ev.Curves[0] {
		if i > 0 && d.Cost == ev.Curves[0][i-1].Cost { // the same as at a higher price
			continue
		}
		gain, _ := d.Less(ev.Curves[1])
		curve.Row(fmt.Sprintf("%.1f", d.Cost), share(d.Cost, full.Cost), d.MAP.Mean, fmt.Sprintf("%.4f to %.4f", d.MAP.Low, d.MAP.High),
			fmt.Sprintf("%+.4f", gain.Mean), d.CLL.Mean)
	}
	return &render.Document{
		Data: render.Object{
			"subgraphs", ev.Ranked, "subgraphs_with_truth", ev.Subgraphs, "full", object(full), "policy", object(ev.Policy), "less", less, "curves", curves,
		},
		Page:  render.Page{t, "\n", against, "\nThe curve of prices:\n", curve, fmt.Sprintf("\n%d subgraphs with known truth, %d of them with both true and false atoms\n", ev.Subgraphs, ev.Ranked)},
		Lines: lines,
	}
}

// GrowMarginals prints the predictions that run emits for each center, as infer prints marginals.
func GrowMarginals(w io.Writer, asJSON bool, run func(emit func(*grow.Grown) error) error) error {
	object := func(dst []byte, g *grow.Grown) ([]byte, error) {
		marginals := make(render.Object, 0, 2*len(g.P))
		for i, p := range g.P {
			marginals = append(marginals, g.Atoms[i], p)
		}
		return appendJSON(dst, render.Object{"subgraph", g.Subgraph, "steps", g.Steps, "calls", g.Calls, "facts", g.Facts, "cost", g.Cost, "marginals", marginals})
	}
	return list(w, asJSON, run, object, func(g *grow.Grown) error {
		return writeAtoms(w, g.Subgraph, func(i int) string { return g.Atoms[i] }, g.P, decimal)
	})
}
