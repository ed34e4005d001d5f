package ground

import (
	"errors"
	"slices"
)

// Where the lists of a listed target's atoms p(x, y) have the same y for each x, and no formula tells one x from another
// but in terms of single atoms, the network is that of the first x many times over, terms of single atoms aside: it is
// built once and then repeated.

// errUnlike ends the grounding of copies that differ.
var errUnlike = errors.New("the atoms of one entity are not a copy of those of another")

// copies returns into how many copies of the first of them the free atoms fall.
func (a *Atoms) copies() int {
	if len(a.preds) != 1 || a.preds[0].table == nil || len(a.preds[0].sizes) != 2 {
		return 1
	}
	p := &a.preds[0]
	if len(p.firsts) == 0 || len(a.back) != len(a.truth) {
		return 1
	}
	ys := p.table.Forward.Row(p.firsts[0])
	for _, x := range p.firsts[1:] {
		if !slices.Equal(ys, p.table.Forward.Row(x)) {
			return 1
		}
	}
	return len(p.firsts)
}

// repeat adds the copies of a network's first atoms to its pairs and its sides, which have room for them.
func (net *Network) repeat(atoms, copies int) {
	if copies == 1 {
		return
	}
	pairs, coefs := len(net.Pairs), len(net.PairCoefs)
	for c := 1; c < copies; c++ {
		net.Pairs = appendPairs(net.Pairs, net.Pairs[:pairs], uint32(c*atoms))
		net.PairStart = appendShifted(net.PairStart, net.PairStart[1:pairs+1], uint32(c*coefs))
		net.PairCoefs = append(net.PairCoefs, net.PairCoefs[:coefs]...)
	}
	for i := range net.Sides {
		net.Sides[i].repeat(atoms, copies)
	}
}

func (s *Side) repeat(atoms, copies int) {
	hubs, n := s.Hubs(), len(s.Atoms)
	for c := 1; c < copies; c++ {
		s.Start = appendShifted(s.Start, s.Start[1:hubs+1], uint32(c*n))
		s.Atoms = appendShifted(s.Atoms, s.Atoms[:n], uint32(c*atoms))
		if s.Mult != nil {
			s.Mult = append(s.Mult, s.Mult[:n]...)
		}
	}
}

// appendShifted appends numbers that are larger by a shift.
func appendShifted(dst, src []uint32, shift uint32) []uint32 {
	n := len(dst)
	dst = slices.Grow(dst, len(src))[:n+len(src)]
	out := dst[n:][:len(src)]
	for i, x := range src {
		out[i] = x + shift
	}
	return dst
}

// appendPairs appends pairs of atoms that are further on by a shift.
func appendPairs(dst, src []Pair, shift uint32) []Pair {
	n := len(dst)
	dst = slices.Grow(dst, len(src))[:n+len(src)]
	out := dst[n:][:len(src)]
	for i, p := range src {
		out[i] = Pair{p.A + shift, p.B + shift}
	}
	return dst
}
