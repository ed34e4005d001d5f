package mcsat_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/network"
)

// potts is a random network of variables of k values: fields of values, and couplings of equal values of neighbours.
type potts struct {
	k          int
	fields     [][]float64
	neighbours [][]uint32
	couplings  [][]float64
}

func randomPotts(r *rand.Rand, variables, k, degree int, coupling float64) *potts {
	p := &potts{k: k, neighbours: make([][]uint32, variables), couplings: make([][]float64, variables)}
	for range variables {
		f := make([]float64, k)
		for v := range f {
			f[v] = r.NormFloat64()
		}
		p.fields = append(p.fields, f)
	}
	for range variables * degree / 2 {
		a, b := r.IntN(variables), r.IntN(variables)
		if a == b {
			continue
		}
		j := coupling * (2*r.Float64() - 1)
		p.neighbours[a], p.couplings[a] = append(p.neighbours[a], uint32(b)), append(p.couplings[a], j)
		p.neighbours[b], p.couplings[b] = append(p.neighbours[b], uint32(a)), append(p.couplings[b], j)
	}
	return p
}

// network is the network of indicators under hard clauses, and its weights.
func (p *potts) network() (*network.Network, []float64) {
	n := len(p.fields)
	net := &network.Network{NumAtoms: n * p.k}
	var weights []float64
	formula := func(w float64) network.Coef {
		weights = append(weights, w)
		return network.Coef{Formula: uint32(len(weights) - 1), Mult: 1}
	}
	for _, f := range p.fields {
		for _, h := range f {
			net.UnaryStart = append(net.UnaryStart, uint32(len(net.Unary)))
			net.Unary = append(net.Unary, formula(h))
		}
	}
	net.UnaryStart = append(net.UnaryStart, uint32(len(net.Unary)))
	for a := range n {
		var all []network.Lit
		for v := range p.k {
			all = append(all, network.NewLit(uint32(a*p.k+v), false))
			for u := range v {
				net.Clauses = append(net.Clauses, []network.Lit{network.NewLit(uint32(a*p.k+u), true), network.NewLit(uint32(a*p.k+v), true)})
			}
			for i, b := range p.neighbours[a] {
				if int(b) > a {
					net.PairStart = append(net.PairStart, uint32(len(net.PairCoefs)))
					net.Pairs = append(net.Pairs, network.Pair{A: uint32(a*p.k + v), B: b*uint32(p.k) + uint32(v)})
					net.PairCoefs = append(net.PairCoefs, formula(p.couplings[a][i]))
				}
			}
		}
		net.Clauses = append(net.Clauses, all)
	}
	net.PairStart = append(net.PairStart, uint32(len(net.PairCoefs)))
	net.Constant = make([]int64, len(weights))
	return net, weights
}

// gibbs estimates the marginals by sweeps over the values, after a tenth as many.
func (p *potts) gibbs(sweeps int, r *rand.Rand) []float64 {
	n := len(p.fields)
	values, sums, w := make([]int, n), make([]float64, n*p.k), make([]float64, p.k)
	for a := range values {
		values[a] = r.IntN(p.k)
	}
	for s := -sweeps / 10; s < sweeps; s++ {
		for a := range values {
			copy(w, p.fields[a])
			for i, b := range p.neighbours[a] {
				w[values[b]] += p.couplings[a][i]
			}
			sum := 0.0
			for v := range w {
				w[v] = math.Exp(w[v])
				sum += w[v]
			}
			u := r.Float64() * sum
			values[a] = p.k - 1
			for v := range w {
				if u -= w[v]; u < 0 {
					values[a] = v
					break
				}
			}
			if s >= 0 {
				for v := range w {
					sums[a*p.k+v] += w[v] / sum
				}
			}
		}
	}
	for i := range sums {
		sums[i] /= float64(sweeps)
	}
	return sums
}

// Groups of exactly one atom are drawn as variables of many values are: default inference is as near to two Gibbs samplers
// over the values as these are to each other, but for a half.
func TestMarginals_Potts(t *testing.T) {
	t.Parallel()
	const seed = 12
	t.Logf("seed %d", seed)
	for _, coupling := range []float64{1, 2} {
		p := randomPotts(source(seed, 0), 200, 4, 4, coupling)
		net, weights := p.network()
		m := modelOf(net, weights)
		one, other := p.gibbs(3000, source(seed, 1)), p.gibbs(3000, source(seed, 2))
		opt := mcsat.DefaultOptions()
		opt.Samples = 250
		got, d := marginals(t, m, opt, sources(seed, 4))
		apart := meanError(one, other)
		if off := (meanError(got, one) + meanError(got, other)) / 2; off > 1.5*apart {
			t.Errorf("coupling %v: got %.5f away from Gibbs samplers that are %.5f apart: %+v", coupling, off, apart, d)
		}
	}
}

func BenchmarkPotts(b *testing.B) {
	for _, size := range [][2]int{{500, 4}, {4000, 5}} {
		p := randomPotts(source(1, 0), size[0], size[1], 4, 1)
		net, weights := p.network()
		m := modelOf(net, weights)
		one, other := p.gibbs(3000, source(1, 1)), p.gibbs(3000, source(1, 2))
		b.Run(fmt.Sprint("gibbs/", size[0]), func(b *testing.B) {
			for b.Loop() {
				p.gibbs(3000, source(1, 3))
			}
		})
		b.Run(fmt.Sprint("infer/", size[0]), func(b *testing.B) {
			opt := mcsat.DefaultOptions()
			opt.Samples = 250
			var inf mcsat.Inference
			got := make([]float64, net.NumAtoms)
			for b.Loop() {
				check.OK(b, check.Err(inf.Marginals(got, m, opt, sources(1, 4))))
			}
			b.ReportMetric((meanError(got, one)+meanError(got, other))/2/meanError(one, other), "apart")
		})
	}
}
