package watch_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/watch"
)

// atom is a query atom as the twin knows it: with all its columns.
type atom struct {
	x    []float64
	true float64
}

// draw returns subgraphs of random atoms, and the block of them.
func draw(r *rand.Rand, columns, subgraphs int) ([][]atom, *watch.Block) {
	atoms := make([][]atom, subgraphs)
	rows := make([]*watch.Rows, subgraphs)
	for s := range atoms {
		rows[s] = &watch.Rows{}
		for range r.IntN(6) {
			a := atom{make([]float64, columns), 0}
			var at []int32
			var values []float64
			for c := range columns {
				if a.x[c] = float64(r.IntN(3)) * float64(c+1); a.x[c] != 0 {
					at, values = append(at, int32(c)), append(values, a.x[c])
				}
			}
			if r.Float64() < 1/(1+math.Exp(1-a.x[0])) {
				a.true = 1
			}
			atoms[s] = append(atoms[s], a)
			rows[s].Add(0, at, values, int(a.true))
		}
		rows[s] = rows[s].Merge()
	}
	return atoms, watch.NewBlock(rows)
}

func dot(x, w []float64) (z float64) {
	for i, v := range x {
		z += v * w[i]
	}
	return z
}

// twin learns from a block by bisection along one weight after another, on all atoms, in doubles as they come.
func twin(subgraphs [][]atom, weights []float64, precision [][]float64, horizon, prior float64) {
	k := len(weights)
	known := 0.
	for _, atoms := range subgraphs {
		if len(atoms) > 0 {
			known++
		}
	}
	keep := math.Max(0, 1-known/horizon)
	for i := range k {
		for j := range k {
			precision[i][j] *= keep
		}
		precision[i][i] += (1 - keep) * prior
	}
	before := append([]float64(nil), weights...)
	for far := 1.; far > 1e-12; {
		far = 0
		for i := range weights {
			slope := func(w float64) (s float64) {
				old := weights[i]
				weights[i] = w
				defer func() { weights[i] = old }()
				for _, atoms := range subgraphs {
					for _, a := range atoms {
						s += a.x[i] * (a.true - 1/(1+math.Exp(-dot(a.x, weights))))
					}
				}
				for j := range weights {
					s -= precision[i][j] * (weights[j] - before[j])
				}
				return s
			}
			low, high := -50., 50.
			for range 80 {
				if mid := (low + high) / 2; slope(mid) > 0 {
					low = mid
				} else {
					high = mid
				}
			}
			far = math.Max(far, math.Abs(low-weights[i]))
			weights[i] = low
		}
	}
	for _, atoms := range subgraphs {
		for _, a := range atoms {
			p := 1 / (1 + math.Exp(-dot(a.x, weights)))
			for i := range k {
				for j := range k {
					precision[i][j] += p * (1 - p) * a.x[i] * a.x[j]
				}
			}
		}
	}
}

// An expert's weights and precision are those of a twin, block after block, and its losses those of the atoms one by one.
func TestExpert_Twin(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		k := 1 + r.IntN(3)
		horizon := []float64{math.Inf(1), 3, 20}[seed%3]
		weights, precision := make([]float64, k), make([][]float64, k)
		for i := range precision {
			weights[i] = r.Float64()
			precision[i] = make([]float64, k)
			precision[i][i] = .25
		}
		e := watch.NewExpert(horizon, weights, .25)
		for range 4 {
			atoms, b := draw(r, k, 1+r.IntN(8))
			checkLosses(t, seed, atoms, b, weights)
			twin(atoms, weights, precision, horizon, .25)
			e.Update(b, .25)
			for i, w := range weights {
				if math.Abs(e.Weights[i]-w) > 1e-6 {
					t.Fatalf("seed %d: got weights %v, want %v", seed, e.Weights, weights)
				}
				for j, p := range precision[i] {
					if math.Abs(e.Precision[i*k+j]-p) > 1e-4*(1+math.Abs(p)) {
						t.Fatalf("seed %d: got precision %v, want %v", seed, e.Precision, precision)
					}
				}
			}
		}
	}
}

// checkLosses compares losses, and the excess over those of a mixture, with sums over the atoms.
func checkLosses(t *testing.T, seed uint64, subgraphs [][]atom, b *watch.Block, weights []float64) {
	t.Helper()
	other := append([]float64(nil), weights...)
	other[0] -= .7
	p, q := b.Predict(weights), b.Predict(other)
	losses, excess, mixed := b.Losses(p), b.Excess(p, q, .003), b.Losses(watch.Mix([]float64{.5, .5}, [][]float64{p, q}))
	for s, atoms := range subgraphs {
		want := 0.
		for _, a := range atoms {
			odds := (2*a.true - 1) * dot(a.x, weights)
			want -= math.Log(min(max(1/(1+math.Exp(-odds)), 1e-6), 1-1e-6)) / float64(len(atoms))
		}
		over := 0.
		if len(atoms) > 0 {
			over = losses[s] - mixed[s] - .003
		}
		if math.Abs(losses[s]-want) > 1e-9 || math.Abs(excess[s]-over) > 1e-9 || excess[s] < -math.Ln2-.003 {
			t.Fatalf("seed %d: got a loss of %v and an excess of %v, want %v and %v", seed, losses[s], excess[s], want, over)
		}
	}
}

