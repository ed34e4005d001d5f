// Package exact sums over all states of the components that are not sampled: marginals, expected true groundings, their
// covariance. Small components are enumerated, others take junction trees (package tree).
package exact

import (
	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// Enumerator visits the states of one component depth first, one atom a level, and sums exp(energy).
//
// Towards the leaves it hands down the fields of the atoms that are still to be set; on the way back it hands up the
// mass of the subtree and, for each atom below, the mass where that atom is true. Both are rows of as many elements as
// there are levels below, so that a node costs O(1) on average and a leaf nothing but its exponential. A term of
// several atoms acts at its last but one atom, where all but its last are known: there it adds to the last one's
// field, and there its own mass is read off. Energies are sums along one path and do not drift.
type Enumerator struct {
	m     *loglinear.Model
	atoms []uint32
	n     int
	level []uint32 // by atom of the network
	x     []bool   // by atom of the network

	levels       []level
	coupling     []float64 // n x n: from an atom to a later one
	field        []float64 // a row of n for each level, and one more
	above        []float64 // likewise: mass where an atom is true
	mass         []float64 // by level: of the subtree
	pairMass     []float64 // n x n
	conjunctions []conjunctionTerm
	features     []featureTerm

	reference float64 // energy of mass 1
	reached   bool    // a leaf
	deepest   int     // level of the deepest violation
	violated  int     // constraint there
	solution  []bool  // by level: the first leaf
}

// level holds what acts at one atom.
type level struct {
	conjunctions []int // of Enumerator.conjunctions, at the last but one atom
	features     []int // of Enumerator.features, at the last atom
	clauses      []uint32
	hard         []uint32
}

type conjunctionTerm struct {
	index  uint32
	lits   []network.Lit // all but the last
	last   int           // level
	sign   bool          // the last literal is not negated
	energy float64
	mass   float64
}

type featureTerm struct {
	index  uint32
	root   *network.Node
	energy float64
	mass   float64
}

// Run enumerates a component of at most loglinear.ExactLimit atoms, ascending. The error is an *UnsatisfiableError.
func (e *Enumerator) Run(m *loglinear.Model, atoms []uint32) error {
	e.bind(m, atoms)
	e.reached, e.deepest, e.violated = false, -1, 0
	e.walk(0, 0)
	if !e.reached {
		return m.Unsatisfiable(e.violated, true)
	}
	return nil
}

func (e *Enumerator) bind(m *loglinear.Model, atoms []uint32) {
	n := len(atoms)
	e.m, e.atoms, e.n = m, atoms, n
	e.level, e.x = grow.To(e.level, m.Net.NumAtoms), grow.To(e.x, m.Net.NumAtoms)
	e.coupling, e.pairMass = grow.Zeroed(e.coupling, n*n), grow.Zeroed(e.pairMass, n*n)
	e.field, e.above = grow.Zeroed(e.field, (n+1)*n), grow.Zeroed(e.above, (n+1)*n)
	e.mass = grow.Zeroed(e.mass, n+1)
	e.solution = grow.To(e.solution, n)
	e.conjunctions, e.features = e.conjunctions[:0], e.features[:0]
	for len(e.levels) < n {
		e.levels = append(e.levels, level{})
	}
	for i, a := range atoms {
		e.level[a] = uint32(i)
		e.field[i] = m.Bias[a]
		l := &e.levels[i]
		*l = level{conjunctions: l.conjunctions[:0], features: l.features[:0], clauses: l.clauses[:0], hard: l.hard[:0]}
	}
	for _, a := range atoms {
		e.bindTerms(a)
		e.bindConstraints(a)
	}
}

// bindTerms places the terms whose last atom is a.
func (e *Enumerator) bindTerms(a uint32) {
	m, at := e.m, int(e.level[a])
	neighbours, classes, base := m.Couplings.Of(a)
	for k, b := range neighbours {
		if b += base; b < a {
			e.coupling[int(e.level[b])*e.n+at] += m.Couplings.Energy[classes[k]]
		}
	}
	for _, ref := range m.Conjunctions.Of(a) {
		lits := m.Net.Conjunctions[ref>>1].Lits
		k := len(lits) - 1
		if lits[k].Atom() != a {
			continue
		}
		before := &e.levels[e.level[lits[k-1].Atom()]]
		before.conjunctions = append(before.conjunctions, len(e.conjunctions))
		e.conjunctions = append(e.conjunctions, conjunctionTerm{
			index: ref >> 1, lits: lits[:k], last: at, sign: ref&1 == 0, energy: m.ConjunctionEnergy[ref>>1],
		})
	}
	for _, i := range m.Features.Of(a) {
		if f := &m.Net.Features[i]; f.Atoms[len(f.Atoms)-1] == a {
			e.levels[at].features = append(e.levels[at].features, len(e.features))
			e.features = append(e.features, featureTerm{index: i, root: f.Root, energy: m.FeatureEnergy[i]})
		}
	}
}

// bindConstraints places the hard constraints whose last atom is a.
func (e *Enumerator) bindConstraints(a uint32) {
	m, l := e.m, &e.levels[e.level[a]]
	for _, ref := range m.Clauses.Of(a) {
		if lits := m.Net.Clauses[ref>>1]; lits[len(lits)-1].Atom() == a {
			l.clauses = append(l.clauses, ref>>1)
		}
	}
	for _, i := range m.HardFeatures.Of(a) {
		if atoms := m.Net.HardFeatures[i].Atoms; atoms[len(atoms)-1] == a {
			l.hard = append(l.hard, i)
		}
	}
}

// walk sums the subtree at a level: e.mass[d], e.above[d*n+d:] and the masses of the terms that act below.
func (e *Enumerator) walk(d int, energy float64) {
	if d == e.n {
		e.leaf(energy)
		return
	}
	clear(e.above[d*e.n+d : (d+1)*e.n])
	e.mass[d] = 0
	e.branch(d, energy, false)
	e.branch(d, energy, true)
}

func (e *Enumerator) branch(d int, energy float64, v bool) {
	e.x[e.atoms[d]] = v
	l := &e.levels[d]
	if len(l.clauses)+len(l.hard) > 0 && !e.lawful(d) {
		return
	}
	row, down := e.row(e.field, d, d), e.row(e.field, d+1, d+1)
	copy(down, row[1:])
	if v {
		energy += row[0]
		addTo(down, e.row(e.coupling, d, d+1))
	}
	if len(l.conjunctions)+len(l.features) > 0 {
		energy = e.act(d, energy)
	}

	e.walk(d+1, energy)

	mass, up := e.mass[d+1], e.row(e.above, d+1, d+1)
	e.mass[d] += mass
	addTo(e.row(e.above, d, d+1), up)
	if v {
		e.above[d*e.n+d] += mass
		addTo(e.row(e.pairMass, d, d+1), up)
	}
	if len(l.conjunctions)+len(l.features) > 0 {
		e.collect(d)
	}
}

// row returns row i of a matrix of n columns, from column j.
func (e *Enumerator) row(matrix []float64, i, j int) []float64 { return matrix[i*e.n+j : (i+1)*e.n] }

func addTo(dst, src []float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] += v
	}
}

