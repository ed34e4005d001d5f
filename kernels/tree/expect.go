package tree

import (
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// AddExpected adds to dst, by formula, the expected counts of the component's terms. [Tree.Sum] has to come before.
func (t *Tree) AddExpected(dst []float64) {
	for _, a := range t.vars.atoms {
		t.eachAtomCoefs(a, func(coefs []network.Coef, times float64) {
			loglinear.AddCoefs(dst, coefs, float64(t.Marginal(a)*times))
		})
	}
	t.eachConstant(func(coefs []network.Coef, times float64) { loglinear.AddCoefs(dst, coefs, times) })
	d := &t.node
	for n := range uint32(len(t.order.variable)) {
		if t.ownStart[n] == t.ownStart[n+1] {
			continue
		}
		t.dimensions(n)
		t.joint(n)
		t.listOwn(n)
		d.items, d.small = d.items[:0], d.small[:0]
		for _, own := range d.masks {
			if k := len(d.items); k == 0 || own.mask != d.items[k-1].mask {
				at, end := d.begin(own.mask)
				d.items = append(d.items, item{mask: own.mask, at: at, end: end})
			}
		}
		items := d.items
		for j := len(d.dims) - 1; j >= 0; j-- {
			for it := d.last(j); it != nil; it = d.last(j) {
				d.walk.sum(d.small[it.at:it.end], d.table)
			}
			d.fold(j)
		}
		for _, own := range d.masks {
			for own.mask != items[0].mask {
				items = items[1:]
			}
			small, p := d.small[items[0].at:items[0].end], 0.0
			t.eachTruth(own, func(k int, truth bool) {
				if truth {
					p += small[k]
				}
			})
			coefs, times := t.factors.list[own.factor].coefs(t.m)
			loglinear.AddCoefs(dst, coefs, float64(p*times))
		}
	}
}

// eachAtomCoefs calls f for the coefficients of an atom on its own, each so many times.
func (t *Tree) eachAtomCoefs(a uint32, f func(coefs []network.Coef, times float64)) {
	f(t.m.Unary(a), 1)
	t.m.Bilinear.EachSelf(a, func(i uint32, mult int64) { f(t.m.Net.Bilinears[i].Coefs, float64(mult)) })
}

// eachConstant calls f for the coefficients of the true factors that have no variables.
func (t *Tree) eachConstant(f func(coefs []network.Coef, times float64)) {
	for _, i := range t.constants {
		if c := &t.factors.list[i]; t.factors.truth(c, &t.vars, nil) {
			f(c.coefs(t.m))
		}
	}
}

// sums are what the covariance of counts needs. Given a node's separator, the counts of the terms at the node and below it have
// an expectation, here less that without the separator's being given. Of those of the children and the node's own terms, what
// the node's variable changes is a step of a martingale: the covariances of the steps add up to that of the counts.
type sums struct {
	formulas []uint32  // by place in the node's tables
	column   []uint32  // by formula: its place, plus 1
	counts   []float64 // by place: a table of the node
	weighted []float64
	truth    []float64

	start  []int // by node: its formulas are listed at active[start[n]:start[n+1]]
	active []uint32
	at     []int // parallel to active: where expected has them, by separator's entry
	expect []float64
}

// AddMoments adds to mean, by formula, the expected counts of the component's terms, and to cov their covariance: F x F by rows,
// or with diagonal the variances by formula. [Tree.Sum] has to come before.
func (t *Tree) AddMoments(mean, cov []float64, diagonal bool) {
	s := &t.sums
	s.column = grow.Zeroed(s.column, len(mean))
	s.start, s.active, s.at, s.expect = append(s.start[:0], 0), s.active[:0], s.at[:0], s.expect[:0]
	for _, a := range t.vars.atoms {
		if p := t.vars.of[a]; p.variable == none && p.negated {
			t.eachAtomCoefs(a, func(coefs []network.Coef, times float64) { loglinear.AddCoefs(mean, coefs, times) })
		}
	}
	t.eachConstant(func(coefs []network.Coef, times float64) { loglinear.AddCoefs(mean, coefs, times) })
	for n := range uint32(len(t.order.variable)) {
		t.dimensions(n)
		t.joint(n)
		t.count(n)
		t.centre(n, mean)
		t.vary(cov, diagonal)
		for _, f := range s.formulas {
			s.column[f] = 0
		}
	}
}

// tableOf returns a formula's table of the node.
func (t *Tree) tableOf(formula uint32) []float64 {
	s, size := &t.sums, t.node.size[len(t.node.dims)]
	if s.column[formula] == 0 {
		s.formulas = append(s.formulas, formula)
		s.column[formula] = uint32(len(s.formulas))
		at := len(s.counts)
		s.counts = slices.Grow(s.counts, size)[:at+size]
		clear(s.counts[at:])
	}
	return s.counts[int(s.column[formula]-1)*size:][:size]
}

// count sets the tables to the counts of the node's terms and what its children expect.
func (t *Tree) count(n uint32) {
	d, s := &t.node, &t.sums
	s.formulas, s.counts = s.formulas[:0], s.counts[:0]
	add := func(mask uint32, coefs []network.Coef, times float64) {
		d.walk.over(d.counts, mask)
		for _, c := range coefs {
			d.walk.addScaled(t.tableOf(c.Formula), s.truth, times*float64(c.Mult))
		}
	}
	t.eachUnary(n, func(a uint32, value int) {
		s.truth = grow.Zeroed(s.truth, d.counts[0])
		s.truth[value] = 1
		t.eachAtomCoefs(a, func(coefs []network.Coef, times float64) { add(1, coefs, times) })
	})
	t.listOwn(n)
	for _, own := range d.masks {
		f := &t.factors.list[own.factor]
		if f.hard() {
			continue
		}
		s.truth = s.truth[:0]
		t.eachTruth(own, func(_ int, truth bool) {
			v := 0.0
			if truth {
				v = 1
			}
			s.truth = append(s.truth, v)
		})
		coefs, times := f.coefs(t.m)
		add(own.mask, coefs, times)
	}
	for _, c := range t.children(n) {
		d.walk.over(d.counts, d.mask(t.order.separator(c)))
		for i := s.start[c]; i < s.start[c+1]; i++ {
			d.walk.add(t.tableOf(s.active[i]), s.expect[s.at[i]:][:t.entries[c]])
		}
	}
}

// centre takes from each table its expectation, and then what is expected given the separator, which the parent gets.
func (t *Tree) centre(n uint32, mean []float64) {
	d, s := &t.node, &t.sums
	given, values := t.given[t.slopeAt[n]:t.slopeAt[n+1]], d.counts[0]
	_, inner := t.parent(n)
	for _, f := range s.formulas {
		counts := t.tableOf(f)
		m := 0.0
		for x, p := range d.table[:len(counts)] {
			m += float64(p * counts[x])
		}
		mean[f] += m
		for x := range counts {
			counts[x] -= m
		}
		at := len(s.expect)
		s.expect = slices.Grow(s.expect, t.entries[n])[:at+t.entries[n]]
		expect, any := s.expect[at:], false
		for e := range expect {
			row, rest := counts[e*values:(e+1)*values], given[e*(values-1):(e+1)*(values-1)]
			move := 0.0
			for i, p := range rest {
				move += float64(p * (row[i+1] - row[0]))
			}
			v := row[0] + move
			for i := range row {
				row[i] -= v
			}
			expect[e] = v
			any = any || v != 0
		}
		if !inner || !any {
			s.expect = s.expect[:at]
			continue
		}
		s.active, s.at = append(s.active, f), append(s.at, at)
	}
	s.start = append(s.start, len(s.active))
}

// vary adds the covariance of the tables.
func (t *Tree) vary(cov []float64, diagonal bool) {
	s, size := &t.sums, t.node.size[len(t.node.dims)]
	formulas := len(s.column)
	s.weighted = grow.To(s.weighted, size)
	for _, f := range s.formulas {
		counts := t.tableOf(f)
		for x, p := range t.node.table[:size] {
			s.weighted[x] = float64(p * counts[x])
		}
		for _, g := range s.formulas {
			if g > f || diagonal && g != f {
				continue
			}
			sum := 0.0
			for x, v := range t.tableOf(g) {
				sum += float64(s.weighted[x] * v)
			}
			if diagonal {
				cov[f] += sum
				continue
			}
			cov[int(f)*formulas+int(g)] += sum
			if f != g {
				cov[int(g)*formulas+int(f)] += sum
			}
		}
	}
}
