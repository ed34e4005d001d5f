package mcsat_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat"
)

// drawing draws a network with products, the same one with its pairs listed, and weights.
type drawing func(r *rand.Rand, atoms int, spread float64) (factored, listed *ground.Network, weights []float64)

// meetings is a random network with products, and the same one with its pairs listed.
func meetings(r *rand.Rand, atoms int, spread float64) (factored, listed *ground.Network, weights []float64) {
	w, weights := randomWorld(r, atoms, spread, false)
	return meetingsIn(r, w, weights, 1)
}

// copiedMeetings has two or three equal copies of its hubs, and atoms in none.
func copiedMeetings(r *rand.Rand, atoms int, spread float64) (factored, listed *ground.Network, weights []float64) {
	w, weights := randomWorld(r, atoms, spread, false)
	return meetingsIn(r, w, weights, 2+r.IntN(2))
}

// bareCopies is bareMeetings with copies.
func bareCopies(r *rand.Rand, atoms int, spread float64) (factored, listed *ground.Network, weights []float64) {
	w, weights := bareWorld(r, atoms, spread)
	return meetingsIn(r, w, weights, 2+r.IntN(2))
}

// tiedCopies is bareCopies with pairs, which mostly come in equal copies too; some tie one copy to another.
func tiedCopies(r *rand.Rand, atoms int, spread float64) (factored, listed *ground.Network, weights []float64) {
	w, weights := bareWorld(r, atoms, spread)
	copies := 2 + r.IntN(2)
	size := atoms / copies
	for range 2 {
		a, b, f := r.IntN(size), r.IntN(size), uint32(r.IntN(4))
		from := r.IntN(8) / 7 // seldom, one copy has none
		for c := from; c < copies && a != b; c++ {
			w.and(f, 1, pos(c*size+a), pos(c*size+b))
		}
	}
	if r.IntN(4) == 0 {
		w.and(uint32(r.IntN(4)), int64(4/spread), pos(0), pos(size))
	}
	return meetingsIn(r, w, weights, copies)
}

// bareMeetings has nothing but fields and products.
func bareMeetings(r *rand.Rand, atoms int, spread float64) (factored, listed *ground.Network, weights []float64) {
	w, weights := bareWorld(r, atoms, spread)
	return meetingsIn(r, w, weights, 1)
}

func bareWorld(r *rand.Rand, atoms int, spread float64) (w *world, weights []float64) {
	w = newWorld(atoms, 4)
	weights = make([]float64, 4)
	for i := range weights {
		weights[i] = r.NormFloat64() * spread
	}
	for a := range atoms {
		w.and(uint32(2*r.IntN(2)), 1, pos(a))
	}
	return w, weights
}

// randomSide is a side of four hubs over so many atoms, and equal copies of it over those that follow.
func randomSide(r *rand.Rand, atoms, copies int) ground.Side {
	one := ground.Side{Start: []uint32{0}}
	weighted := r.IntN(2) == 0
	for range 4 {
		for a := range uint32(atoms) {
			if r.IntN(3) > 0 {
				continue
			}
			one.Atoms = append(one.Atoms, a)
			if weighted {
				one.Mult = append(one.Mult, int32(1+r.IntN(2)))
			}
		}
		one.Start = append(one.Start, uint32(len(one.Atoms)))
	}
	out := ground.Side{Start: []uint32{0}}
	for c := range uint32(copies) {
		for _, end := range one.Start[1:] {
			out.Start = append(out.Start, c*uint32(len(one.Atoms))+end)
		}
		for _, a := range one.Atoms {
			out.Atoms = append(out.Atoms, c*uint32(atoms)+a)
		}
		out.Mult = append(out.Mult, one.Mult...)
	}
	return out
}

