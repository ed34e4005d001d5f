package gain

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"

	"resolwe/internal/elementary"
	"resolwe/kernels/features"
)

// Options of a selection. The zero value is the default.
type Options struct {
	Formulas  int     // most columns; 60
	Depth     int     // most literals in a rule; 3
	Support   int     // fewest rows for which a threshold or rule must hold, and for which it must fail; features.LeastSupport of the true ones
	Shrink    float64 // shrinkage of the weights; by default held-out rows choose among 10, 30, 100, 300 and 1000
	Parsimony bool    // the smallest size whose held-out CLL is within one standard error of the best
	All       bool    // for Task.Choose: use the logarithms of all candidates instead of selecting
	Blocks    Blocks  // for Task.Choose: nil assigns folds at random
	Scaled    bool    // for Extend: keep the ratios of the selection's weights
	Gate      float64 // for Select: standard errors by which the chosen model must predict held-out rows better than the base rate; 0 for none

	families []Family // from which held-out rows choose; by default from all, and from the best with differences from means
	strict   float64  // gain of a column, in nats a row, for strictSize
	slack    float64  // share of its gain that the refit after adding a column may leave
	period   int      // rounds of a path between those that compute all gains

	// Done is called, from concurrent tasks, with the number of steps of [Options.Steps] done since the last call; may be nil.
	Done func(steps int)
	// Run calls task(0) to task(n-1), possibly concurrently; by default one after another.
	Run func(n int, task func(int))
	// Stop, unless nil, is called now and then, from concurrent tasks. Its first error ends the selection and is returned; later calls must
	// return an error too.
	Stop func() error

	Pace // for Task.Choose and Matrix.Select
}

// Pace ends a selection by time. The zero value never does.
type Pace struct {
	Used    func() float64 // share of the time that is used up; it never falls; from 1 on, paths end with the columns that they have; nil for never
	Workers int            // tasks that Options.Run runs at once; 0 for 1

	end   float64       // share at which a path ends
	cut   *atomic.Bool  // whether paths have ended by time
	tasks *atomic.Int64 // paths without a fold still to begin
}

// over reports whether paths end now.
func (p Pace) over() bool { return p.Used != nil && p.Used() >= p.end }

// part returns the pace of a part of the work, for a share of the time that is left.
func (p Pace) part(share float64) Pace {
	if p.Used != nil {
		now := p.Used()
		p.end = now + float64(share*max(0, p.end-now))
	}
	return p
}

// next returns the pace of one of the remaining paths without a fold, which share the time evenly.
func (p Pace) next() Pace {
	if p.Used == nil {
		return p
	}
	workers := int64(max(1, p.Workers))
	return p.part(1 / float64(max(1, (p.tasks.Add(-1)+workers)/workers)))
}

// trials is the share of the time for paths without a fold, which all have to be grown before that on all rows.
const trials = 2. / 3

// each runs tasks. Once Stop returns an error, tasks end early with meaningless results, and each returns that error.
func (o *Options) each(n int, task func(int)) error {
	var stopped atomic.Bool
	o.Run(n, func(i int) {
		switch {
		case stopped.Load():
		case o.Stop() != nil:
			stopped.Store(true)
		default:
			task(i)
		}
	})
	return o.Stop()
}

// work returns how fits compute.
func (o *Options) work() features.Work { return features.Work{Run: o.Run, Stop: o.Stop} }

// Steps returns the most columns that the paths of a selection can take.
func (o *Options) Steps() int {
	d := o.filled()
	return (trialed*Folds + 1) * d.Formulas // for each family without each fold, and once on all rows
}

// lazily is how many rounds pass between those that compute all gains, where time is short.
const lazily = 8

// filled returns the options with their defaults.
func (o *Options) filled() Options {
	d := *o
	d.Formulas, d.Depth, d.Support = cmp.Or(d.Formulas, 60), cmp.Or(d.Depth, 3), cmp.Or(d.Support, 20)
	d.slack, d.period = .1, lazily
	if d.Run == nil {
		d.Run = features.Alone.Run
	}
	if d.Done == nil {
		d.Done = func(int) {}
	}
	if d.Stop == nil {
		d.Stop = features.Alone.Stop
	}
	if d.cut == nil {
		d.end, d.cut, d.tasks = 1, new(atomic.Bool), new(atomic.Int64)
	}
	return d
}

// shrinks returns the shrinkages to try.
func (o *Options) shrinks() []float64 {
	if o.Shrink > 0 {
		return []float64{o.Shrink}
	}
	return shrinks[:]
}

// exactRows is the most rows for which paths take no shortcuts and all families are tried on all folds. On larger data held-out rows could
// not tell the difference.
const exactRows = 1 << 15

