package selection

import (
	"fmt"
	"math"

	"resolwe/internal/elementary"
)

// Criterion decides which formulas are kept.
type Criterion uint8

// The criteria of docs/methods.md. The zero value is none.
const (
	// Paper keeps a formula whose average probability is above theta.
	Paper Criterion = iota + 1
	// Lift is the number of true selected groundings over the number expected under the default distribution.
	Lift
	// KL is the divergence of the truth patterns of selected groundings from the default distribution, in nats.
	KL
	// LLR is the signed root of Dunning's log-likelihood ratio of selected against other groundings.
	LLR
	// Gain keeps what adds most to the likelihood of held-out atoms: see package gain. Statistics have no value under it.
	Gain
)

var criteria = [...]struct {
	name  string
	theta float64
	value func(*Stat) float64
}{
	Paper: {"paper", 0.4, (*Stat).mean},
	Lift:  {"lift", 1.5, (*Stat).lift},
	KL:    {"kl", 0.05, (*Stat).kl},
	LLR:   {"llr", 3.29, (*Stat).llr},
	Gain:  {"gain", 0, (*Stat).mean},
}

// String returns the criterion's name.
func (c Criterion) String() string { return criteria[c].name }

// Theta returns the criterion's default threshold.
func (c Criterion) Theta() float64 { return criteria[c].theta }

// ParseCriterion returns the criterion with a name.
func ParseCriterion(name string) (Criterion, error) {
	for c := Paper; c <= Gain; c++ {
		if criteria[c].name == name {
			return c, nil
		}
	}
	return 0, fmt.Errorf("unknown criterion %q: gain, paper, lift, kl or llr", name)
}

// Value returns a statistic's score under a criterion, NaN if undefined. To be compared with the default distribution, there must be selected
// groundings, other groundings, and true ones expected.
func (s *Stat) Value(c Criterion) float64 {
	if (c == Lift || c == KL || c == LLR) && (s.Selected == 0 || s.all == s.Selected || s.Expected.Value() == 0) {
		return math.NaN()
	}
	return criteria[c].value(s)
}

// Keep reports whether a statistic is above the threshold.
func (s *Stat) Keep(c Criterion, t Threshold) bool {
	if c == Paper {
		return s.Mean.Exceeds(t) // exactly
	}
	v := s.Value(c)
	if c == LLR {
		v = math.Abs(v)
	}
	return v > t.Value
}

func (s *Stat) mean() float64 { return s.Mean.Value() }

// lift divides the true selected groundings by those expected.
func (s *Stat) lift() float64 { return float64(s.True) / s.Expected.Value() }

// kl sums over the truth patterns of the selected groundings; 0 ln 0 = 0.
func (s *Stat) kl() float64 {
	sum, n := 0.0, float64(s.Selected)
	for _, p := range s.patterns {
		if p.selected > 0 {
			sum += float64(float64(p.selected) / n * elementary.Log(float64(p.selected)/p.expected.Value()))
		}
	}
	return sum
}

// llr compares the selected groundings with the others.
func (s *Stat) llr() float64 {
	k, n := float64(s.True), float64(s.Selected)
	k2, n2 := float64(s.allTrue-s.True), float64(s.all-s.Selected)
	return math.Copysign(math.Sqrt(Dunning(k, n, k2, n2)), k/n-k2/n2)
}

// Dunning returns G2, the log-likelihood ratio of k1 of n1 against k2 of n2 (Dunning, 1993), at least 0.
func Dunning(k1, n1, k2, n2 float64) float64 {
	p := (k1 + k2) / (n1 + n2)
	g := logL(k1/n1, k1, n1) + logL(k2/n2, k2, n2) - logL(p, k1, n1) - logL(p, k2, n2)
	return max(2*g, 0)
}

// logL is k ln p + (n - k) ln(1 - p), with 0 ln 0 = 0.
func logL(p, k, n float64) float64 {
	sum := 0.0
	if k > 0 {
		sum += float64(k * elementary.Log(p))
	}
	if n > k {
		sum += float64((n - k) * elementary.Log1p(-p))
	}
	return sum
}