// meetingsIn adds three products to a world, whose hubs come in equal copies.
func meetingsIn(r *rand.Rand, w *world, weights []float64, copies int) (factored, listed *ground.Network, _ []float64) {
	factored = w.network()
	for range 3 {
		factored.Sides = append(factored.Sides, randomSide(r, w.atoms/copies, copies))
	}
	hubs := 4 * copies
	for _, sides := range [][2]uint32{{0, 0}, {0, 1}, {1, 2}} {
		p := ground.Product{Left: sides[0], Right: sides[1]}
		for f := 1; f < len(weights); f += 2 {
			p.Coefs = append(p.Coefs, ground.Coef{Formula: uint32(f), N: int64(1 - 2*r.IntN(2))})
		}
		factored.Products = append(factored.Products, p)
		l, s := &factored.Sides[sides[0]], &factored.Sides[sides[1]]
		for h := range hubs {
			for i := l.Start[h]; i < l.Start[h+1]; i++ {
				for j := s.Start[h]; j < s.Start[h+1]; j++ {
					for _, c := range p.Coefs {
						w.and(c.Formula, c.N*l.At(i)*s.At(j), pos(int(l.Atoms[i])), pos(int(s.Atoms[j])))
					}
				}
			}
		}
	}
	return factored, w.network(), weights
}

// A network with products has the counts, conditionals and their changes of the one that lists the pairs.
func TestProducts_MatchListed(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 41))
		draw := [...]drawing{meetings, copiedMeetings, tiedCopies}[seed%3]
		factored, listed, weights := draw(r, 8, 0.3)
		var m, n mcsat.Model
		m.Reset(factored, weights)
		n.Reset(listed, weights)
		for range 5 {
			x := make([]bool, 8)
			for a := range x {
				x[a] = r.IntN(2) == 0
			}
			got, want := make([]int64, len(weights)), make([]int64, len(weights))
			if err := mcsat.Counts(got, factored, x); err != nil {
				t.Fatal(err)
			}
			if err := mcsat.Counts(want, listed, x); err != nil {
				t.Fatal(err)
			}
			sums := make([]float64, len(weights))
			mcsat.AddCounts(sums, factored, x)
			for f := range got {
				if got[f] != want[f] || sums[f] != float64(want[f]-factored.Constant[f]) {
					t.Fatalf("seed %d, state %v, formula %d: got %d and %v, want %d", seed, x, f, got[f], sums[f], want[f])
				}
			}
			compareConditionals(t, seed, &m, &n, x)
		}
	}
}

// compareConditionals holds what two models say of single atoms against each other.
func compareConditionals(t *testing.T, seed uint64, got, want *mcsat.Model, x []bool) {
	t.Helper()
	conditionals := func(m *mcsat.Model) (p []float64, deltas []map[uint32]float64) {
		m.SetExact(0)
		p, deltas = make([]float64, len(x)), make([]map[uint32]float64, len(x))
		new(mcsat.Conditionals).Visit(m, x, func(a uint32, q float64, formulas []uint32, values []float64) {
			d := map[uint32]float64{}
			for i, f := range formulas {
				d[f] = values[i]
			}
			p[a], deltas[a] = q, d
		})
		return p, deltas
	}
	p, d := conditionals(got)
	q, e := conditionals(want)
	for a := range q {
		if math.Abs(p[a]-q[a]) > 1e-12 {
			t.Fatalf("seed %d, state %v, atom %d: got probability %v, want %v", seed, x, a, p[a], q[a])
		}
		for f := range uint32(len(got.Network().Constant)) {
			if d[a][f] != e[a][f] {
				t.Fatalf("seed %d, state %v, atom %d, formula %d: got change %v, want %v", seed, x, a, f, d[a][f], e[a][f])
			}
		}
	}
}

// Sampled marginals of networks with products are near the exact ones.
func TestMarginals_Products(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		draw   drawing
		method mcsat.Method
	}{
		"bare, mcsat":         {bareMeetings, mcsat.MethodMCSAT},
		"bare, gibbs":         {bareMeetings, mcsat.MethodGibbs},
		"mixed, mcsat":        {meetings, mcsat.MethodMCSAT},
		"mixed, gibbs":        {meetings, mcsat.MethodGibbs},
		"bare copies, mcsat":  {bareCopies, mcsat.MethodMCSAT},
		"bare copies, gibbs":  {bareCopies, mcsat.MethodGibbs},
		"tied copies, mcsat":  {tiedCopies, mcsat.MethodMCSAT},
		"tied copies, gibbs":  {tiedCopies, mcsat.MethodGibbs},
		"mixed copies, mcsat": {copiedMeetings, mcsat.MethodMCSAT},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			worst, sum, n := 0.0, 0.0, 0
			for seed := range uint64(5) {
				r := rand.New(rand.NewPCG(seed, 43))
				factored, listed, weights := c.draw(r, 10, 0.15)
				var m mcsat.Model
				m.Reset(factored, weights)
				got := make([]float64, 10)
				opt := mcsat.DefaultOptions()
				opt.Method, opt.Samples = c.method, 10_000
				if _, err := new(mcsat.Inference).Marginals(got, &m, opt, []*rand.Rand{r}); err != nil {
					t.Fatal(err)
				}
				for a, p := range enumerated(t, listed, weights) {
					d := math.Abs(got[a] - p)
					worst, sum, n = max(worst, d), sum+d, n+1
				}
			}
			if sum/float64(n) > 0.002 || worst > 0.03 {
				t.Errorf("got mean error %v, worst %v, want at most .002 and .03", sum/float64(n), worst)
			}
		})
	}
}

