package gain_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/kernels/features"
	"resolwe/kernels/gain"
)

// second is the time s seconds after 1970.
func second(n int) subgraph.Time { return subgraph.Time{Unix: int64(n), Known: true} }

// Blocks are those of the definition: a row's block is by the middle of the rows of its time, in a list of all rows by time.
func TestDivide(t *testing.T) {
	r := seeded(t)
	for range 500 {
		rows, blocks := map[subgraph.Time]int{}, 1+r.IntN(8)
		for range 1 + r.IntN(30) {
			rows[second(r.IntN(40)-20)] = r.IntN(12)
		}
		var list []subgraph.Time
		for at, n := range rows {
			list = append(list, slices.Repeat([]subgraph.Time{at}, n)...)
		}
		slices.SortFunc(list, subgraph.Time.Compare)
		got := gain.Divide(rows, blocks)
		for at, n := range rows {
			if n == 0 {
				continue
			}
			first, want := slices.Index(list, at), 0
			for k := 1; k < blocks; k++ {
				if big.NewRat(int64(2*first+n), 2).Cmp(big.NewRat(int64(k*len(list)), int64(blocks))) >= 0 {
					want++
				}
			}
			if got.Of(at) != want {
				t.Fatalf("%d rows at %v, %d of %d before: got block %d of %d, want %d", n, at, first, len(list), got.Of(at), blocks, want)
			}
		}
	}
}

// timed is a table whose subgraphs have times, two of each.
func (d *table) timed(s int) *features.Subgraph {
	sub := d.subgraph(s)
	sub.Time = second(s / 2)
	return sub
}

// gathered returns the rows of some subgraphs.
func (d *table) gathered(t *testing.T, list []int) *gain.Rows {
	t.Helper()
	b := features.NewBuilder(len(d.counts[0]), features.BuilderOptions{Seed: 1})
	for _, s := range list {
		check.OK(t, b.Add(d.timed(s)))
	}
	return rows(b)
}

// forward returns a matrix whose folds go forward in time, and the block of each subgraph.
func (d *table) forward(t *testing.T, order []int) (m *gain.Matrix, block []int) {
	t.Helper()
	rows := d.gathered(t, order)
	blocks, why := rows.Blocks(1)
	check.Equal(t, "why not", why, "")
	for s := range d.names {
		block = append(block, blocks.Of(second(s/2)))
	}
	m, err := gain.NewMatrix(rows.Builders[0], blocks)
	check.OK(t, err)
	return m, block
}

// binary returns a table whose counts are 0 or 1, so that parts of it have the columns of the whole.
func binary(r *rand.Rand, subgraphs int) *table {
	odds := func(row []int64) float64 { return 2*has(row[0])*(1-has(row[1])) + 1.5*has(row[2], row[3]) - 1 }
	d := random(r, subgraphs, 25, 6, .5, odds)
	for _, row := range d.counts {
		for c, n := range row {
			row[c] = min(n, 1)
		}
	}
	return d
}

