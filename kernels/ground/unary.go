package ground

import (
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/network"
)

// unaryTerms collects the terms of one atom: of a formula either a vector, for each replica of the atoms the same, or
// runs.
type unaryTerms struct {
	atoms    int // of a replica
	replicas int
	formula  uint32 // at work
	vectors  [][]int64
	runs     [][]sparseRun // by formula, their atoms ascending; less what is written
	next     []int         // by formula, the first run that is not all written
	parts    []formulaRun  // of the runs, by formula: the atoms at work
	ids      []uint32      // memory of runs
	n        []int64
}

// sparseRun is terms of one atom each, their atoms ascending: first + ids[i] has sign * n[i], or sign where there are no
// n. None is 0.
type sparseRun struct {
	first uint32
	ids   []uint32
	n     []int64
	sign  int64
}

// formulaRun is terms of a formula.
type formulaRun struct {
	formula uint32
	sparseRun
}

func (u *unaryTerms) reset(formulas, atoms, replicas int) {
	u.atoms, u.replicas = atoms, replicas
	u.vectors = grow.Zeroed(u.vectors, formulas)
	u.runs = slices.Grow(u.runs[:0], formulas)[:formulas]
	for f := range u.runs {
		u.runs[f] = u.runs[f][:0]
	}
	u.next = grow.Zeroed(u.next, formulas)
	u.ids, u.n = u.ids[:0], u.n[:0]
}

// vector returns the coefficients of the atoms in a formula that has no runs.
func (u *unaryTerms) vector(formula uint32, memory *counts) []int64 {
	v := &u.vectors[formula]
	if *v == nil {
		*v = memory.take(u.atoms)
	}
	return *v
}

// add adds terms to the formula at work, of atoms beyond those that it has. They are borrowed until the network is
// built.
func (u *unaryTerms) add(s sparseRun) {
	if len(s.ids) > 0 {
		u.runs[u.formula] = append(u.runs[u.formula], s)
	}
}

// blockAtoms is how many atoms' coefficients are written at a time, so that they stay in the cache.
const blockAtoms = 1 << 10

// into sets the terms of one atom of a network, in its memory where that suffices.
func (u *unaryTerms) into(net *network.Network) {
	net.UnaryStart = grow.To(net.UnaryStart, u.atoms*u.replicas+1)
	net.Unary = grow.To(net.Unary, u.size())
	net.UnaryStart[0] = 0
	for first := 0; first < u.atoms*u.replicas; first += u.atoms {
		for lo := 0; lo < u.atoms; lo += blockAtoms {
			u.write(net, first, lo, min(lo+blockAtoms, u.atoms))
		}
	}
}

// size returns the number of terms.
func (u *unaryTerms) size() int {
	n := 0
	for f, v := range u.vectors {
		for _, k := range v {
			if k != 0 {
				n += u.replicas
			}
		}
		for i := range u.runs[f] {
			n += len(u.runs[f][i].ids)
		}
	}
	return n
}

// write writes the terms of the atoms lo to hi of the replica that begins at a first atom. Those before are written.
func (u *unaryTerms) write(net *network.Network, first, lo, hi int) {
	u.take(uint32(first + hi))
	begin := uint32(first + lo)
	at := net.UnaryStart[first+lo+1:][:hi-lo] // by atom: the number of its terms, where they begin, where they end
	clear(at)
	for _, v := range u.vectors {
		if v != nil {
			countVector(at, v[lo:hi])
		}
	}
	for i := range u.parts {
		p := &u.parts[i]
		for _, id := range p.ids {
			at[p.first+id-begin]++
		}
	}
	end := net.UnaryStart[begin]
	for a, n := range at {
		at[a] = end
		end += n
	}
	parts := u.parts
	for f, v := range u.vectors {
		if v != nil {
			writeVector(net.Unary, at, uint32(f), v[lo:hi])
		}
		for ; len(parts) > 0 && parts[0].formula == uint32(f); parts = parts[1:] {
			parts[0].write(net.Unary, at, begin)
		}
	}
}

// take moves what the runs have of atoms before hi to the parts.
func (u *unaryTerms) take(hi uint32) {
	u.parts = u.parts[:0]
	for f, list := range u.runs {
		for u.next[f] < len(list) {
			s := &list[u.next[f]]
			n := s.before(hi)
			if n > 0 {
				u.parts = append(u.parts, formulaRun{uint32(f), s.cut(n)})
			}
			if len(s.ids) > 0 {
				break
			}
			u.next[f]++
		}
	}
}

// before returns how many of a run's atoms are before one.
func (s *sparseRun) before(hi uint32) int {
	switch n := len(s.ids); {
	case s.first >= hi:
		return 0
	case s.first+s.ids[n-1] < hi:
		return n
	}
	n, _ := slices.BinarySearch(s.ids, hi-s.first)
	return n
}

// cut takes the first n terms of a run away and returns them.
func (s *sparseRun) cut(n int) sparseRun {
	head := *s
	head.ids, s.ids = s.ids[:n], s.ids[n:]
	if s.n != nil {
		head.n, s.n = s.n[:n], s.n[n:]
	}
	return head
}

// write writes the coefficients of the terms, where those of each atom from begin on are to go on.
func (p *formulaRun) write(coefs []network.Coef, at []uint32, begin uint32) {
	shift := p.first - begin
	if p.n == nil {
		for _, id := range p.ids {
			place := &at[id+shift]
			coefs[*place] = network.Coef{Formula: p.formula, Mult: p.sign}
			*place++
		}
		return
	}
	n := p.n[:len(p.ids)]
	for i, id := range p.ids {
		place := &at[id+shift]
		coefs[*place] = network.Coef{Formula: p.formula, Mult: p.sign * n[i]}
		*place++
	}
}

// countVector counts by atom the coefficients that are not 0.
func countVector(at []uint32, counts []int64) {
	for a, n := range counts {
		if n != 0 {
			at[a]++
		}
	}
}

// writeVector writes the coefficients of a formula that are not 0, by atom, where the atom's are to go on.
func writeVector(coefs []network.Coef, at []uint32, formula uint32, counts []int64) {
	for a, n := range counts {
		if n != 0 {
			coefs[at[a]] = network.Coef{Formula: formula, Mult: n}
			at[a]++
		}
	}
}