// enumerated returns the exact marginals of a network.
func enumerated(t *testing.T, net *ground.Network, weights []float64) []float64 {
	t.Helper()
	var m mcsat.Model
	m.Reset(net, weights)
	opt := mcsat.DefaultOptions()
	opt.Method = mcsat.MethodExact
	out := make([]float64, net.NumAtoms)
	if _, err := new(mcsat.Inference).Marginals(out, &m, opt, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

// Slices alone leave the distribution as it is: the clusters of a product are drawn with the right probability.
func TestChain_Slices_Products(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		draw   drawing
		spread float64
	}{
		"bare": {bareMeetings, 0.1}, "bare copies": {bareCopies, 0.1}, "tied copies": {tiedCopies, 0.1},
		"mixed": {meetings, 0.05}, "mixed copies": {copiedMeetings, 0.05},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(4) {
				r := rand.New(rand.NewPCG(seed, 45))
				factored, listed, weights := c.draw(r, 7, c.spread)
				var m mcsat.Model
				m.Reset(factored, weights)
				m.SetExact(0)
				want := enumerated(t, listed, weights)
				opt := mcsat.DefaultOptions()
				opt.BurnIn = 0
				var chain mcsat.Chain
				if err := chain.Start(&m, make([]bool, 7), opt, r); err != nil {
					t.Fatal(err)
				}
				chain.OnlySlices()
				const steps = 60_000
				got := make([]float64, 7)
				for range steps {
					chain.Step(r)
					for a, v := range chain.State() {
						if v {
							got[a] += 1.0 / steps
						}
					}
				}
				for a := range want {
					if math.Abs(got[a]-want[a]) > 0.012 {
						t.Errorf("seed %d, atom %d: got %v, want %v", seed, a, got[a], want[a])
					}
				}
			}
		})
	}
}

func TestChain_AddCounts_Products(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 44))
		draw := [...]drawing{meetings, copiedMeetings, tiedCopies}[seed%3]
		net, _, weights := draw(r, 12, 0.3)
		var m mcsat.Model
		m.Reset(net, weights)
		m.SetExact(0)
		var c mcsat.Chain
		if err := c.Start(&m, make([]bool, 12), mcsat.DefaultOptions(), r); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			c.Step(r)
			got, want := make([]float64, len(weights)), make([]float64, len(weights))
			c.AddCounts(got)
			mcsat.AddCounts(want, net, c.State())
			of := make([]float64, len(weights))
			m.AddCounts(of, c.State())
			for f := range want {
				if got[f] != want[f] || of[f] != want[f] {
					t.Fatalf("seed %d, formula %d: got %v and %v, want %v", seed, f, got[f], of[f], want[f])
				}
			}
		}
	}
}

// Tallying states and counting them at last is counting each.
func TestChain_Tally(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 45))
		draw := [...]drawing{meetings, copiedMeetings, tiedCopies}[seed%3]
		net, _, weights := draw(r, 12, 0.3)
		var m mcsat.Model
		m.Reset(net, weights)
		m.SetExact(0)
		var c mcsat.Chain
		if err := c.Start(&m, make([]bool, 12), mcsat.DefaultOptions(), r); err != nil {
			t.Fatal(err)
		}
		for _, steps := range []int{0, 5, 64, 70} {
			got, want := make([]float64, len(weights)), make([]float64, len(weights))
			for range steps {
				c.Step(r)
				c.Tally()
				c.AddCounts(want)
			}
			c.AddTallied(got)
			for f := range want {
				if got[f] != want[f] {
					t.Fatalf("seed %d, %d steps, formula %d: got %v, want %v", seed, steps, f, got[f], want[f])
				}
			}
		}
	}
}