// judge is what forward folds are by their definition: a model of the blocks before predicts a block. Of paths of gain.StrictSize a column has
// strict nats a row.
func (d *table) judge(t *testing.T, block []int, opt *gain.Options, parsimony bool, strict float64) (family gain.Family, size int, shrink float64) {
	t.Helper()
	best := math.Inf(-1)
	for _, f := range gain.Families {
		var trials []func(size, shrink int) *gain.Model
		for fold := range gain.Folds {
			var before []int
			for s, b := range block {
				if b <= fold {
					before = append(before, s)
				}
			}
			m, err := gain.NewMatrix(d.gathered(t, before).Builders[0], nil)
			check.OK(t, err)
			trials = append(trials, gain.Trial(m, f, *opt, strict))
		}
		units := func(size, shrink int) (all []float64) {
			for s, b := range block {
				if b == 0 {
					continue
				}
				m, sum := trials[b-1](size, shrink), 0.0
				for i := d.first[s]; i < d.first[s+1]; i++ {
					z := m.Bias
					for c := range m.Columns {
						z += m.Weights[c] * value(&m.Columns[c], d.counts[i])
					}
					if !d.truth[i] {
						z = -z
					}
					sum -= math.Log1p(math.Exp(-z))
				}
				all = append(all, sum/float64(d.first[s+1]-d.first[s]))
			}
			return all
		}
		mean := func(v []float64) (m float64) {
			for _, x := range v {
				m += x / float64(len(v))
			}
			return m
		}
		top, topUnits := math.Inf(-1), []float64(nil)
		order := append([]int{gain.StrictSize}, opt.Sizes()...)
		for _, k := range order {
			for w := range opt.Shrinks() {
				if u := units(k, w); mean(u) > top {
					top, topUnits = mean(u), u
				}
			}
		}
		if parsimony { // of equals, what has a size
			order = append(opt.Sizes(), gain.StrictSize)
		}
		for _, k := range order {
			value, at := math.Inf(-1), 0
			var some []float64
			for w := range opt.Shrinks() {
				if u := units(k, w); mean(u) > value {
					value, at, some = mean(u), w, u
				}
			}
			tolerance := 0.0
			if parsimony {
				less := slices.Clone(topUnits)
				for i := range less {
					less[i] -= some[i]
				}
				tolerance = math.Sqrt(variance(less) / float64(len(less)-1)) // the standard error of the paired difference
			}
			if top-value <= tolerance+1e-12 {
				if value > best+1e-12 {
					best, family, size, shrink = value, f, k, opt.Shrinks()[at]
				}
				break
			}
		}
	}
	return family, size, shrink
}

// Forward folds choose as their definition says; the model of a fold has seen the blocks before it and predicts it, and no model
// predicts the first block.
func TestSelect_Forward_Concurrent(t *testing.T) {
	r := seeded(t)
	for _, parsimony := range []bool{false, true} {
		d := binary(r, 36)
		opt := gain.Options{Formulas: 8, Support: 20, Parsimony: parsimony}
		m, block := d.forward(t, r.Perm(36))
		res, err := m.Select(opt)
		check.OK(t, err)
		most := math.Log(float64(res.Offered))
		family, size, shrink := d.judge(t, block, &opt, parsimony, most/float64(m.Rows()))
		if size == gain.StrictSize {
			for size = 0; size < len(res.Path) && res.Path[size].Gain >= most; size++ {
			}
		}
		if res.Family != family || res.Size != min(size, len(res.Path)) || res.Shrink != shrink {
			t.Errorf("parsimony %v: got %v of size %d, shrink %v, want %v, %d, %v", parsimony, res.Family, res.Size, res.Shrink, family, size, shrink)
		}
		counts, _ := d.rows(m)
		for k, name := range m.Names() {
			fold := block[slices.Index(d.names, name)] - 1
			for i := m.Start[k]; i < m.Start[k+1]; i++ {
				want := 0.0
				if fold >= 0 {
					want = extended(&res.FoldModels[fold], counts[i], nil, i)
				}
				check.Equal(t, "fold", int(m.Fold()[i]), fold)
				check.Equal(t, "fold of stacking", int(m.StackedFolds()[i]), fold-map[bool]int{true: 1}[fold <= 0])
				if math.Abs(res.HeldOut[i]-want) > 1e-8 {
					t.Fatalf("row %d of fold %d: got %g, by the model of its fold %g", i, fold, res.HeldOut[i], want)
				}
			}
		}
		opt.Run = sideBySide
		other, _ := d.forward(t, r.Perm(36))
		if again, err := other.Select(opt); err != nil || !reflect.DeepEqual(again, res) {
			t.Errorf("%v; in another order:\n%+v\n%+v", err, again, res)
		}
	}
}

