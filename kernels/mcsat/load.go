package mcsat

// load is how many true atoms the hubs of a state have.
type load struct {
	count   []float64 // by hub: of its side, each with its multiplicity
	pull    []float64 // by hub: energy of one more true atom there
	stale   bool      // count is that of another state
	changes int       // of the weights, when pull and field were set
	field   []float64 // by atom: but for the hubs, where only pairs are beside them
}

func (s *state) setHubs() {
	x := &s.m.hubs
	s.load.count, s.load.pull = resized(s.load.count, x.size()), resized(s.load.pull, x.size())
	s.load.field = resized(s.load.field, len(s.x))
	if x.any() {
		s.load.stale = true
		s.repull()
	}
}

// counts returns the true atoms by hub.
func (s *state) counts() []float64 {
	if s.load.stale {
		s.load.stale = false
		clear(s.load.count)
		s.m.hubs.addCounts(s.load.count, s.x)
	}
	return s.load.count
}

// repull sets the pulls and fields afresh, which drift with each flip.
func (s *state) repull() {
	s.load.changes = s.m.changes
	s.m.hubs.setPulls(s.load.pull, s.counts())
	if s.m.hubbed() {
		for _, a := range s.m.scope.atoms {
			s.load.field[a] = s.pairField(s.m.bias[a], a)
		}
	}
}

// addCounts adds the true atoms of a state to the counts of their hubs.
func (x *hubs) addCounts(count []float64, state []bool) {
	for r := range x.copies.n {
		for _, i := range x.met {
			if state[x.copies.atom(i, r)] {
				x.add(count, x.start[i], x.start[i+1], x.origin(r), 1)
			}
		}
	}
}

// setPulls sets the pulls of hubs that have such counts.
func (x *hubs) setPulls(pull, count []float64) {
	clear(pull)
	for copied := 0; copied < len(pull); copied += len(x.side) {
		for i := range len(x.base) - 1 {
			to := pull[copied:][x.base[i]:x.base[i+1]]
			for _, l := range x.links[i] {
				for h, n := range count[copied:][x.base[i]+l.shift:][:len(to)] {
					to[h] += l.energy * n
				}
			}
		}
	}
}

// origin returns what is to be added to a hub's number in a copy.
func (x *hubs) origin(copied uint32) uint32 { return copied * uint32(len(x.side)) }

// add adds an amount to the values at a distance from the hubs of some incidences, for each multiplicity.
func (x *hubs) add(values []float64, first, end, distance uint32, amount float64) {
	hubs := x.items[first:end]
	if len(x.mult) == 0 {
		for _, h := range hubs {
			values[h+distance] += amount
		}
		return
	}
	mult := x.mult[first:end]
	for k, h := range hubs {
		values[h+distance] += amount * float64(mult[k])
	}
}

// sum returns the sum of the values at a distance from the hubs of some incidences, each with its multiplicity.
func (x *hubs) sum(values []float64, first, end, distance uint32) float64 {
	hubs := x.items[first:end]
	if len(x.mult) > 0 {
		mult, sum := x.mult[first:end], 0.0
		for k, h := range hubs {
			sum += float64(mult[k]) * values[h+distance]
		}
		return sum
	}
	var a, b, c, d float64 // additions that do not wait for each other
	for ; len(hubs) >= 4; hubs = hubs[4:] {
		a += values[hubs[0]+distance]
		b += values[hubs[1]+distance]
		c += values[hubs[2]+distance]
		d += values[hubs[3]+distance]
	}
	for _, h := range hubs {
		a += values[h+distance]
	}
	return (a + b) + (c + d)
}

// flipHubs follows an atom that has flipped.
func (s *state) flipHubs(a uint32) {
	x := &s.m.hubs
	place, copied := x.copies.of(a)
	if place >= x.copies.width {
		return
	}
	sign := -1.0
	if s.x[a] {
		sign = 1
	}
	s.load.stale = true
	pull := s.load.pull[x.origin(copied):]
	for _, r := range x.runsOf(place) {
		links := x.links[r.side]
		if len(links) == 2 && len(x.mult) == 0 {
			addBoth(pull, x.items[r.first:r.end], &links[0], &links[1], sign)
			continue
		}
		for _, l := range links {
			x.add(pull, r.first, r.end, l.shift, l.energy*sign)
		}
	}
}

// addBoth adds the energies of two links of some hubs, in one pass.
func addBoth(pull []float64, hubs []uint32, l, m *link, sign float64) {
	i, j, d, e := l.shift, m.shift, l.energy*sign, m.energy*sign
	for _, h := range hubs {
		pull[h+i] += d
		pull[h+j] += e
	}
}

// hubField returns what the products add to an atom's field.
func (s *state) hubField(a uint32) float64 {
	x := &s.m.hubs
	first, end, copied := x.of(a)
	if first == end {
		return 0
	}
	h := x.sum(s.load.pull, first, end, x.origin(copied))
	place, _ := x.copies.of(a)
	if s.x[a] { // which it meets itself
		return h - x.selfEnergy[place]
	}
	return h + x.selfEnergy[place]
}

// product returns a product's value in a state.
func (s *state) product(i uint32) float64 { return s.m.product(i, s.counts()) }

// product returns a product's value, where the hubs have so many true atoms.
func (m *Model) product(i uint32, count []float64) float64 {
	x, p := &m.hubs, &m.net.Products[i]
	if !x.any() {
		return 0
	}
	sum := 0.0
	for copied := range x.copies.n {
		values := count[x.origin(copied):]
		right := values[x.base[p.Right]:x.base[p.Right+1]]
		for h, n := range values[x.base[p.Left]:x.base[p.Left+1]] {
			sum += n * right[h]
		}
	}
	return sum
}
