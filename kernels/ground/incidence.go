package ground

import (
	"fmt"
	"math"
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// Factoring says when pairs of atoms that share entities stay a bilinear factor.
type Factoring uint8

// The ways of factoring.
const (
	FactorCheaper Factoring = iota // if listing the pairs would be larger
	FactorNever
	FactorAlways // except in components of fewer than FactoredAtoms atoms
)

// maxEntities bounds the memory of a space, whose entities are numbered before it is known which have atoms.
const maxEntities = 1 << 22

// meeting is what the formulas of a network whose atoms meet share.
type meeting struct {
	spaces     map[string]*space     // nil if there are too many entities
	incidences map[string]*incidence // nil if a multiplicity does not fit
	pairLists  map[pairsKey]*pairList
	free       []int32 // memory of places
}

// places returns a table of atoms' states by one of their arguments, which has n values, initially missing.
func (m *meeting) places(n int) []int32 {
	m.free = grow.To(m.free, n)
	for i := range m.free {
		m.free[i] = missing
	}
	return m.free
}

// space numbers the shared entities of formulas whose first outputs have the same range: for each binding of these, the entities of one
// type.
type space struct {
	bindings []uint32 // concatenated
	n        []int64  // by binding: its multiplicity
	inner    int      // number of entities of the type

	// By entity, during construction:
	many []bool // more than four incidences of atoms have it in some bilinear factor
	kept []bool // some matrix keeps its atoms
}

func (s *space) entities() int { return len(s.n) * s.inner }

// factored adds the current formula n times through its entities. It returns false if listing is better or a number does not fit.
func (g *Grounder) factored(n int64) bool {
	f := g.c.factor
	if f == nil || g.p.Factoring == FactorNever {
		return false
	}
	sp := g.space(f)
	if sp == nil {
		return false
	}
	left, right := g.incidence(f, sp, &f.left), g.incidence(f, sp, &f.right)
	if left == nil || right == nil {
		return false
	}
	m := g.net.bilinear(left, right)
	if g.p.Factoring == FactorCheaper && !g.net.worthwhile(m) {
		return false
	}
	g.net.addBilinear(g.i, n, g.c.form.swapped((f.left.slot == 1) != (left.id > right.id)), m)
	return true
}

// space enumerates the bindings of the first outputs. It returns nil if there are too many entities.
func (g *Grounder) space(f *factor) *space {
	if s, ok := g.meeting.spaces[f.space]; ok {
		return s
	}
	s := &space{inner: g.scratch.Size(f.entity)}
	first := f.left.out
	g.outputs(first, func(n int64) {
		if s.inner == 0 || (len(s.n)+1)*s.inner > maxEntities {
			s.inner = 0
			return
		}
		s.bindings = append(s.bindings, g.bound.values[:first]...)
		s.n = append(s.n, n)
	})
	switch {
	case s.inner == 0:
		s = nil
	case g.net.replicas > 1:
		s.n, s.bindings = s.n[:1], s.bindings[:first]
	}
	g.meeting.spaces[f.space] = s
	return s
}

// incidence returns an incidence matrix, nil if a multiplicity does not fit.
func (g *Grounder) incidence(f *factor, sp *space, spec *factorAtom) *incidence {
	key := f.space + spec.key
	if spec.shared {
		key += fmt.Sprint(" shares of ", g.i)
	}
	s, ok := g.meeting.incidences[key]
	if ok {
		return s
	}
	n := sp.entities()
	s = &incidence{
		id: len(g.net.incidences), space: sp, most: math.MaxInt32, total: make([]int64, n), fixed: make([]int64, n), keep: make([]bool, n),
	}
	s.Start = append(make([]uint32, 0, n+1), 0)
	if spec.shared {
		s.most = mostShares
	}
	g.net.incidences = append(g.net.incidences, s)
	if g.fill(s, f, spec); s.misfit {
		s = nil
	}
	g.meeting.incidences[key] = s
	return s
}

// fill finds the atoms of each entity of a matrix: for each binding of the first outputs, those values of the atom's own variable in the
// entity's row whose atoms exist.
func (g *Grounder) fill(s *incidence, f *factor, spec *factorAtom) {
	var scale []int64 // by entity: factor of the multiplicities; nil if 1
	switch {
	case spec.within != plan.None:
		scale = g.scratch.Counts(spec.within)
	case spec.counted && f.within != plan.None:
		scale = g.scratch.Counts(f.within)
	}
	size := g.scratch.Size(g.p.prog.Nodes[spec.matrix].Col)
	free, counts := g.meeting.places(size), make([]int64, size) // by value: its atom in the network, or its state; its multiplicity
	var among []int64                                           // by value: groundings of its atom, of which it has a share; nil for none
	if spec.shared {
		among = make([]int64, size)
	}
	var values []uint32
	first := f.left.out
	for o, n := range s.space.n {
		copy(g.bound.values, s.space.bindings[o*first:(o+1)*first])
		if !spec.counted {
			n = 1
		}
		g.bound.first = first // the atoms' own variables are not bound together
		values = values[:0]
		g.values(spec.out, n, func(n int64) {
			v, atom := g.bound.values[spec.out], g.bound.found[spec.slot]
			if among != nil {
				among[v] = g.shares.among[atom]
			}
			values = append(values, v)
			free[v], counts[v] = g.atoms.free[atom], n
		})
		s.members = append(s.members, int64(len(values)))
		for z := range s.space.inner {
			k := int64(1)
			if scale != nil {
				k = scale[z]
			}
			s.addEntity(g.scratch.CountRow(spec.matrix, uint32(z)), k, free, counts, among, &g.shares)
		}
		for _, v := range values {
			free[v] = missing
		}
	}
}

// addEntity appends an entity with the atoms in a row; their multiplicity is scale times the row's counts and their own, or the share of that.
func (s *incidence) addEntity(row join.Vec, scale int64, free []int32, counts, among []int64, of *shares) {
	h := len(s.Start) - 1
	for i, v := range row.IDs {
		atom := free[v]
		if atom == missing || scale == 0 {
			continue
		}
		n := counts[v]
		if row.N != nil || scale != 1 {
			n = join.Mul(n, join.Mul(row.At(i), scale))
		}
		if among != nil {
			s.misfit = s.misfit || among[v]/mostRoundings > n
			n = of.share(n, among[v])
		}
		s.total[h] = join.Add(s.total[h], n)
		switch {
		case atom >= 0:
			s.add(uint32(atom), n)
		case atom == fixedTrue:
			s.fixed[h] = join.Add(s.fixed[h], n)
		}
	}
	s.Start = append(s.Start, uint32(len(s.Atoms)))
}

// add adds an atom to the current entity, n times.
func (s *incidence) add(atom uint32, n int64) {
	s.misfit = s.misfit || n > s.most
	if n != 1 && s.Mult == nil {
		s.Mult = slices.Repeat([]int64{1}, len(s.Atoms))
	}
	s.Atoms = append(s.Atoms, atom)
	if s.Mult != nil {
		s.Mult = append(s.Mult, n)
	}
}
