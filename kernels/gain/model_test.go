package gain_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/gain"
)

// counts returns the counts of the matrix's rows, and their truths, in its order.
func (d *table) rows(m *gain.Matrix) (counts [][]int64, truth []bool) {
	for _, name := range m.Names() {
		s := slices.Index(d.names, name)
		counts = append(counts, d.counts[d.first[s]:d.first[s+1]]...)
		truth = append(truth, d.truth[d.first[s]:d.first[s+1]]...)
	}
	return counts, truth
}

func odds(m *gain.Model, row []int64) float64 {
	z := m.Bias
	for c := range m.Columns {
		z += m.Weights[c] * value(&m.Columns[c], row)
	}
	return z
}

// The held-out log-odds are those of the models of folds, and figures follow from them.
func TestHeldOut(t *testing.T) {
	r := seeded(t)
	for _, subgraphs := range []int{5, 30} {
		d := random(r, subgraphs, 40, 8, .5, planted)
		d.offset = func(int) float64 { return r.NormFloat64() }
		m := d.matrix(t, r.Perm(subgraphs))
		offsets := m.Offsets()
		res, err := m.Select(gain.Of(gain.Options{Formulas: 12}, gain.Families...))
		check.OK(t, err)
		counts, truth := d.rows(m)
		units, n := map[[2]int]float64{}, map[[2]int]float64{}
		for s := range subgraphs {
			for i := m.Start[s]; i < m.Start[s+1]; i++ {
				f := int(m.Fold()[i])
				z := offsets[i] + odds(&res.FoldModels[f], counts[i])
				if math.Abs(z-res.HeldOut[i]) > 1e-9 {
					t.Fatalf("row %d: %g, by the model of fold %d %g", i, res.HeldOut[i], f, z)
				}
				p := 1 / (1 + math.Exp(-z))
				if !truth[i] {
					p = 1 - p
				}
				units[[2]int{s, f}] += math.Log(min(max(p, 1e-6), 1-1e-6))
				n[[2]int{s, f}]++
			}
		}
		cll := 0.0
		for u := range units {
			cll += units[u] / n[u] / float64(len(units))
		}
		if got := res.Path[res.Size-1].After.CLL; math.Abs(got-cll) > 1e-9 {
			t.Errorf("CLL %g, want %g", got, cll)
		}
	}
}

// Offsets that explain everything leave nothing to gain; a model is fitted to what they leave.
func TestOffset(t *testing.T) {
	r := seeded(t)
	d := random(r, 30, 60, 8, .4, planted)
	d.offset = func(i int) float64 { return planted(d.counts[i]) }
	res, err := d.matrix(t, r.Perm(30)).Select(gain.Of(gain.Options{Formulas: 20}, gain.Families...))
	check.OK(t, err)
	explained := res.Path[0].Gain
	d.offset = nil
	if res, err = d.matrix(t, r.Perm(30)).Select(gain.Of(gain.Options{Formulas: 20}, gain.Families...)); err != nil {
		t.Fatal(err)
	}
	if explained > 12 || res.Path[0].Gain < 50 {
		t.Errorf("gain %g with the odds as offset, %g without", explained, res.Path[0].Gain)
	}
	// A constant offset is the same as a smaller bias.
	d.offset = func(int) float64 { return 3 }
	shifted, err := d.matrix(t, r.Perm(30)).Select(gain.Of(gain.Options{Formulas: 20}, gain.Families...))
	check.OK(t, err)
	if math.Abs(shifted.Bias+3-res.Bias) > 1e-3 || shifted.Size != res.Size {
		t.Errorf("bias %g with an offset of 3, %g without", shifted.Bias, res.Bias)
	}
	// Certain offsets, right and wrong ones, do no harm.
	d.offset = func(i int) float64 { return float64(1000 * (1 - i%3)) }
	if res, err = d.matrix(t, r.Perm(30)).Select(gain.Of(gain.Options{Formulas: 20}, gain.Families...)); err != nil {
		t.Fatal(err)
	}
	for _, w := range append(slices.Clone(res.Weights), res.Bias) {
		if !(math.Abs(w) < 2000) {
			t.Errorf("weight %g", w)
		}
	}
}

// A candidate without thresholds is in no literal that compares with more than 1, and still of use.
func TestThresholds(t *testing.T) {
	r := seeded(t)
	d := random(r, 40, 60, 8, .5, func(row []int64) float64 {
		z := -1.5
		for c := range 4 {
			if row[c] >= 3 {
				z += 1.5
			}
		}
		return z
	})
	for try := range 3 {
		d.allowed = [][]bool{{false, true, false, true, true, true, true, true}, nil, make([]bool, 8)}[try]
		res, err := d.matrix(t, r.Perm(40)).Select(gain.Of(gain.Options{}, gain.FamilyRules))
		check.OK(t, err)
		compared, seen := map[int]bool{}, map[int]bool{}
		for _, s := range res.Path {
			for _, l := range s.Literals {
				seen[l.Candidate] = true
				if l.AtLeast > 1 && s.Kind != gain.KindLog {
					compared[l.Candidate] = true
				}
			}
		}
		for c := range 4 {
			want := d.allowed == nil || d.allowed[c]
			if compared[c] != want || !seen[c] {
				t.Errorf("try %d: candidate %d has thresholds: %t", try, c, compared[c])
			}
		}
	}
}

