package gain_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/features"
	"resolwe/kernels/gain"
)

// table is a dense twin of a matrix's rows.
type table struct {
	names  []string
	first  []int // rows of subgraph s: first[s] up to first[s+1]
	truth  []bool
	counts [][]int64 // by row, then candidate

	offset  func(row int) float64 // nil for none
	allowed []bool                // thresholds, by candidate
}

func (d *table) subgraph(s int) *features.Subgraph {
	sub := &features.Subgraph{Name: d.names[s], Truth: d.truth[d.first[s]:d.first[s+1]]}
	for a, row := range d.counts[d.first[s]:d.first[s+1]] {
		if d.offset != nil {
			sub.Offset = append(sub.Offset, d.offset(d.first[s]+a))
		}
		for c, n := range row {
			if n > 0 || (a+c)%3 == 0 {
				sub.Cells = append(sub.Cells, features.Cell{Atom: uint32(a), Candidate: uint32(c), Count: n})
			}
		}
	}
	return sub
}

// matrix adds the subgraphs in the order given.
func (d *table) matrix(t *testing.T, order []int) *gain.Matrix {
	t.Helper()
	opt := features.BuilderOptions{Seed: 1, Thresholds: d.allowed}
	b, other := features.NewBuilder(len(d.counts[0]), opt), features.NewBuilder(len(d.counts[0]), opt)
	for i, s := range order {
		to := b
		if i%3 == 0 {
			to = other
		}
		check.OK(t, to.Add(d.subgraph(s)))
	}
	b.Merge(other)
	m, err := gain.NewMatrix(b, nil)
	check.OK(t, err)
	return m
}

// random returns a table whose truth depends by odds on the counts of a row; the probability of a count that is not 0
// is density.
func random(r *rand.Rand, subgraphs, size, candidates int, density float64, odds func([]int64) float64) *table {
	d := &table{first: []int{0}}
	for s := range subgraphs {
		d.names = append(d.names, fmt.Sprint("s", s))
		for range size {
			row := make([]int64, candidates)
			for c := range row {
				if r.Float64() < density {
					row[c] = int64(math.Exp(r.Float64()*2.6 + .1)) // below 16, so kept exactly
				}
			}
			d.counts = append(d.counts, row)
			d.truth = append(d.truth, r.Float64() < 1/(1+math.Exp(-odds(row))))
		}
		d.first = append(d.first, len(d.truth))
	}
	return d
}

