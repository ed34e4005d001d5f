package report

import (
	"math"

	"resolwe/format/origin"
)

// population corrects shares of the cases for how these were drawn. nil is the population of cases as they are.
type population struct {
	rate, sample float64 // shares of true cases, above 0 and below 1
	known        bool
}

// populationOf returns the population of a target's cases, of which a share is true here, and a rate in the population, or 0 for what the
// stream says; nil if all that were eligible are here.
func populationOf(o *origin.Origin, target string, sample, rate float64) *population {
	if !(sample > 0 && sample < 1) {
		return nil
	}
	if rate == 0 {
		if o == nil {
			return nil
		}
		var drawn bool
		if rate, drawn = o.Rate(target); !drawn {
			return nil
		}
	}
	return &population{rate, sample, rate > 0 && rate < 1}
}

// scale returns for how many true cases of the population one here stands, relative to the false ones.
func (p *population) scale() float64 {
	if p == nil || !p.known {
		return 1
	}
	return p.rate / (1 - p.rate) / (p.sample / (1 - p.sample))
}

// share returns the share of true cases in the population that corresponds to one among the cases, or such a probability.
func (p *population) share(v float64) float64 {
	k := p.scale()
	if k == 1 || math.IsNaN(v) {
		return v
	}
	return k * v / (float64(k*v) + 1 - v)
}
