package paperscale

// Internals under test.
var (
	Apportion   = apportion
	NewPowerLaw = newPowerLaw
	NewRand     = newRand
	Geometric   = geometric
	Pareto      = pareto
)

// Rank draws a rank.
func (p powerLaw) Rank(seed uint64, n int) []int {
	r := newRand(seed, 0)
	out := make([]int, n)
	for i := range out {
		out[i] = p.rank(r)
	}
	return out
}