// Only families that are asked for are chosen.
func TestFamilies(t *testing.T) {
	r := seeded(t)
	d := random(r, 20, 30, 6, .5, planted)
	for f := gain.FamilyLogs; f <= gain.FamilyRules; f++ {
		res, err := d.matrix(t, r.Perm(20)).Select(gain.Of(gain.Options{Formulas: 6}, f))
		check.OK(t, err)
		if res.Family != f {
			t.Errorf("family %s, want %s", res.Family, f)
		}
	}
}

// Ridge's weights are where the penalised log-likelihood is flat.
func TestRidge(t *testing.T) {
	r := seeded(t)
	for _, shrink := range []float64{.1, 10} {
		ridge(t, r, shrink, 7)
		ridge(t, r, shrink, 500)
	}
}

func ridge(t *testing.T, r *rand.Rand, shrink float64, candidates int) {
	t.Helper()
	d := random(r, 15, 40, candidates, .5, planted)
	for _, row := range d.counts {
		row[5], row[6] = 3, 0 // constant
	}
	d.offset = func(i int) float64 { return float64(i % 2) }
	m := d.matrix(t, r.Perm(15))
	counts, truth := d.rows(m)
	res, err := m.Ridge(gain.Options{Shrink: shrink})
	check.OK(t, err)
	again, err := m.Ridge(gain.Options{Shrink: shrink, Run: sideBySide})
	check.OK(t, err)
	check.Equal(t, "weights of several workers", append(again.Weights, again.Bias), append(res.Weights, res.Bias))
	bias, weights := res.Bias, res.Weights
	if weights[5] != 0 || weights[6] != 0 {
		t.Errorf("weights %v of constant columns", weights[5:])
	}
	slopes, columns := make([]float64, candidates), make([][]float64, candidates)
	for i, row := range counts {
		z := m.Offsets()[i] + bias
		for c, w := range weights {
			z += w * math.Log2(float64(1+row[c]))
		}
		residual := -1 / (1 + math.Exp(-z))
		if truth[i] {
			residual++
		}
		slopes[5] += residual // the bias's, in place of a constant column's
		for c := range row {
			if c == 5 {
				continue
			}
			v := math.Log2(float64(1 + row[c]))
			columns[c] = append(columns[c], v)
			slopes[c] += residual * v
		}
	}
	for c := range slopes {
		if c == 5 || c == 6 {
			continue
		}
		slopes[c] -= shrink * variance(columns[c]) * weights[c]
	}
	for c, g := range slopes {
		if math.Abs(g) > .1 {
			t.Errorf("shrink %g: slope %d of %d is %g", shrink, c, candidates, g)
		}
	}
}

// Copies of a candidate, and what follows from it, are redundant once it is in.
func TestRedundant(t *testing.T) {
	r := seeded(t)
	d := random(r, 40, 50, 6, .5, func(row []int64) float64 { return 3*has(row[0]) + has(row[3]) - 2 })
	for _, row := range d.counts {
		row[1] = row[0] // a copy
		row[2] = row[0]
		if r.Float64() < .01 {
			row[2] = 1 - min(row[2], 1)
		}
	}
	res, err := d.matrix(t, r.Perm(40)).Select(gain.Of(gain.Options{Formulas: 6}, gain.FamilyThresholds))
	check.OK(t, err)
	if got := res.Path[0]; got.Literals[0].Candidate != 0 || !reflect.DeepEqual(got.Redundant, []int{1, 2}) {
		t.Errorf("first column %+v", got)
	}
	for _, s := range res.Path[1:] {
		if slices.Contains(s.Redundant, 1) || slices.Contains(s.Redundant, 3) && s.Gain > 20 {
			t.Errorf("%+v", s)
		}
	}
}

// The choice among families is what the chosen one gives by itself, whether others fell behind early or not.
func TestRace(t *testing.T) {
	r := seeded(t)
	for _, strength := range []float64{.3, 3} {
		d := random(r, 300, 40, 6, .5, func(row []int64) float64 { return strength*has(row[0], row[1])*(1-has(row[2])) - 1 })
		m := d.matrix(t, r.Perm(300))
		res, err := m.Select(gain.Of(gain.Options{Formulas: 6}, gain.Families...))
		check.OK(t, err)
		alone, err := m.Select(gain.Of(gain.Options{Formulas: 6}, res.Family))
		check.OK(t, err)
		if !reflect.DeepEqual(res, alone) {
			t.Errorf("strength %g:\n%+v\n%+v", strength, res, alone)
		}
		if strength > 1 && (res.Family != gain.FamilyRules || len(m.Alive(gain.Options{Formulas: 6})) != 1) {
			t.Errorf("%s; alive %v", res.Family, m.Alive(gain.Options{Formulas: 6}))
		}
	}
}

