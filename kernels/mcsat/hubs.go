package mcsat

import (
	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat/rows"
)

// hubs is the network's products, seen from the atoms. The hubs of one copy are numbered side by side. What is kept by hub
// is a matrix with a row for each of them, which has a value of each copy. Where copies differ in their pairs, or pairs tie
// one to another, their atoms cannot be drawn side by side, and each copy has a matrix of its own: a layer.
type hubs struct {
	copies  copies
	layers  int
	columns int      // copies of a layer
	width   int      // of a row
	slot    []uint32 // by atom: where a matrix has it that has a row for each place, then a value for each atom of no copy
	slots   int      // of that matrix
	base    []uint32 // by side: its first hub; and the end
	side    []uint32 // by hub: its side

	start []uint32 // items[start[i]:start[i+1]] are the hubs of the atom at place i, ascending
	items []uint32
	mult  []int32  // parallel to items; empty where all are 1
	met   []uint32 // places of the atoms that have hubs

	firstRun []uint32 // runs[firstRun[i]:firstRun[i+1]] are those of the atom at place i
	runs     []run

	links [][]link      // by side: the sides that its products multiply it with
	steps [][]rows.Step // by side: what a true atom adds to the pulls, a step for each link
	self  [][]int64     // by product: for each place, the sum over the hubs where it is on both sides; nil where it is 0

	heaviest []int64   // by side: the largest multiplicity
	total    []float64 // by hub of one copy: the sum of its multiplicities
	count    []float64 // memory of AddCounts

	energy     []float64 // by product
	selfEnergy []float64 // by place: of all products
}

// run is an atom's incidences on one side.
type run struct{ first, end, side uint32 }

// link says that a side's atoms meet those of another.
type link struct {
	product uint32
	shift   uint32  // from a hub to the same one of the other side, modulo 2^32
	times   float64 // 2 where the other side is the same one
}

func (x *hubs) index(net *ground.Network) {
	x.base, x.side, x.start, x.items = x.base[:0], x.side[:0], x.start[:0], x.items[:0]
	x.met, x.mult = x.met[:0], x.mult[:0]
	if len(net.Products) == 0 {
		return
	}
	x.copies.find(net)
	x.number(net)
	x.transpose(net)
	x.divide()
	x.addTotals(net)
	x.connect(net)
}

// any reports whether atoms meet.
func (x *hubs) any() bool { return len(x.items) > 0 }

// of returns an atom's incidences, and its copy.
func (x *hubs) of(a uint32) (first, end, copied uint32) {
	place, copied := x.copies.of(a)
	if place >= x.copies.width {
		return 0, 0, 0
	}
	return x.start[place], x.start[place+1], copied
}

// degree returns how many hubs an atom has.
func (x *hubs) degree(a uint32) int {
	if !x.any() {
		return 0
	}
	first, end, _ := x.of(a)
	return int(end - first)
}

// arrange lays out the copies, side by side or not, and gives each atom its slot.
func (x *hubs) arrange(atoms uint32, beside bool) {
	x.layers, x.columns = 1, int(x.copies.n)
	if !beside {
		x.layers, x.columns = x.columns, 1
	}
	x.width = rows.Width(x.columns)
	x.slot = resized(x.slot, int(atoms))
	if !beside {
		for a := range x.slot {
			x.slot[a] = uint32(a)
		}
		x.slots = len(x.slot)
		return
	}
	c, w := &x.copies, uint32(x.width)
	next, a := c.shift*w, uint32(0)
	for ; a < c.first; a, next = a+1, next+1 {
		x.slot[a] = next
	}
	for copied := range c.n {
		for place := uint32(0); place < c.shift && a < atoms; a, place = a+1, place+1 {
			x.slot[a] = place*w + copied
		}
	}
	for ; a < atoms; a, next = a+1, next+1 {
		x.slot[a] = next
	}
	x.slots = int(next)
}

// number numbers the hubs of one copy.
func (x *hubs) number(net *ground.Network) {
	for i := range net.Sides {
		x.base = append(x.base, uint32(len(x.side)))
		for range x.hubsOf(&net.Sides[i]) {
			x.side = append(x.side, uint32(i))
		}
	}
	x.base = append(x.base, uint32(len(x.side)))
}

// hubsOf returns how many hubs a side has in one copy.
func (x *hubs) hubsOf(s *ground.Side) int { return s.Hubs() / int(x.copies.n) }

// transpose lists the hubs of each atom.
func (x *hubs) transpose(net *ground.Network) {
	width, from := int(x.copies.width), x.copies.first
	start, n, weighted := zeroed(x.start, width+2), 0, false
	for i := range net.Sides {
		s := &net.Sides[i]
		for _, a := range s.Atoms[:s.Start[x.hubsOf(s)]] {
			start[a-from+2]++
		}
		n += int(s.Start[x.hubsOf(s)])
		weighted = weighted || s.Mult != nil
	}
	for i := range width {
		if start[i+2] > 0 {
			x.met = append(x.met, uint32(i))
		}
		start[i+2] += start[i+1]
	}
	x.items = resized(x.items, n)
	if weighted {
		x.mult = resized(x.mult, n)
	}
	for i := range net.Sides { // start[p+1] moves from the beginning of p's list to its end
		s := &net.Sides[i]
		for h := range x.hubsOf(s) {
			hub := x.base[i] + uint32(h)
			for k := s.Start[h]; k < s.Start[h+1]; k++ {
				at := &start[s.Atoms[k]-from+1]
				x.items[*at] = hub
				if weighted {
					x.mult[*at] = int32(s.At(k))
				}
				*at++
			}
		}
	}
	x.start = start
}

