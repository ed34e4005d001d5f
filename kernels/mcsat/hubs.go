package mcsat

import (
	"math/rand/v2"

	"resolwe/kernels/ground"
)

// hubs is the network's products, seen from the atoms. The hubs of all sides are numbered in a row: side i begins at
// base[i].
type hubs struct {
	base  []uint32
	side  []uint32  // by hub: its side
	of    incidence // by atom: its hubs; parallel to mult
	mult  []int32   // nil where all are 1
	links [][]link  // by side: the sides that its products multiply it with
	self  [][]int64 // by product: for each atom, the sum over the hubs where it is on both sides; nil where it is 0

	energy     []float64 // by product
	selfEnergy []float64 // by atom: of all products
	heaviest   []int64   // by side: the largest multiplicity
	total      []int64   // by hub: the sum of its multiplicities
	count      []int64   // memory of AddCounts
}

// link says that a side's atoms meet those of another.
type link struct {
	product uint32
	shift   uint32 // from a hub to the same one of the other side, modulo 2^32
	times   int64  // 2 where the other side is the same one
	energy  float64
}

func (x *hubs) index(net *ground.Network) {
	n := 0
	x.base, x.side, x.total = x.base[:0], x.side[:0], x.total[:0]
	x.heaviest = zeroed(x.heaviest, len(net.Sides))
	weighted := false
	for i := range net.Sides {
		s := &net.Sides[i]
		x.base = append(x.base, uint32(len(x.side)))
		for h := range s.Hubs() {
			x.side = append(x.side, uint32(i))
			if s.Mult == nil {
				x.heaviest[i] = 1
				x.total = append(x.total, int64(s.Start[h+1]-s.Start[h]))
				continue
			}
			total := int64(0)
			for k := s.Start[h]; k < s.Start[h+1]; k++ {
				total += s.At(k)
				x.heaviest[i] = max(x.heaviest[i], s.At(k))
			}
			x.total = append(x.total, total)
		}
		n += len(s.Atoms)
		weighted = weighted || s.Mult != nil
	}
	x.of.items = resized(x.of.items, n)
	x.mult = resized(x.mult, 0)
	if weighted {
		x.mult = resized(x.mult, n)
	}
	if len(net.Sides) > 0 {
		x.transpose(net)
	}
	x.connect(net)
}

// transpose lists the hubs of each atom.
func (x *hubs) transpose(net *ground.Network) {
	start := zeroed(x.of.start, net.NumAtoms+2)
	for i := range net.Sides {
		for _, a := range net.Sides[i].Atoms {
			start[a+2]++
		}
	}
	for a := range net.NumAtoms {
		start[a+2] += start[a+1]
	}
	for i := range net.Sides { // start[a+1] moves from the beginning of a's list to its end
		s := &net.Sides[i]
		for h := range s.Hubs() {
			hub := x.base[i] + uint32(h)
			if len(x.mult) == 0 {
				for _, a := range s.Atoms[s.Start[h]:s.Start[h+1]] {
					x.of.items[start[a+1]] = hub
					start[a+1]++
				}
				continue
			}
			for k := s.Start[h]; k < s.Start[h+1]; k++ {
				at := &start[s.Atoms[k]+1]
				x.of.items[*at], x.mult[*at] = hub, int32(s.At(k))
				*at++
			}
		}
	}
	x.of.start = start
}

// connect links the sides of each product.
func (x *hubs) connect(net *ground.Network) {
	for len(x.links) < len(net.Sides) {
		x.links = append(x.links, nil)
	}
	for i := range x.links {
		x.links[i] = x.links[i][:0]
	}
	x.self = zeroed(x.self, len(net.Products))
	for i, p := range net.Products {
		shift := x.base[p.Right] - x.base[p.Left]
		l := link{product: uint32(i), shift: shift, times: 1}
		if p.Left == p.Right {
			l.times = 2
		} else {
			x.links[p.Right] = append(x.links[p.Right], link{product: uint32(i), shift: -shift, times: 1})
		}
		x.links[p.Left] = append(x.links[p.Left], l)
		x.self[i] = selves(net, &net.Sides[p.Left], &net.Sides[p.Right])
	}
}

// selves returns, by atom, the sum over the hubs of the product of its multiplicities on two sides.
func selves(net *ground.Network, l, r *ground.Side) []int64 {
	var out []int64
	if l == r {
		out = make([]int64, net.NumAtoms)
		for k, a := range l.Atoms {
			n := l.At(uint32(k))
			out[a] += n * n
		}
		return out
	}
	for h := range uint32(l.Hubs()) {
		j, end := r.Start[h], r.Start[h+1]
		for i := l.Start[h]; i < l.Start[h+1]; i++ {
			a := l.Atoms[i]
			for j < end && r.Atoms[j] < a {
				j++
			}
			if j < end && r.Atoms[j] == a {
				if out == nil {
					out = make([]int64, net.NumAtoms)
				}
				out[a] += l.At(i) * r.At(j)
			}
		}
	}
	return out
}

// weighProducts sets the energies of the products.
func (m *Model) weighProducts() {
	x, products := &m.hubs, m.net.Products
	x.energy = resized(x.energy, len(products))
	if len(products) == 0 {
		return
	}
	x.selfEnergy = zeroed(x.selfEnergy, m.net.NumAtoms)
	for i, p := range products {
		j := m.energy(p.Coefs)
		x.energy[i] = j
		for a, n := range x.self[i] {
			x.selfEnergy[a] += j * float64(n)
		}
		for _, s := range [...]uint32{p.Left, p.Right} {
			for k := range x.links[s] {
				if l := &x.links[s][k]; l.product == uint32(i) {
					l.energy = j * float64(l.times)
				}
			}
		}
	}
}

