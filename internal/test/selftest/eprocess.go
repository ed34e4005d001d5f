package selftest

import (
	"math"

	"resolwe/internal/elementary"
)

// eProcess tests whether the mean of independent observations between 0 and 1 lies within a range, by betting against it
// (Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, 2024). Two gamblers stake parts of their
// wealth on each observation, one betting that the mean is above the range and one that it is below. If it is within, their wealth
// is a supermartingale: by Ville's inequality (1939) it ever grows k-fold with a probability of at most 1/k, for any distribution
// and any number of observations. No variance is assumed, and no limit theorem is used.
//
// The stakes follow the variance seen so far. A mean outside the range by d is detected after about 2 v ln(1/p) / d^2 observations
// of variance v, as many as a z test of the same p needs.
type eProcess struct {
	low, high   float64 // the range
	center      float64
	planned     float64 // observations
	prior       float64 // variance of one imaginary observation before the others
	n           float64
	sum, square float64 // sums of the differences from the center, and of their squares
	up, down    float64 // logarithms of the gamblers' wealth
	best        float64 // logarithm of the largest joint wealth of both, who start with one half each
}

const (
	caution  = 0.9 // the largest share of its wealth that a gambler may lose at once
	evidence = 23  // logarithm of the wealth that stakes aim at: a p-value of 1e-10
)

// newEProcess returns an e-process against a mean between low and high, for about n observations.
func newEProcess(low, high float64, n int) eProcess {
	center := float64((low + high) / 2)
	return eProcess{
		low: max(0, low), high: min(1, high), center: center, planned: float64(n), prior: center * (1 - center) / 4,
	}
}

// eProcessAround returns an e-process against a mean within slack of p, plus the rounding of p.
func eProcessAround(p, slack float64, n int) eProcess {
	slack = max(slack, rounding)
	return newEProcess(p-slack, p+slack, n)
}

// observe adds the next observation. One outside 0 to 1 is itself a proof.
func (e *eProcess) observe(x float64) {
	if !(x >= -rounding && x <= 1+rounding) {
		e.best = math.Inf(1)
		return
	}
	x = min(max(x, 0), 1)
	mean := e.sum / (e.n + 1)
	variance := max((e.prior+e.square)/(e.n+1)-float64(mean*mean), 1e-12)
	stake := math.Sqrt(2 * evidence / (e.planned * variance))
	if e.high < 1 {
		e.up += elementary.Log1p(min(stake, caution/e.high) * (x - e.high))
	}
	if e.low > 0 {
		e.down += elementary.Log1p(min(stake, caution/(1-e.low)) * (e.low - x))
	}
	rich, poor := max(e.up, e.down), min(e.up, e.down)
	e.best = max(e.best, rich+elementary.Log1p(elementary.Exp(poor-rich))-math.Ln2)
	e.n++
	e.sum += x - e.center
	e.square += float64((x - e.center) * (x - e.center))
}

// level returns the p-value: an upper bound on the probability of becoming this rich or richer if the mean is within the range.
func (e *eProcess) level() float64 { return min(1, elementary.Exp(-e.best)) }

// deviation returns how far the mean of the observations is from the middle of the range.
func (e *eProcess) deviation() float64 { return math.Abs(e.sum) / max(e.n, 1) }
