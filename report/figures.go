package report

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"resolwe/internal/render"
)

// percent prints a share: with a decimal below a tenth. The page's script rounds alike.
func percent(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	if v < .1 && v > 0 {
		return render.Fixed(math.Floor(float64(1000*v)+.5)/10, 1) + "%"
	}
	return render.Fixed(math.Floor(float64(100*v)+.5), 0) + "%"
}

// between prints the bounds of a share, or "" if there are none.
func between(v Interval) string {
	if !v.Defined() {
		return ""
	}
	return "[" + percent(v.Low) + ",\u00a0" + percent(v.High) + "]"
}

// counted prints a group's true cases among all.
func (g *Group) counted() string { return render.Grouped(g.True) + " of " + render.Grouped(g.Cases) }

// groupTable lists groups.
func groupTable(caption, first string, groups []Group) *table {
	t := newTable(caption, first, "#Cases", "#True", "#Share", "#95% interval")
	for i := range groups {
		g := &groups[i]
		t.row(render.Clip(g.Label, render.MostName), g.Cases, g.True, percent(g.Share.Value), between(g.Share))
	}
	return t
}

// systemsFigure draws figure A: systems below one another, each with its interval.
func (g *Glance) systemsFigure() *plot {
	if len(g.Systems) == 0 {
		return nil
	}
	low, high := 0., 0.
	for _, s := range g.Systems {
		for _, v := range []float64{s.Value, s.Low, s.High} {
			if !math.IsNaN(v) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	step, _ := niceStep((high - low) / 4)
	n := float64(len(g.Systems))
	p := &plot{Title: g.Title, Alt: g.Measure + ": ", W: 340, H: 58 + float64(38*n), Class: "rows"}
	p.x = axis{from: float64(step * math.Floor(low/step)), to: float64(step * math.Ceil(high/step)), at: 12, end: 324}
	if !(p.x.to > p.x.from) {
		p.x.to = p.x.from + 1
	}
	p.y = axis{from: 0, to: n, at: 4, end: 4 + float64(38*n)}
	for _, t := range p.x.ticks(5) {
		p.Grid += "M" + decimal(p.x.place(t.at)) + " 4V" + decimal(p.y.end+4)
		p.text("", p.x.place(t.at), p.y.end+18, "middle", t.label)
	}
	p.text("", 168, p.y.end+36, "middle", g.Measure+", 95% interval")
	p.Table = newTable(g.Measure, "System", "#Value|3", "#95% interval")
	for i, s := range g.Systems {
		y, class := float64(i)+.7, render.Either(s.This, "", "other ")
		name, at := render.Clip(s.Name, 36)+", "+render.Fixed(s.Value, 3), s.Value
		if s.Defined() {
			p.line(class+"whisker", point{s.Low, y}, point{s.High, y})
			at = s.Low
		}
		p.dot(class+"dot", point{s.Value, y}, 4.5)
		left := max(min(p.x.place(at), 334-float64(6.6*float64(utf8.RuneCountInString(name)))), 2)
		p.text("lab", left, p.y.place(y)-10, "start", name)
		p.Alt += name + " " + s.brackets(3) + "; "
		p.Table.row(render.Clip(s.Name, render.MostName), s.Value, s.brackets(3))
	}
	return p
}

// groupsFigure draws the shares of true cases of groups beside one another: as points joined by a line, or as bars.
func groupsFigure(title string, groups []Group, base float64, bars bool) *plot {
	if len(groups) == 0 {
		return nil
	}
	highest := base
	for i := range groups {
		g := &groups[i]
		for _, v := range []float64{g.Share.Value, g.Share.High} {
			if !math.IsNaN(v) {
				highest = max(highest, v)
			}
		}
	}
	p := &plot{Title: title, Alt: title + ": ", W: 280, H: 122, Class: "groups"}
	y, ticks := shares(highest)
	p.x, p.y = axis{from: 0, to: float64(len(groups)), at: 36, end: 276}, y
	p.y.at, p.y.end = 88, 8
	if bars {
		p.W, p.H, p.x.end, p.y.at = 340, 190, 336, 150
	}
	p.levels(ticks)
	p.line("base", point{0, base}, point{p.x.to, base})
	gap := (p.x.end - p.x.at) / float64(len(groups))
	every := 1
	for crowded(groups, every, gap) {
		every++
	}
	var points []point
	for i := range groups {
		g, x := &groups[i], float64(i)+.5
		at, about := p.x.place(x), render.Clip(g.Label, render.MostName)+": "+g.counted()
		p.whisker(x, g.Share)
		points = append(points, point{x, g.Share.Value})
		if bars && !math.IsNaN(g.Share.Value) {
			top := p.y.place(g.Share.Value)
			p.Bars = append(p.Bars, bar{decimal(at - float64(.3*gap)), decimal(top), decimal(.6 * gap), decimal(p.y.at - top)})
		} else {
			p.dot("dot", points[i], 3.5)
		}
		if i%every == 0 {
			p.text("", at, p.y.at+14, "middle", render.Clip(g.Label, mostLabel))
			p.text("", at, p.y.at+27, "middle", g.fraction())
		}
		p.Alt += about + "; "
	}
	if !bars {
		p.line("line", points...)
	}
	p.Table = groupTable(title, "Group", groups)
	return p
}

// mostLabel is the greatest length of the label of a group.
const mostLabel = 12

// crowded reports whether the labels of every so many groups, a gap apart, touch one another.
func crowded(groups []Group, every int, gap float64) bool {
	width := func(g *Group) int { return max(min(utf8.RuneCountInString(g.Label), mostLabel+1), len(g.fraction())) }
	for i := every; i < len(groups); i += every {
		if float64(3.3*float64(width(&groups[i-every])+width(&groups[i])))+3 > gap*float64(every) {
			return true
		}
	}
	return false
}

// fraction prints a group's true cases and all.
func (g *Group) fraction() string { return fmt.Sprintf("%d/%d", g.True, g.Cases) }

var wholePercents = []tick{{0, "0%"}, {.25, "25%"}, {.5, "50%"}, {.75, "75%"}, {1, "100%"}}

// linesFigure draws curves of systems, this model's on top, over shares on both axes.
func linesFigure(title, xLabel, yLabel string, lines []Line) *plot {
	if len(lines) == 0 {
		return nil
	}
	p := framed(title, xLabel, yLabel, axis{to: 1}, axis{to: 1}, wholePercents, wholePercents)
	p.Alt = title + ": "
	var last []stroke
	for i, l := range lines {
		class := render.Either(l.This, "line", fmt.Sprint("line s", 1+i%5))
		p.line(class, l.Points...)
		if n := len(p.Lines); l.This && n > 0 {
			p.Lines, last = p.Lines[:n-1], append(last, p.Lines[n-1])
		}
		p.note(class, render.Clip(l.Name, 40))
		p.Alt += render.Clip(l.Name, 40)
		for _, x := range []float64{.1, .2, .5} {
			p.Alt += fmt.Sprintf(", %s at %s", percent(at(l.Points, x)), percent(x))
		}
		p.Alt += "; "
	}
	p.Lines = append(p.Lines, last...)
	return p
}

// at returns a curve's value, by its points from left to right.
func at(points []point, x float64) float64 {
	for i, q := range points {
		if q.X < x {
			continue
		}
		if i == 0 || q.X == x {
			return q.Y
		}
		b := points[i-1]
		return b.Y + float64((q.Y-b.Y)*(x-b.X)/(q.X-b.X))
	}
	return math.NaN()
}

// foundFigure draws figure B, with a point that the panel moves.
func (c *Content) foundFigure() *plot {
	p := linesFigure("True cases found by cases checked", "share checked, most probable first", "share found", c.Quality.Found)
	if p == nil {
		return nil
	}
	p.line("base", point{0, 0}, point{1, 1})
	p.Note = c.Quality.FoundNote.String()
	for _, l := range c.Quality.Found {
		if s := c.Cases.shareChecked(); l.This && !math.IsNaN(s) {
			p.dot("dot chosen", point{s, at(l.Points, s)}, 5)
		}
	}
	return p
}

// shareChecked returns the share of cases that are checked where the panel begins, at the rate of the population.
func (s *Cases) shareChecked() float64 {
	var checked, found int64
	for _, b := range s.steps() {
		if checked >= int64(s.Start) {
			break
		}
		checked, found = checked+b.Cases, found+b.True
	}
	return s.weight(checked, found) / s.weight(s.Total, s.Trues) // NaN without cases
}

// calibrationFigure draws figure C.
func (c *Content) calibrationFigure() *plot {
	groups := c.Quality.Calibration
	if len(groups) == 0 {
		return nil
	}
	var cases, trues int64
	for _, g := range groups {
		cases, trues = cases+g.Cases, trues+g.True
	}
	x, ticks, name := axis{to: 1}, wholePercents, "predicted probability"
	if float64(5*trues) < float64(cases) {
		x, ticks, name = axis{from: .001, to: 1, log: true}, []tick{{.001, "0.1%"}, {.01, "1%"}, {.1, "10%"}, {1, "100%"}}, name+" (log scale)"
	}
	p := framed("Do the probabilities mean what they say?", name, "share "+c.words().that, x, x, ticks, ticks)
	p.Note, p.Alt = c.Quality.CalibNote.String(), "Predicted and observed share by group: "
	p.line("base", point{x.from, x.from}, point{1, 1})
	p.Table = groupTable(p.Title, "Predicted", groups)
	for i := range groups {
		g := &groups[i]
		about := fmt.Sprintf("predicted %s, %s %s", percent(g.Mean), g.counted(), c.words().yes)
		p.whisker(g.Mean, g.Share)
		p.dot("dot", point{g.Mean, g.Share.Value}, 4)
		p.Alt += about + "; "
		p.Table.Rows[i].Cells[0].Text = plain(percent(g.Mean))
	}
	return p
}

// spark draws a distribution as small bars.
func spark(values []float64) *plot {
	if len(values) == 0 {
		return nil
	}
	var bars strings.Builder
	p := &plot{Class: "spark", W: 60, H: 18}
	for i, v := range values[:min(len(values), 12)] {
		h := 1 + float64(16*min(max(v, 0), 1))
		fmt.Fprintf(&bars, "M%d 18V%s", 5*i+2, decimal(18-h))
	}
	p.Lines = []stroke{{Class: "bars", Path: bars.String()}}
	return p
}
