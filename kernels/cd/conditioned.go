package cd

import (
	"cmp"
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/exact"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// Conditioner expresses the pseudo-likelihood of a subgraph as the likelihood of one with independent atoms: given the truth of the others,
// each atom adds a fixed number to each count. The zero value is ready to use; its memory is reused.
type Conditioner struct {
	model  loglinear.Model
	router exact.Router
	visit  Conditionals
	zeros  []float64
	coefs  []network.Coef
	bounds [][2]int // by atom: range of its coefficients
}

// Example returns that subgraph, which shares nothing with the original; nil if every component has at most maxExact atoms or a small
// junction tree, or if there are hard formulas.
func (c *Conditioner) Example(ex *Example, maxExact int) *Example {
	net := ex.Net
	if independent(net) || len(net.Clauses)+len(net.HardFeatures) > 0 {
		return nil
	}
	c.model.BindExact(net, 1)
	c.router.Divide(&c.model, max(maxExact, 1), treeBounds(net))
	if len(c.model.Scope.Atoms) == 0 {
		return nil
	}
	c.model.SetExact(0)
	c.zeros = grow.Zeroed(c.zeros, len(net.Constant))
	c.model.SetWeights(c.zeros)
	c.coefs, c.bounds = c.coefs[:0], grow.Zeroed(c.bounds, net.NumAtoms)
	c.visit.Visit(&c.model, ex.Data, func(a uint32, _ float64, formulas []uint32, values []float64) {
		begin := len(c.coefs)
		for k, i := range formulas {
			if n := int64(values[k]); n != 0 {
				c.coefs = append(c.coefs, network.Coef{Formula: i, Mult: n})
			}
		}
		slices.SortFunc(c.coefs[begin:], func(a, b network.Coef) int { return cmp.Compare(a.Formula, b.Formula) })
		c.bounds[a] = [2]int{begin, len(c.coefs)}
	})
	out := &network.Network{
		NumAtoms: net.NumAtoms, Scale: net.Scale, Constant: slices.Clone(net.Constant), PairStart: []uint32{0},
		UnaryStart: make([]uint32, 1, net.NumAtoms+1), Unary: make([]network.Coef, 0, len(c.coefs)),
	}
	for _, b := range c.bounds {
		out.Unary = append(out.Unary, c.coefs[b[0]:b[1]]...)
		out.UnaryStart = append(out.UnaryStart, uint32(len(out.Unary)))
	}
	return &Example{Net: out, Data: slices.Clone(ex.Data), Conditioned: true}
}
