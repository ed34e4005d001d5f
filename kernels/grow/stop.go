package grow

import (
	"math"
	"slices"

	"resolwe/internal/elementary"
	"resolwe/kernels/rank"
)

// Point is the state of a center after a step.
type Point struct {
	Spent    // so far
	Features Features
	AP, CLL  float64
}

// Trace is a center after each step, from nothing fetched to everything.
type Trace struct {
	Subgraph string
	Fold     int // below Folds
	Atoms    int // of known truth
	Ranked   bool
	Points   []Point
}

// Observe sets the features other than Pending, and the figures if the truth of some atoms is known.
func (p *Point) Observe(probabilities []float64, known []rank.Scored) (ranked bool) {
	p.Features = Features{Pending: p.Features[Pending], Atoms: float64(len(probabilities))}
	mean, entropy := 0., 0.
	for _, v := range probabilities {
		mean += v
		for _, q := range [...]float64{v, 1 - v} {
			if q > 0 {
				entropy -= float64(q * elementary.Log(q))
			}
		}
	}
	n := max(float64(len(probabilities)), 1)
	mean /= n
	squares := 0.
	for _, v := range probabilities {
		squares += float64((v - mean) * (v - mean))
	}
	p.Features[Entropy], p.Features[Spread] = entropy/n, math.Sqrt(squares/n)
	f := rank.Evaluate(known)
	p.AP, p.CLL = f.AveragePrecision, f.CLL
	return f.Ranked
}

// Loss is what a policy minimises.
type Loss uint8

// The losses of a center.
const (
	LossAP  Loss = iota // 1 minus the average precision; 0 for a center whose atoms are all true or all false
	LossCLL             // negative conditional log-likelihood
)

func (l Loss) of(t *Trace, k int) float64 {
	switch {
	case l == LossCLL:
		return -t.Points[k].CLL
	case t.Ranked:
		return 1 - t.Points[k].AP
	}
	return 0
}

// Rule says when a center has enough. Trees[k] estimates how much greater loss plus price will be after continuing with step k than after
// stopping; the center continues if this is negative.
type Rule struct {
	Lambda float64 // price of a unit of cost, in units of loss
	Trees  []*Tree
}

// Stops returns the number of steps after which a center stops.
func (r *Rule) Stops(t *Trace) int {
	k := 0
	for k < len(r.Trees) && r.Trees[k].Value(&t.Points[k].Features) < 0 {
		k++
	}
	return k
}

// Induce returns the rule for a price, and the number of steps after which each center stops according to trees that have not seen its
// fold. From the last step back, continuing is worth it if E[J(k+1) + lambda cost - L(k) | features] is negative; J(k) is the outcome of
// that decision.
func Induce(traces []*Trace, loss Loss, lambda float64) (*Rule, []int) {
	steps := len(traces[0].Points) - 1
	rule, stops := &Rule{lambda, make([]*Tree, steps)}, make([]int, len(traces))
	future, values := make([]float64, len(traces)), make([]float64, len(traces))
	for i, t := range traces {
		future[i], stops[i] = loss.of(t, steps), steps
	}
	var folds [Folds + 1][]int // all but one fold; the last: all
	for i, t := range traces {
		for f := range folds {
			if t.Fold != f {
				folds[f] = append(folds[f], i)
			}
		}
	}
	least := max(5, len(traces)/50)
	features := make([]Features, len(traces))
	for k := steps - 1; k >= 0; k-- {
		for i, t := range traces {
			features[i] = t.Points[k].Features
			future[i] += float64(lambda * (t.Points[k+1].Cost - t.Points[k].Cost))
			values[i] = future[i] - loss.of(t, k)
		}
		table := newTable(features)
		var trees [Folds + 1]*Tree
		for f := range trees {
			trees[f] = table.fit(folds[f], values, depth, least)
		}
		for i, t := range traces {
			if trees[t.Fold].Value(&features[i]) >= 0 {
				future[i], stops[i] = loss.of(t, k), k
			}
		}
		rule.Trees[k] = trees[Folds]
	}
	return rule, stops
}

// Sweep returns the rules for prices from high to low, omitting any that stops like the one before it, and where each stops.
func Sweep(traces []*Trace, loss Loss) (rules []*Rule, stops [][]int) {
	steps := len(traces[0].Points) - 1
	from, to, cost := 0., 0., 0.
	for _, t := range traces {
		from, to, cost = from+loss.of(t, 0), to+loss.of(t, steps), cost+t.Points[steps].Cost
	}
	unit := max(from-to, 1e-3*float64(len(traces))) / max(cost, 1e-300)
	for _, lambda := range prices {
		r, s := Induce(traces, loss, lambda*unit)
		if n := len(stops); n > 0 && slices.Equal(stops[n-1], s) {
			rules[n-1] = r
			stops[n-1] = s
			continue
		}
		rules, stops = append(rules, r), append(stops, s)
	}
	return rules, stops
}

// prices are the prices to try, as multiples of the loss saved by all look-ups over their cost: 2^6 to 2^-10, in quarters of a doubling near 1.
var prices = func() (out []float64) {
	v := 64.
	for v > 1./1024 {
		out = append(out, v)
		if v > 4 || v < 1./16 {
			v /= 2
		} else {
			v /= 1.189207115002721
		}
	}
	return append(out, 0)
}()

// Advance makes a step of a replay and appends the point after it. It looks ahead to the next step for Pending.
func (t *Trace) Advance(r *Replay, step, next Step, costs Costs) *Point {
	var p Point
	if n := len(t.Points); n > 0 {
		p.Spent = t.Points[n-1].Spent
	}
	p.Spent = p.Plus(r.Step(step, costs))
	p.Features[Pending] = float64(r.Pending(next, r.fixed))
	t.Points = append(t.Points, p)
	return &t.Points[len(t.Points)-1]
}