// random extra columns: one that tells something, a copy of it, one of another scale that tells something, and noise.
// A path that computes few gains a round gains about as much as one that computes all.
func TestLazy(t *testing.T) {
	r := seeded(t)
	d := random(r, 60, 80, 40, .4, func(row []int64) float64 {
		z := -1.0
		for c, n := range row[:20] {
			z += float64(c%5-2) * .2 * math.Log2(float64(1+n))
		}
		return z
	})
	m := d.matrix(t, r.Perm(60))
	for family := gain.FamilyLogs; family <= gain.FamilyRules; family++ {
		full, lazy := gain.PathGains(m, family, gain.Options{Formulas: 25}, false), gain.PathGains(m, family, gain.Options{Formulas: 25}, true)
		if lazy < .95*full {
			t.Errorf("%s: gains of %g nats, %g lazily", family, full, lazy)
		}
	}
}

// Of many rows the first subgraphs choose, rules are looked for on a sample, and all have held-out log-odds.
func TestManyRows(t *testing.T) {
	r := seeded(t)
	d := random(r, 170, 1000, 4, .4, func(row []int64) float64 { return 2*has(row[0])*(1-has(row[1])) + has(row[2], row[3]) - 1 })
	m := d.matrix(t, r.Perm(170))
	if n := m.Judged(); n != 163000 {
		t.Errorf("%d rows choose", n)
	}
	res, err := m.Select(gain.Of(gain.Options{Formulas: 3}, gain.Families...))
	check.OK(t, err)
	counts, _ := d.rows(m)
	for i, z := range res.HeldOut {
		if want := odds(&res.FoldModels[m.Fold()[i]], counts[i]); math.Abs(z-want) > 1e-9 {
			t.Fatalf("row %d: %g, by its fold's model %g", i, z, want)
		}
	}
	for i := range 2 {
		var of []int
		for _, l := range res.Path[i].Literals {
			of = append(of, l.Candidate)
		}
		if slices.Sort(of); !slices.Equal(of, []int{0, 1}) && !slices.Equal(of, []int{2, 3}) {
			t.Errorf("column %d: %+v", i, res.Path[i])
		}
	}
}

// However sure the given weights are, and wrong, a column that says so is found.
func TestSelect_CertainOffsets(t *testing.T) {
	t.Parallel()
	for _, offset := range []float64{-5, -40, -80, -300} {
		r := seeded(t)
		d := random(r, 40, 60, 2, .5, func(row []int64) float64 { return 1000 * (2*float64(min(row[1], 1)) - 1) })
		d.offset = func(i int) float64 { return offset * float64(min(d.counts[i][1], 1)) }
		res, err := d.matrix(t, r.Perm(40)).Select(gain.Of(gain.Options{Formulas: 4}, gain.Families...))
		check.OK(t, err)
		if res.Size == 0 || res.Path[0].Literals[0].Candidate != 1 || !(res.Path[res.Size-1].After.CLL > res.Base.CLL/2) {
			t.Errorf("offset %v: got %d of %+v", offset, res.Size, res.Path)
		}
	}
}

// Useless candidates cost fresh subgraphs no more than the logarithm of their number for each of the four columns on which the truth
// depends, as much as one of these has to gain to be told from them (Foster and George, 1994).
func TestSelect_UselessCandidates(t *testing.T) {
	const useful, all, streams, seed = 6, 150, 3, 20
	r := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	cost, rows := 0., 0.
	for range streams {
		d, fresh := random(r, 60, 20, all, .3, planted), random(r, 300, 20, all, .3, planted)
		few := *d
		few.counts = nil
		for _, row := range d.counts {
			few.counts = append(few.counts, row[:useful])
		}
		opt := gain.Options{Gate: 2, Formulas: 30}
		with, err := d.matrix(t, r.Perm(60)).Select(opt)
		check.OK(t, err)
		without, err := few.matrix(t, r.Perm(60)).Select(opt)
		check.OK(t, err)
		cost += fresh.logLikelihood(&without.Model) - fresh.logLikelihood(&with.Model)
		rows += float64(len(d.truth))
	}
	check.AtMost(t, cost/streams, 4*math.Log(all)/(rows/streams), "nats an atom that useless candidates cost")
}

// logLikelihood returns the mean of a table's rows under a model.
func (d *table) logLikelihood(m *gain.Model) (mean float64) {
	z := slices.Repeat([]float64{m.Bias}, len(d.truth))
	for i := range m.Columns {
		c := (&naive{table: d}).column(m.Columns[i].Kind, m.Columns[i].Literals)
		for row, v := range c.values {
			z[row] += m.Weights[i] * v
		}
	}
	for row, v := range z {
		if d.truth[row] {
			v = -v
		}
		mean -= math.Log1p(math.Exp(v)) / float64(len(z))
	}
	return mean
}
