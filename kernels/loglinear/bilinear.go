package loglinear

import (
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear/rows"
	"resolwe/kernels/network"
)

// Bilinear indexes the network's bilinear factors by atom. The entities of the first replica are numbered, incidence by incidence. Values
// by entity are stored as a matrix with a row for each entity and a column for each replica.
type Bilinear struct {
	Replicas  network.Replicas
	Width     int      // of a row
	Slot      []uint32 // by atom: its index in a matrix with a row for each place
	Base      []uint32 // by incidence: its first entity; then the end
	incidence []uint32 // by entity: its incidence

	start  []uint32 // items[start[i]:start[i+1]] are the entities of the atom at place i, ascending
	items  []uint32
	mult   []int64  // parallel to items; empty if all are 1
	Places []uint32 // places of the atoms that have entities

	firstRun []uint32 // runs[firstRun[i]:firstRun[i+1]] are those of the atom at place i
	runs     []run

	links [][]link      // by incidence: the incidences that bilinear factors multiply it with
	steps [][]rows.Step // by incidence: what a true atom adds to the fields, one step per link
	Self  [][]int64     // by factor: for each place, the sum over the entities that it has on both incidences; nil if all are 0

	Heaviest []int64   // by incidence: its largest multiplicity
	total    []float64 // by entity of one replica: sum of its multiplicities

	Energy     []float64 // by factor
	SelfEnergy []float64 // by place: sum over all bilinear factors
}

// run is an atom's part of one incidence.
type run struct {
	first, end, incidence uint32
	mult                  int64 // of all its items; 0 if they differ
}

// link is a factor that multiplies two incidences.
type link struct {
	factor uint32
	shift  uint32  // from an entity to the same one on the other incidence, modulo 2^32
	times  float64 // 2 if the other incidence is the same one
}

func (x *Bilinear) index(net *network.Network) {
	x.Base, x.incidence, x.start, x.items = x.Base[:0], x.incidence[:0], x.start[:0], x.items[:0]
	x.Places, x.mult = x.Places[:0], x.mult[:0]
	if x.Replicas = net.Replicas; x.Replicas.N == 0 {
		atoms := uint32(net.NumAtoms)
		x.Replicas = network.Replicas{N: 1, Shift: atoms, Width: atoms}
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

// of returns the range of an atom's items, and its replica.
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

// arrange lays the replicas out side by side and assigns each atom its slot.
func (x *Bilinear) arrange(atoms uint32) {
	x.Width = rows.Width(int(x.Replicas.N))
	x.Slot = grow.To(x.Slot, int(atoms))
	for a := range x.Slot {
		place, replica := x.Replicas.Of(uint32(a))
		x.Slot[a] = place*uint32(x.Width) + replica
	}
}

// Slots returns the size of a matrix that has a row for each place.
func (x *Bilinear) Slots() int { return int(x.Replicas.Shift) * x.Width }

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
	width := int(x.Replicas.Width)
	start, n, weighted := grow.Zeroed(x.start, width+2), 0, false
	for i := range net.Incidences {
		s := &net.Incidences[i]
		for _, a := range s.Atoms[:s.Start[x.Replicas.Entities(s)]] {
			start[a+2]++
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
	for i := range net.Incidences { // start[p+1] moves from the start of p's list to its end
		s := &net.Incidences[i]
		for h := range x.Replicas.Entities(s) {
			entity := x.Base[i] + uint32(h)
			for k := s.Start[h]; k < s.Start[h+1]; k++ {
				at := &start[s.Atoms[k]+1]
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

// common returns the multiplicity of some items, 0 if they differ.
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
			total := int64(0)
			for k := s.Start[h]; k < s.Start[h+1]; k++ {
				total += s.At(k)
				x.Heaviest[i] = max(x.Heaviest[i], s.At(k))
			}
			x.total = append(x.total, float64(total))
		}
	}
}

// size returns the number of values in a matrix by entity.
func (x *Bilinear) size() int { return len(x.incidence) * x.Width }

// Incidences returns the number of incidences in all replicas.
func (x *Bilinear) Incidences() int { return len(x.items) * int(x.Replicas.N) }

// rowsOf returns the rows of an incidence's entities.
func (x *Bilinear) rowsOf(matrix []float64, incidence uint32) []float64 {
	return matrix[int(x.Base[incidence])*x.Width : int(x.Base[incidence+1])*x.Width]
}

// connect links the incidences multiplied by each bilinear factor.
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
		x.Self[i] = x.selves(&net.Incidences[p.Left], &net.Incidences[p.Right])
	}
}

// selves returns, by place, the sum over the entities of the product of its multiplicities on two incidences; nil if all are 0.
func (x *Bilinear) selves(left, right *network.Incidence) (out []int64) {
	for e := range x.Replicas.Entities(left) {
		left.Shared(right, e, func(place uint32, l, r int64) {
			if out == nil {
				out = make([]int64, x.Replicas.Width)
			}
			out[place] += l * r
		})
	}
	return out
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

// centre adds half of each bilinear coupling to the fields of its atoms.
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

// Batched reports whether the sampled atoms have bilinear factors and, apart from those, only pairs.
func (m *Model) Batched() bool { return m.Bilinear.Any() && m.Scope.Pairwise }
