package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"resolwe/format/subgraph"
	"resolwe/grow"
	"resolwe/internal/render"
)

// GrownCurve holds the curves that grow eval --csv writes: how a policy of what to fetch performed on a stream.
type GrownCurve struct {
	policy, full grownPoint
	curves       [len(grow.Systems)][]grownPoint // by cost
}

// grownPoint holds the figures at a cost, NaN if undefined.
type grownPoint struct {
	share, calls float64 // share of the cost of fetching everything; calls per center
	ap, cll      Interval
}

// ReadGrown reads the curves of grow eval. Errors name the path, and match subgraph.ErrCorrupt if the file is not such a file.
func ReadGrown(path string, from io.Reader) (*GrownCurve, error) {
	g, first := &GrownCurve{}, true
	read := func(c *cells) error {
		interval := func(name string) Interval {
			return Interval{c.number(name), c.number(name + "_low"), c.number(name + "_high")}
		}
		p := grownPoint{c.number("share"), c.number("calls"), interval("map"), interval("cll")}
		system := slices.Index(grow.Systems[:], c.text("system"))
		switch {
		case c.err != nil:
			return c.err
		case first != (c.text("system") == "policy"), !first && system < 0:
			return errors.New("each row of the policy must be followed by one of each system")
		case first:
			g.policy = p
		default:
			g.curves[system] = append(g.curves[system], p)
		}
		first = false
		return nil
	}
	if err := readCurve(path, "curves of grow eval", from, read); err != nil {
		return nil, err
	}
	for _, list := range g.curves {
		if len(list) == 0 || !slices.IsSortedFunc(list, func(a, b grownPoint) int { return cmp.Compare(a.share, b.share) }) {
			return nil, fmt.Errorf("%s: %w: rows of the systems are missing or not ordered by cost", path, subgraph.ErrCorrupt)
		}
	}
	g.full = g.curves[1][len(g.curves[1])-1]
	return g, nil
}

// grown makes the section on what to fetch.
func (r *Report) grown() []block {
	g := r.options.Grown
	if g == nil {
		return nil
	}
	ap, cll := func(p *grownPoint) Interval { return p.ap }, func(p *grownPoint) Interval { return p.cll }
	return []block{
		{Text: plain(fmt.Sprintf("The policy makes %.1f look-ups for a subgraph, at %s of the cost of everything (%.1f look-ups). It reaches MAP %s and CLL %s; everything reaches %s and %s. "+
			"These subgraphs were replayed: their facts were hidden until the policy asked for them.", g.policy.calls, render.Percent(g.policy.share), g.full.calls,
			render.Fixed(g.policy.ap.Value, 3), render.Fixed(g.policy.cll.Value, 3), render.Fixed(g.full.ap.Value, 3), render.Fixed(g.full.cll.Value, 3)))},
		{
			Plots: []*plot{g.plot("Average precision by cost", "MAP", ap), g.plot("Log-likelihood by cost", "CLL", cll)},
			Small: plain("Dashed: the 95% interval of grow over subgraphs; the large point is the policy. prefix stops every subgraph after the same step, random has a random order, entropy stops when " +
				"predictions are sure enough."),
		},
	}
}

// plot draws a figure for all systems over cost.
func (g *GrownCurve) plot(title, label string, of func(*grownPoint) Interval) *plot {
	low, high := math.Inf(1), math.Inf(-1)
	draw := func(k int, y func(Interval) float64) (points []point) {
		for i := range g.curves[k] {
			q := point{100 * g.curves[k][i].share, y(of(&g.curves[k][i]))}
			if points = append(points, q); !math.IsNaN(q.Y) {
				low, high = min(low, q.Y), max(high, q.Y)
			}
		}
		return points
	}
	var lines [len(grow.Systems)][]point
	for k := range lines {
		lines[k] = draw(k, func(v Interval) float64 { return v.Value })
	}
	bounds := [][]point{draw(0, func(v Interval) float64 { return v.Low }), draw(0, func(v Interval) float64 { return v.High })}
	if !(low < high) {
		low, high = -1, 1
	}
	p := newPlot(title, "% of the cost of everything", label, 100, low, high)
	p.Alt = title
	for _, b := range bounds {
		p.line("base", b...)
	}
	for k := len(lines) - 1; k >= 0; k-- { // so that the policy is on top
		p.line(seriesClass(k), lines[k]...)
	}
	for k, name := range grow.Systems {
		p.note(seriesClass(k), name)
	}
	p.dot("dot", point{100 * g.policy.share, of(&g.policy).Value}, 5)
	return p
}
