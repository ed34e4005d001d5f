package mcsat

import (
	"math"

	"resolwe/kernels/ground"
)

// state is a state of a model's atoms with what it takes to change it: how many literals of each cube and clause are
// true, and how many atoms of each hub.
type state struct {
	m          *Model
	x          []bool
	cubeTrue   []uint32
	clauseTrue []uint32
	load       load
}

// set copies x and counts afresh.
func (s *state) set(m *Model, x []bool) {
	s.m = m
	s.x = append(s.x[:0], x...)
	s.cubeTrue = resized(s.cubeTrue, len(m.net.Cubes))
	for i := range m.net.Cubes {
		s.cubeTrue[i] = trueLits(m.net.Cubes[i].Lits, s.x)
	}
	s.clauseTrue = resized(s.clauseTrue, len(m.net.Clauses))
	for i, clause := range m.net.Clauses {
		s.clauseTrue[i] = trueLits(clause, s.x)
	}
	s.setHubs()
}

func trueLits(lits []ground.Lit, x []bool) uint32 {
	n := uint32(0)
	for _, l := range lits {
		if l.True(x) {
			n++
		}
	}
	return n
}

func allTrue(lits []ground.Lit, x []bool) bool { return int(trueLits(lits, x)) == len(lits) }

func (s *state) flip(a uint32) {
	v := !s.x[a]
	s.x[a] = v
	for _, ref := range s.m.cubes.of(a) {
		s.cubeTrue[ref>>1] += change(v, ref)
	}
	for _, ref := range s.m.clauses.of(a) {
		s.clauseTrue[ref>>1] += change(v, ref)
	}
	if s.m.hubs.any() {
		s.flipHubs(a)
	}
}

// change is what an atom that became v adds to the true literals of a cube or clause.
func change(v bool, ref uint32) uint32 {
	if v == (ref&1 == 0) {
		return 1
	}
	return math.MaxUint32 // -1
}

// cubeHolds reports whether all literals of a cube are true.
func (s *state) cubeHolds(i uint32) bool { return int(s.cubeTrue[i]) == len(s.m.net.Cubes[i].Lits) }

// field returns the energy of an atom's being true less that of its being false, given the others.
func (s *state) field(a uint32) float64 {
	m := s.m
	h := s.pairField(m.bias[a], a)
	if m.hubs.any() {
		h += s.hubField(a)
	}
	for _, ref := range m.cubes.of(a) {
		h += m.cube[ref>>1] * s.cubeGain(a, ref)
	}
	for _, i := range m.features.of(a) {
		h += m.feature[i] * s.gain(m.net.Features[i].Root, a)
	}
	return h
}

// pairField adds to h what the pairs add to an atom's field.
func (s *state) pairField(h float64, a uint32) float64 {
	energy := s.m.ties.energy
	neighbours, classes, base := s.m.ties.of(a)
	classes = classes[:len(neighbours)]
	for k, b := range neighbours {
		h += math.Float64frombits(math.Float64bits(energy[classes[k]]) & mask(s.x[base+b]))
	}
	return h
}

// cubeGain returns a cube's value where an atom is true less that where it is false.
func (s *state) cubeGain(a, ref uint32) float64 {
	i := ref >> 1
	others := int(s.cubeTrue[i])
	if s.x[a] == (ref&1 == 0) {
		others--
	}
	switch {
	case others < len(s.m.net.Cubes[i].Lits)-1:
		return 0
	case ref&1 == 0:
		return 1
	default:
		return -1
	}
}

// gain returns a feature's value where an atom is true less that where it is false.
func (s *state) gain(root *ground.Node, a uint32) float64 {
	now := s.x[a]
	s.x[a] = true
	on := root.True(s.x)
	s.x[a] = false
	off := root.True(s.x)
	s.x[a] = now
	switch {
	case on == off:
		return 0
	case on:
		return 1
	default:
		return -1
	}
}

// mayFlip reports whether the hard constraints, which hold, still hold where an atom is flipped.
func (s *state) mayFlip(a uint32) bool {
	m := s.m
	for _, ref := range m.clauses.of(a) {
		if s.clauseTrue[ref>>1] == 1 && s.x[a] == (ref&1 == 0) {
			return false
		}
	}
	for _, i := range m.hard.of(a) {
		s.x[a] = !s.x[a]
		holds := m.net.HardFeatures[i].Root.True(s.x)
		s.x[a] = !s.x[a]
		if !holds {
			return false
		}
	}
	return true
}

// lawful reports whether the hard constraints on an atom hold.
func (s *state) lawful(a uint32) bool {
	for _, ref := range s.m.clauses.of(a) {
		if s.clauseTrue[ref>>1] == 0 {
			return false
		}
	}
	for _, i := range s.m.hard.of(a) {
		if !s.m.net.HardFeatures[i].Root.True(s.x) {
			return false
		}
	}
	return true
}

// flipUnit flips a unit's atoms and returns the energy that this adds.
func (s *state) flipUnit(unit uint32) float64 {
	gain := 0.0
	for _, a := range s.m.hardness.members(unit) {
		h := s.field(a)
		if s.x[a] {
			h = -h
		}
		gain += h
		s.flip(a)
	}
	return gain
}

func (s *state) lawfulUnit(unit uint32) bool {
	for _, a := range s.m.hardness.members(unit) {
		if !s.lawful(a) {
			return false
		}
	}
	return true
}

func sigmoid(h float64) float64 { return 1 / (1 + math.Exp(-h)) }

// mask returns all ones for true, without a branch.
func mask(v bool) uint64 {
	b := uint64(0)
	if v {
		b = 1
	}
	return -b
}
