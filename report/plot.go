package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"resolwe/internal/elementary"
	"resolwe/internal/render"
)

// plot is a chart, which the page draws as SVG. Coordinates are in units of the drawing, roughly pixels on a phone. Colours and
// dashes come from the page's style, by class, so that a chart follows the reader's colour scheme.
type plot struct {
	Title, Note string
	Alt         string // lists the numbers, for those who do not see it
	Class       string
	W, H        float64
	Grid        string // path
	Lines       []stroke
	Dots        []dot
	Bars        []bar
	Labels      []label
	Legend      []legend
	Table       *table // the same numbers

	x, y axis
}

// axis maps values to coordinates.
type axis struct {
	from, to, at, end float64
	log               bool
}

func (a axis) place(v float64) float64 {
	from, to := a.from, a.to
	v = min(max(v, from), to)
	if a.log {
		v, from, to = elementary.Log(v), elementary.Log(from), elementary.Log(to)
	}
	return a.at + float64((a.end-a.at)*(v-from)/(to-from))
}

type (
	stroke struct{ Class, Path string }
	dot    struct{ Class, X, Y, R string }
	bar    struct{ X, Y, W, H string }
	label  struct{ Class, X, Y, Anchor, Text string }
	legend struct{ Class, Text string }
	tick   struct {
		at    float64
		label string
	}
)

// decimal prints a coordinate.
func decimal(v float64) string {
	text := strconv.FormatFloat(v, 'f', 1, 64)
	if text == "-0.0" {
		return "0.0"
	}
	return text
}

// newPlot starts a chart with axes from 0 to far, and from low to high.
func newPlot(title, xLabel, yLabel string, far, low, high float64) *plot {
	return framed(title, xLabel, yLabel, axis{from: 0, to: far}, axis{from: low, to: high}, nil, nil)
}

// frame has the left, right, bottom and top of a chart's area.
var frame = [4]float64{54, 320, 204, 10}

// framed starts a chart with axes, whose ticks are round numbers if none are given.
func framed(title, xLabel, yLabel string, x, y axis, xTicks, yTicks []tick) *plot {
	p := &plot{Title: title, W: 340, H: 250, x: x, y: y}
	p.x.at, p.x.end, p.y.at, p.y.end = frame[0], frame[1], frame[2], frame[3]
	if xTicks == nil {
		xTicks = p.x.ticks(5)
	}
	if yTicks == nil {
		yTicks = p.y.ticks(6)
	}
	for _, t := range xTicks {
		p.Grid += "M" + decimal(p.x.place(t.at)) + " 10V204"
		p.text("", p.x.place(t.at), 219, "middle", t.label)
	}
	p.levels(yTicks)
	p.text("", (p.x.at+p.x.end)/2, 238, "middle", render.Clip(xLabel, 44))
	p.Labels = append(p.Labels, label{Class: "up", Text: render.Clip(yLabel, 34)})
	return p
}

// levels draws the grid of the y axis.
func (p *plot) levels(ticks []tick) {
	for _, t := range ticks {
		y := p.y.place(t.at)
		p.Grid += "M" + decimal(p.x.at) + " " + decimal(y) + "H" + decimal(p.x.end)
		p.text("", p.x.at-5, y+4, "end", t.label)
	}
}

// text writes a text at a point of the drawing.
func (p *plot) text(class string, x, y float64, anchor, text string) {
	p.Labels = append(p.Labels, label{class, decimal(x), decimal(y), anchor, render.Clip(text, render.MostName)})
}

// ticks returns a limited number of round values of an axis.
func (a axis) ticks(most int) (out []tick) {
	step, digits := niceStep((a.to - a.from) / float64(most))
	for i := math.Ceil(a.from/step - 1e-9); i*step <= a.to+float64(1e-9*step); i++ {
		out = append(out, tick{i * step, render.Fixed(i*step, digits)})
	}
	return out
}

// shares returns an axis of shares up to the next of 5, 10, 20, 50 and 100% above the highest.
func shares(highest float64) (axis, []tick) {
	to := 1.
	for _, most := range []float64{.5, .2, .1, .05} {
		if highest <= most {
			to = most
		}
	}
	return axis{from: 0, to: to}, []tick{{0, "0%"}, {to / 2, percent(to / 2)}, {to, percent(to)}}
}

// niceStep returns the smallest of 1, 2 or 5 times a power of ten that is not below a number, and its decimals.
func niceStep(least float64) (step float64, digits int) {
	for e := -15; e <= 15 && least > 0; e++ {
		for _, m := range []int{1, 2, 5} {
			step, _ = strconv.ParseFloat(fmt.Sprintf("%de%d", m, e), 64)
			if step >= least*(1-1e-9) {
				return step, max(0, -e)
			}
		}
	}
	return 1, 0
}

// line draws points joined by lines, with gaps at undefined values.
func (p *plot) line(class string, points ...point) {
	var b strings.Builder
	pen := "M"
	for _, q := range points {
		if math.IsNaN(q.X + q.Y) {
			pen = "M"
			continue
		}
		fmt.Fprintf(&b, "%s%s %s", pen, decimal(p.x.place(q.X)), decimal(p.y.place(q.Y)))
		pen = "L"
	}
	if b.Len() > 0 {
		p.Lines = append(p.Lines, stroke{class, b.String()})
	}
}

// dot draws a point with a radius.
func (p *plot) dot(class string, q point, radius float64) {
	if !math.IsNaN(q.X + q.Y) {
		p.Dots = append(p.Dots, dot{class, decimal(p.x.place(q.X)), decimal(p.y.place(q.Y)), decimal(radius)})
	}
}

// whisker draws the interval of a share.
func (p *plot) whisker(x float64, v Interval) {
	if v.Defined() {
		p.line("whisker", point{x, v.Low}, point{x, v.High})
	}
}

// note adds a class of lines or points to the legend.
func (p *plot) note(class, text string) { p.Legend = append(p.Legend, legend{class, text}) }

// roomFor returns bounds slightly beyond the defined values.
func roomFor(values ...float64) (from, to float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	if !(low <= high) {
		return 0, 1
	}
	room := max((high-low)*.06, 1e-3*max(math.Abs(low), math.Abs(high)), 1e-6)
	return low - room, high + room
}
