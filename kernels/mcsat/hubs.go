package mcsat

import (
	"slices"

	"resolwe/kernels/ground"
)

// hubs is the network's products, seen from the atoms. The hubs of one copy are numbered in a row, side by side. What is kept
// by hub is the values of the first copy, then those of the second.
type hubs struct {
	copies copies
	base   []uint32 // by side: its first hub; and the end
	side   []uint32 // by hub: its side

	start []uint32 // items[start[i]:start[i+1]] are the hubs of the atom at place i, ascending
	items []uint32
	mult  []int32  // parallel to items; empty where all are 1
	met   []uint32 // places of the atoms that have hubs

	firstRun []uint32 // runs[firstRun[i]:firstRun[i+1]] are those of the atom at place i
	runs     []run

	links [][]link  // by side: the sides that its products multiply it with
	self  [][]int64 // by product: for each place, the sum over the hubs where it is on both sides; nil where it is 0

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
	energy  float64
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

// place returns where what is kept by hub has a side's hub, which counts over all copies.
func (x *hubs) place(side, hub uint32) uint32 {
	hubs := x.base[side+1] - x.base[side]
	return hub/hubs*uint32(len(x.side)) + x.base[side] + hub%hubs
}

// size returns how many values there are by hub.
func (x *hubs) size() int { return len(x.side) * int(x.copies.n) }

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

// on returns an atom's hubs on a side, and its multiplicities there, nil where all are 1.
func (x *hubs) on(place, side uint32) (hubs []uint32, mult []int32) {
	of := x.items[x.start[place]:x.start[place+1]]
	lo, _ := slices.BinarySearch(of, x.base[side])
	hi, _ := slices.BinarySearch(of, x.base[side+1])
	if len(x.mult) == 0 {
		return of[lo:hi], nil
	}
	return of[lo:hi], x.mult[x.start[place]:][lo:hi]
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
		for _, s := range [...]uint32{p.Left, p.Right} {
			for k := range x.links[s] {
				if l := &x.links[s][k]; l.product == uint32(i) {
					l.energy = j * l.times
				}
			}
		}
	}
}

// centre adds half of each of the products' couplings to the fields of their atoms.
func (x *hubs) centre(fields []float64) {
	if !x.any() {
		return
	}
	pull := make([]float64, len(x.side))
	x.setPulls(pull, x.total)
	for _, i := range x.met {
		half := x.sum(pull, x.start[i], x.start[i+1], 0) / 2
		for r := range x.copies.n {
			fields[x.copies.atom(i, r)] += half
		}
	}
}

// hubbed reports whether the sampled atoms are in products, and in nothing else but pairs.
func (m *Model) hubbed() bool { return m.hubs.any() && m.scope.pairwise }
