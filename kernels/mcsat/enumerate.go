package mcsat

import (
	"math"

	"resolwe/kernels/ground"
)

// enumerator visits the states of one component depth first, one atom a level, and sums exp(energy).
//
// Towards the leaves it hands down the fields of the atoms that are still to be set; on the way back it hands up the
// mass of the subtree and, for each atom below, the mass where that atom is true. Both are rows of as many elements as
// there are levels below, so that a node costs O(1) on average and a leaf nothing but its exponential. A term of
// several atoms acts at its last but one atom, where all but its last are known: there it adds to the last one's
// field, and there its own mass is read off. Energies are sums along one path and do not drift.
type enumerator struct {
	m     *Model
	atoms []uint32
	n     int
	level []uint32 // by atom of the network
	x     []bool   // by atom of the network

	levels   []level
	coupling []float64 // n x n: from an atom to a later one
	field    []float64 // a row of n for each level, and one more
	above    []float64 // likewise: mass where an atom is true
	mass     []float64 // by level: of the subtree
	pairMass []float64 // n x n
	cubes    []cubeTerm
	features []featureTerm

	reference float64 // energy of mass 1
	reached   bool    // a leaf
	deepest   int     // level of the deepest violation
	violated  int     // constraint there
	solution  []bool  // by level: the first leaf
}

// level holds what acts at one atom.
type level struct {
	cubes    []int // of enumerator.cubes, at the last but one atom
	features []int // of enumerator.features, at the last atom
	clauses  []uint32
	hard     []uint32
}

type cubeTerm struct {
	index  uint32
	lits   []ground.Lit // all but the last
	last   int          // level
	sign   bool         // the last literal is not negated
	energy float64
	mass   float64
}

type featureTerm struct {
	index  uint32
	root   *ground.Node
	energy float64
	mass   float64
}

// run enumerates a component of at most ExactLimit atoms, ascending. The error is an *UnsatisfiableError.
func (e *enumerator) run(m *Model, atoms []uint32) error {
	e.bind(m, atoms)
	e.reached, e.deepest, e.violated = false, -1, 0
	e.walk(0, 0)
	if !e.reached {
		return m.unsatisfiable(e.violated, true)
	}
	return nil
}

func (e *enumerator) bind(m *Model, atoms []uint32) {
	n := len(atoms)
	e.m, e.atoms, e.n = m, atoms, n
	e.level, e.x = resized(e.level, m.net.NumAtoms), resized(e.x, m.net.NumAtoms)
	e.coupling, e.pairMass = zeroed(e.coupling, n*n), zeroed(e.pairMass, n*n)
	e.field, e.above = zeroed(e.field, (n+1)*n), zeroed(e.above, (n+1)*n)
	e.mass = zeroed(e.mass, n+1)
	e.solution = resized(e.solution, n)
	e.cubes, e.features = e.cubes[:0], e.features[:0]
	for len(e.levels) < n {
		e.levels = append(e.levels, level{})
	}
	for i, a := range atoms {
		e.level[a] = uint32(i)
		e.field[i] = m.bias[a]
		l := &e.levels[i]
		*l = level{cubes: l.cubes[:0], features: l.features[:0], clauses: l.clauses[:0], hard: l.hard[:0]}
	}
	for _, a := range atoms {
		e.bindTerms(a)
		e.bindConstraints(a)
	}
}

// bindTerms places the terms whose last atom is a.
func (e *enumerator) bindTerms(a uint32) {
	m, at := e.m, int(e.level[a])
	neighbours, classes, base := m.ties.of(a)
	for k, b := range neighbours {
		if b += base; b < a {
			e.coupling[int(e.level[b])*e.n+at] += m.ties.energy[classes[k]]
		}
	}
	for _, ref := range m.cubes.of(a) {
		lits := m.net.Cubes[ref>>1].Lits
		k := len(lits) - 1
		if lits[k].Atom() != a {
			continue
		}
		before := &e.levels[e.level[lits[k-1].Atom()]]
		before.cubes = append(before.cubes, len(e.cubes))
		e.cubes = append(e.cubes, cubeTerm{
			index: ref >> 1, lits: lits[:k], last: at, sign: ref&1 == 0, energy: m.cube[ref>>1],
		})
	}
	for _, i := range m.features.of(a) {
		if f := &m.net.Features[i]; f.Atoms[len(f.Atoms)-1] == a {
			e.levels[at].features = append(e.levels[at].features, len(e.features))
			e.features = append(e.features, featureTerm{index: i, root: f.Root, energy: m.feature[i]})
		}
	}
}

