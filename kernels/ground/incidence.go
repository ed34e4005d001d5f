package ground

import (
	"fmt"
	"math"
	"slices"

	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// Factoring says where the pairs of atoms that meet in entities stay a bilinear factor.
type Factoring uint8

// The ways of factoring.
const (
	FactorCheaper Factoring = iota // where listing the pairs would take more
	FactorNever
	FactorAlways // but in components of fewer than FactoredAtoms atoms
)

// maxEntities bounds the memory of a space, whose entities are numbered before it is known which have atoms.
const maxEntities = 1 << 22

// space numbers the shared entities of formulas whose first outputs range alike: each binding of these has those of one
// type.
type space struct {
	id       int
	bindings []uint32 // one after another
	n        []int64  // by binding, its multiplicity
	inner    int      // entities of the type
}

func (s *space) entities() int { return len(s.n) * s.inner }

// factored adds the current formula by its entities, and returns false where it is better listed, or where a number
// does not fit.
func (g *Grounder) factored(scalar int64) bool {
	f := g.c.factor
	if f == nil || g.p.Factoring == FactorNever {
		return false
	}
	sp := g.space(f)
	if sp == nil {
		return false
	}
	left, right := g.incidence(f, sp, &f.left), g.incidence(f, sp, &f.right)
	if left < 0 || right < 0 {
		return false
	}
	m := g.net.bilinear(left, right)
	if g.p.Factoring == FactorCheaper && !g.net.worthwhile(m) {
		return false
	}
	g.net.addBilinear(g.i, scalar, f, m, left > right)
	return true
}

// space enumerates the bindings of the first outputs. It returns nil where there are too many entities.
func (g *Grounder) space(f *factor) *space {
	if s, ok := g.spaces[f.space]; ok {
		return s
	}
	s := &space{id: len(g.spaces), inner: g.scratch.Size(f.entity)}
	first := f.left.out
	g.outputs(first, func(n int64) {
		if s.inner == 0 || (len(s.n)+1)*s.inner > maxEntities {
			s.inner = 0
			return
		}
		s.bindings = append(s.bindings, g.binding[:first]...)
		s.n = append(s.n, n)
	})
	switch {
	case s.inner == 0:
		s = nil
	case g.net.replicas > 1:
		s.n, s.bindings = s.n[:1], s.bindings[:first]
	}
	g.spaces[f.space] = s
	return s
}

// incidence returns the number of an incidence matrix in the builder, -1 where a multiplicity does not fit.
func (g *Grounder) incidence(f *factor, sp *space, spec *factorAtom) int {
	key := f.space + spec.key
	if spec.shared {
		key += fmt.Sprint(" shares of ", g.i)
	}
	if i, ok := g.incidences[key]; ok {
		return i
	}
	i, most := -1, int64(math.MaxInt32)
	if spec.shared {
		most = mostShares
	}
	if s := g.net.newIncidence(sp, most); g.fill(s, f, sp, spec) {
		i = len(g.net.incidences) - 1
	}
	g.incidences[key] = i
	return i
}

// fill finds the atoms of each entity of a matrix. It returns false where a multiplicity does not fit.
func (g *Grounder) fill(s *incidence, f *factor, sp *space, spec *factorAtom) bool {
	if len(sp.n) == 0 {
		return true
	}
	scale := g.scale(f, spec)
	g.matrixRows = g.matrixRows[:0]
	m := &g.members
	m.free, m.n = g.places(g.scratch.Size(g.p.prog.Nodes[spec.matrix].Col)), nil
	first := f.left.out
	for o, n := range sp.n {
		copy(g.binding, sp.bindings[o*first:(o+1)*first])
		if !spec.counted {
			n = 1
		}
		g.findMembers(spec, first, n)
		g.listRows(sp, spec)
		s.members = append(s.members, int64(len(m.values)))
		for z, row := range g.matrixRows {
			k := int64(1)
			if scale != nil {
				k = scale[z]
			}
			s.addEntity(m, row, k)
		}
		for _, v := range m.values {
			m.free[v] = missing
		}
	}
	return !s.misfit
}

// listRows lists the rows of an incidence matrix, unless that has been done.
func (g *Grounder) listRows(sp *space, spec *factorAtom) {
	g.matrixRows = slices.Grow(g.matrixRows, sp.inner)
	for z := uint32(len(g.matrixRows)); int(z) < sp.inner; z++ {
		g.matrixRows = append(g.matrixRows, g.scratch.CountRow(spec.matrix, z))
	}
}

// scale returns by entity what the multiplicities of a matrix are multiplied with; nil where that is 1.
func (g *Grounder) scale(f *factor, spec *factorAtom) []int64 {
	switch {
	case spec.within != plan.None:
		return g.scratch.Counts(spec.within)
	case spec.counted && f.within != plan.None:
		return g.scratch.Counts(f.within)
	}
	return nil
}

// members are the values of an atom's own variable whose atoms exist, under one binding of the first outputs.
type members struct {
	values []uint32
	free   []int32 // by value: its atom in the network, or what it is
	n      []int64 // by value: its multiplicity; nil where all are 1
}

// findMembers finds the members under the current binding of the first outputs, whose multiplicity is n.
func (g *Grounder) findMembers(spec *factorAtom, first int, n int64) {
	m := &g.members
	m.values = m.values[:0]
	if spec.listed && n == 1 {
		g.listMembers(spec)
		return
	}
	if m.n == nil {
		m.n = g.net.counts.take(len(m.free))
	}
	g.bound = first // the atoms' own variables are not bound together
	g.values(spec.out, n, func(n int64) {
		v := g.binding[spec.out]
		if spec.shared {
			n = join.Mul(n, g.shares[g.found[spec.slot]])
		}
		m.values = append(m.values, v)
		m.free[v], m.n[v] = g.atoms.free[g.found[spec.slot]], n
	})
}

// listMembers takes the members from the list of a listed target's atoms.
func (g *Grounder) listMembers(spec *factorAtom) {
	m, slot := &g.members, &g.c.slots[spec.slot]
	x := g.value(slot.args[0])
	if x < 0 {
		return
	}
	p := g.atoms.of(slot.pred)
	row := p.table.Forward.Row(uint32(x))
	if len(row) == 0 {
		return
	}
	first := p.first + int(p.table.Forward.Offsets[x])
	codes := g.atoms.free[first:]
	if spec.shared && m.n == nil {
		m.n = g.net.counts.take(len(m.free))
	}
	for i, v := range row {
		if codes[i] == missing {
			continue
		}
		m.values = append(m.values, v)
		m.free[v] = codes[i]
		switch {
		case spec.shared:
			m.n[v] = g.shares[first+i]
		case m.n != nil:
			m.n[v] = 1
		}
	}
}

// addEntity adds the entity after the last one, with the members that are in a row, scale times.
func (s *incidence) addEntity(m *members, row join.Vec, scale int64) {
	h := len(s.Start) - 1
	switch {
	case scale == 0:
	case scale == 1 && row.N == nil && m.n == nil && s.Mult == nil:
		s.addPlain(m, row.IDs, h)
	default:
		s.addWeighted(m, row, scale, h)
	}
	s.Start = append(s.Start, uint32(len(s.Atoms)))
}

// addPlain adds the members among ids to entity h, each once.
func (s *incidence) addPlain(m *members, ids []uint32, h int) {
	at := len(s.Atoms)
	s.Atoms = slices.Grow(s.Atoms, len(ids))[:at+len(ids)]
	fixed, yes := 0, 0
	for _, v := range ids {
		switch free := m.free[v]; {
		case free >= 0:
			s.Atoms[at] = uint32(free)
			at++
		case free != missing:
			fixed++
			yes += int(free - fixedFalse)
		}
	}
	s.total[h] = int64(at-int(s.Start[h])) + int64(fixed)
	s.Atoms = s.Atoms[:at]
	s.fix(h, int64(yes))
}

func (s *incidence) addWeighted(m *members, row join.Vec, scale int64, h int) {
	for i, v := range row.IDs {
		free := m.free[v]
		if free == missing {
			continue
		}
		n := join.Mul(row.At(i), scale)
		if m.n != nil {
			n = join.Mul(n, m.n[v])
		}
		s.total[h] = join.Add(s.total[h], n)
		switch {
		case free >= 0:
			s.add(uint32(free), n)
		case free == fixedTrue:
			s.fix(h, n)
		}
	}
}

// add adds an atom to the entity at work, n times.
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

// fix adds atoms that are fixed to true to entity h, n times.
func (s *incidence) fix(h int, n int64) {
	if n == 0 {
		return
	}
	if s.fixed == nil {
		s.fixed = make([]int64, len(s.total))
	}
	s.fixed[h] = join.Add(s.fixed[h], n)
}
