package exact

import (
	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// Enumerator visits the states of one component depth first, one atom per level, and sums exp(energy).
//
// On the way to the leaves it passes down the fields of the unset atoms; on the way back it passes up the mass of the subtree and, for each
// atom below, the mass in which that atom is true. Both are rows with an element for each level below, so that a node costs O(1) on average
// and a leaf only its exponential. A term of several atoms acts at its last but one atom, when all but its last are known: it adds to the
// last one's field, and its own mass is read there. Energies are sums along one path and do not drift.
type Enumerator struct {
	m     *loglinear.Model
	atoms []uint32
	n     int
	level []uint32 // by atom of the network
	x     []bool   // by atom of the network

	levels   []level
	coupling []float64 // n x n: from an atom to a later one
	field    []float64 // a row of n for each level, and one more row
	above    []float64 // likewise: mass in which an atom is true
	mass     []float64 // by level: of the subtree
	pairMass []float64 // n x n
	terms    []term    // conjunctions, then features

	reference float64 // energy of mass 1
	reached   bool    // some leaf was reached
	deepest   int     // level of the deepest violation
	violated  int     // constraint violated there
	solution  []bool  // by level: the first leaf
}

// level holds what acts at one atom.
type level struct {
	terms []int    // in Enumerator.terms: conjunctions at the last but one atom, then features at the last
	hard  []uint32 // constraints, at the last atom
}

// term is a soft factor of several atoms.
type term struct {
	factor uint32
	lits   []network.Lit // all but the last; none for a feature
	root   *network.Node // of a feature
	last   int           // level of the last literal
	sign   bool          // the last literal is not negated
	energy float64
	mass   float64
}

// holds reports whether a feature, or all but the last literal of a conjunction, is true.
func (t *term) holds(x []bool) bool {
	if t.root != nil {
		return t.root.True(x)
	}
	return loglinear.AllTrue(t.lits, x)
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
	e.terms = e.terms[:0]
	for len(e.levels) < n {
		e.levels = append(e.levels, level{})
	}
	for i, a := range atoms {
		e.level[a] = uint32(i)
		e.field[i] = m.Bias[a]
		l := &e.levels[i]
		*l = level{terms: l.terms[:0], hard: l.hard[:0]}
	}
	for _, a := range atoms {
		e.bindPairs(a)
		e.bindTerms(a, false)
	}
	for d, a := range atoms {
		e.bindTerms(a, true)
		for _, ref := range m.Hard.Of(a) {
			if lastAtom(m.HardFactor(ref>>1)) == a {
				e.levels[d].hard = append(e.levels[d].hard, ref>>1)
			}
		}
	}
}

// lastAtom returns the last atom of a factor.
func lastAtom(lits []network.Lit, feature *network.Feature) uint32 {
	if feature != nil {
		return feature.Atoms[len(feature.Atoms)-1]
	}
	return lits[len(lits)-1].Atom()
}

// bindPairs places the pairs whose last atom is a.
func (e *Enumerator) bindPairs(a uint32) {
	neighbours, classes, base := e.m.Couplings.Of(a)
	for k, b := range neighbours {
		if b += base; b < a {
			e.coupling[int(e.level[b])*e.n+int(e.level[a])] += e.m.Couplings.Energy[classes[k]]
		}
	}
}

// bindTerms places the conjunctions, or the features, whose last atom is a.
func (e *Enumerator) bindTerms(a uint32, features bool) {
	for _, ref := range e.m.Soft.Of(a) {
		lits, feature := e.m.SoftFactor(ref >> 1)
		if features != (feature != nil) || lastAtom(lits, feature) != a {
			continue
		}
		t := term{factor: ref >> 1, last: int(e.level[a]), sign: ref&1 == 0, energy: e.m.SoftEnergy[ref>>1]}
		at := &e.levels[t.last]
		if features {
			t.root = feature.Root
		} else {
			k := len(lits) - 1
			t.lits, at = lits[:k], &e.levels[e.level[lits[k-1].Atom()]]
		}
		at.terms = append(at.terms, len(e.terms))
		e.terms = append(e.terms, t)
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
	if !e.lawful(d) {
		return
	}
	row, down := e.row(e.field, d, d), e.row(e.field, d+1, d+1)
	copy(down, row[1:])
	if v {
		energy += row[0]
		elementary.Add(down, e.row(e.coupling, d, d+1))
	}
	e.walk(d+1, e.act(d, energy))

	mass, up := e.mass[d+1], e.row(e.above, d+1, d+1)
	e.mass[d] += mass
	elementary.Add(e.row(e.above, d, d+1), up)
	if v {
		e.above[d*e.n+d] += mass
		elementary.Add(e.row(e.pairMass, d, d+1), up)
	}
	e.collect(d)
}

// row returns row i of a matrix of n columns, from column j.
func (e *Enumerator) row(matrix []float64, i, j int) []float64 { return matrix[i*e.n+j : (i+1)*e.n] }

// act applies the terms of a level to the fields below it and to the energy.
func (e *Enumerator) act(d int, energy float64) float64 {
	for _, k := range e.levels[d].terms {
		t := &e.terms[k]
		if !t.holds(e.x) {
			continue
		}
		switch last := &e.field[(d+1)*e.n+t.last]; {
		case t.root != nil:
			energy += t.energy
		case t.sign:
			*last += t.energy
		default:
			energy += t.energy
			*last -= t.energy
		}
	}
	return energy
}

// collect reads the masses of the terms of a level.
func (e *Enumerator) collect(d int) {
	mass := e.mass[d+1]
	for _, k := range e.levels[d].terms {
		t := &e.terms[k]
		if !t.holds(e.x) {
			continue
		}
		switch on := e.above[(d+1)*e.n+t.last]; {
		case t.root != nil:
			t.mass += mass
		case t.sign:
			t.mass += on
		default:
			t.mass += mass - on
		}
	}
}

// lawful reports whether the constraints of a level hold, and remembers the deepest violated one.
func (e *Enumerator) lawful(d int) bool {
	for _, i := range e.levels[d].hard {
		lits, feature := e.m.HardFactor(i)
		if feature == nil && loglinear.TrueLits(lits, e.x) > 0 || feature != nil && feature.Root.True(e.x) {
			continue
		}
		if d > e.deepest {
			e.deepest, e.violated = d, int(i)
		}
		return false
	}
	return true
}

// leaf sets the mass of a state, in units that leave room above and below.
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
	for i := range e.terms {
		e.terms[i].mass *= factor
	}
}

// logZ returns the logarithm of the sum over all states.
func (e *Enumerator) logZ() float64 { return e.reference + elementary.Log(e.mass[0]) }

// Marginal returns the probability that the atom at a level is true.
func (e *Enumerator) Marginal(d int) float64 { return e.above[d] / e.mass[0] }

// Solution returns the value of the atom at a level in the first state found.
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
	for i := range e.terms {
		loglinear.AddCoefs(dst, m.SoftCoefs(e.terms[i].factor), e.terms[i].mass/e.mass[0])
	}
}
