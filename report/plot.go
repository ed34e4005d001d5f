package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"resolwe/internal/render"
)

// plot is a chart, which the page draws as SVG. Coordinates are in units of the drawing, roughly pixels on a phone. Colours and
// dashes come from the page's style, by class, so that a chart follows the reader's colour scheme.
type plot struct {
	ID, Title, Desc string
	W, H            float64
	Left, Right     float64 // of the plot area
	Top, Bottom     float64
	XLabel, YLabel  string
	XTicks, YTicks  []tick
	Lines           []stroke
	Dots            []dot
	Bars            []bar
	Legend          []legend
	Note            string

	x, y axis
}

// axis maps values to coordinates.
type axis struct{ from, to, at, end float64 }

func (a axis) place(v float64) float64 {
	return a.at + float64((a.end-a.at)*(float64(v)-a.from)/(a.to-a.from)) // v may be a product
}

type (
	tick struct {
		At    string
		Label string
		Name  bool // for a row: the label is long, and there is no grid line
	}
	stroke struct{ Class, Path string }
	dot    struct{ Class, X, Y, R string }
	bar    struct{ X, Y, W, H, Title string }
	legend struct{ Class, Text string }
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
func newPlot(id, title, xLabel, yLabel string, far, low, high float64) *plot {
	p := &plot{ID: id, Title: title, W: 360, H: 270, Left: 58, Right: 350, Top: 10, Bottom: 226, XLabel: xLabel, YLabel: yLabel}
	p.x, p.y = axis{0, far, p.Left, p.Right}, axis{low, high, p.Bottom, p.Top}
	p.XTicks, p.YTicks = p.x.ticks(6), p.y.ticks(6)
	return p
}

// ticks returns a limited number of round values of an axis.
func (a axis) ticks(most int) (out []tick) {
	step, digits := niceStep((a.to - a.from) / float64(most))
	for i := math.Ceil(a.from/step - 1e-9); i*step <= a.to+float64(1e-9*step); i++ {
		out = append(out, tick{At: decimal(a.place(i * step)), Label: render.Fixed(i*step, digits)})
	}
	return out
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
func (p *plot) line(class string, points []point) {
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

// bar draws a column from 0 to y between two x.
func (p *plot) bar(from, to, y float64, title string) {
	left, right := p.x.place(from), p.x.place(to)
	top, floor := p.y.place(y), p.y.place(0)
	p.Bars = append(p.Bars, bar{decimal(left + .5), decimal(top), decimal(right - left - 1), decimal(floor - top), title})
}

// note adds a class of lines or points to the legend.
func (p *plot) note(class, text string) { p.Legend = append(p.Legend, legend{class, text}) }

// row is a name with an interval to draw.
type row struct {
	Name, Class string
	Interval
}

// newRows draws intervals below one another on a common axis, or bars from 0 to their values.
func newRows(id, title, label string, rows []row, bars bool) *plot {
	var ends []float64
	if bars {
		ends = append(ends, 0)
	}
	for _, r := range rows {
		ends = append(ends, r.Value, r.Low, r.High)
	}
	low, high := roomFor(ends...)
	p := &plot{ID: id, Title: title, W: 360, H: 60 + float64(26*len(rows)), Left: 104, Right: 350, Top: 6, XLabel: label}
	p.Bottom = p.H - 44
	p.x, p.y = axis{low, high, p.Left, p.Right}, axis{-.6, float64(len(rows)) - .4, p.Top, p.Bottom}
	p.XTicks = p.x.ticks(5)
	for i, r := range rows {
		y := float64(i)
		p.Desc += fmt.Sprintf("%s: %s %s; ", render.Clip(r.Name, render.MostName), render.Fixed(r.Value, 3), r.brackets(3))
		p.YTicks = append(p.YTicks, tick{At: decimal(p.y.place(y)), Label: render.Clip(r.Name, 14), Name: true})
		if bars {
			from, to := p.x.place(min(0, r.Value)), p.x.place(max(0, r.Value))
			p.Bars = append(p.Bars, bar{decimal(from), decimal(p.y.place(y) - 7), decimal(to - from), "14", r.Name + ": " + render.Fixed(r.Value, 3) + " " + r.brackets(3)})
		}
		if r.Defined() {
			p.line(r.Class+" whisker", []point{{max(r.Low, low), y}, {min(r.High, high), y}})
		}
		if !bars {
			p.dot(r.Class, point{r.Value, y}, 4)
		}
	}
	return p
}

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

// The following return the positions of labels.
func (p *plot) XTickAt() string  { return decimal(p.Bottom + 16) }
func (p *plot) YTickAt() string  { return decimal(p.Left - 6) }
func (p *plot) XLabelAt() string { return decimal(p.Bottom + 35) }
func (p *plot) Middle() string   { return decimal((p.Left + p.Right) / 2) }
func (p *plot) Centre() string   { return decimal((p.Top + p.Bottom) / 2) }
