package grow

import (
	"cmp"
	"math"
	"slices"

	"resolwe/internal/elementary"
	"resolwe/kernels/features"
)

// Folds is the number of folds for judging gains and stopping rules.
const Folds = 5

// Rows are query atoms of known truth. Columns of the matrix are measures: a candidate's value for an atom is in one of a few bins.
type Rows struct {
	*features.Matrix

	Fold       []uint8 // by row
	Candidates []int   // by column
}

// mostBins is the number of bins of a column: one for no value, and sixteen quantiles.
const mostBins = 17

// Gains returns, by candidate, how many nats its best column adds to the log-likelihood of held-out rows by shifting the log-odds in each
// bin. It is computed to second order; each fold uses the shifts fitted on the others.
func (r *Rows) Gains(logOdds []float64, candidates int) []float64 {
	type sums struct{ slope, curve float64 }
	rows := make([]sums, len(logOdds))
	var folds [Folds]sums
	for i, z := range logOdds {
		p := elementary.Sigmoid(z)
		rows[i] = sums{-p, p * (1 - p)}
		if r.Truth[i] {
			rows[i].slope++
		}
		folds[r.Fold[i]].slope += rows[i].slope
		folds[r.Fold[i]].curve += rows[i].curve
	}
	out := make([]float64, candidates)
	for i := range out {
		out[i] = math.Inf(-1)
	}
	for at, c := range r.Columns {
		var of [Folds][mostBins]sums
		for f := range of {
			of[f][0] = folds[f]
		}
		for k, i := range c.Rows {
			fold, row := &of[r.Fold[i]], rows[i]
			b := &fold[c.Levels[k]]
			b.slope, b.curve = b.slope+row.slope, b.curve+row.curve
			fold[0] = sums{fold[0].slope - row.slope, fold[0].curve - row.curve}
		}
		gain := 0.
		for b := range mostBins {
			all := sums{}
			for f := range of {
				all.slope, all.curve = all.slope+of[f][b].slope, all.curve+of[f][b].curve
			}
			for f := range of {
				own := of[f][b]
				d := (all.slope - own.slope) / (all.curve - own.curve + 1)
				gain += float64(own.slope*d) - float64(own.curve*d*d/2)
			}
		}
		out[r.Candidates[at]] = max(out[r.Candidates[at]], gain)
	}
	return out
}

// Order decides which probes come next.
type Order struct {
	Plans   [][]Plan // by candidate
	History History
	Costs   Costs
	sample  []*Replay // of subgraphs on which costs are measured
}

// NewOrder returns an empty order. The costs are measured on the sample of replays.
func NewOrder(plans [][]Plan, costs Costs, sample []*Replay) *Order {
	return &Order{Plans: plans, Costs: costs, sample: sample}
}

// Available reports whether all groundings of a candidate have been fetched.
func (o *Order) Available(candidate int) bool {
	return slices.ContainsFunc(o.Plans[candidate], func(p Plan) bool { return len(o.History.Lacks(p)) == 0 })
}

// would returns the mean cost of a step.
func (o *Order) would(step Step) (sum float64) {
	for _, r := range o.sample {
		sum += r.Would(step, o.Costs).Cost
	}
	return sum / float64(len(o.sample))
}

// least returns a lower bound for the cost of a step: that of the calls for what is known now, counting probes that ask the same once.
func (o *Order) least(step Step) (sum float64) {
	for _, r := range o.sample {
		most := map[[2]int]float64{}
		for i := range step {
			p := &step[i]
			key := [2]int{p.Pred, p.At}
			most[key] = max(most[key], o.Costs.Of(p, len(r.Ask(p, r.fixed(p), true)), 0))
		}
		for i := range step { // in order
			key := [2]int{step[i].Pred, step[i].At}
			sum += most[key]
			most[key] = 0
		}
	}
	return sum / float64(len(o.sample))
}

// bundle is the probes that a candidate lacks.
type bundle struct {
	step Step
	cost float64
	gain float64 // the greatest of the candidates that lack it
}

// bundles returns what candidates lack, without duplicates.
func (o *Order) bundles(gains []float64) (out []bundle) {
	for c, plans := range o.Plans {
		if o.Available(c) {
			continue
		}
		for _, plan := range plans {
			step := o.History.Lacks(plan)
			at := slices.IndexFunc(out, func(b bundle) bool { return slices.Equal(b.step, step) })
			if at < 0 {
				at = len(out)
				out = append(out, bundle{step, math.NaN(), gains[c]})
			}
			out[at].gain = max(out[at].gain, gains[c])
		}
	}
	return out
}

// Next appends the bundle with the best ratio of gain to cost, and all probes that then cost nothing more. It reports false if nothing is
// lacking. It takes the first of equal ones, and the cheapest if none has a gain.
func (o *Order) Next(gains []float64) bool {
	list := o.bundles(gains)
	if len(list) == 0 {
		return false
	}
	slices.SortStableFunc(list, func(a, b bundle) int { return cmp.Compare(b.gain, a.gain) })
	best := &list[0]
	best.cost = o.would(best.step)
	better := func(a, b *bundle) bool {
		if (a.gain > 0) != (b.gain > 0) {
			return a.gain > 0
		}
		if a.gain > 0 {
			return float64(a.gain*b.cost) > float64(b.gain*a.cost)
		}
		return a.cost < b.cost
	}
	for i := 1; i < len(list); i++ {
		b := &list[i]
		if b.cost = o.least(b.step); better(b, best) {
			if b.cost = o.would(b.step); better(b, best) {
				best = b
			}
		}
	}
	o.take(best.step)
	return true
}

// Pick appends the bundle that choose returns, an index below n.
func (o *Order) Pick(choose func(n int) int) bool {
	list := o.bundles(make([]float64, len(o.Plans)))
	if len(list) == 0 {
		return false
	}
	o.take(list[choose(len(list))].step)
	return true
}

// Rest appends everything that is lacking as one step, adding the cheapest plan of each candidate in turn.
func (o *Order) Rest() {
	from := len(o.History)
	none := make([]float64, len(o.Plans))
	for o.Next(none) {
		continue
	}
	if from == len(o.History) {
		return
	}
	// Joined in one step, the probes of a hop bind at least as much as in separate steps.
	var all Step
	for _, step := range o.History[from:] {
		all = all.with(step)
	}
	o.History = append(o.History[:from], all)
}

// with returns the probes of two steps by hop, without duplicates.
func (s Step) with(o Step) Step {
	out := slices.Concat(s, o)
	slices.SortFunc(out, compareProbes)
	return slices.Compact(out)
}

// take makes a step on the sample, together with the probes that candidates lack and that cost nothing more.
func (o *Order) take(step Step) {
	for _, r := range o.sample {
		r.Step(step, o.Costs)
	}
	o.History = append(o.History, step)
	at := len(o.History) - 1
	for {
		list := o.bundles(make([]float64, len(o.Plans)))
		free := slices.IndexFunc(list, func(b bundle) bool {
			return !slices.ContainsFunc(o.sample, func(r *Replay) bool { return r.Would(b.step, o.Costs).Cost > 0 })
		})
		if free < 0 {
			return
		}
		for _, r := range o.sample {
			r.Step(list[free].step, o.Costs)
		}
		o.History[at] = o.History[at].with(list[free].step)
	}
}
