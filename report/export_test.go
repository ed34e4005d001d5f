package report

import (
	"context"
	"io"

	"resolwe"
	"resolwe/crossval"
	"resolwe/format/origin"
)

// Holm adjusts p-values.
func Holm(tests []crossval.Comparison) []float64 { return holm(tests) }

// RatioOf returns the interval for clusters of true and false atoms.
func RatioOf(clusters [][2]int) Interval {
	var r ratio
	for _, c := range clusters {
		for range c[0] {
			r.add(true)
		}
		for range c[1] {
			r.add(false)
		}
		r.end()
	}
	return r.interval()
}

// Weigh computes the statistics of a model's formulas; shrink are the precisions of the priors.
func Weigh(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, p map[int][]float64, shrink []float64) ([]Weighed, error) {
	w := newWeigher(m, shrink)
	err := w.weigh(ctx, s, p, resolwe.Run{}, nil)
	return w.result(), err
}

// Curves of the runs of a ranking.
var (
	TruePositives = truePositives
	Precision     = precision
)

// Ticks returns the labels of an axis.
func Ticks(from, to float64) (labels []string) {
	for _, t := range (axis{from: from, to: to, end: 100}).ticks(6) {
		labels = append(labels, t.label)
	}
	return labels
}

// PageStyle is the style of the page.
var PageStyle = pageStyle

// WriteContent writes the page of a content.
func WriteContent(c *Content, w io.Writer) error { return c.write(w, nil, nil) }

// Point is a point of a curve.
type Point = point

// OutOfFold is a prediction by hand.
type OutOfFold struct {
	Tested int
	P      float64
	True   bool
}

// SetOutOfFold replaces the predictions of cases that models had not seen: one a subgraph.
func (r *Report) SetOutOfFold(list []OutOfFold) {
	r.outOfFold = nil
	for _, p := range list {
		r.outOfFold = append(r.outOfFold, predicted{tested: p.Tested, p: []float64{p.P, .5, .5, .5}, truth: p.True})
	}
}

// SetOrigin says what the stream was made of.
func (r *Report) SetOrigin(o *origin.Origin) { r.origin = o }

// Adjusted returns the shares with and without the first formula about what a formula of the model is about.
func (r *Report) Adjusted(formula int) (with, without float64, ok bool) {
	return r.adjusted(&telling{formulas: []int{formula}})
}

// Common returns for how many cases two formulas hold.
func (r *Report) Common(f, g int) (int64, bool) { return r.beside.both(f, g) }

// Portion prints a share.
var Portion = portion