// bindConstraints places the hard constraints whose last atom is a.
func (e *enumerator) bindConstraints(a uint32) {
	m, l := e.m, &e.levels[e.level[a]]
	for _, ref := range m.clauses.of(a) {
		if lits := m.net.Clauses[ref>>1]; lits[len(lits)-1].Atom() == a {
			l.clauses = append(l.clauses, ref>>1)
		}
	}
	for _, i := range m.hard.of(a) {
		if atoms := m.net.HardFeatures[i].Atoms; atoms[len(atoms)-1] == a {
			l.hard = append(l.hard, i)
		}
	}
}

// walk sums the subtree at a level: e.mass[d], e.above[d*n+d:] and the masses of the terms that act below.
func (e *enumerator) walk(d int, energy float64) {
	if d == e.n {
		e.leaf(energy)
		return
	}
	clear(e.above[d*e.n+d : (d+1)*e.n])
	e.mass[d] = 0
	e.branch(d, energy, false)
	e.branch(d, energy, true)
}

func (e *enumerator) branch(d int, energy float64, v bool) {
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
	if len(l.cubes)+len(l.features) > 0 {
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
	if len(l.cubes)+len(l.features) > 0 {
		e.collect(d)
	}
}

// row returns row i of a matrix of n columns, from column j.
func (e *enumerator) row(matrix []float64, i, j int) []float64 { return matrix[i*e.n+j : (i+1)*e.n] }

func addTo(dst, src []float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] += v
	}
}

// act applies the cubes and features of a level to the fields below it and to the energy.
func (e *enumerator) act(d int, energy float64) float64 {
	for _, k := range e.levels[d].cubes {
		switch t := &e.cubes[k]; {
		case !allTrue(t.lits, e.x):
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

// collect reads off the masses of the cubes and features of a level.
func (e *enumerator) collect(d int) {
	mass := e.mass[d+1]
	for _, k := range e.levels[d].cubes {
		t := &e.cubes[k]
		if !allTrue(t.lits, e.x) {
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

func (e *enumerator) lawful(d int) bool {
	net, l := e.m.net, &e.levels[d]
	for _, i := range l.clauses {
		if trueLits(net.Clauses[i], e.x) == 0 {
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

func (e *enumerator) violate(d, constraint int) bool {
	if d > e.deepest {
		e.deepest, e.violated = d, constraint
	}
	return false
}

// leaf gives a state its mass, in units that leave room above and below.
func (e *enumerator) leaf(energy float64) {
	const room = 300
	if !e.reached {
		e.reached, e.reference = true, energy
		for i, a := range e.atoms {
			e.solution[i] = e.x[a]
		}
	}
	if energy > e.reference+room {
		e.rescale(math.Exp(e.reference - energy))
		e.reference = energy
	}
	e.mass[e.n] = math.Exp(energy - e.reference)
}

func (e *enumerator) rescale(factor float64) {
	for _, masses := range [...][]float64{e.above, e.mass, e.pairMass} {
		for i := range masses {
			masses[i] *= factor
		}
	}
	for i := range e.cubes {
		e.cubes[i].mass *= factor
	}
	for i := range e.features {
		e.features[i].mass *= factor
	}
}

// logZ returns the logarithm of the sum over all states.
func (e *enumerator) logZ() float64 { return e.reference + math.Log(e.mass[0]) }

// marginal returns the probability that the atom at a level is true.
func (e *enumerator) marginal(d int) float64 { return e.above[d] / e.mass[0] }

// addExpected adds the expected counts of the component's terms.
func (e *enumerator) addExpected(dst []float64) {
	m := e.m
	for d, a := range e.atoms {
		addCoefs(dst, m.unary(a), e.marginal(d))
		neighbours, classes, base := m.ties.of(a)
		for k, b := range neighbours {
			if b += base; b > a {
				addCoefs(dst, m.pairCoefs(classes[k]), e.pairMass[d*e.n+int(e.level[b])]/e.mass[0])
			}
		}
	}
	for i := range e.cubes {
		addCoefs(dst, m.net.Cubes[e.cubes[i].index].Coefs, e.cubes[i].mass/e.mass[0])
	}
	for i := range e.features {
		addCoefs(dst, m.net.Features[e.features[i].index].Coefs, e.features[i].mass/e.mass[0])
	}
}