// divide divides the incidences into runs.
func (x *hubs) divide() {
	x.firstRun, x.runs = append(x.firstRun[:0], 0), x.runs[:0]
	for i := range x.copies.width {
		for first, end := x.start[i], x.start[i+1]; first < end; {
			r := run{first: first, end: first + 1, side: x.side[x.items[first]]}
			for limit := x.base[r.side+1]; r.end < end && x.items[r.end] < limit; {
				r.end++
			}
			x.runs = append(x.runs, r)
			first = r.end
		}
		x.firstRun = append(x.firstRun, uint32(len(x.runs)))
	}
}

// runsOf returns the runs of the atom at a place.
func (x *hubs) runsOf(place uint32) []run { return x.runs[x.firstRun[place]:x.firstRun[place+1]] }

// addTotals sums up the multiplicities.
func (x *hubs) addTotals(net *ground.Network) {
	x.heaviest = zeroed(x.heaviest, len(net.Sides))
	x.total = x.total[:0]
	for i := range net.Sides {
		s := &net.Sides[i]
		for h := range x.hubsOf(s) {
			total := int64(s.Start[h+1] - s.Start[h])
			x.heaviest[i] = max(x.heaviest[i], min(1, total))
			if s.Mult != nil {
				total = 0
				for _, n := range s.Mult[s.Start[h]:s.Start[h+1]] {
					total += int64(n)
					x.heaviest[i] = max(x.heaviest[i], int64(n))
				}
			}
			x.total = append(x.total, float64(total))
		}
	}
}

// size returns how many values there are by hub.
func (x *hubs) size() int { return x.layers * x.layerSize() }

func (x *hubs) layerSize() int { return len(x.side) * x.width }

// layer returns a layer.
func (x *hubs) layer(matrix []float64, i int) []float64 {
	size := x.layerSize()
	return matrix[i*size:][:size]
}

// column returns the layer of a copy, and its column there.
func (x *hubs) column(matrix []float64, copied uint32) (layer []float64, column int) {
	if x.layers == 1 {
		return matrix, int(copied)
	}
	return x.layer(matrix, int(copied)), 0
}

// rowsOf returns the rows of a side's hubs in a layer.
func (x *hubs) rowsOf(layer []float64, side uint32) []float64 {
	return layer[int(x.base[side])*x.width : int(x.base[side+1])*x.width]
}

// connect links the sides of each product.
func (x *hubs) connect(net *ground.Network) {
	for len(x.links) < len(net.Sides) {
		x.links, x.steps = append(x.links, nil), append(x.steps, nil)
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
		x.self[i] = x.selves(p.Left, p.Right)
	}
}

// selves returns, by place, the sum over the hubs of the product of its multiplicities on two sides.
func (x *hubs) selves(left, right uint32) []int64 {
	var out []int64
	for _, i := range x.met {
		hubs, mult := x.on(i, left)
		others, times := hubs, mult
		if left != right {
			others, times = x.on(i, right)
		}
		sum := meet(hubs, mult, others, times, x.base[right]-x.base[left])
		if sum == 0 {
			continue
		}
		if out == nil {
			out = make([]int64, x.copies.width)
		}
		out[i] = sum
	}
	return out
}

// on returns the hubs of the atoms at a place on a side, and their multiplicities there, nil where all are 1.
func (x *hubs) on(place, side uint32) (hubs []uint32, mult []int32) {
	for _, r := range x.runsOf(place) {
		if r.side != side {
			continue
		}
		if len(x.mult) > 0 {
			mult = x.mult[r.first:r.end]
		}
		return x.items[r.first:r.end], mult
	}
	return nil, nil
}

// meet returns the sum of the products of the multiplicities of the hubs in both lists, the second of which are a shift
// beyond the first.
func meet(left []uint32, leftMult []int32, right []uint32, rightMult []int32, shift uint32) int64 {
	if shift == 0 && leftMult == nil {
		return int64(len(left))
	}
	sum, j := int64(0), 0
	for i, hub := range left {
		for j < len(right) && right[j] < hub+shift {
			j++
		}
		switch {
		case j == len(right):
			return sum
		case right[j] != hub+shift:
		case leftMult == nil:
			sum++
		default:
			sum += int64(leftMult[i]) * int64(rightMult[j])
		}
	}
	return sum
}

// weighProducts sets the energies of the products.
func (m *Model) weighProducts() {
	x, products := &m.hubs, m.net.Products
	x.energy = resized(x.energy, len(products))
	if !x.any() {
		clear(x.energy)
		return
	}
	x.selfEnergy = zeroed(x.selfEnergy, int(x.copies.width))
	for i, p := range products {
		j := m.energy(p.Coefs)
		x.energy[i] = j
		for a, n := range x.self[i] {
			x.selfEnergy[a] += j * float64(n)
		}
	}
	for i, links := range x.links {
		x.steps[i] = x.steps[i][:0]
		for _, l := range links {
			x.steps[i] = append(x.steps[i], rows.Step{Shift: l.shift, Scale: x.energy[l.product] * l.times})
		}
	}
}

// centre adds half of each of the products' couplings to the fields of their atoms.
func (x *hubs) centre(fields []float64) {
	if !x.any() {
		return
	}
	pull := make([]float64, len(x.side))
	x.setPulls(pull, x.total, 1)
	for _, i := range x.met {
		half := [1]float64{}
		x.sum(half[:], pull, x.start[i], x.start[i+1], 0)
		for r := range x.copies.n {
			fields[x.copies.atom(i, r)] += half[0] / 2
		}
	}
}

// hubbed reports whether the sampled atoms are in products, and in nothing else but pairs.
func (m *Model) hubbed() bool { return m.hubs.any() && m.scope.pairwise }