// Equal atoms share a row, within a subgraph and across a block, and none is lost.
func TestBlock_Merges(t *testing.T) {
	t.Parallel()
	a, b := &watch.Rows{}, &watch.Rows{}
	a.Add(0, []int32{1}, []float64{2}, 1)
	a.Add(0, []int32{1}, []float64{2}, 0)
	a.Add(1, []int32{1}, []float64{2}, 0)
	b.Add(0, []int32{1}, []float64{3}, 1)
	b.Add(0, []int32{1}, []float64{2}, 1)
	block := watch.NewBlock([]*watch.Rows{a.Merge(), b.Merge()})
	check.Equal(t, "counts", block.Counts, [][2]int32{{1, 2}, {1, 0}, {0, 1}})
	check.Equal(t, "members", block.Members, []watch.Member{
		{Rows: []int32{0, 1}, Counts: [][2]int32{{1, 1}, {1, 0}}, Atoms: 3}, {Rows: []int32{2, 0}, Counts: [][2]int32{{0, 1}, {0, 1}}, Atoms: 2},
	})
}

func TestShare(t *testing.T) {
	t.Parallel()
	v := []float64{.25, .75}
	watch.Share(v, []float64{.2, .6})
	a, b := .25*math.Exp(-1), .75*math.Exp(-3)
	want := []float64{.999*a/(a+b) + .0005, .999*b/(a+b) + .0005}
	if math.Abs(v[0]-want[0]) > 1e-12 || math.Abs(v[1]-want[1]) > 1e-12 {
		t.Errorf("got %v, want %v", v, want)
	}
}

// The Shiryaev-Roberts sums are sums over all beginnings of products, and the estimate of the beginning is where the sum of logarithms
// was least.
func TestDetector_Definition(t *testing.T) {
	t.Parallel()
	bets := []float64{.1, .2, .4, .8, 1.2}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 2))
		d := watch.NewDetector(2, 1)
		var seen [][]float64
		n := 1 + r.IntN(30)
		for i := range n {
			excess := []float64{r.Float64() - .6, r.Float64() - .4, 5}
			d.Step(i, excess)
			seen = append(seen, excess)
		}
		want, most, slot, began := 0., 0., 0, 0
		for k := range 2 {
			for _, bet := range bets {
				sum, rise, least, at := 0., 0., 0., 0
				for i, e := range seen {
					if rise += math.Log(1 + bet*e[k]); rise <= least {
						least, at = rise, i+1
					}
				}
				for s := range seen {
					product := 1.
					for _, e := range seen[s:] {
						product *= 1 + bet*e[k]
					}
					sum += product
				}
				want += sum / 4 / 5
				if sum > most {
					most, slot, began = sum, k, at
				}
			}
		}
		gotSlot, gotBegan := d.Began()
		if math.Abs(d.Value()-want) > 1e-9*want || gotSlot != slot || gotBegan != began {
			t.Errorf("seed %d: got %v, slot %d from %d, want %v, %d from %d", seed, d.Value(), gotSlot, gotBegan, want, slot, began)
		}
	}
}

// Over all streams of coins, each with the probability that a published model gives it or that an adversary sets by what came before,
// the mean of M less the number of subgraphs is at most 0 where an alarm ends the stream, and the evidence for a challenger is 1 or less
// in the mean. Where the challenger is right, evidence is above.
func TestDetector_Enumeration(t *testing.T) {
	t.Parallel()
	const length, alarm = 11, 8
	p := []float64{.3}
	q := [][]float64{{.6}, {.1}, {.3}}
	var members [2][][]float64 // by truth and slot, the excess
	for truth := range members {
		rows := &watch.Rows{}
		rows.Add(0, nil, nil, truth)
		b := watch.NewBlock([]*watch.Rows{rows})
		for _, other := range q {
			members[truth] = append(members[truth], b.Excess(p, other, 0))
		}
	}
	for name, tc := range map[string]struct {
		chance func(mask, i int) float64
		holds  bool
	}{
		"null":    {func(int, int) float64 { return p[0] }, true},
		"changed": {func(int, int) float64 { return q[0][0] }, false},
		"adversary": {func(mask, i int) float64 { // neither challenger is better at .25 to .37
			if bits.OnesCount(uint(mask&(1<<i-1)))%2 == 0 {
				return .25
			}
			return .37
		}, true},
	} {
		mean, evidence, mass := 0., 0., 0.
		for mask := range 1 << length {
			d, e := watch.NewDetector(2, 1), watch.NewProcess()
			chance, ended := 1., 0
			for i := range length {
				truth := mask >> i & 1
				if c := tc.chance(mask, i); truth == 1 {
					chance *= c
				} else {
					chance *= 1 - c
				}
				excess := []float64{members[truth][0][0], members[truth][1][0], members[truth][2][0]}
				e.Step(excess[0])
				if ended == 0 {
					if d.Step(i, excess); d.Value() >= alarm || i == length-1 {
						ended = i + 1
					}
				}
			}
			mass += chance
			mean += chance * (d.Value() - float64(ended))
			evidence += chance * e.Value()
		}
		if math.Abs(mass-1) > 1e-12 || tc.holds && mean > 1e-12 || (evidence <= 1+1e-12) != tc.holds {
			t.Errorf("%s: got a mean of %v, evidence %v, mass %v", name, mean, evidence, mass)
		}
	}
}

// Labels are those of a list that is searched from its end.
func TestLabels(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 4))
	l := watch.NewLabels(20, nil)
	var all []uint64
	for i := range 2000 {
		v := r.Uint64N(60)
		l.Set(v)
		all = append(slices.DeleteFunc(all, func(o uint64) bool { return o>>1 == v>>1 }), v)
		all = all[max(0, len(all)-20):]
		key, want := r.Uint64N(60), 0
		for _, o := range all {
			if o>>1 == key>>1 {
				want = 1 + int(o&1)
			}
		}
		if got := l.State(key); got != want || !slices.Equal(l.List(), all) {
			t.Fatalf("seed %d, step %d: got %d of %v, want %d of %v", seed, i, got, l.List(), want, all)
		}
		if i%300 == 0 {
			l = watch.NewLabels(20, l.List())
		}
	}
}
