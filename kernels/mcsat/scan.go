package mcsat

import (
	"math/rand/v2"

	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
)

// adaptiveScan holds the atoms that the burn-in found undecided. In a network with bilinear factors most atoms hardly ever change, and the
// few others change slowly, together: extra sweeps over these are cheap and mix them.
type adaptiveScan struct {
	until    int       // steps of burn-in, after which the choice is fixed
	seen     int       // number of watched steps
	variance []float64 // by atom: sum of its variances
	atoms    []uint32
	sweeps   int // over the undecided atoms, in each step
}

const (
	undecidedVariance = 0.01 // least mean variance of an undecided atom
	undecidedShare    = 0.25 // largest cost of the sweeps over undecided atoms, as a fraction of a full sweep
	undecidedSweeps   = 8
	undecidedPeriod   = 4 // steps of burn-in for each watched one
)

func (l *adaptiveScan) begin(m *loglinear.Model, burnIn int) {
	l.until, l.seen, l.atoms, l.sweeps = 0, 0, l.atoms[:0], 0
	if m.Batched() {
		l.until = burnIn
		l.variance = grow.Zeroed(l.variance, m.Net.NumAtoms)
	}
}

// watches reports whether to watch a step, which then needs sums.
func (l *adaptiveScan) watches(step int) bool {
	return step < l.until && (step%undecidedPeriod == 0 || step == l.until-1)
}

// watch learns from a step of burn-in; the last one makes the choice.
func (l *adaptiveScan) watch(m *loglinear.Model, step int, sums []float64, passes int) {
	if step >= l.until {
		return
	}
	l.seen++
	scale := 1 / float64(passes)
	full, part := 0, 0
	for _, a := range m.Scope.Atoms {
		p := float64(sums[a] * scale)
		l.variance[a] += float64(p * (1 - p))
		if step < l.until-1 {
			continue
		}
		cost := 1 + m.Couplings.Degree(a) + m.Bilinear.Degree(a)
		full += cost
		if l.variance[a] > undecidedVariance*float64(l.seen) {
			part += cost
			l.atoms = append(l.atoms, a)
		}
	}
	if part > 0 {
		l.sweeps = min(undecidedSweeps, int(undecidedShare*float64(full)/float64(part)))
	}
}

// sweepUndecided draws the undecided atoms more often, and replaces the step's contribution to their sums by the mean over all its draws.
func (c *Chain) sweepUndecided(r *rand.Rand) {
	l := &c.scan
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
