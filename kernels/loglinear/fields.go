package loglinear

import (
	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear/rows"
	"resolwe/kernels/network"
)

// Fields are the local fields of a state's atoms and entities, and the number of true atoms of each entity.
type Fields struct {
	count   []float64 // by entity: its true atoms on its incidence, with multiplicities
	Entity  []float64 // by entity: energy of one more true atom there
	stale   bool      // count is out of date
	changes int       // Model.Changes when Entity and Atom were computed
	Atom    []float64 // by slot: field without the entities' part; only if the model is Batched
}

// SetFields updates the fields after many atoms have changed.
func (s *State) SetFields() {
	x := &s.M.Bilinear
	s.Fields.count, s.Fields.Entity = grow.To(s.Fields.count, x.size()), grow.To(s.Fields.Entity, x.size())
	if x.Any() {
		s.Fields.Atom = grow.Zeroed(s.Fields.Atom, x.Slots())
		s.Fields.stale = true
		s.RefreshFields()
	}
}

// Counts returns the number of true atoms by entity.
func (s *State) Counts() []float64 {
	if s.Fields.stale {
		s.Fields.stale = false
		clear(s.Fields.count)
		s.M.Bilinear.addCounts(s.Fields.count, s.X)
	}
	return s.Fields.count
}

// RefreshFields recomputes the fields, which accumulate rounding errors with each flip.
func (s *State) RefreshFields() {
	s.Fields.changes = s.M.Changes
	s.M.Bilinear.setEntityFields(s.Fields.Entity, s.Counts(), s.M.Bilinear.Width)
	if s.M.Batched() {
		for _, a := range s.M.Scope.Atoms {
			s.Fields.Atom[s.M.Bilinear.Slot[a]] = s.pairField(s.M.Bias[a], a)
		}
	}
}

// Outdated reports whether the fields were computed with other weights.
func (s *State) Outdated() bool { return s.Fields.changes != s.M.Changes }

// addCounts adds the true atoms of a state to the counts of their entities.
func (x *Bilinear) addCounts(count []float64, state []bool) {
	var row [network.MaxReplicas]float64
	for _, i := range x.Places {
		met := false
		for r := range x.Replicas.N {
			v := state[x.Replicas.Atom(i, r)]
			row[r] = Indicator(v)
			met = met || v
		}
		if met {
			x.addPlace(count, row[:x.Width], i)
		}
	}
}

// counting is the step that counts an atom in its entities.
var counting = []rows.Step{{Scale: 1}}

// setEntityFields computes the fields of entities from their counts, both in rows of the given width.
func (x *Bilinear) setEntityFields(field, count []float64, width int) {
	clear(field)
	for i := range len(x.Base) - 1 {
		to := field[int(x.Base[i])*width : int(x.Base[i+1])*width]
		for _, s := range x.steps[i] {
			for k, n := range count[int(x.Base[i]+s.Shift)*width:][:len(to)] {
				to[k] += float64(s.Scale * n)
			}
		}
	}
}

// addPlace adds a row to the rows of a place's entities, times their multiplicities.
func (x *Bilinear) addPlace(matrix, row []float64, place uint32) {
	runs := x.runsOf(place)
	for i := range runs {
		x.add(matrix, row, &runs[i], counting)
	}
}

// add applies steps with a row at the entities of a run, times their multiplicities.
func (x *Bilinear) add(matrix, row []float64, r *run, steps []rows.Step) {
	items, w := x.items[r.first:r.end], len(row)
	switch r.mult {
	case 0:
		for k, h := range items {
			n := float64(x.mult[int(r.first)+k])
			for _, s := range steps {
				to := matrix[int(h+s.Shift)*w:][:w]
				for c, v := range row {
					to[c] += float64(v * n * s.Scale)
				}
			}
		}
	case 1:
		rows.Add(matrix, row, items, steps)
	default:
		var times [network.MaxReplicas]float64
		for c, v := range row {
			times[c] = v * float64(r.mult)
		}
		rows.Add(matrix, times[:w], items, steps)
	}
}

// sum adds to dst the rows at a distance from the entities of a run, times their multiplicities.
func (x *Bilinear) sum(dst, matrix []float64, r *run, distance uint32) {
	items := x.items[r.first:r.end]
	switch r.mult {
	case 0:
		for k, h := range items {
			n, row := float64(x.mult[int(r.first)+k]), matrix[int(h+distance)*len(dst):]
			for c := range dst {
				dst[c] += float64(n * row[c])
			}
		}
	case 1:
		rows.Sum(dst, matrix, items, distance)
	default:
		var part [network.MaxReplicas]float64
		rows.Sum(part[:len(dst)], matrix, items, distance)
		for c := range dst {
			dst[c] += float64(part[c] * float64(r.mult))
		}
	}
}