// A rule that holds for a while tells nothing of later: forward folds judge it worse than random ones, which have seen its time.
func TestSelect_Forward_Drift(t *testing.T) {
	r := seeded(t)
	d := random(r, 72, 25, 6, .5, func([]int64) float64 { return 0 })
	for s := range d.names {
		for i := d.first[s]; i < d.first[s+1]; i++ {
			row := d.counts[i]
			for c := range row {
				if c != s/12 {
					row[c] = 0
				}
			}
			d.truth[i] = r.Float64() < .1+.8*has(row[s/12])
		}
	}
	order := r.Perm(72)
	m, _ := d.forward(t, order)
	forward, err := m.Select(gain.Options{})
	check.OK(t, err)
	random, err := d.matrix(t, order).Select(gain.Options{})
	check.OK(t, err)
	last := func(r *gain.Result) float64 {
		if r.Size == 0 {
			return r.Base.CLL
		}
		return r.Path[r.Size-1].After.CLL
	}
	if last(forward) > last(random)-.1 {
		t.Errorf("held-out CLL: got %g forward and %g at random, want the first to be worse", last(forward), last(random))
	}
}

// Where blocks cannot be made the reason is told.
func TestRows_Blocks(t *testing.T) {
	t.Parallel()
	build := func(times, subgraphs int, truth bool) *gain.Rows {
		b := features.NewBuilder(1, features.BuilderOptions{})
		for s := range subgraphs {
			check.OK(t, b.Add(&features.Subgraph{Name: strconv.Itoa(s), Time: second(s % times), Truth: []bool{truth || s%times > 0}}))
		}
		return rows(b)
	}
	for name, test := range map[string]struct {
		rows    *gain.Rows
		support int
		want    string
	}{
		"enough":        {build(12, 60, true), 10, ""},
		"few times":     {build(11, 60, true), 1, "the subgraphs have fewer than 12 different times"},
		"few positives": {build(12, 60, false), 6, "the first of six blocks in time has too few true atoms"},
	} {
		if blocks, why := test.rows.Blocks(test.support); why != test.want || (why == "") != (len(blocks) == gain.Folds) {
			t.Errorf("%s: got %v and %q, want %q", name, blocks, why, test.want)
		}
	}
	timed, all := build(3, 5, true).Timed()
	check.Equal(t, "timed", []int{timed, all}, []int{5, 5})
}

// With a budget, paths end at their share of it: the selection is the beginning of the whole path, with the weights of that many
// columns; time that suffices changes nothing, and without any nothing is selected.
func TestMatrix_Select_Pace(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 0))
	d := random(r, 40, 30, 12, .4, func(n []int64) float64 {
		return -1 + float64(n[0]) - float64(n[1]) + .5*float64(n[2]) - .5*float64(n[3]*n[4])
	})
	m := d.matrix(t, r.Perm(40))
	whole, err := m.Select(gain.Options{Formulas: 12})
	check.OK(t, err)
	var asked atomic.Int64
	until := func(calls int64) *gain.Result {
		asked.Store(0)
		opt := gain.Options{Formulas: 12, Pace: gain.Pace{Used: func() float64 { return float64(asked.Add(1)) / float64(calls) }}}
		res, err := m.Select(opt)
		check.OK(t, err)
		return res
	}
	enough := until(1 << 40)
	calls := asked.Load()
	check.Equal(t, "with time", []any{enough.Model, enough.Size, enough.Cut}, []any{whole.Model, whole.Size, false})
	none := until(1)
	check.Equal(t, "without time", []any{none.Size, none.Weights, none.Cut, none.Bias < 0}, []any{0, []float64{}, true, whole.BaseRate < .5})
	var lengths []int
	for _, share := range []int64{8, 4, 2} {
		res := until(calls / share)
		lengths = append(lengths, len(res.Path))
		check.Equal(t, "cut", res.Cut, true)
		for i, s := range res.Path {
			if i < len(whole.Path) && res.Family == whole.Family {
				check.Equal(t, "column", s.Column, whole.Path[i].Column)
			}
		}
		check.Equal(t, "weights", len(res.Weights), res.Size)
	}
	if !slices.IsSorted(lengths) || lengths[2] == 0 || lengths[2] > len(whole.Path) {
		t.Errorf("lengths of paths by time: got %v, want them to grow, up to %d", lengths, len(whole.Path))
	}
	t.Log(lengths, len(whole.Path))
}
