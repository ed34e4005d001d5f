package ground

import (
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/network"
)

// reduceBilinears sets a network's bilinear factors: what remains of those of its formulas. Where the component of
// their atoms has fewer than least atoms, or few of them meet in an entity, the pairs are listed.
func (b *builder) reduceBilinears(net *network.Network, least int) {
	net.Incidences, net.Bilinears = net.Incidences[:0], net.Bilinears[:0]
	b.bilinears = slices.DeleteFunc(b.bilinears, func(m *bilinear) bool { return len(m.coefs) == 0 })
	if len(b.bilinears) == 0 {
		return
	}
	small := b.smallComponents(least)
	few := map[int][]bool{}                   // by space and entity
	keep := make([][]bool, len(b.incidences)) // by matrix and entity
	for _, m := range b.bilinears {
		l, r := b.incidences[m.left], b.incidences[m.right]
		for _, i := range [...]int{m.left, m.right} {
			if keep[i] == nil {
				keep[i] = make([]bool, l.Entities())
			}
		}
		if few[l.space] == nil {
			few[l.space] = b.few(l.space, least)
		}
		m.source = b.pairs.newBundle()
		*b.pairs.bundle(m.source) = append(*b.pairs.bundle(m.source), m.coefs...)
		few, left, right := few[l.space], keep[m.left], keep[m.right]
		for h := range uint32(l.Entities()) {
			switch {
			case l.size(h) == 0 || r.size(h) == 0:
			case few[h] || small[l.Atoms[l.Start[h]]]:
				b.list(m, h)
			default:
				left[h], right[h] = true, true
			}
		}
	}
	b.reduce(net, keep)
}

// smallComponents reports for each atom whether its component has fewer than least atoms.
func (b *builder) smallComponents(least int) []bool {
	net := network.Network{
		NumAtoms: b.atoms, Conjunctions: b.conjunctions, Clauses: b.clauses, Features: b.features, HardFeatures: b.hardFeatures,
	}
	for _, s := range b.incidences {
		net.Incidences = append(net.Incidences, s.Incidence)
	}
	for _, m := range b.bilinears {
		net.Bilinears = append(net.Bilinears, network.Bilinear{Left: uint32(m.left), Right: uint32(m.right)})
	}
	f := b.forest.Connect(&net)
	b.forest = f
	f.Flatten()
	for _, e := range b.pairs.list {
		if x, y := uint32(e.key>>32), uint32(e.key); f[x] != f[y] {
			f.Unite(x, y)
		}
	}
	f.Flatten()
	size := make([]int, b.atoms)
	for _, root := range f {
		size[root]++
	}
	small := make([]bool, b.atoms)
	for a, root := range f {
		small[a] = size[root] < least
	}
	return small
}

// few reports by entity of a space whether at most four incidences of atoms meet there, in every bilinear factor; of
// none where components of any size keep their bilinear factors.
func (b *builder) few(space, least int) []bool {
	var few []bool
	for _, m := range b.bilinears {
		l, r := b.incidences[m.left], b.incidences[m.right]
		if l.space != space {
			continue
		}
		if few == nil {
			few = slices.Repeat([]bool{least > 0}, l.Entities())
		}
		for h := range few {
			if few[h] && l.size(uint32(h))*r.size(uint32(h)) > 4 {
				few[h] = false
			}
		}
	}
	return few
}

// list adds the pairs that meet in an entity.
func (b *builder) list(m *bilinear, h uint32) {
	l, r := b.incidences[m.left], b.incidences[m.right]
	for i := l.Start[h]; i < l.Start[h+1]; i++ {
		for j := r.Start[h]; j < r.Start[h+1]; j++ {
			x, y, n := l.Atoms[i], r.Atoms[j], l.At(i)*r.At(j)
			if x != y {
				b.pairs.add(x, y, m.source, n)
				continue
			}
			for _, c := range m.coefs {
				b.addUnaryOf(c.Formula, x, product(n, c.Mult))
			}
		}
	}
}

// reduce sets a network's bilinear factors to those over the entities that are kept.
func (b *builder) reduce(net *network.Network, keep [][]bool) {
	place := make([]int, len(b.incidences)) // plus 1
	entities := map[int][]uint32{}          // by space, those that some matrix keeps
	for i, s := range b.incidences {
		if keep[i] != nil && entities[s.space] == nil {
			entities[s.space] = b.kept(s.space, keep)
		}
	}
	matrix := func(i int) uint32 {
		if place[i] == 0 {
			b.incidences[i].restrict(addIncidence(net), entities[b.incidences[i].space], keep[i], b.replicas)
			place[i] = len(net.Incidences)
		}
		return uint32(place[i] - 1)
	}
	for _, m := range b.bilinears {
		l, r := matrix(m.left), matrix(m.right)
		if len(net.Incidences[l].Atoms) > 0 && len(net.Incidences[r].Atoms) > 0 {
			net.Bilinears = append(net.Bilinears, network.Bilinear{Left: min(l, r), Right: max(l, r), Coefs: m.coefs})
		}
	}
	if len(net.Bilinears) == 0 {
		net.Incidences = net.Incidences[:0]
	}
}

// addIncidence returns an incidence after the last one, without entities, in the memory of an earlier one.
func addIncidence(net *network.Network) *network.Incidence {
	n := len(net.Incidences)
	if n == cap(net.Incidences) {
		net.Incidences = append(net.Incidences, network.Incidence{})
	}
	net.Incidences = net.Incidences[:n+1]
	s := &net.Incidences[n]
	*s = network.Incidence{Start: s.Start[:0], Atoms: s.Atoms[:0]}
	return s
}

// kept lists the entities of a space that some matrix keeps.
func (b *builder) kept(space int, keep [][]bool) []uint32 {
	entities := 0
	for i, s := range b.incidences {
		if s.space == space && keep[i] != nil {
			entities = s.Entities()
		}
	}
	out := make([]uint32, 0, entities)
	for h := range entities {
		for i, s := range b.incidences {
			if s.space == space && keep[i] != nil && keep[i][h] {
				out = append(out, uint32(h))
				break
			}
		}
	}
	return out
}

// restrict makes out the matrix over some of its entities, empty where it is not to keep one, with room for replicas.
func (s *incidence) restrict(out *network.Incidence, entities []uint32, keep []bool, replicas int) {
	out.Start = grow.To(out.Start, len(entities)*replicas+1)[:1]
	out.Start[0] = 0
	n := uint32(0)
	for _, h := range entities {
		if keep[h] {
			n += s.size(h)
		}
		out.Start = append(out.Start, n)
	}
	out.Atoms = grow.To(out.Atoms, int(n)*replicas)[:0]
	if s.Mult != nil {
		out.Mult = make([]int64, 0, int(n)*replicas)
	}
	from, to := uint32(0), uint32(0) // what is to be copied next
	for _, h := range entities {
		if !keep[h] {
			continue
		}
		if s.Start[h] != to {
			appendAtoms(out, s, from, to)
			from = s.Start[h]
		}
		to = s.Start[h+1]
	}
	appendAtoms(out, s, from, to)
}

// appendAtoms adds a range of a matrix's atoms.
func appendAtoms(s *network.Incidence, t *incidence, from, to uint32) {
	s.Atoms = append(s.Atoms, t.Atoms[from:to]...)
	if t.Mult != nil {
		s.Mult = append(s.Mult, t.Mult[from:to]...)
	}
}
