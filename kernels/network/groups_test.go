package network_test

import (
	"math/rand/v2"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/network"
)

// Planted groups are found among other clauses, and no false ones.
func TestGroups_Find(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var g network.Groups
	for range 200 {
		var (
			net  network.Network
			want [][]uint32
			one  []bool
		)
		for range r.IntN(5) {
			var cover []network.Lit
			var atoms []uint32
			for range 3 + r.IntN(4) {
				a := uint32(net.NumAtoms)
				for _, b := range atoms {
					net.Clauses = append(net.Clauses, []network.Lit{network.NewLit(b, true), network.NewLit(a, true)})
				}
				atoms, cover = append(atoms, a), append(cover, network.NewLit(a, false))
				net.NumAtoms++
			}
			want, one = append(want, atoms), append(one, r.IntN(2) == 0)
			if one[len(one)-1] {
				net.Clauses = append(net.Clauses, cover)
			}
		}
		planted := net.NumAtoms
		net.NumAtoms += 3
		for range r.IntN(20) { // clauses that form no group
			a, b := uint32(planted+r.IntN(3)), uint32(r.IntN(planted+1))
			if a != b {
				net.Clauses = append(net.Clauses, []network.Lit{network.NewLit(min(a, b), r.IntN(2) == 0), network.NewLit(max(a, b), false)})
			}
		}
		r.Shuffle(len(net.Clauses), func(i, j int) { net.Clauses[i], net.Clauses[j] = net.Clauses[j], net.Clauses[i] })
		g.Find(&net, nil)
		check.Equal(t, "groups", g.Len(), len(want))
		for i, atoms := range want {
			k := g.Of(atoms[0])
			check.Equal(t, "atoms", g.Atoms(k), atoms)
			check.Equal(t, "exactly one", g.ExactlyOne(k), one[i])
		}
		made := 0
		for i, c := range net.Clauses {
			if g.Makes(i, c) {
				made++
			}
		}
		for i, atoms := range want {
			made -= len(atoms) * (len(atoms) - 1) / 2
			if one[i] {
				made--
			}
		}
		check.Equal(t, "clauses that make groups beyond those planted", made, 0)
		for a := planted; a < net.NumAtoms; a++ {
			check.Equal(t, "group of another atom", g.Of(uint32(a)), uint32(network.Unset))
		}
		if len(want) > 0 { // an atom to skip
			g.Find(&net, func(a uint32) bool { return a == want[0][0] })
			if g.Of(want[0][0]) != network.Unset {
				t.Errorf("an atom is in a group that was to be in none")
			}
		}
	}
}
