package loglinear

import (
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear/rows"
	"resolwe/kernels/network"
)

// Bilinear is the network's bilinear factors, seen from the atoms. The entities of the first replica are numbered, those of one
// incidence after those of another. What is kept by entity is a matrix with a row for each of them, which has a value of each
// replica. Where replicas differ in their pairs, or pairs connect one to another, their atoms cannot be drawn side by side: they
// are taken for one replica, whose Pairs is false.
type Bilinear struct {
	Replicas  network.Replicas
	Width     int      // of a row
	Slot      []uint32 // by atom: where a matrix has it that has a row for each place, then a value for each atom of no replica
	Slots     int      // of that matrix
	Base      []uint32 // by incidence: its first entity; and the end
	incidence []uint32 // by entity: its incidence

	start  []uint32 // items[start[i]:start[i+1]] are the entities of the atom at place i, ascending
	items  []uint32
	mult   []int64  // parallel to items; empty where all are 1
	Places []uint32 // places of the atoms that have entities

	firstRun []uint32 // runs[firstRun[i]:firstRun[i+1]] are those of the atom at place i
	runs     []run

	links [][]link      // by incidence: the incidences that its bilinear factors multiply it with
	steps [][]rows.Step // by incidence: what a true atom adds to the fields, a step for each link
	Self  [][]int64     // by factor: for each place, the sum over the entities where it is on both incidences; nil where it is 0

	Heaviest []int64   // by incidence: the largest multiplicity
	total    []float64 // by entity of one replica: the sum of its multiplicities

	Energy     []float64 // by factor
	SelfEnergy []float64 // by place: of all bilinear factors
}

// run is an atom's part of one incidence.
type run struct {
	first, end, incidence uint32
	mult                  int64 // of all its items; 0 where they differ
}

// link says that a factor multiplies two incidences.
type link struct {
	factor uint32
	shift  uint32  // from an entity to the same one of the other incidence, modulo 2^32
	times  float64 // 2 where the other incidence is the same one
}

func (x *Bilinear) index(net *network.Network) {
	x.Base, x.incidence, x.start, x.items = x.Base[:0], x.incidence[:0], x.start[:0], x.items[:0]
	x.Places, x.mult = x.Places[:0], x.mult[:0]
	if x.Replicas = net.Replicas; !x.Replicas.Pairs {
		atoms := uint32(net.NumAtoms)
		x.Replicas = network.Replicas{N: 1, Shift: atoms, Width: atoms, Pairs: x.Replicas.N == 0}
	}
	if len(net.Bilinears) == 0 {
		return
	}
	x.arrange(uint32(net.NumAtoms))
	x.number(net)
	x.transpose(net)
	x.divide()
	x.addTotals(net)
	x.connect(net)
}

// Any reports whether there are bilinear factors.
func (x *Bilinear) Any() bool { return len(x.items) > 0 }

// of returns an atom's incidences, and its replica.
func (x *Bilinear) of(a uint32) (first, end, replica uint32) {
	place, replica := x.Replicas.Of(a)
	if place >= x.Replicas.Width {
		return 0, 0, 0
	}
	return x.start[place], x.start[place+1], replica
}

// Degree returns how many entities an atom has.
func (x *Bilinear) Degree(a uint32) int {
	if !x.Any() {
		return 0
	}
	first, end, _ := x.of(a)
	return int(end - first)
}

// arrange lays out the replicas side by side, and gives each atom its slot.
func (x *Bilinear) arrange(atoms uint32) {
	x.Width = rows.Width(int(x.Replicas.N))
	x.Slot = grow.To(x.Slot, int(atoms))
	c, w := &x.Replicas, uint32(x.Width)
	next, a := c.Shift*w, uint32(0)
	for ; a < c.First; a, next = a+1, next+1 {
		x.Slot[a] = next
	}
	for replica := range c.N {
		for place := uint32(0); place < c.Shift && a < atoms; a, place = a+1, place+1 {
			x.Slot[a] = place*w + replica
		}
	}
	for ; a < atoms; a, next = a+1, next+1 {
		x.Slot[a] = next
	}
	x.Slots = int(next)
}

