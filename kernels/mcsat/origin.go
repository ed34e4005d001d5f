package mcsat

import (
	"math/rand/v2"

	"resolwe/kernels/loglinear"
)

// origin is the start of a chain: far from those of other chains, so that chains that do not mix disagree.
type origin struct {
	atoms, groups uint64 // seeds
	chain         int
}

// originsOf draws the origins of the chains.
func originsOf(chains []*rand.Rand) []origin {
	out := make([]origin, len(chains))
	for i, r := range chains {
		out[i] = origin{r.Uint64(), 0, i}
		out[i].groups = out[i&^3].atoms
		out[i].atoms = out[i&^1].atoms
	}
	return out
}

// set sets x: the third and fourth chains start with all atoms false and true, others at random, every second one opposite to the one
// before. Groups have different values in any four chains.
func (o *origin) set(x []bool, m *loglinear.Model) {
	opposite := -uint64(o.chain & 1)
	source := rand.NewPCG(o.atoms, 0)
	bits := uint64(0)
	for a := range x {
		if a%64 == 0 {
			if bits = opposite; o.chain/2 != 1 {
				bits ^= source.Uint64()
			}
		}
		x[a] = bits&1 == 1
		bits >>= 1
	}
	values := rand.New(rand.NewPCG(o.groups, 1))
	for _, g := range m.Scope.Groups {
		atoms, n := valuesOf(m, g)
		v := (values.IntN(n) + o.chain&3) % n
		for i, a := range atoms {
			x[a] = i == v
		}
	}
}

// valuesOf returns the atoms of a group and its number of values.
func valuesOf(m *loglinear.Model, g uint32) (atoms []uint32, n int) {
	atoms = m.Groups.Atoms(g)
	if n = len(atoms); !m.Groups.ExactlyOne(g) {
		n++
	}
	return atoms, n
}
