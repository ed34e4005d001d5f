package mcsat

// Verdict is what the samples say of one atom.
type Verdict struct{ Marginal, RHat, ESS, Error float64 }

// Mixed feeds samples, by chain, time and atom, to records and mixes them. An atom that does not vary has a marginal alone.
// It also returns the length of a batch and how many of them each chain has.
func Mixed(chains [][][]float64) (out []Verdict, length, batches int) {
	n := len(chains[0][0])
	atoms := make([]uint32, n)
	for i := range atoms {
		atoms[i] = uint32(i)
	}
	var x mixing
	x.reset(atoms)
	var r record
	for _, samples := range chains {
		r.reset(atoms)
		for _, s := range samples {
			if until := r.untilPaired(); until < 1 {
				panic("kernels/mcsat: no samples until batches are paired")
			}
			r.add(s, 1)
		}
		x.merge(&r)
	}
	marginals := make([]float64, n)
	x.marginals(marginals)
	for i, p := range marginals {
		v, _ := x.atom(i)
		out = append(out, Verdict{p, v.rHat, v.ess, v.err})
	}
	return out, x.length, x.batches
}
