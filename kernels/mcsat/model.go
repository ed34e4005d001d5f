package mcsat

import "resolwe/kernels/ground"

// Model is a ground network with weights, and the division of its atoms between exact routes and sampling.
// The zero value is ready for [Model.Reset]. Chains and inference that use a model see new weights at once.
type Model struct {
	net     *ground.Network
	weights []float64
	changes int // of the weights

	bias    []float64 // by atom: energy of its own term
	cube    []float64
	feature []float64

	// What slices need, where split is true. A coupling J of atoms a and b is J/2 for their being equal and J/2 for each
	// of them, up to a constant.
	split   bool
	centred []float64 // by atom: its bias and half of each of its couplings

	ties     ties
	cubes    incidence // 2*cube, plus 1 where the literal is negated
	clauses  incidence // likewise
	features incidence
	hard     incidence // hard features
	hubs     hubs

	components components
	hardness   hardness
	scope      scope
}

// Reset binds the model to a network, which must not change while the model is in use, and to the weights by formula,
// which are copied; those of hard formulas are 0. Every component of two or more atoms is left to sampling until
// [Model.SetExact]. It panics where the number of weights is not that of the network's formulas.
func (m *Model) Reset(net *ground.Network, weights []float64) {
	m.Bind(net)
	m.SetWeights(weights)
}

// Bind is Reset without the weights, which [Model.SetWeights] has to set before the model is used.
func (m *Model) Bind(net *ground.Network) { m.BindExact(net, 1) }

// BindExact is Bind, then [Model.SetExact], in less time.
func (m *Model) BindExact(net *ground.Network, maxAtoms int) {
	m.net = net
	m.index()
	m.components.find(m)
	m.hardness.reduce(m)
	m.SetExact(maxAtoms)
}

// Network returns the network that the model is bound to.
func (m *Model) Network() *ground.Network { return m.net }

// SetWeights changes the weights by formula, which are copied. It panics where their number is wrong.
func (m *Model) SetWeights(weights []float64) {
	net := m.net
	if len(weights) != len(net.Constant) {
		panic("kernels/mcsat: weights do not match the network's formulas")
	}
	m.weights = append(m.weights[:0], weights...)
	m.changes++
	m.bias = resized(m.bias, net.NumAtoms)
	for a := range m.bias {
		m.bias[a] = m.energy(m.unary(uint32(a)))
	}
	m.split = false
	m.ties.weigh(m)
	m.weighProducts()
	m.cube = resized(m.cube, len(net.Cubes))
	for i := range net.Cubes {
		m.cube[i] = m.energy(net.Cubes[i].Coefs)
	}
	m.feature = resized(m.feature, len(net.Features))
	for i := range net.Features {
		m.feature[i] = m.energy(net.Features[i].Coefs)
	}
}

// splitCouplings prepares for slices under the present weights.
func (m *Model) splitCouplings() {
	if m.split {
		return
	}
	m.split = true
	m.centred = append(m.centred[:0], m.bias...)
	m.ties.split(m.centred, m.net.Pairs)
	m.hubs.centre(m.centred)
}

// energy returns the energy of a term, bounded so that sums of them stay finite.
func (m *Model) energy(coefs []ground.Coef) float64 {
	const bound = 1e100
	sum := 0.0
	for _, c := range coefs {
		sum += m.weights[c.Formula] * float64(c.N)
	}
	return max(-bound, min(bound, sum))
}

func (m *Model) index() {
	net := m.net
	m.hubs.index(net)
	m.ties.index(net, &m.hubs)
	if m.hubs.any() {
		m.hubs.arrange(uint32(net.NumAtoms), m.ties.copied)
	}
	m.cubes.build(net.NumAtoms, func(emit func(atom, item uint32)) {
		for i := range net.Cubes {
			emitLits(net.Cubes[i].Lits, i, emit)
		}
	})
	m.clauses.build(net.NumAtoms, func(emit func(atom, item uint32)) {
		for i, clause := range net.Clauses {
			emitLits(clause, i, emit)
		}
	})
	m.features.build(net.NumAtoms, func(emit func(atom, item uint32)) { emitFeatures(net.Features, emit) })
	m.hard.build(net.NumAtoms, func(emit func(atom, item uint32)) { emitFeatures(net.HardFeatures, emit) })
}

func emitLits(lits []ground.Lit, item int, emit func(atom, item uint32)) {
	for _, l := range lits {
		emit(l.Atom(), uint32(item)<<1|uint32(l&1))
	}
}

func emitFeatures(features []ground.Feature, emit func(atom, item uint32)) {
	for i := range features {
		for _, a := range features[i].Atoms {
			emit(a, uint32(i))
		}
	}
}

// constrained reports whether an atom is in a hard constraint.
func (m *Model) constrained(a uint32) bool { return len(m.clauses.of(a)) > 0 || len(m.hard.of(a)) > 0 }

// independent reports whether an atom is in nothing but its own term.
func (m *Model) independent(a uint32) bool {
	return m.ties.degree(a)+len(m.cubes.of(a))+len(m.features.of(a)) == 0 && !m.constrained(a) && !m.met(a)
}

// met reports whether an atom is in a product.
func (m *Model) met(a uint32) bool { return m.hubs.degree(a) > 0 }