// Select grows the paths and chooses among them. The error is that of opt.Stop, or says that there are too few or too many rows.
func (m *Matrix) Select(opt Options) (*Result, error) {
	opt.Support = cmp.Or(opt.Support, m.LeastSupport())
	o := opt.filled()
	if err := m.checkRows(); err != nil {
		return nil, err
	}
	if len(m.Truth) <= exactRows { // few enough to take no shortcuts
		o.slack, o.period = .01, 1
	}
	offered := m.offered(&o)
	o.strict = elementary.Log(float64(max(1, offered))) / float64(len(m.Truth))
	var all *path
	c, err := m.judged().choose(&o, func(f family) { all = newPath(m.view(m.all()), f, &o, true) })
	if err != nil {
		return nil, err
	}
	size := 0
	res := &Result{Family: c.family.Family, Shrink: o.shrinks()[c.shrink], BaseRate: m.BaseRate(), Offered: offered, Cut: o.cut.Load()}
	if res.Gate = m.judged().gate(c); res.Gate.Passes(o.Gate) {
		size = c.size
	}
	if res.Size = all.length(size); res.Size == 0 { // the path on all rows may be shorter than those of the folds
		size = 0
	}
	return res, m.conclude(res, all, c.trials, size, c.shrink, &o)
}

// mostRows is the most rows of a selection.
const mostRows = 1<<22 - 1

func (m *Matrix) checkRows() error {
	if n := len(m.Truth); n < 1 || n > mostRows {
		return fmt.Errorf("selection by gain takes 1 to %d query atoms, not %d", mostRows, n)
	}
	return nil
}

// all returns the places of all rows.
func (m *Matrix) all() []uint32 {
	all := make([]uint32, len(m.Truth))
	for i := range all {
		all[i] = uint32(i) // #nosec G115 -- at most 2^22 rows
	}
	return all
}

// contender is a family with the results of its trials for each choice.
type contender struct {
	family  family
	trials  []*trial // by fold
	choices []choice // by size, strictSize first, then shrinkage
}

// choice is a size and a shrinkage of a family.
type choice struct {
	*contender
	size   int
	shrink int       // index in the shrinkages tried
	units  []float64 // mean log-likelihoods
	cll    float64   // their mean
}

// sizes returns the sizes to judge.
func sizes(most int) (s []int) {
	for k := 0; k < most; k += max(1, min(10, k/5)) {
		s = append(s, k)
	}
	return append(s, most)
}

// choose grows a path of each family without each fold, and returns the choice that predicts held-out rows best. It drops families clearly
// behind after the first folds. The best is tried once more with differences from means, if there are any. As it is the best by chance too,
// differences are taken only if they are surely better. It calls final with the chosen family, concurrently with other tasks if possible.
func (m *Matrix) choose(o *Options, final func(family)) (best *choice, err error) {
	all, again := m.contenders(o), 0
	if len(o.families) == 0 && m.relates() {
		again = 1
	}
	early := *o
	early.Pace = o.part(trials)
	o.tasks.Store(int64((len(all) + again) * Folds))
	o.Done((trialed - len(all) - again) * Folds * o.Formulas)
	if err := m.try(all, 0, firstFolds, nil, &early); err != nil {
		return nil, err
	}
	alive := all
	if len(m.Truth) > exactRows && !m.forward { // with blocks, the first folds learn from less than the others
		alive = m.alive(all)
		dropped := (len(all) - len(alive)) * (Folds - firstFolds)
		o.tasks.Add(int64(-dropped))
		o.Done(dropped * o.Formulas)
	}
	var other func()
	if len(alive)+again == 1 {
		other = func() { final(alive[0].family) }
	}
	if err := m.try(alive, firstFolds, Folds, other, &early); err != nil {
		return nil, err
	}
	for _, of := range slices.Backward(alive) {
		best = m.better(best, of, o)
	}
	if other != nil {
		return best, nil
	}
	if again > 0 {
		of := m.contender(family{best.family.Family, true}, o)
		if err := m.try([]*contender{of}, 0, Folds, nil, &early); err != nil {
			return nil, err
		}
		if c := m.better(nil, of, o); surely(c, best) {
			best = c
		}
	}
	return best, o.each(1, func(int) { final(best.family) })
}

