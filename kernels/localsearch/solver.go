package localsearch

import (
	"math"
	"math/rand/v2"

	"resolwe/kernels/exact"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// Solver finds the most probable state of a network, component by component: exactly if the component has a small junction tree,
// otherwise by search. The zero value is ready for use; its memory is reused.
type Solver struct {
	Always bool // search every component of two or more atoms
	Never  bool // search no component; one too large to solve exactly is an error

	model loglinear.Model
	tree  exact.Tree
	local Search
}

// Solve sets x to the most probable state of a network, and returns the number of atoms in searched components, and whether the hard
// constraints hold. next returns a separate random source for each try, given the component's first atom. The error is a
// *loglinear.UnsatisfiableError, an *exact.WidthError, or that of opt.Stop.
func (s *Solver) Solve(
	net *network.Network, weights []float64, x []bool, opt Options, next func(first uint32, try int) *rand.Rand,
) (searched int, holds bool, err error) {
	m, bound := &s.model, false
	m.Reset(net, weights)
	if err := m.Possible(); err != nil {
		return 0, false, err
	}
	holds = true
	for c := range m.Components.Len() {
		atoms := m.Components.Atoms(c)
		if m.Independent(atoms[0]) {
			x[atoms[0]] = leans(m, atoms[0])
			continue
		}
		if err := opt.Stop(); err != nil {
			return 0, false, err
		}
		if len(atoms) == 1 || !s.Always {
			err := s.tree.Bind(m, atoms, exact.MostEntries)
			if err == nil {
				if err := s.tree.Mode(x); err != nil {
					return 0, false, err
				}
				continue
			}
			if s.Never {
				return 0, false, err
			}
		}
		if !bound {
			s.local.Bind(m, x)
			bound = true
		}
		violated, err := s.local.Run(x, atoms, opt, func(try int) *rand.Rand { return next(atoms[0], try) })
		if err != nil {
			return 0, false, err
		}
		searched += len(atoms)
		holds = holds && violated == 0
	}
	return searched, holds, nil
}

// leans reports whether an isolated atom is more probably true than false, by more than rounding error.
func leans(m *loglinear.Model, a uint32) bool {
	size := 0.0
	for _, c := range m.Unary(a) {
		size += math.Abs(float64(m.Weights[c.Formula] * float64(c.Mult)))
	}
	return m.Bias[a] > max(1e-9, 1e-14*size)
}
