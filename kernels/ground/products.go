package ground

import "slices"

// products sets a network's products, what remains of the meetings. Where the component of their atoms has fewer than
// least atoms, or few of them meet in a hub, the pairs are listed.
func (b *builder) products(net *Network, least int) {
	net.Sides, net.Products = net.Sides[:0], net.Products[:0]
	b.meetings = slices.DeleteFunc(b.meetings, func(m *meeting) bool { return len(m.coefs) == 0 })
	meetings := b.meetings
	if len(meetings) == 0 {
		return
	}
	small := b.smallComponents(meetings, least)
	few := map[int][]bool{}              // by space and hub
	keep := make([][]bool, len(b.sides)) // by side and hub
	for _, m := range meetings {
		l, r := b.sides[m.left], b.sides[m.right]
		for _, i := range [...]int{m.left, m.right} {
			if keep[i] == nil {
				keep[i] = make([]bool, l.Hubs())
			}
		}
		if few[l.space] == nil {
			few[l.space] = b.few(l.space, least)
		}
		m.source = b.pairs.newBundle()
		*b.pairs.bundle(m.source) = append(*b.pairs.bundle(m.source), m.coefs...)
		few, left, right := few[l.space], keep[m.left], keep[m.right]
		for h := range uint32(l.Hubs()) {
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

// few reports by hub of a space whether at most four incidences of atoms meet there, in every meeting; of none where
// components of any size keep their products.
func (b *builder) few(space, least int) []bool {
	var few []bool
	for _, m := range b.meetings {
		l, r := b.sides[m.left], b.sides[m.right]
		if l.space != space {
			continue
		}
		if few == nil {
			few = slices.Repeat([]bool{least > 0}, l.Hubs())
		}
		for h := range few {
			if few[h] && l.size(uint32(h))*r.size(uint32(h)) > 4 {
				few[h] = false
			}
		}
	}
	return few
}

// list adds the pairs that meet in a hub.
func (b *builder) list(m *meeting, h uint32) {
	l, r := b.sides[m.left], b.sides[m.right]
	for i := l.Start[h]; i < l.Start[h+1]; i++ {
		for j := r.Start[h]; j < r.Start[h+1]; j++ {
			x, y, n := l.Atoms[i], r.Atoms[j], l.At(i)*r.At(j)
			if x != y {
				b.pairs.add(x, y, m.source, n)
				continue
			}
			for _, c := range m.coefs {
				b.addUnaryOf(c.Formula, x, product(n, c.N))
			}
		}
	}
}

// reduce sets a network's products to the meetings over the hubs that are kept.
func (b *builder) reduce(net *Network, keep [][]bool) {
	place := make([]int, len(b.sides)) // plus 1
	hubs := map[int][]uint32{}         // by space, those that some side keeps
	for i, s := range b.sides {
		if keep[i] != nil && hubs[s.space] == nil {
			hubs[s.space] = b.kept(s.space, keep)
		}
	}
	side := func(i int) uint32 {
		if place[i] == 0 {
			b.sides[i].restrict(net.addSide(), hubs[b.sides[i].space], keep[i], b.copies)
			place[i] = len(net.Sides)
		}
		return uint32(place[i] - 1)
	}
	for _, m := range b.meetings {
		l, r := side(m.left), side(m.right)
		if len(net.Sides[l].Atoms) > 0 && len(net.Sides[r].Atoms) > 0 {
			net.Products = append(net.Products, Product{Left: min(l, r), Right: max(l, r), Coefs: m.coefs})
		}
	}
	if len(net.Products) == 0 {
		net.Sides = net.Sides[:0]
	}
}

// addSide returns a side after the last one, without hubs, in the memory of an earlier one.
func (net *Network) addSide() *Side {
	n := len(net.Sides)
	if n == cap(net.Sides) {
		net.Sides = append(net.Sides, Side{})
	}
	net.Sides = net.Sides[:n+1]
	s := &net.Sides[n]
	*s = Side{Start: s.Start[:0], Atoms: s.Atoms[:0]}
	return s
}

// kept lists the hubs of a space that some side keeps.
func (b *builder) kept(space int, keep [][]bool) []uint32 {
	hubs := 0
	for i, s := range b.sides {
		if s.space == space && keep[i] != nil {
			hubs = s.Hubs()
		}
	}
	out := make([]uint32, 0, hubs)
	for h := range hubs {
		for i, s := range b.sides {
			if s.space == space && keep[i] != nil && keep[i][h] {
				out = append(out, uint32(h))
				break
			}
		}
	}
	return out
}

// restrict makes out the side over some of its hubs, empty where it is not to keep one, with room for copies.
func (s *side) restrict(out *Side, hubs []uint32, keep []bool, copies int) {
	out.Start = grown(out.Start, len(hubs)*copies+1)[:1]
	out.Start[0] = 0
	n := uint32(0)
	for _, h := range hubs {
		if keep[h] {
			n += s.size(h)
		}
		out.Start = append(out.Start, n)
	}
	out.Atoms = grown(out.Atoms, int(n)*copies)[:0]
	if s.Mult != nil {
		out.Mult = make([]int32, 0, int(n)*copies)
	}
	from, to := uint32(0), uint32(0) // what is to be copied next
	for _, h := range hubs {
		if !keep[h] {
			continue
		}
		if s.Start[h] != to {
			out.append(s, from, to)
			from = s.Start[h]
		}
		to = s.Start[h+1]
	}
	out.append(s, from, to)
}

// append adds a range of a side's atoms.
func (s *Side) append(t *side, from, to uint32) {
	s.Atoms = append(s.Atoms, t.Atoms[from:to]...)
	if t.Mult != nil {
		s.Mult = append(s.Mult, t.Mult[from:to]...)
	}
}
