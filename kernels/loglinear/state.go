package loglinear

import (
	"math"

	"resolwe/internal/grow"
	"resolwe/kernels/network"
)

// State is a state of a model's atoms, with the counts that make flips cheap: the true literals of each conjunction and clause, and the
// true atoms of each entity.
type State struct {
	M               *Model
	X               []bool
	conjunctionTrue []uint32
	ClauseTrue      []uint32
	Fields          Fields
}

// Set copies x and recomputes all counts.
func (s *State) Set(m *Model, x []bool) {
	s.M = m
	s.X = append(s.X[:0], x...)
	s.conjunctionTrue = grow.To(s.conjunctionTrue, len(m.Net.Conjunctions))
	for i := range m.Net.Conjunctions {
		s.conjunctionTrue[i] = TrueLits(m.Net.Conjunctions[i].Lits, s.X)
	}
	s.ClauseTrue = grow.To(s.ClauseTrue, len(m.Net.Clauses))
	for i, clause := range m.Net.Clauses {
		s.ClauseTrue[i] = TrueLits(clause, s.X)
	}
	s.SetFields()
}

// TrueLits returns the number of true literals.
func TrueLits(lits []network.Lit, x []bool) uint32 {
	n := uint32(0)
	for _, l := range lits {
		if l.True(x) {
			n++
		}
	}
	return n
}

// AllTrue reports whether all literals are true.
func AllTrue(lits []network.Lit, x []bool) bool { return int(TrueLits(lits, x)) == len(lits) }

// Flip flips an atom.
func (s *State) Flip(a uint32) {
	v := !s.X[a]
	s.X[a] = v
	for _, ref := range s.M.Soft.Of(a) {
		if i := ref >> 1; int(i) < len(s.conjunctionTrue) {
			s.conjunctionTrue[i] += change(v, ref)
		}
	}
	for _, ref := range s.M.Hard.Of(a) {
		if i := ref >> 1; int(i) < len(s.ClauseTrue) {
			s.ClauseTrue[i] += change(v, ref)
		}
	}
	if s.M.Bilinear.Any() {
		s.FlipBilinear(a)
	}
}

// change returns the change in the number of true literals of a conjunction or clause when an atom in it becomes v.
func change(v bool, ref uint32) uint32 {
	if v == (ref&1 == 0) {
		return 1
	}
	return math.MaxUint32 // -1
}

// Holds reports whether a soft factor is true.
func (s *State) Holds(i uint32) bool {
	lits, feature := s.M.SoftFactor(i)
	if feature != nil {
		return feature.Root.True(s.X)
	}
	return int(s.conjunctionTrue[i]) == len(lits)
}

// Satisfied reports whether a hard constraint holds.
func (s *State) Satisfied(i uint32) bool {
	if int(i) < len(s.ClauseTrue) {
		return s.ClauseTrue[i] > 0
	}
	_, feature := s.M.HardFactor(i)
	return feature.Root.True(s.X)
}

// SatisfiedFlipped reports whether a hard constraint on an atom, given by its reference in Model.Hard, would hold with the atom flipped.
func (s *State) SatisfiedFlipped(a, ref uint32) bool {
	if i := ref >> 1; int(i) < len(s.ClauseTrue) {
		return s.X[a] != (ref&1 == 0) || s.ClauseTrue[i] > 1
	}
	s.X[a] = !s.X[a]
	holds := s.Satisfied(ref >> 1)
	s.X[a] = !s.X[a]
	return holds
}

// Field returns an atom's local field: the energy with the atom true less that with it false, given the other atoms.
func (s *State) Field(a uint32) float64 {
	m := s.M
	h := s.pairField(m.Bias[a], a)
	if m.Bilinear.Any() {
		h += s.BilinearField(a)
	}
	for _, ref := range m.Soft.Of(a) {
		h += float64(m.SoftEnergy[ref>>1] * s.Gain(a, ref))
	}
	return h
}

// pairField adds the pairs' part of an atom's field to h.
func (s *State) pairField(h float64, a uint32) float64 {
	energy := s.M.Couplings.Energy
	neighbours, classes, base := s.M.Couplings.Of(a)
	classes = classes[:len(neighbours)]
	for k, b := range neighbours {
		h += math.Float64frombits(math.Float64bits(energy[classes[k]]) & Mask(s.X[base+b]))
	}
	return h
}

// Gain returns the value of a soft factor on an atom, given by its reference in Model.Soft, with the atom true less that with it false.
func (s *State) Gain(a, ref uint32) float64 {
	lits, feature := s.M.SoftFactor(ref >> 1)
	if feature != nil {
		now := s.X[a]
		s.X[a] = true
		on := Indicator(feature.Root.True(s.X))
		s.X[a] = false
		off := Indicator(feature.Root.True(s.X))
		s.X[a] = now
		return on - off
	}
	others := int(s.conjunctionTrue[ref>>1])
	if s.X[a] == (ref&1 == 0) {
		others--
	}
	if others < len(lits)-1 {
		return 0
	}
	return Sign(ref&1 == 0)
}

// MayFlip reports whether the hard constraints on an atom hold after a flip, given that they hold now.
func (s *State) MayFlip(a uint32) bool { return s.mayFlip(a, s.M.Hard.Of(a)) }

// MayTurn is MayFlip for an atom of a group without a value, ignoring the constraints that define the group.
func (s *State) MayTurn(a uint32) bool { return s.mayFlip(a, s.M.Outer(a)) }

func (s *State) mayFlip(a uint32, refs []uint32) bool {
	for _, ref := range refs {
		if !s.SatisfiedFlipped(a, ref) {
			return false
		}
	}
	return true
}

// Lawful reports whether the hard constraints on some atoms hold, except those that define their groups.
func (s *State) Lawful(atoms []uint32) bool {
	for _, a := range atoms {
		for _, ref := range s.M.Outer(a) {
			if !s.Satisfied(ref >> 1) {
				return false
			}
		}
	}
	return true
}

// FlipUnit flips the atoms of a unit and returns the change in energy.
func (s *State) FlipUnit(unit uint32) float64 {
	gain := 0.0
	for _, a := range s.M.Implications.Members(unit) {
		h := s.Field(a)
		if s.X[a] {
			h = -h
		}
		gain += h
		s.Flip(a)
	}
	return gain
}

// Mask returns all ones for true and 0 for false, without branching.
func Mask(v bool) uint64 {
	b := uint64(0)
	if v {
		b = 1
	}
	return -b
}
