package loglinear

import (
	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/network"
)

// Model is a ground network with weights and the division of its atoms between exact inference and sampling. The zero value is ready for
// [Model.Reset]. Chains and inference on a model use new weights immediately.
type Model struct {
	Net     *network.Network
	Weights []float64 // by formula: per unit of its counts
	Changes int       // number of times that the weights were set

	Bias       []float64 // by atom: energy of its unary term
	SoftEnergy []float64 // by soft factor: see [Model.SoftFactor]

	// For slice sampling, if split is true. Up to a constant, a coupling J of atoms a and b is J/2 for their being equal and J/2 for each
	// being true.
	split   bool
	Centred []float64 // by atom: its bias plus half of each of its couplings

	// Parities are those found among the sampled factors; SoftRest is SoftEnergy less the energies of the parities.
	Parities []Parity
	SoftRest []float64

	HardParities []Parity // of all hard constraints

	Couplings Couplings
	Soft      grow.Lists // by atom: 2*soft factor, plus 1 if the atom occurs negated
	Hard      grow.Lists // the same for hard constraints
	Bilinear  Bilinear

	Components   network.Components
	Implications Implications
	Groups       Groups
	Scope        Scope
}

// Reset binds the model to a network, which must not change while the model is in use, and to a copy of the weights by formula; those of
// hard formulas are 0. Every component of two or more atoms is sampled until [Model.SetExact]. It panics if there is not one weight per
// formula of the network.
func (m *Model) Reset(net *network.Network, weights []float64) {
	m.BindExact(net, 1)
	m.SetWeights(weights)
}

// BindExact is Reset, then [Model.SetExact], without weights: [Model.SetWeights] must be called before the model is used.
func (m *Model) BindExact(net *network.Network, maxAtoms int) {
	m.Net = net
	m.index()
	m.Components.Find(net)
	m.findHardParities()
	m.Implications.reduce(m)
	m.Groups.find(m)
	m.SetExact(maxAtoms)
}

// Untied sets dst, by atom, to the probabilities of being true in a network whose factors are all of one atom, and reports whether it is
// one. The model must be reset before it is used otherwise. It panics as [Model.Reset] does.
func (m *Model) Untied(dst []float64, net *network.Network, weights []float64) bool {
	if len(net.Pairs)+len(net.Bilinears)+len(net.Conjunctions)+len(net.Features)+len(net.Clauses)+len(net.HardFeatures) > 0 {
		return false
	}
	m.Net = net
	m.setBias(weights)
	for a, h := range m.Bias {
		dst[a] = elementary.Sigmoid(h)
	}
	return true
}

// SetWeights sets the weights by formula to a copy of weights. It panics if there is not one per formula.
func (m *Model) SetWeights(weights []float64) {
	m.setBias(weights)
	m.split = false
	m.Couplings.weigh(m)
	m.weighBilinear()
	m.SoftEnergy = grow.To(m.SoftEnergy, m.softFactors())
	for i := range m.SoftEnergy {
		m.SoftEnergy[i] = m.Energy(m.SoftCoefs(uint32(i)))
	}
}

// setBias sets the weights, and the energies of unary terms.
func (m *Model) setBias(weights []float64) {
	net := m.Net
	if len(weights) != len(net.Constant) {
		panic("kernels/loglinear: weights do not match the network's formulas")
	}
	m.Weights = append(m.Weights[:0], weights...)
	for i, s := range net.Scale {
		m.Weights[i] *= s
	}
	m.Changes++
	m.Bias = grow.To(m.Bias, net.NumAtoms)
	for a := range m.Bias {
		m.Bias[a] = m.Energy(m.Unary(uint32(a)))
	}
}

// SplitCouplings prepares for slice sampling with the current weights.
func (m *Model) SplitCouplings() {
	if m.split {
		return
	}
	m.split = true
	m.Centred = append(m.Centred[:0], m.Bias...)
	m.Couplings.split(m.Centred, m.Net.Pairs)
	m.Bilinear.centre(m.Centred)
	m.weighParities()
}

// Energy returns the energy of a term with the given coefficients.
func (m *Model) Energy(coefs []network.Coef) (sum float64) {
	for _, c := range coefs {
		sum += float64(m.Weights[c.Formula] * float64(c.Mult))
	}
	return sum
}

func (m *Model) index() {
	net := m.Net
	m.Bilinear.index(net)
	m.Couplings.index(net, &m.Bilinear)
	m.Soft.Build(net.NumAtoms, func(emit func(atom, ref uint32)) {
		for i := range uint32(m.softFactors()) {
			m.EachAtom(m.Constraints()+i, func(a, sign uint32) { emit(a, i<<1|sign) })
		}
	})
	m.Hard.Build(net.NumAtoms, func(emit func(atom, ref uint32)) {
		for i := range m.Constraints() {
			m.EachAtom(i, func(a, sign uint32) { emit(a, i<<1|sign) })
		}
	})
}

// Independent reports whether an atom has no factors except its unary term.
func (m *Model) Independent(a uint32) bool {
	return m.Couplings.Degree(a)+len(m.Soft.Of(a))+len(m.Hard.Of(a)) == 0 && !m.met(a)
}

// met reports whether an atom is in a bilinear factor.
func (m *Model) met(a uint32) bool { return m.Bilinear.Degree(a) > 0 }