// number numbers the entities of one replica.
func (x *Bilinear) number(net *network.Network) {
	for i := range net.Incidences {
		x.Base = append(x.Base, uint32(len(x.incidence)))
		for range x.Replicas.Entities(&net.Incidences[i]) {
			x.incidence = append(x.incidence, uint32(i))
		}
	}
	x.Base = append(x.Base, uint32(len(x.incidence)))
}

// transpose lists the entities of each atom.
func (x *Bilinear) transpose(net *network.Network) {
	width, from := int(x.Replicas.Width), x.Replicas.First
	start, n, weighted := grow.Zeroed(x.start, width+2), 0, false
	for i := range net.Incidences {
		s := &net.Incidences[i]
		for _, a := range s.Atoms[:s.Start[x.Replicas.Entities(s)]] {
			start[a-from+2]++
		}
		n += int(s.Start[x.Replicas.Entities(s)])
		weighted = weighted || s.Mult != nil
	}
	for i := range width {
		if start[i+2] > 0 {
			x.Places = append(x.Places, uint32(i))
		}
		start[i+2] += start[i+1]
	}
	x.items = grow.To(x.items, n)
	if weighted {
		x.mult = grow.To(x.mult, n)
	}
	for i := range net.Incidences { // start[p+1] moves from the beginning of p's list to its end
		s := &net.Incidences[i]
		for h := range x.Replicas.Entities(s) {
			entity := x.Base[i] + uint32(h)
			for k := s.Start[h]; k < s.Start[h+1]; k++ {
				at := &start[s.Atoms[k]-from+1]
				x.items[*at] = entity
				if weighted {
					x.mult[*at] = s.At(k)
				}
				*at++
			}
		}
	}
	x.start = start
}

// divide divides the incidences into runs.
func (x *Bilinear) divide() {
	x.firstRun, x.runs = append(x.firstRun[:0], 0), x.runs[:0]
	for i := range x.Replicas.Width {
		for first, end := x.start[i], x.start[i+1]; first < end; {
			r := run{first: first, end: first + 1, incidence: x.incidence[x.items[first]]}
			for limit := x.Base[r.incidence+1]; r.end < end && x.items[r.end] < limit; {
				r.end++
			}
			r.mult = x.common(r.first, r.end)
			x.runs = append(x.runs, r)
			first = r.end
		}
		x.firstRun = append(x.firstRun, uint32(len(x.runs)))
	}
}

// common returns the multiplicity of some items, 0 where they differ.
func (x *Bilinear) common(first, end uint32) int64 {
	if len(x.mult) == 0 {
		return 1
	}
	mult := x.mult[first:end]
	for _, n := range mult {
		if n != mult[0] {
			return 0
		}
	}
	return mult[0]
}

// runsOf returns the runs of the atom at a place.
func (x *Bilinear) runsOf(place uint32) []run { return x.runs[x.firstRun[place]:x.firstRun[place+1]] }

// addTotals sums up the multiplicities.
func (x *Bilinear) addTotals(net *network.Network) {
	x.Heaviest = grow.Zeroed(x.Heaviest, len(net.Incidences))
	x.total = x.total[:0]
	for i := range net.Incidences {
		s := &net.Incidences[i]
		for h := range x.Replicas.Entities(s) {
			total := int64(s.Start[h+1] - s.Start[h])
			x.Heaviest[i] = max(x.Heaviest[i], min(1, total))
			if s.Mult != nil {
				total = 0
				for _, n := range s.Mult[s.Start[h]:s.Start[h+1]] {
					total += n
					x.Heaviest[i] = max(x.Heaviest[i], n)
				}
			}
			x.total = append(x.total, float64(total))
		}
	}
}

// size returns how many values there are by entity.
func (x *Bilinear) size() int { return len(x.incidence) * x.Width }

// Incidences returns how many there are, in all replicas.
func (x *Bilinear) Incidences() int { return len(x.items) * int(x.Replicas.N) }

// rowsOf returns the rows of an incidence's entities.
func (x *Bilinear) rowsOf(matrix []float64, incidence uint32) []float64 {
	return matrix[int(x.Base[incidence])*x.Width : int(x.Base[incidence+1])*x.Width]
}

