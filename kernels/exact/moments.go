package exact

import (
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// sums are the data for the covariance of counts. Given a node's separator, the counts of the terms at the node and below have an
// expectation, here less the unconditional one. The change of the sum of the children's and the node's own counts with the node's variable
// is a step of a martingale: the covariances of the steps add up to that of the counts.
type sums struct {
	formulas []uint32  // by position in the node's tables
	column   []uint32  // by formula: its position, plus 1
	counts   []float64 // by position: a table of the node
	weighted []float64

	start  []int // by node: its formulas are active[start[n]:start[n+1]]
	active []uint32
	at     []int // parallel to active: their positions in expected, by separator's entry
	expect []float64
}

// AddMoments adds to mean, by formula, the expected counts of the component's terms, and to cov their covariance: F x F by rows or, with
// diagonal, the variances by formula. [Tree.Sum] must be called first.
func (t *Tree) AddMoments(mean, cov []float64, diagonal bool) {
	s := &t.sums
	s.column = grow.Zeroed(s.column, len(mean))
	s.start, s.active, s.at, s.expect = append(s.start[:0], 0), s.active[:0], s.at[:0], s.expect[:0]
	for _, a := range t.vars.atoms {
		if p := t.vars.of[a]; p.variable == none && p.negated {
			t.eachAtomCoefs(a, func(coefs []network.Coef, times float64) { loglinear.AddCoefs(mean, coefs, times) })
		}
	}
	for _, i := range t.constants() {
		if f := &t.factors.list[i]; t.factors.matters(f, &t.vars, nil) {
			loglinear.AddCoefs(mean, f.coefs(t.m), float64(f.mult))
		}
	}
	for n := range uint32(len(t.cliques) - 1) {
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

// eachAtomCoefs calls f for the coefficients of an atom alone, with their multiplicities.
func (t *Tree) eachAtomCoefs(a uint32, f func(coefs []network.Coef, times float64)) {
	f(t.m.Unary(a), 1)
	t.m.Bilinear.EachSelf(a, func(i uint32, mult int64) { f(t.m.Net.Bilinears[i].Coefs, float64(mult)) })
}

// tableOf returns a formula's table at the node.
func (t *Tree) tableOf(formula uint32) []float64 {
	s, size := &t.sums, t.node.size[len(t.node.dims)]
	if s.column[formula] == 0 {
		s.formulas = append(s.formulas, formula)
		s.column[formula] = uint32(len(s.formulas))
		at := len(s.counts)
		s.counts = grow.By(s.counts, size)
		clear(s.counts[at:])
	}
	return s.counts[int(s.column[formula]-1)*size:][:size]
}

// count sets the tables to the counts of the node's terms, first summing those over the same dimensions in small tables, plus the
// children's expectations.
func (t *Tree) count(n uint32) {
	d, s := &t.node, &t.sums
	s.formulas, s.counts = s.formulas[:0], s.counts[:0]
	t.eachUnary(n, func(a uint32, value int) {
		t.eachAtomCoefs(a, func(coefs []network.Coef, times float64) {
			for _, c := range coefs {
				d.smallOf(1, c.Formula)[value] += float64(times * float64(c.Mult))
			}
		})
	})
	t.listOwn(n)
	for _, own := range d.own {
		f := &t.factors.list[own.factor]
		for _, c := range f.coefs(t.m) {
			small := d.smallOf(own.mask, c.Formula)
			t.eachMarked(own, func(k int) { small[k] += float64(float64(f.mult) * float64(c.Mult)) })
		}
	}
	for i := range d.items {
		it := &d.items[i]
		d.walk.over(d.counts, it.mask)
		add(&d.walk, t.tableOf(it.formula), t.valuesOf(it))
	}
	for _, c := range t.children.Of(n) {
		d.walk.over(d.counts, t.maskOf(c))
		for i := s.start[c]; i < s.start[c+1]; i++ {
			add(&d.walk, t.tableOf(s.active[i]), s.expect[s.at[i]:][:len(t.message(c))])
		}
	}
}

// smallOf returns the table of a formula's counts over some dimensions.
func (d *node) smallOf(mask, formula uint32) []float64 {
	for i := len(d.items) - 1; i >= 0 && d.items[i].mask == mask; i-- {
		if it := &d.items[i]; it.formula == formula {
			return d.small[it.at:it.end]
		}
	}
	return d.zeros(mask, formula)
}

// centre subtracts from each table its expectation, then the expectation given the separator, which is passed to the parent.
func (t *Tree) centre(n uint32, mean []float64) {
	d, s := &t.node, &t.sums
	given, values, entries := t.conditionals(n), d.counts[0], len(t.message(n))
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
		s.expect = grow.By(s.expect, entries)
		expect, moves := s.expect[at:], false
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
			moves = moves || v != 0
		}
		if t.root(n) || !moves {
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
