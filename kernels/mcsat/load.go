package mcsat

import "resolwe/kernels/mcsat/rows"

// load is how many true atoms the hubs of a state have.
type load struct {
	count   []float64 // by hub: of its side, each with its multiplicity
	pull    []float64 // by hub: energy of one more true atom there
	stale   bool      // count is that of another state
	changes int       // of the weights, when pull and field were set
	field   []float64 // by place, then by copy: but for the hubs, where only pairs are beside them
}

func (s *state) setHubs() {
	x := &s.m.hubs
	s.load.count, s.load.pull = resized(s.load.count, x.size()), resized(s.load.pull, x.size())
	if x.any() {
		s.load.field = zeroed(s.load.field, x.slots)
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
	s.m.hubs.setPulls(s.load.pull, s.counts(), s.m.hubs.width)
	if s.m.hubbed() {
		for _, a := range s.m.scope.atoms {
			s.load.field[s.m.hubs.slot[a]] = s.pairField(s.m.bias[a], a)
		}
	}
}

// addCounts adds the true atoms of a state to the counts of their hubs.
func (x *hubs) addCounts(count []float64, state []bool) {
	var row [maxCopies]float64
	for l := range x.layers {
		layer := x.layer(count, l)
		for _, i := range x.met {
			met := false
			for r := range x.columns {
				v := state[x.copies.atom(i, uint32(l+r))]
				row[r] = indicator(v)
				met = met || v
			}
			if met {
				x.add(layer, row[:x.width], x.start[i], x.start[i+1], counting)
			}
		}
	}
}

// counting adds an atom to its hubs.
var counting = []rows.Step{{Scale: 1}}

// setPulls sets the pulls of hubs that have such counts, in rows of a width.
func (x *hubs) setPulls(pull, count []float64, width int) {
	clear(pull)
	for from := 0; from < len(pull); from += len(x.side) * width {
		for i := range len(x.base) - 1 {
			to := pull[from:][int(x.base[i])*width : int(x.base[i+1])*width]
			for _, s := range x.steps[i] {
				for k, n := range count[from+int(x.base[i]+s.Shift)*width:][:len(to)] {
					to[k] += s.Scale * n
				}
			}
		}
	}
}

// add takes steps with a row from the hubs of some incidences, for each multiplicity.
func (x *hubs) add(matrix, row []float64, first, end uint32, steps []rows.Step) {
	if len(x.mult) == 0 {
		rows.Add(matrix, row, x.items[first:end], steps)
		return
	}
	w := len(row)
	for k, h := range x.items[first:end] {
		n := float64(x.mult[int(first)+k])
		for _, s := range steps {
			to := matrix[int(h+s.Shift)*w:][:w]
			for c, v := range row {
				to[c] += v * s.Scale * n
			}
		}
	}
}

// sum adds to dst the rows at a distance from the hubs of some incidences, each with its multiplicity.
func (x *hubs) sum(dst, matrix []float64, first, end, distance uint32) {
	if len(x.mult) == 0 {
		rows.Sum(dst, matrix, x.items[first:end], distance)
		return
	}
	mult := x.mult[first:end]
	for k, h := range x.items[first:end] {
		n, row := float64(mult[k]), matrix[int(h+distance)*len(dst):]
		for c := range dst {
			dst[c] += n * row[c]
		}
	}
}

// meet returns, by product and then by column of a layer, the true groundings that the atoms of a place add, where the hubs
// have so many true atoms, but for those with itself. It takes the memory that it is given.
func (x *hubs) meet(meets []float64, place uint32, count []float64) []float64 {
	meets = zeroed(meets, len(x.self)*x.width)
	for _, r := range x.runsOf(place) {
		for _, l := range x.links[r.side] {
			to := meets[int(l.product)*x.width:][:x.width]
			x.sum(to, count, r.first, r.end, l.shift)
			if l.times == 2 { // the only link of its product
				addTo(to, to)
			}
		}
	}
	return meets
}

// flipHubs follows an atom that has flipped.
func (s *state) flipHubs(a uint32) {
	if place, copied := s.m.hubs.copies.of(a); place < s.m.hubs.copies.width {
		var row [maxCopies]float64
		pull, column := s.m.hubs.column(s.load.pull, copied)
		row[column] = sign(s.x[a])
		s.flipRow(place, pull, row[:s.m.hubs.width])
	}
}

// flipRow follows the atoms at a place in the pulls of a layer. A row has 1 for those that have become true, -1 for those
// that have become false.
func (s *state) flipRow(place uint32, pull, row []float64) {
	x := &s.m.hubs
	s.load.stale = true
	for _, r := range x.runsOf(place) {
		x.add(pull, row, r.first, r.end, x.steps[r.side])
	}
}

// hubField returns what the products add to an atom's field.
func (s *state) hubField(a uint32) float64 {
	x := &s.m.hubs
	place, copied := x.copies.of(a)
	if place >= x.copies.width {
		return 0
	}
	pull, column := x.column(s.load.pull, copied)
	h := x.sumColumn(pull, place, column)
	return h - x.selfEnergy[place]*sign(s.x[a]) // which it meets itself
}

// sumColumn returns what sum adds in one column of a layer for the atom of a place.
func (x *hubs) sumColumn(matrix []float64, place uint32, column int) float64 {
	first, end := x.start[place], x.start[place+1]
	if len(x.mult) == 0 {
		return rows.SumColumn(matrix, x.width, column, x.items[first:end], 0)
	}
	mult, sum := x.mult[first:end], 0.0
	for k, h := range x.items[first:end] {
		sum += float64(mult[k]) * matrix[int(h)*x.width+column]
	}
	return sum
}

// sign returns 1 for true, -1 for false.
func sign(v bool) float64 {
	if v {
		return 1
	}
	return -1
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
	for l := range x.layers {
		layer := x.layer(count, l)
		sum += dot(x.rowsOf(layer, p.Left), x.rowsOf(layer, p.Right))
	}
	return sum
}

// dot returns the inner product of two vectors of one length.
func dot(x, y []float64) float64 {
	var a, b, c, d float64 // additions that do not wait for each other
	for ; len(x) >= 4 && len(y) >= 4; x, y = x[4:], y[4:] {
		a += x[0] * y[0]
		b += x[1] * y[1]
		c += x[2] * y[2]
		d += x[3] * y[3]
	}
	for i, v := range x {
		a += v * y[i]
	}
	return (a + b) + (c + d)
}
