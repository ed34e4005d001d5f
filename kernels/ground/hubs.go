package ground

import (
	"math"
	"slices"

	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// Factoring says where the pairs of atoms that meet in hubs stay a product.
type Factoring uint8

// The ways of factoring.
const (
	FactorCheaper Factoring = iota // where listing the pairs would take more
	FactorNever
	FactorAlways // but in components of fewer than FactoredAtoms atoms
)

// maxHubs bounds the memory of a space, whose hubs are numbered before it is known which have atoms.
const maxHubs = 1 << 22

// space numbers the hubs of formulas whose first outputs range alike: each binding of these has the entities of the
// hub's type.
type space struct {
	id       int
	bindings []uint32 // one after another
	n        []int64  // by binding, its multiplicity
	inner    int      // entities of the hub's type
}

func (s *space) hubs() int { return len(s.n) * s.inner }

// factored adds the current formula by its hubs, and returns false where it is better listed, or where a number does
// not fit.
func (g *Grounder) factored(scalar int64) bool {
	f := g.c.factor
	if f == nil || g.p.Factoring == FactorNever {
		return false
	}
	sp := g.space(f)
	if sp == nil {
		return false
	}
	left, right := g.side(f, sp, &f.left), g.side(f, sp, &f.right)
	if left < 0 || right < 0 {
		return false
	}
	m := g.net.meet(left, right)
	if g.p.Factoring == FactorCheaper && !g.net.worthwhile(m) {
		return false
	}
	g.net.addMeeting(g.i, scalar, f, m, left > right)
	return true
}

// space enumerates the bindings of the first outputs. It returns nil where there are too many hubs.
func (g *Grounder) space(f *factor) *space {
	if s, ok := g.spaces[f.space]; ok {
		return s
	}
	s := &space{id: len(g.spaces), inner: g.scratch.Size(f.hub)}
	first := f.left.out
	g.outputs(first, func(n int64) {
		if s.inner == 0 || (len(s.n)+1)*s.inner > maxHubs {
			s.inner = 0
			return
		}
		s.bindings = append(s.bindings, g.binding[:first]...)
		s.n = append(s.n, n)
	})
	if s.inner == 0 {
		s = nil
	}
	g.spaces[f.space] = s
	return s
}

// side returns the number of a side in the builder, -1 where a multiplicity does not fit.
func (g *Grounder) side(f *factor, sp *space, spec *factorSide) int {
	key := f.space + spec.key
	if i, ok := g.sides[key]; ok {
		return i
	}
	e := &edges{hubs: sp.hubs(), list: g.edgeList[:0], total: make([]int64, sp.hubs())}
	var scale []int64
	if spec.counted && f.within != plan.None {
		scale = g.scratch.Counts(f.within)
	}
	var within []int64
	if spec.within != plan.None {
		within = g.scratch.Counts(spec.within)
	}
	first := f.left.out
	g.stop = first // the atoms' own variables are not bound together
	for o, n := range sp.n {
		copy(g.binding, sp.bindings[o*first:(o+1)*first])
		if !spec.counted {
			n = 1
		}
		e.base, e.members = o*sp.inner, e.members[:0]
		g.values(spec.out, n, func(n int64) {
			at := g.found[spec.slot]
			e.members = append(e.members, member{g.binding[spec.out], g.atoms.free[at], n})
		})
		g.edges(e, spec, sp.inner, within, scale)
		e.sizes = append(e.sizes, int64(len(e.members)))
	}
	g.edgeList = e.list
	i := -1
	if s, ok := e.side(sp.id); ok {
		i = g.net.addSide(s)
	}
	g.sides[key] = i
	return i
}

// edges adds what ties the members of one binding of the first outputs to their hubs.
func (g *Grounder) edges(e *edges, spec *factorSide, inner int, within, scale []int64) {
	add := func(m *member, z uint32, n int64) {
		if within != nil {
			n = join.Mul(n, within[z])
		}
		if scale != nil {
			n = join.Mul(n, scale[z])
		}
		if n > 0 {
			e.add(m, z, join.Mul(n, m.n))
		}
	}
	if !spec.byHub {
		for i := range e.members {
			m := &e.members[i]
			row := g.scratch.CountRow(spec.matrix, m.value)
			if within == nil && scale == nil && m.n == 1 && row.N == nil && m.free >= 0 {
				e.addRow(uint32(m.free), row.IDs)
				continue
			}
			for k, z := range row.IDs {
				add(m, z, row.At(k))
			}
		}
		return
	}
	size := g.scratch.Size(g.p.prog.Nodes[spec.matrix].Col)
	place := resized(g.place, size) // by value: its member, plus 1
	g.place = place
	for i := range e.members {
		place[e.members[i].value] = uint32(i + 1)
	}
	for z := range uint32(inner) {
		row := g.scratch.CountRow(spec.matrix, z)
		for k, v := range row.IDs {
			if at := place[v]; at > 0 {
				add(&e.members[at-1], z, row.At(k))
			}
		}
	}
}

// edges collects a side: which atoms meet in which hub.
type edges struct {
	hubs     int
	base     int // first hub of the present binding of the first outputs
	members  []member
	sizes    []int64 // by binding: its members
	list     []edge
	total    []int64 // by hub, over all atoms that exist
	fixed    []int64 // by hub, over the atoms that are fixed to true
	weighted bool    // not all multiplicities are 1
	misfit   bool
}

// member is a value of a side's own variable whose atom exists.
type member struct {
	value uint32
	free  int32 // its atom in the network, or what it is
	n     int64
}

type edge struct {
	hub, atom uint32
	n         int32
}

func (e *edges) add(m *member, z uint32, n int64) {
	h := e.base + int(z)
	e.total[h] = join.Add(e.total[h], n)
	switch {
	case m.free >= 0:
		e.misfit = e.misfit || n > math.MaxInt32
		e.weighted = e.weighted || n != 1
		e.list = append(e.list, edge{uint32(h), uint32(m.free), int32(n)})
	case m.free == fixedTrue:
		if e.fixed == nil {
			e.fixed = make([]int64, e.hubs)
		}
		e.fixed[h] = join.Add(e.fixed[h], n)
	}
}

// addRow adds an atom to many hubs, once to each.
func (e *edges) addRow(atom uint32, hubs []uint32) {
	at := len(e.list)
	e.list = slices.Grow(e.list, len(hubs))[:at+len(hubs)]
	total := e.total[e.base:]
	for i, z := range hubs {
		total[z] = join.Add(total[z], 1)
		e.list[at+i] = edge{uint32(e.base) + z, atom, 1}
	}
}

// side sorts the edges by hub; atoms come in ascending order and stay in it.
func (e *edges) side(space int) (*side, bool) {
	if e.misfit {
		return nil, false
	}
	s := &side{space: space, sizes: e.sizes, total: e.total, fixed: e.fixed}
	s.Start = make([]uint32, e.hubs+2)
	for _, x := range e.list {
		s.Start[x.hub+2]++
	}
	for h := range e.hubs {
		s.Start[h+2] += s.Start[h+1]
	}
	s.Atoms = make([]uint32, len(e.list))
	if e.weighted {
		s.Mult = make([]int32, len(e.list))
	}
	for _, x := range e.list { // Start[h+1] moves from the beginning of h's atoms to their end
		at := s.Start[x.hub+1]
		s.Start[x.hub+1]++
		s.Atoms[at] = x.atom
		if e.weighted {
			s.Mult[at] = x.n
		}
	}
	s.Start = s.Start[:e.hubs+1]
	return s, true
}