// centre adds half of each of the products' couplings to the fields of their atoms.
func (x *hubs) centre(fields []float64) {
	if len(x.side) == 0 {
		return
	}
	for a := range fields {
		for k := x.of.start[a]; k < x.of.start[a+1]; k++ {
			fields[a] += float64(x.at(k)) * x.pull(x.of.items[k], x.total) / 2
		}
	}
}

// pull returns the energy of one more true atom in a hub.
func (x *hubs) pull(hub uint32, count []int64) float64 {
	p := 0.0
	for _, l := range x.links[x.side[hub]] {
		p += l.energy * float64(count[hub+l.shift])
	}
	return p
}

// load is how many true atoms the hubs of a state have.
type load struct {
	count []int64   // by hub: of its side
	pull  []float64 // by hub: energy of one more true atom there
}

func (s *state) setHubs() {
	x := &s.m.hubs
	s.load.count = zeroed(s.load.count, len(x.side))
	s.load.pull = resized(s.load.pull, len(x.side))
	if len(x.side) == 0 {
		return
	}
	for a, v := range s.x {
		if v {
			s.m.hubs.add(s.load.count, uint32(a), 1)
		}
	}
	s.repull()
}

// add adds an atom to the counts of its hubs, by hub.
func (x *hubs) add(count []int64, a uint32, sign int64) {
	for k := x.of.start[a]; k < x.of.start[a+1]; k++ {
		count[x.of.items[k]] += sign * x.at(k)
	}
}

// at returns the multiplicity of an incidence.
func (x *hubs) at(k uint32) int64 {
	if len(x.mult) == 0 {
		return 1
	}
	return int64(x.mult[k])
}

// repull sets the pulls afresh, which drift with each flip.
func (s *state) repull() {
	for h := range uint32(len(s.m.hubs.side)) {
		s.load.pull[h] = s.m.hubs.pull(h, s.load.count)
	}
}

// flipHubs follows an atom that has flipped.
func (s *state) flipHubs(a uint32) {
	x := &s.m.hubs
	sign := int64(-1)
	if s.x[a] {
		sign = 1
	}
	for first, end := x.of.start[a], x.of.start[a+1]; first < end; {
		last, side := x.run(first, end)
		for k := first; k < last; k++ {
			s.load.count[x.of.items[k]] += sign * x.at(k)
		}
		for _, l := range x.links[side] {
			x.addPull(s.load.pull, first, last, l.shift, l.energy*float64(sign))
		}
		first = last
	}
}

// run returns the end of the incidences from first on whose hubs are of one side, and that side; the hubs of a side are
// neighbours.
func (x *hubs) run(first, end uint32) (last, side uint32) {
	side = x.side[x.of.items[first]]
	for last = first + 1; last < end && x.side[x.of.items[last]] == side; {
		last++
	}
	return last, side
}

// addPull adds an energy to the hubs that are a shift away from those of some incidences, for each multiplicity.
func (x *hubs) addPull(pull []float64, first, last, shift uint32, energy float64) {
	hubs := x.of.items[first:last]
	if len(x.mult) == 0 {
		for _, h := range hubs {
			pull[h+shift] += energy
		}
		return
	}
	mult := x.mult[first:last]
	for k, h := range hubs {
		pull[h+shift] += energy * float64(mult[k])
	}
}

// hubField returns what the products add to an atom's field.
func (s *state) hubField(a uint32) float64 {
	x := &s.m.hubs
	lo, hi := x.of.start[a], x.of.start[a+1]
	if lo == hi {
		return 0
	}
	h := 0.0
	if pull := s.load.pull; len(x.mult) == 0 {
		for _, hub := range x.of.items[lo:hi] {
			h += pull[hub]
		}
	} else {
		mult := x.mult[lo:hi]
		for k, hub := range x.of.items[lo:hi] {
			h += float64(mult[k]) * pull[hub]
		}
	}
	if s.x[a] { // which it meets itself
		return h - x.selfEnergy[a]
	}
	return h + x.selfEnergy[a]
}

// product returns a product's value in a state.
func (s *state) product(i uint32) float64 { return s.m.product(i, s.load.count) }

// product returns a product's value, where the hubs have so many true atoms.
func (m *Model) product(i uint32, count []int64) float64 {
	p := &m.net.Products[i]
	hubs := uint32(m.net.Sides[p.Left].Hubs())
	left, right := m.hubs.base[p.Left], m.hubs.base[p.Right]
	l, r := count[left:left+hubs], count[right:right+hubs]
	sum := 0.0
	for h, n := range l {
		sum += float64(n) * float64(r[h])
	}
	return sum
}

// hubbed reports whether the sampled atoms are in products, and in nothing else but pairs.
func (m *Model) hubbed() bool { return len(m.net.Products) > 0 && m.scope.pairwise }

// sweepHubs is sweep for such networks.
func (c *Chain) sweepHubs(r *rand.Rand) {
	for _, a := range c.m.scope.atoms {
		c.drawHubAtom(a, r)
	}
	c.passes++
}

func (c *Chain) drawHubAtom(a uint32, r *rand.Rand) {
	p := logistic(c.pairField(c.m.bias[a], a) + c.hubField(a))
	c.sums[a] += p
	if (r.Float64() < p) != c.x[a] {
		c.x[a] = !c.x[a]
		c.flipHubs(a)
	}
}