// SumPlace adds to dst the rows of a place's entities, times their multiplicities. It does nothing for a place without entities.
func (x *Bilinear) SumPlace(dst, matrix []float64, place uint32) {
	switch {
	case !x.Tied(place):
	case len(x.mult) == 0:
		rows.Sum(dst, matrix, x.items[x.start[place]:x.start[place+1]], 0)
	default:
		var sum [network.MaxReplicas]float64
		runs := x.runsOf(place)
		for i := range runs {
			x.sum(sum[:len(dst)], matrix, &runs[i], 0)
		}
		for c := range dst {
			dst[c] += sum[c]
		}
	}
}

// Tied reports whether the atoms at a place have entities.
func (x *Bilinear) Tied(place uint32) bool {
	return place < x.Replicas.Width && x.start[place] < x.start[place+1]
}

// Gains returns, by factor and then by replica, the true groundings that the atoms at a place add, excluding groundings of an atom with
// itself. count is the number of true atoms by entity. It reuses the memory of gains.
func (x *Bilinear) Gains(gains []float64, place uint32, count []float64) []float64 {
	gains = grow.Zeroed(gains, len(x.Self)*x.Width)
	runs := x.runsOf(place)
	for i := range runs {
		for _, l := range x.links[runs[i].incidence] {
			to := gains[int(l.factor)*x.Width:][:x.Width]
			x.sum(to, count, &runs[i], l.shift)
			if l.times == 2 { // the only link of its factor
				for k := range to {
					to[k] += to[k]
				}
			}
		}
	}
	return gains
}

// FlipBilinear updates the fields after an atom has flipped.
func (s *State) FlipBilinear(a uint32) {
	if place, replica := s.M.Bilinear.Replicas.Of(a); place < s.M.Bilinear.Replicas.Width {
		var row [network.MaxReplicas]float64
		row[replica] = Sign(s.X[a])
		s.FlipRow(place, row[:s.M.Bilinear.Width])
	}
}

// FlipRow updates the fields after atoms at a place have flipped. The row has 1 for those that became true, -1 for those that became
// false.
func (s *State) FlipRow(place uint32, row []float64) {
	x := &s.M.Bilinear
	s.Fields.stale = true
	runs := x.runsOf(place)
	for i := range runs {
		x.add(s.Fields.Entity, row, &runs[i], x.steps[runs[i].incidence])
	}
}

// BilinearField returns the bilinear factors' part of an atom's field.
func (s *State) BilinearField(a uint32) float64 {
	x := &s.M.Bilinear
	place, replica := x.Replicas.Of(a)
	if place >= x.Replicas.Width {
		return 0
	}
	h := x.sumColumn(s.Fields.Entity, place, int(replica))
	return h - float64(x.SelfEnergy[place]*Sign(s.X[a])) // of its pairs with itself
}

// sumColumn returns one column of what SumPlace adds for a place.
func (x *Bilinear) sumColumn(matrix []float64, place uint32, column int) float64 {
	if len(x.mult) == 0 {
		return rows.SumColumn(matrix, x.Width, column, x.items[x.start[place]:x.start[place+1]], 0)
	}
	sum := 0.0
	for _, r := range x.runsOf(place) {
		if items := x.items[r.first:r.end]; r.mult != 0 {
			sum += float64(rows.SumColumn(matrix, x.Width, column, items, 0) * float64(r.mult))
		} else {
			for k, h := range items {
				sum += float64(float64(x.mult[int(r.first)+k]) * matrix[int(h)*x.Width+column])
			}
		}
	}
	return sum
}

// Indicator returns 1 for true, 0 for false.
func Indicator(v bool) float64 {
	if v {
		return 1
	}
	return 0
}

// Sign returns 1 for true, -1 for false.
func Sign(v bool) float64 {
	if v {
		return 1
	}
	return -1
}

// BilinearValue returns the value of a bilinear factor.
func (s *State) BilinearValue(i uint32) float64 {
	x, p := &s.M.Bilinear, &s.M.Net.Bilinears[i]
	if !x.Any() {
		return 0
	}
	count := s.Counts()
	return elementary.Dot(x.rowsOf(count, p.Left), x.rowsOf(count, p.Right))
}