// connect links the incidences of each bilinear factor.
func (x *Bilinear) connect(net *network.Network) {
	for len(x.links) < len(net.Incidences) {
		x.links, x.steps = append(x.links, nil), append(x.steps, nil)
	}
	for i := range x.links {
		x.links[i] = x.links[i][:0]
	}
	x.Self = grow.Zeroed(x.Self, len(net.Bilinears))
	for i, p := range net.Bilinears {
		shift := x.Base[p.Right] - x.Base[p.Left]
		l := link{factor: uint32(i), shift: shift, times: 1}
		if p.Left == p.Right {
			l.times = 2
		} else {
			x.links[p.Right] = append(x.links[p.Right], link{factor: uint32(i), shift: -shift, times: 1})
		}
		x.links[p.Left] = append(x.links[p.Left], l)
		x.Self[i] = x.selves(p.Left, p.Right)
	}
}

// selves returns, by place, the sum over the entities of the product of its multiplicities on two incidences.
func (x *Bilinear) selves(left, right uint32) []int64 {
	var out []int64
	for _, i := range x.Places {
		entities, mult := x.on(i, left)
		others, times := entities, mult
		if left != right {
			others, times = x.on(i, right)
		}
		sum := overlap(entities, mult, others, times, x.Base[right]-x.Base[left])
		if sum == 0 {
			continue
		}
		if out == nil {
			out = make([]int64, x.Replicas.Width)
		}
		out[i] = sum
	}
	return out
}

// on returns the entities of the atoms at a place on an incidence, and their multiplicities there, nil where all are 1.
func (x *Bilinear) on(place, incidence uint32) (entities []uint32, mult []int64) {
	for _, r := range x.runsOf(place) {
		if r.incidence != incidence {
			continue
		}
		if len(x.mult) > 0 {
			mult = x.mult[r.first:r.end]
		}
		return x.items[r.first:r.end], mult
	}
	return nil, nil
}

// overlap returns the sum of the products of the multiplicities of the entities in both lists, the second of which are a shift
// beyond the first.
func overlap(left []uint32, leftMult []int64, right []uint32, rightMult []int64, shift uint32) int64 {
	if shift == 0 && leftMult == nil {
		return int64(len(left))
	}
	sum, j := int64(0), 0
	for i, entity := range left {
		for j < len(right) && right[j] < entity+shift {
			j++
		}
		switch {
		case j == len(right):
			return sum
		case right[j] != entity+shift:
		case leftMult == nil:
			sum++
		default:
			sum += leftMult[i] * rightMult[j]
		}
	}
	return sum
}

// weighBilinear sets the energies of the bilinear factors.
func (m *Model) weighBilinear() {
	x, products := &m.Bilinear, m.Net.Bilinears
	x.Energy = grow.To(x.Energy, len(products))
	if !x.Any() {
		clear(x.Energy)
		return
	}
	x.SelfEnergy = grow.Zeroed(x.SelfEnergy, int(x.Replicas.Width))
	for i, p := range products {
		j := m.Energy(p.Coefs)
		x.Energy[i] = j
		for a, n := range x.Self[i] {
			x.SelfEnergy[a] += float64(j * float64(n))
		}
	}
	for i, links := range x.links {
		x.steps[i] = x.steps[i][:0]
		for _, l := range links {
			x.steps[i] = append(x.steps[i], rows.Step{Shift: l.shift, Scale: x.Energy[l.factor] * l.times})
		}
	}
}

// centre adds half of each of the bilinear factors' couplings to the fields of their atoms.
func (x *Bilinear) centre(fields []float64) {
	if !x.Any() {
		return
	}
	field := make([]float64, len(x.incidence))
	x.setEntityFields(field, x.total, 1)
	for _, i := range x.Places {
		half := [1]float64{}
		x.SumPlace(half[:], field, i)
		for r := range x.Replicas.N {
			fields[x.Replicas.Atom(i, r)] += float64(half[0] / 2)
		}
	}
}

// Batched reports whether the sampled atoms are in bilinear factors, and in nothing else but pairs.
func (m *Model) Batched() bool { return m.Bilinear.Any() && m.Scope.Pairwise }