func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	t.Log("seed", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func has(n ...int64) float64 {
	if slices.Contains(n, 0) {
		return 0
	}
	return 1
}

func planted(row []int64) float64 {
	return 2.5*has(row[0])*(1-has(row[1])) + 2*has(row[2], row[3]) + 1.2*math.Log2(float64(1+row[4])) - 2.5
}

func TestPlanted(t *testing.T) {
	r := seeded(t)
	for _, candidates := range []int{12, 60} {
		d := random(r, 80, 60, candidates, .4, planted)
		res, err := d.matrix(t, r.Perm(80)).Select(gain.Options{})
		check.OK(t, err)
		seen, noise := map[int]bool{}, 0
		for _, s := range res.Path[:res.Size] {
			informs := false
			for _, l := range s.Literals {
				seen[l.Candidate] = true
				informs = informs || l.Candidate < 5
			}
			if !informs {
				noise++
			}
		}
		t.Logf("%d candidates: %s, size %d, shrink %g, %d noise, base %.4f, after %+v", candidates, res.Family, res.Size, res.Shrink, noise, res.Base.CLL, res.Path[res.Size-1].After)
		for c := range 5 {
			if !seen[c] {
				t.Errorf("candidate %d was not selected", c)
			}
		}
		if noise*20 > res.Size {
			t.Errorf("%d of %d columns are noise", noise, res.Size)
		}
	}
}

// Neither the order of subgraphs nor that of tasks shows.
func TestSelect_Concurrent(t *testing.T) {
	r := seeded(t)
	for _, subgraphs := range []int{4, 30} {
		d := random(r, subgraphs, 40, 8, .5, planted)
		var first *gain.Result
		for try := range 3 {
			opt := gain.Options{Formulas: 10}
			if try > 0 {
				opt.Run = sideBySide
			}
			m := d.matrix(t, r.Perm(subgraphs))
			res, err := m.Select(opt)
			check.OK(t, err)
			if first == nil {
				first = res
			}
			if !reflect.DeepEqual(res, first) {
				t.Fatalf("try %d:\n%+v\n%+v", try, res, first)
			}
		}
	}
}

func sideBySide(n int, task func(int)) {
	var all sync.WaitGroup
	for i := n - 1; i >= 0; i-- {
		all.Go(func() { task(i) })
	}
	all.Wait()
}

// The weights are at the optimum of the penalised log-likelihood.
func TestOptimum(t *testing.T) {
	r := seeded(t)
	d := random(r, 20, 50, 6, .5, planted)
	const shrink = 10
	res, err := d.matrix(t, r.Perm(20)).Select(gain.Of(gain.Options{Shrink: shrink, Formulas: 8}, gain.Families...))
	check.OK(t, err)
	n := float64(len(d.truth))
	slope, g := 0.0, make([]float64, res.Size)
	values := make([][]float64, res.Size)
	for i, row := range d.counts {
		z := res.Bias
		for c := range g {
			v := value(&res.Path[c].Column, row)
			values[c] = append(values[c], v)
			z += v * res.Weights[c]
		}
		residual := -1 / (1 + math.Exp(-z))
		if d.truth[i] {
			residual++
		}
		slope += residual
		for c := range g {
			g[c] += residual * values[c][i]
		}
	}
	for c := range g {
		g[c] -= shrink * variance(values[c]) * res.Weights[c]
		if math.Abs(g[c]) > 1e-3*n {
			t.Errorf("column %d: slope %g", c, g[c])
		}
	}
	if math.Abs(slope) > 1e-4*n {
		t.Errorf("intercept: slope %g", slope)
	}
}

func value(c *gain.Column, row []int64) float64 {
	if c.Kind == gain.KindLog || c.Kind == gain.KindRelative { // the latter before the mean is subtracted
		return math.Log2(float64(1 + row[c.Literals[0].Candidate]))
	}
	for _, l := range c.Literals {
		if (row[l.Candidate] >= l.AtLeast) == l.Negated {
			return 0
		}
	}
	return 1
}

func variance(values []float64) float64 {
	var s, ss float64
	for _, v := range values {
		s += v
		ss += v * v
	}
	n := float64(len(values))
	return ss/n - s/n*s/n
}

// Neither a column that separates nor a truth that never varies makes weights diverge.
func TestSeparates(t *testing.T) {
	r := seeded(t)
	for name, truth := range map[string]func(row []int64) bool{
		"all true":  func([]int64) bool { return true },
		"all false": func([]int64) bool { return false },
		"by once":   func(row []int64) bool { return row[0] > 0 },
		"by rule":   func(row []int64) bool { return row[0] > 1 && row[1] == 0 },
	} {
		d := random(r, 13, 47, 5, .5, planted)
		for i, row := range d.counts {
			d.truth[i] = truth(row)
		}
		res, err := d.matrix(t, r.Perm(13)).Select(gain.Options{})
		check.OK(t, err)
		for _, w := range append(res.Weights, res.Bias) {
			if !(math.Abs(w) < 50) {
				t.Errorf("%s: weight %g", name, w)
			}
		}
		if n := res.Size; n > 0 && res.Path[n-1].After.CLL < -.05 || n == 0 && res.Base.CLL < -.05 {
			t.Errorf("%s: size %d, %+v", name, n, res.Path[:n])
		}
	}
}

// Parsimony takes no more columns, and loses less than chance does.
func TestParsimony(t *testing.T) {
	r := seeded(t)
	d := random(r, 40, 50, 20, .4, planted)
	m := d.matrix(t, r.Perm(40))
	var results [2]*gain.Result
	for i := range results {
		var err error
		if results[i], err = m.Select(gain.Options{Formulas: 20, Parsimony: i == 1}); err != nil {
			t.Fatal(err)
		}
	}
	full, small := results[0], results[1]
	if small.Size == 0 || small.Family == full.Family && small.Size > full.Size {
		t.Errorf("sizes %d and %d", full.Size, small.Size)
	}
	if a, b := full.Path[full.Size-1].After.CLL, small.Path[small.Size-1].After.CLL; b < a-.05 {
		t.Errorf("held-out CLL %g and %g", a, b)
	}
}

// With few subgraphs a family is chosen only where it saves a lot: logarithms for what they nearly say, rules for what they
// alone can.
func TestSelect_FewSubgraphs(t *testing.T) {
	for _, of := range []struct {
		name  string
		odds  func([]int64) float64
		rules bool
	}{
		{"a threshold", func(row []int64) float64 {
			if row[0] >= 4 {
				return 1
			}
			return -1
		}, false},
		{"exclusive or", func(row []int64) float64 {
			if has(row[0]) != has(row[1]) {
				return 3
			}
			return -3
		}, true},
	} {
		r := seeded(t)
		d := random(r, 4, 400, 6, .5, of.odds)
		res, err := d.matrix(t, r.Perm(4)).Select(gain.Options{})
		check.OK(t, err)
		if res.Family == gain.FamilyRules != of.rules || !of.rules && res.Family != gain.FamilyLogs {
			t.Errorf("%s: %v", of.name, res.Family)
		}
	}
}
