package gain_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/kernels/features"
	"resolwe/kernels/gain"
)

// dense is a column with its values on all rows.
type dense struct {
	gain.Column
	values []float64
}

// naive grows a path by plain loops over dense, standardised columns and full Newton fits.
type naive struct {
	*table
	opt     gain.Options
	columns []dense
	p       []float64
}

// refit sets p to what the optimum of the penalised log-likelihood says.
func (d *naive) refit() {
	k := len(d.columns) + 1
	x := make([][]float64, len(d.truth))
	for i := range x {
		x[i] = make([]float64, k)
		x[i][0] = 1
	}
	for c, col := range d.columns {
		s := math.Sqrt(variance(col.values))
		for i, v := range col.values {
			x[i][c+1] = v / s
		}
	}
	w := make([]float64, k)
	for range 50 {
		a, g := make([][]float64, k), make([]float64, k)
		for c := range a {
			a[c] = make([]float64, k)
			if c > 0 {
				a[c][c] = gain.Growth(len(d.truth))
				g[c] = -gain.Growth(len(d.truth)) * w[c]
			}
		}
		for i, row := range x {
			z := 0.0
			for c, v := range row {
				z += v * w[c]
			}
			d.p[i] = 1 / (1 + math.Exp(-z))
			r := -d.p[i]
			if d.truth[i] {
				r++
			}
			for c, v := range row {
				g[c] += r * v
				for e, u := range row {
					a[c][e] += d.p[i] * (1 - d.p[i]) * v * u
				}
			}
		}
		for c, v := range eliminate(a, g) {
			w[c] += max(-1, min(1, v))
		}
	}
}

// eliminate solves a x = b.
func eliminate(a [][]float64, b []float64) []float64 {
	for c := range b {
		for r := range b {
			if r == c {
				continue
			}
			f := a[r][c] / a[c][c]
			for e := range b {
				a[r][e] -= f * a[c][e]
			}
			b[r] -= f * b[c]
		}
	}
	for c := range b {
		b[c] /= a[c][c]
	}
	return b
}

// gain returns that of a column's score test, 0 where it may not be taken.
func (d *naive) gain(c *dense) float64 {
	var n, r, h, rx, hx, hxx float64
	for i, v := range c.values {
		res := -d.p[i]
		if d.truth[i] {
			res++
		}
		hh := d.p[i] * (1 - d.p[i])
		r, h, rx, hx, hxx = r+res, h+hh, rx+res*v, hx+hh*v, hxx+hh*v*v
		if v != 0 {
			n++
		}
	}
	if all := float64(len(c.values)); c.Kind == gain.KindRule && (n < float64(d.opt.Support) || all-n < float64(d.opt.Support)) || n == 0 {
		return 0
	}
	like := 0 // of one literal, about the same candidate
	for _, u := range d.columns {
		if len(u.Literals) == 1 && len(c.Literals) == 1 && u.Literals[0].Candidate == c.Literals[0].Candidate {
			like++
		}
		if slices.Equal(u.values, c.values) || slices.EqualFunc(u.values, c.values, func(a, b float64) bool { return a == 1-b && a*b == 0 }) {
			return 0
		}
	}
	if like == 3 {
		return 0
	}
	g := rx - hx/h*r
	curvature := hxx - hx*hx/h + gain.Growth(len(d.truth))*variance(c.values)
	if curvature <= 0 {
		return 0
	}
	return g * g / (2 * curvature)
}

func (d *naive) column(kind gain.Kind, literals []gain.Literal) *dense {
	c := &dense{Column: gain.Column{Kind: kind, Literals: literals}}
	for _, row := range d.counts {
		c.values = append(c.values, value(&c.Column, row))
	}
	if kind == gain.KindRelative {
		d.subtractMeans(c.values)
	}
	return c
}

// subtractMeans subtracts the mean of each subgraph's rows.
func (d *naive) subtractMeans(values []float64) {
	for s, lo := range d.first[:len(d.first)-1] {
		own, sum := values[lo:d.first[s+1]], 0.
		for _, v := range own {
			sum += v
		}
		for i := range own {
			own[i] -= sum / float64(len(own))
		}
	}
}

// best returns the greatest score of a column, and the gain of that column. A rule grows greedily from the best
// threshold, and from its negation.
func (d *naive) best(family gain.Family, relative bool) (score, of float64) {
	var all []gain.Literal
	var first []gain.Literal
	top := 0.0
	try := func(c *dense) float64 {
		v := d.gain(c)
		if s := v / (1 + .3*float64(len(c.Literals)-1)); s > score {
			score, of = s, v
		}
		return v
	}
	unused := func(c *dense) float64 {
		used := d.columns
		d.columns = nil
		v := d.gain(c)
		d.columns = used
		return v
	}
	for c := range d.counts[0] {
		try(d.column(gain.KindLog, []gain.Literal{{Candidate: c, AtLeast: 1}}))
		if relative {
			try(d.column(gain.KindRelative, []gain.Literal{{Candidate: c, AtLeast: 1}}))
		}
		for _, k := range features.Thresholds[:12] {
			if family < gain.FamilyThresholds {
				continue
			}
			l := gain.Literal{Candidate: c, AtLeast: k}
			all = append(all, l)
			col := d.column(gain.KindRule, []gain.Literal{l})
			try(col)
			if v := unused(col); v > top*(1+1e-9) {
				top, first = v, []gain.Literal{l}
			}
		}
	}
	if family != gain.FamilyRules {
		return score, of
	}
	extend := func(rule []gain.Literal) (longer []gain.Literal, most float64) {
		values := d.column(gain.KindRule, rule).values
		for _, l := range all {
			for _, l.Negated = range []bool{false, true} {
				c := d.column(gain.KindRule, append(slices.Clone(rule), l))
				if v := unused(c); v > most*(1+1e-9) && !slices.Equal(c.values, values) {
					most, longer = v, c.Literals
				}
			}
		}
		if longer != nil {
			try(d.column(gain.KindRule, longer))
		}
		return longer, most
	}
	negated := first[0]
	negated.Negated = true
	rule, most := extend(first)
	if other, v := extend([]gain.Literal{negated}); v > most*(1+1e-9) {
		rule, most = other, v
	}
	for before := top; most > before && len(rule) < d.opt.Depth; {
		before = most
		rule, most = extend(rule)
	}
	return score, of
}

// Each column of a path is the best that the naive twin finds after the columns before it.
func TestNaive(t *testing.T) {
	r := seeded(t)
	for try := range 6 {
		d := random(r, 12, 25, 5, .3+.1*float64(try), planted)
		opt := gain.Options{Formulas: 6, Depth: 3, Support: 10}
		m := d.matrix(t, rand.Perm(12))
		for _, family := range gain.Families {
			for _, relative := range []bool{false, true} {
				columns, gains := gain.NewPath(m, family, relative, opt)
				n := &naive{table: d, opt: opt, p: make([]float64, len(d.truth))}
				for i := range columns {
					n.refit()
					score, of := n.best(family, relative)
					c := n.column(columns[i].Kind, columns[i].Literals)
					got := n.gain(c)
					gotScore := got / (1 + .3*float64(len(c.Literals)-1))
					if near := 1e-4*of + 1e-4; math.Abs(gotScore-score) > near || math.Abs(got-gains[i]) > near {
						t.Errorf("try %d, %s, relative %t, column %d %+v: gain %g, twin %g, its best %g", try, family, relative, i, columns[i], gains[i], got, of)
					}
					n.columns = append(n.columns, *c)
				}
			}
		}
	}
}
