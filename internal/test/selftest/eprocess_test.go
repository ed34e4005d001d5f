package selftest_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/selftest"
)

// distributions of a single observation, each with mean p.
var distributions = []struct {
	name string
	p    float64
	draw func(r *rand.Rand) float64
}{
	{"coin", 0.5, func(r *rand.Rand) float64 { return indicator(r.Float64() < 0.5) }},
	{"rare", 0.01, func(r *rand.Rand) float64 { return indicator(r.Float64() < 0.01) }},
	{"frequent", 0.97, func(r *rand.Rand) float64 { return indicator(r.Float64() < 0.97) }},
	{"two modes", 0.15, func(r *rand.Rand) float64 { return 0.05*r.Float64() + 0.9*indicator(r.Float64() < 0.125/0.9) }},
	{"narrow", 0.3, func(r *rand.Rand) float64 { return 0.299 + 0.002*r.Float64() }},
	{"always", 1, func(*rand.Rand) float64 { return 1 }},
}

func indicator(v bool) float64 {
	if v {
		return 1
	}
	return 0
}

// Of many bets on a true mean, at most a share q have a p-value of q or less, within four standard deviations.
func TestEProcess_FalseAlarms(t *testing.T) {
	t.Parallel()
	const seed, bets, observations = 1, 2000, 300
	t.Logf("seed %d", seed)
	for _, d := range distributions {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 0))
			alarms := map[float64]int{0.2: 0, 0.05: 0, 0.01: 0}
			for range bets {
				w := selftest.NewEProcess(d.p-1e-9, d.p+1e-9, observations)
				for range observations {
					w.Observe(d.draw(r))
				}
				for q := range alarms {
					if w.Level() <= q {
						alarms[q]++
					}
				}
			}
			for q, n := range alarms {
				if most := q*bets + 4*math.Sqrt(q*bets); float64(n) > most {
					t.Errorf("p <= %v: got %d of %d, want at most %.0f", q, n, bets, most)
				}
			}
		})
	}
}

// A mean 9 standard errors outside the range is detected, at a level below any that a self-test requires.
func TestEProcess_Power(t *testing.T) {
	t.Parallel()
	const seed, bets, z = 2, 100, 9
	t.Logf("seed %d", seed)
	for _, c := range []struct {
		name         string
		p, slack     float64
		observations int
	}{
		{"coin, many", 0.5, 0, 30_000},
		{"coin, few", 0.5, 0, 1500},
		{"slack", 0.3, 0.02, 4000},
		{"rare", 0.01, 0, 20_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 0))
			found, shift := 0, z*math.Sqrt(c.p*(1-c.p)/float64(c.observations))
			for i := range bets {
				sign := 1.0
				if i%2 == 0 && shift < c.p {
					sign = -1
				}
				truth := c.p + sign*(c.slack+shift)
				w := selftest.NewEProcess(c.p-c.slack, c.p+c.slack, c.observations)
				for range c.observations {
					w.Observe(indicator(r.Float64() < truth))
				}
				if w.Level() < selftest.FalseAlarm/1000 {
					found++
				}
			}
			check.AtLeast(t, found, bets*9/10, "found of %d", bets)
		})
	}
}

// A mean at the end of the range is within it.
func TestEProcess_Range(t *testing.T) {
	t.Parallel()
	for _, x := range []float64{0.2, 0.3, 0.4} {
		w := selftest.NewEProcess(0.2, 0.4, 1000)
		for range 1000 {
			w.Observe(x)
		}
		check.AtLeast(t, w.Level(), 1, "mean %v, p", x)
	}
}

func TestEProcess_Impossible(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		p, x float64
	}{
		{"above 1", 0.5, 1.001}, {"below 0", 0.5, -0.001}, {"no number", 0.5, math.NaN()}, {"infinite", 0.5, math.Inf(1)},
	} {
		w := selftest.NewEProcess(c.p, c.p, 10)
		if w.Observe(c.x); w.Level() != 0 {
			t.Errorf("%s: got p = %v, want 0", c.name, w.Level())
		}
	}
	for _, p := range []float64{0, 1} {
		w := selftest.NewEProcess(p-1e-9, p+1e-9, 1000)
		for range 60 {
			w.Observe(1 - p)
		}
		check.AtMost(t, w.Level(), 1e-12, "what never happens, 60 times, p")
	}
}
