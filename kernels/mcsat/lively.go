package mcsat

import "math/rand/v2"

// lively are the atoms that the burn-in found undecided. In a network with products most atoms hardly ever change, and
// the few others change slowly, together: sweeps over these alone cost little and mix them.
type lively struct {
	until  int       // steps of burn-in, after which the choice stays
	seen   int       // of these
	doubt  []float64 // by atom: sum of the variances that were seen
	atoms  []uint32
	sweeps int // over them, in each step
}

const (
	livelyDoubt  = 0.01 // least mean variance of a lively atom
	livelyShare  = 0.25 // of what a full sweep costs, at most, for the sweeps over lively atoms
	livelySweeps = 8
	livelyPeriod = 4 // steps of burn-in, one of which is watched
)

func (l *lively) begin(m *Model, burnIn int) {
	l.until, l.seen, l.atoms, l.sweeps = 0, 0, l.atoms[:0], 0
	if m.hubbed() {
		l.until = burnIn
		l.doubt = zeroed(l.doubt, m.net.NumAtoms)
	}
}

// watches reports whether a step, whose sums then are wanted, is one to watch.
func (l *lively) watches(step int) bool {
	return step < l.until && (step%livelyPeriod == 0 || step == l.until-1)
}

// watch learns from a step of burn-in, the last of which makes the choice.
func (l *lively) watch(m *Model, step int, sums []float64, passes int) {
	if step >= l.until {
		return
	}
	l.seen++
	scale := 1 / float64(passes)
	full, part := 0, 0
	for _, a := range m.scope.atoms {
		p := sums[a] * scale
		l.doubt[a] += p * (1 - p)
		if step < l.until-1 {
			continue
		}
		cost := 1 + m.ties.degree(a) + m.hubs.degree(a)
		full += cost
		if l.doubt[a] > livelyDoubt*float64(l.seen) {
			part += cost
			l.atoms = append(l.atoms, a)
		}
	}
	if part > 0 {
		l.sweeps = min(livelySweeps, int(livelyShare*float64(full)/float64(part)))
	}
}

// sweepLively draws the lively atoms some more times. Their sums, begun with this step, become those of so many means
// over all draws.
func (c *Chain) sweepLively(r *rand.Rand) {
	l := &c.lively
	if l.sweeps == 0 {
		return
	}
	for range l.sweeps {
		for _, a := range l.atoms {
			c.sums[a] += c.drawSingle(a, r.Float64())
		}
	}
	scale := float64(c.passes) / float64(c.passes+l.sweeps)
	for _, a := range l.atoms {
		c.sums[a] *= scale
	}
}