// act applies the conjunctions and features of a level to the fields below it and to the energy.
func (e *Enumerator) act(d int, energy float64) float64 {
	for _, k := range e.levels[d].conjunctions {
		switch t := &e.conjunctions[k]; {
		case !loglinear.AllTrue(t.lits, e.x):
		case t.sign:
			e.field[(d+1)*e.n+t.last] += t.energy
		default:
			energy += t.energy
			e.field[(d+1)*e.n+t.last] -= t.energy
		}
	}
	for _, k := range e.levels[d].features {
		if t := &e.features[k]; t.root.True(e.x) {
			energy += t.energy
		}
	}
	return energy
}

// collect reads off the masses of the conjunctions and features of a level.
func (e *Enumerator) collect(d int) {
	mass := e.mass[d+1]
	for _, k := range e.levels[d].conjunctions {
		t := &e.conjunctions[k]
		if !loglinear.AllTrue(t.lits, e.x) {
			continue
		}
		on := e.above[(d+1)*e.n+t.last]
		if t.sign {
			t.mass += on
		} else {
			t.mass += mass - on
		}
	}
	for _, k := range e.levels[d].features {
		if t := &e.features[k]; t.root.True(e.x) {
			t.mass += mass
		}
	}
}

func (e *Enumerator) lawful(d int) bool {
	net, l := e.m.Net, &e.levels[d]
	for _, i := range l.clauses {
		if loglinear.TrueLits(net.Clauses[i], e.x) == 0 {
			return e.violate(d, int(i))
		}
	}
	for _, i := range l.hard {
		if !net.HardFeatures[i].Root.True(e.x) {
			return e.violate(d, len(net.Clauses)+int(i))
		}
	}
	return true
}

func (e *Enumerator) violate(d, constraint int) bool {
	if d > e.deepest {
		e.deepest, e.violated = d, constraint
	}
	return false
}

// leaf gives a state its mass, in units that leave room above and below.
func (e *Enumerator) leaf(energy float64) {
	const room = 300
	if !e.reached {
		e.reached, e.reference = true, energy
		for i, a := range e.atoms {
			e.solution[i] = e.x[a]
		}
	}
	if energy > e.reference+room {
		e.rescale(elementary.Exp(e.reference - energy))
		e.reference = energy
	}
	e.mass[e.n] = elementary.Exp(energy - e.reference)
}

func (e *Enumerator) rescale(factor float64) {
	for _, masses := range [...][]float64{e.above, e.mass, e.pairMass} {
		for i := range masses {
			masses[i] *= factor
		}
	}
	for i := range e.conjunctions {
		e.conjunctions[i].mass *= factor
	}
	for i := range e.features {
		e.features[i].mass *= factor
	}
}

// logZ returns the logarithm of the sum over all states.
func (e *Enumerator) logZ() float64 { return e.reference + elementary.Log(e.mass[0]) }

// Marginal returns the probability that the atom at a level is true.
func (e *Enumerator) Marginal(d int) float64 { return e.above[d] / e.mass[0] }

// Solution returns the value of the atom at a level in the first state that was found.
func (e *Enumerator) Solution(d int) bool { return e.solution[d] }

// addExpected adds the expected counts of the component's terms.
func (e *Enumerator) addExpected(dst []float64) {
	m := e.m
	for d, a := range e.atoms {
		loglinear.AddCoefs(dst, m.Unary(a), e.Marginal(d))
		neighbours, classes, base := m.Couplings.Of(a)
		for k, b := range neighbours {
			if b += base; b > a {
				loglinear.AddCoefs(dst, m.PairCoefs(classes[k]), e.pairMass[d*e.n+int(e.level[b])]/e.mass[0])
			}
		}
	}
	for i := range e.conjunctions {
		loglinear.AddCoefs(dst, m.Net.Conjunctions[e.conjunctions[i].index].Coefs, e.conjunctions[i].mass/e.mass[0])
	}
	for i := range e.features {
		loglinear.AddCoefs(dst, m.Net.Features[e.features[i].index].Coefs, e.features[i].mass/e.mass[0])
	}
}