// better returns the choice of a contender if it predicts held-out rows better than the best one of simpler families, nil for none, which it
// returns otherwise.
func (m *Matrix) better(best *choice, of *contender, o *Options) *choice {
	c, margin, shrinks := bestOf(of.choices), 0.0, len(o.shrinks())
	if len(m.Subgraphs) < fewSubgraphs {
		margin = -float64(worthwhile * mean(of.choices[shrinks].units))
	}
	switch {
	case o.Parsimony:
		c = smallest(of.choices[shrinks:], shrinks, c)
	case len(m.Subgraphs) < fewSubgraphs:
		c = largest(of.choices[shrinks:], shrinks, c)
	}
	if best == nil || c.cll > best.cll+margin {
		return c
	}
	return best
}

// trialed is the most families that are tried: each, and one with differences from means.
const trialed = 5

// contenders returns the families, slowest first.
func (m *Matrix) contenders(o *Options) (all []*contender) {
	for f := FamilyRules; f >= FamilyLogs; f-- {
		if wanted := slices.Contains(o.families, f); wanted || len(o.families) == 0 && (f != FamilyRanks || len(m.scales) > 0) {
			all = append(all, m.contender(family{Family: f}, o))
		}
	}
	return all
}

func (m *Matrix) contender(f family, o *Options) *contender {
	of := &contender{family: f, trials: make([]*trial, Folds)}
	for _, size := range append([]int{strictSize}, sizes(o.Formulas)...) {
		for w := range o.shrinks() {
			of.choices = append(of.choices, choice{contender: of, size: size, shrink: w, units: make([]float64, m.units)})
		}
	}
	return of
}

// try grows and judges the trials of families without folds lo up to hi, and runs another task unless it is nil.
func (m *Matrix) try(families []*contender, lo, hi int, other func(), o *Options) error {
	n := len(families) * (hi - lo)
	if other != nil {
		n++
	}
	return o.each(n, func(task int) {
		if other != nil {
			if task == 0 {
				other()
				return
			}
			task--
		}
		of, fold := families[task/(hi-lo)], lo+task%(hi-lo)
		own := *o
		own.Pace = o.next()
		t := m.newTrial(fold, func(v *view) *path { return newPath(v, of.family, &own, false) })
		of.trials[fold] = t
		_ = o.each(len(of.choices), func(i int) {
			c := &of.choices[i]
			m.judge(t.rows, t.predict(c.size, c.shrink), c.units)
		})
	})
}

const (
	firstFolds = 1  // after which families may be dropped
	behind     = 3. // standard errors of the difference at which a family is behind
	leastUnits = 30 // fewest units for a standard error
)

// alive returns the families not behind the best one after the first folds.
func (m *Matrix) alive(all []*contender) (alive []*contender) {
	var seen []int32
	for i, u := range m.unit {
		if m.fold[i] < firstFolds {
			seen = append(seen, u)
		}
	}
	slices.Sort(seen)
	seen = slices.Compact(seen)
	if len(seen) < leastUnits {
		return all
	}
	of, best := make([][]float64, len(all)), 0
	for f, c := range all {
		some := slices.Clone(c.choices)
		for i := range some {
			some[i].units = pick(some[i].units, seen)
		}
		of[f] = bestOf(some).units
		if mean(of[f]) > mean(of[best]) {
			best = f
		}
	}
	for f, c := range all {
		if d := difference(of[best], of[f]); f == best || mean(d) <= behind*standardError(d) {
			alive = append(alive, c)
		}
	}
	return alive
}

// worthwhile is the share of the unit clause's log-loss by which a family must beat a simpler one if there are too few subgraphs to hold
// any out: what is found in all of them need not generalise to another.
const worthwhile = .1

// bestOf returns the choice of greatest CLL, the first of equals.
func bestOf(list []choice) *choice {
	best := &list[0]
	for i := range list {
		c := &list[i]
		if c.cll = mean(c.units); c.cll > best.cll {
			best = c
		}
	}
	return best
}

// smallest returns the best choice of the smallest size within one standard error of the best, taken of the difference over the judged
// subgraphs, so that variation common to all sizes cancels. The list has a choice for each size and each of the shrinks shrinkages.
func smallest(list []choice, shrinks int, best *choice) *choice {
	for some := range slices.Chunk(list, shrinks) {
		small := bestOf(some)
		if d := difference(best.units, small.units); mean(d) <= standardError(d) {
			return small
		}
	}
	return best
}

// largest returns the best choice of the largest size within one standard error of the best, taken of the difference: with few subgraphs,
// whose held-out rows say little about others, a shrunk model of many columns is safest. It gets the cll of the best.
func largest(list []choice, shrinks int, best *choice) *choice {
	for i := len(list) - shrinks; list[i].size > best.size; i -= shrinks {
		c := bestOf(list[i : i+shrinks])
		if d := difference(best.units, c.units); mean(d) <= standardError(d) {
			c.cll = best.cll
			return c
		}
	}
	return best
}
