package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"resolwe/internal/render"
	"resolwe/watch"
)

// Watched holds the curve that watch --curve writes: how a model performed on an ordered stream.
type Watched struct {
	rows   []watchedRow
	paths  []watchedWeights
	stride int // rows per point of paths
}

// watchedRow is a block.
type watchedRow struct {
	end, weight, alarms, model float64                     // weight is the number of subgraphs
	cll, ap                    [len(watch.Systems)]float64 // NaN if undefined
}

// watchedWeights are the experts' weights after a block, by formula, each with a standard error.
type watchedWeights struct {
	end     float64
	weights map[string][2]float64
}

// mostPaths is the maximum number of points kept for weight paths.
const mostPaths = 400

// ReadWatched reads a curve of watch. Errors name the path, and match subgraph.ErrCorrupt if the file is not such a file.
func ReadWatched(path string, from io.Reader) (*Watched, error) {
	w := &Watched{stride: 1}
	return w, readCurve(path, "a curve of watch", from, func(c *cells) error {
		subgraphs := c.number("subgraphs") // 0 for truth that came later
		row := watchedRow{weight: max(1, subgraphs, c.number("ranked")), alarms: c.number("alarms"), model: c.number("model")}
		row.end = c.number("first") + subgraphs
		for k, s := range watch.Systems {
			row.cll[k], row.ap[k] = c.number(s+"_cll"), c.number(s+"_map")
		}
		if last := w.end(); c.err == nil && !(row.end > last && subgraphs > 0 || row.end == last && last > 0 && subgraphs == 0) {
			return errors.New("the blocks are not consecutive")
		}
		w.rows = append(w.rows, row)
		if _, ok := c.at["weights"]; ok && c.err == nil && (len(w.rows)-1)%w.stride == 0 {
			return w.addPath(row.end, c.text("weights"))
		}
		return nil
	})
}

// end returns the position after the last block, 0 before the first.
func (w *Watched) end() float64 {
	if len(w.rows) == 0 {
		return 0
	}
	return w.rows[len(w.rows)-1].end
}

// addPath adds the weights after a block, as JSON.
func (w *Watched) addPath(end float64, text string) error {
	var list []watch.Weighted
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return fmt.Errorf("weights: %w", err)
	}
	p := watchedWeights{end, map[string][2]float64{}}
	for _, v := range list {
		p.weights[v.Formula] = [2]float64{v.Weight, v.Error}
	}
	if w.paths = append(w.paths, p); len(w.paths) > mostPaths {
		for i := range w.paths[:len(w.paths)/2] {
			w.paths[i] = w.paths[2*i]
		}
		w.paths, w.stride = w.paths[:len(w.paths)/2], 2*w.stride
	}
	return nil
}

// watched makes the section on an ordered stream.
func (r *Report) watched() []block {
	w := r.options.Watched
	if w == nil {
		return nil
	}
	last := w.rows[len(w.rows)-1]
	return []block{
		{Text: plain(fmt.Sprintf("The stream was predicted in order, each block before its truth was known: %s; alarms: %.0f; model %.0f is in use at the end. "+
			"A dotted line is a block with an alarm, a large point a takeover.", render.Count(int(last.end), "subgraph", "subgraphs"), last.alarms, last.model))},
		{Plots: []*plot{
			w.curve("Log-likelihood (CLL) over the stream", "CLL", func(x *watchedRow, k int) float64 { return x.cll[k] }),
			w.curve("Average precision over the stream", "average precision", func(x *watchedRow, k int) float64 { return x.ap[k] }),
		}},
		{Plots: w.weights(), Small: plain("Weights of the experts, averaged like their mixture, for the formulas whose weights move most; dashed: two standard errors on either side. " +
			"They are descriptive, not a test.")},
	}
}

// curve draws a figure of the systems, as means over neighbouring blocks.
func (w *Watched) curve(title, label string, value func(*watchedRow, int) float64) *plot {
	const most = 60
	share := (len(w.rows) + most - 1) / most
	var lines [len(watch.Systems)][]point
	low, high := math.Inf(1), math.Inf(-1)
	for part := range slices.Chunk(w.rows, share) {
		for k := range lines {
			sum, n := 0., 0.
			for i := range part {
				if v := value(&part[i], k); !math.IsNaN(v) {
					sum, n = sum+float64(v*part[i].weight), n+part[i].weight
				}
			}
			if y := sum / n; n > 0 {
				low, high = min(low, y), max(high, y)
				lines[k] = append(lines[k], point{part[len(part)-1].end, y})
			}
		}
	}
	p := w.plot(title, label, low, high)
	for k := len(lines) - 1; k >= 0; k-- { // so that the first is on top
		p.line(seriesClass(k), lines[k]...)
	}
	for k, name := range watch.Systems {
		p.note(seriesClass(k), name)
	}
	return p
}

// plot begins a chart along the stream, with its alarms and takeovers.
func (w *Watched) plot(title, label string, low, high float64) *plot {
	if !(low < high) {
		low, high = -1, 1
	}
	room := (high - low) / 20
	p := newPlot(title, "subgraphs", label, 1.06*w.rows[len(w.rows)-1].end, low-room, high+room)
	p.Alt = title
	for i := 1; i < len(w.rows); i++ {
		x, before := &w.rows[i], &w.rows[i-1]
		if x.alarms > before.alarms && len(p.Lines) < mostPaths {
			p.line("base", point{x.end, low - room}, point{x.end, high + room})
		}
		if x.model > before.model && len(p.Dots) < mostPaths {
			p.dot("dot", point{x.end, high + room}, 4)
		}
	}
	return p
}

// weights draws the paths of the formulas whose weights move most.
func (w *Watched) weights() (out []*plot) {
	type path struct {
		formula   string
		lines     [3][]point
		low, high float64
	}
	by := map[string]*path{}
	var all []*path
	for _, x := range w.paths {
		for _, f := range slices.Sorted(maps.Keys(x.weights)) {
			v := x.weights[f]
			p := by[f]
			if p == nil {
				p = &path{formula: f, low: v[0], high: v[0]}
				by[f], all = p, append(all, p)
			}
			p.low, p.high = min(p.low, v[0]), max(p.high, v[0])
			for k := range p.lines {
				p.lines[k] = append(p.lines[k], point{x.end, v[0] + float64(float64(2*(k-1))*v[1])})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *path) int { return cmp.Compare(b.high-b.low, a.high-a.low) })
	for _, p := range all[:min(len(all), 6)] {
		ys := slices.Concat(p.lines[0], p.lines[2])
		byY := func(a, b point) int { return cmp.Compare(a.Y, b.Y) }
		c := w.plot(render.Clip(p.formula, render.MostName), "weight", slices.MinFunc(ys, byY).Y, slices.MaxFunc(ys, byY).Y)
		for k, class := range []string{"s1", "s0", "s1"} {
			c.line(class, p.lines[k]...)
		}
		out = append(out, c)
	}
	return out
}