// A chain that begins where all atoms of a hub hold each other true, which is far less probable than all false, leaves
// that state by way of its slices; single flips alone cannot.
func TestChain_LeavesMetastableState(t *testing.T) {
	t.Parallel()
	const atoms = 80
	net := &ground.Network{
		NumAtoms: atoms, Constant: []int64{0, 0}, UnaryStart: make([]uint32, atoms+1), PairStart: []uint32{0},
		Sides:    []ground.Side{{Start: []uint32{0, atoms}}},
		Products: []ground.Product{{Coefs: []ground.Coef{{Formula: 1, N: 1}}}},
	}
	x := make([]bool, atoms)
	for a := range atoms {
		net.Unary = append(net.Unary, ground.Coef{Formula: 0, N: 1})
		net.UnaryStart[a+1] = uint32(a + 1)
		net.Sides[0].Atoms = append(net.Sides[0].Atoms, uint32(a))
		x[a] = true
	}
	var m mcsat.Model
	m.Reset(net, []float64{-4.2, 0.05})
	for _, c := range []struct {
		method mcsat.Method
		most   int
		least  int
	}{{mcsat.MethodAuto, 20, 0}, {mcsat.MethodGibbs, atoms, 60}} {
		r := rand.New(rand.NewPCG(7, 7))
		var chain mcsat.Chain
		opt := mcsat.DefaultOptions()
		opt.Method, opt.Rounds = c.method, 1
		if err := chain.Start(&m, x, opt, r); err != nil {
			t.Fatal(err)
		}
		for range 100 {
			chain.Step(r)
		}
		n := 0
		for _, v := range chain.State() {
			if v {
				n++
			}
		}
		if n < c.least || n > c.most {
			t.Errorf("%v: got %d atoms true after 100 steps, want %d to %d", c.method, n, c.least, c.most)
		}
	}
}

// A chain follows weights that change while it runs.
func TestChain_NewWeights_Products(t *testing.T) {
	t.Parallel()
	for name, draw := range map[string]func(r *rand.Rand, atoms int, spread float64) (factored, listed *ground.Network, weights []float64){
		"bare": bareMeetings, "mixed": meetings, "copies": bareCopies,
	} {
		r := rand.New(rand.NewPCG(11, 47))
		factored, listed, weights := draw(r, 9, 0.15)
		var m mcsat.Model
		m.Reset(factored, slices.Repeat([]float64{1.5}, len(weights)))
		m.SetExact(0)
		opt := mcsat.DefaultOptions()
		opt.Method, opt.Rounds = mcsat.MethodGibbs, 1
		var chain mcsat.Chain
		if err := chain.Start(&m, make([]bool, 9), opt, r); err != nil {
			t.Fatal(err)
		}
		m.SetWeights(weights)
		const steps = 40_000
		got := make([]float64, 9)
		for range steps {
			chain.Step(r)
			for a, v := range chain.State() {
				if v {
					got[a] += 1.0 / steps
				}
			}
		}
		for a, want := range enumerated(t, listed, weights) {
			if math.Abs(got[a]-want) > 0.02 {
				t.Errorf("%s, atom %d: got %v, want %v", name, a, got[a], want)
			}
		}
	}
}

// Atoms of one place that strong pairs tie together are not drawn side by side. (Of two atoms the marginals would be right
// all the same.)
func TestMarginals_TiedAcrossCopies(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 48))
		w, weights := bareWorld(r, 12, 0.15)
		weights[0] = 0.5
		for _, p := range [][2]int{{1, 5}, {1, 9}, {5, 9}} {
			w.and(0, 4, pos(p[0]), pos(p[1]))
			w.and(0, -4, pos(p[0]+1), pos(p[1]+1))
		}
		factored, listed, weights := meetingsIn(r, w, weights, 3)
		var m mcsat.Model
		m.Reset(factored, weights)
		opt := mcsat.DefaultOptions()
		opt.Method, opt.Samples = mcsat.MethodGibbs, 20_000
		got := make([]float64, 12)
		if _, err := new(mcsat.Inference).Marginals(got, &m, opt, []*rand.Rand{r}); err != nil {
			t.Fatal(err)
		}
		for a, want := range enumerated(t, listed, weights) {
			if math.Abs(got[a]-want) > 0.02 {
				t.Errorf("seed %d, atom %d: got %v, want %v", seed, a, got[a], want)
			}
		}
	}
}
