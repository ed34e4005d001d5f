package gain

import (
	"cmp"
	"fmt"
	"slices"
)

// Options of a selection. Zero is the default.
type Options struct {
	Formulas  int     // columns at most; 60
	Depth     int     // literals of a rule at most; 3
	Support   int     // rows that a threshold or a rule must hold for, and not hold for, at least; 20
	Shrink    float64 // shrinkage of the weights; what held-out rows choose among 10, 30, 100, 300 and 1000
	Parsimony bool    // the smallest size whose held-out CLL is within one standard error of the best
	All       bool    // of Task.Choose: instead of a selection, the logarithms of all candidates
	Blocks    Blocks  // of Task.Choose: nil deals folds at random
	Scaled    bool    // of Extend: the weights of the selection keep their ratios

	families []Family // those that held-out rows choose from; all of them by default
	slack    float64  // share of its gain that a refit after an addition may leave
	period   int      // rounds of a path from one in which all gains are computed to the next

	// Run calls task(0) to task(n-1), any of them side by side; in turn by default.
	Run func(n int, task func(int))
	// Stop, unless nil, is asked now and then, by tasks side by side; from its first error on it returns one, which ends the
	// selection and is returned.
	Stop func() error
}

// each does tasks. Once Stop returns an error, which it returns, tasks end early, with results that mean nothing.
func (o *Options) each(n int, task func(int)) error {
	o.Run(n, func(i int) {
		if o.Stop() == nil {
			task(i)
		}
	})
	return o.Stop()
}

// filled returns the options with their defaults.
func (o *Options) filled() Options {
	d := *o
	d.Formulas, d.Depth, d.Support = cmp.Or(d.Formulas, 60), cmp.Or(d.Depth, 3), cmp.Or(d.Support, 20)
	d.slack, d.period = .1, 8
	if d.Run == nil {
		d.Run = func(n int, task func(int)) {
			for i := range n {
				task(i)
			}
		}
	}
	if d.Stop == nil {
		d.Stop = func() error { return nil }
	}
	return d
}

// shrinks are those that are tried.
func (o *Options) shrinks() []float64 {
	if o.Shrink > 0 {
		return []float64{o.Shrink}
	}
	return shrinks[:]
}

// exactRows is the most rows for which paths grow as well as they can, and all families are tried on all folds. On larger data
// what is saved makes no difference that held-out rows could tell.
const exactRows = 1 << 15

// Select grows the paths and chooses among them. The error is that of opt.Stop, or that there are too few or too many rows.
func (m *Matrix) Select(opt Options) (*Result, error) {
	o := opt.filled()
	if err := m.checkRows(); err != nil {
		return nil, err
	}
	if len(m.truth) <= exactRows { // where time is no matter
		o.slack, o.period = .01, 1
	}
	var all *path
	c, err := m.judged().choose(&o, func(f Family) { all = newPath(m.view(m.all()), f, &o, true) })
	if err != nil {
		return nil, err
	}
	res := &Result{Family: c.family, Shrink: o.shrinks()[c.shrink], BaseRate: m.BaseRate()}
	res.Size = min(c.size, len(all.found)) // that of all rows may be shorter than those of the folds
	return res, m.conclude(res, all, c.trials, res.Size, c.shrink, &o)
}

// mostRows is the most rows of a selection.
const mostRows = 1<<22 - 1

func (m *Matrix) checkRows() error {
	if n := len(m.truth); n < 1 || n > mostRows {
		return fmt.Errorf("selection by gain takes 1 to %d query atoms, not %d", mostRows, n)
	}
	return nil
}

// all returns the places of all rows.
func (m *Matrix) all() []uint32 {
	all := make([]uint32, len(m.truth))
	for i := range all {
		all[i] = uint32(i) // #nosec G115 -- at most 2^22 rows
	}
	return all
}

// contender is a family with what its trials say of each choice.
type contender struct {
	family  Family
	trials  []*trial // by fold
	choices []choice // by size, then shrinkage
}

// choice is a size and a shrinkage of a family.
type choice struct {
	*contender
	size   int
	shrink int       // index of what was tried
	units  []float64 // mean log-likelihoods
	cll    float64   // their mean
}

// sizes returns those that are judged.
func sizes(most int) (s []int) {
	for k := 0; k < most; k += max(1, min(10, k/5)) {
		s = append(s, k)
	}
	return append(s, most)
}

// choose grows a path of each family without each fold, and returns what predicts held-out rows best. Families that are clearly
// behind after the first folds are left out. It calls final, beside other tasks if it can, with the family that is chosen.
func (m *Matrix) choose(o *Options, final func(Family)) (best *choice, err error) {
	all, shrinks := m.contenders(o), len(o.shrinks())
	if err := m.try(all, 0, firstFolds, nil, o); err != nil {
		return nil, err
	}
	alive := all
	if len(m.truth) > exactRows && !m.forward { // where the first folds learn from less than the others
		alive = m.alive(all)
	}
	var other func()
	if len(alive) == 1 {
		other = func() { final(alive[0].family) }
	}
	if err := m.try(alive, firstFolds, Folds, other, o); err != nil {
		return nil, err
	}
	for _, of := range slices.Backward(alive) {
		c, margin := bestOf(of.choices), 0.0
		if len(m.names) < fewSubgraphs {
			margin = -float64(worthwhile * mean(of.choices[0].units))
		}
		switch {
		case o.Parsimony:
			c = smallest(of.choices, shrinks, c)
		case len(m.names) < fewSubgraphs:
			c = largest(of.choices, shrinks, c)
		}
		if best == nil || c.cll > best.cll+margin {
			best = c
		}
	}
	if other != nil {
		return best, nil
	}
	return best, o.each(1, func(int) { final(best.family) })
}

// contenders returns the families, the longest tasks first.
func (m *Matrix) contenders(o *Options) (all []*contender) {
	for _, f := range []Family{FamilyRules, FamilyThresholds, FamilyLogs} {
		if len(o.families) > 0 && !slices.Contains(o.families, f) {
			continue
		}
		of := &contender{family: f, trials: make([]*trial, Folds)}
		for _, size := range sizes(o.Formulas) {
			for w := range o.shrinks() {
				of.choices = append(of.choices, choice{contender: of, size: size, shrink: w, units: make([]float64, m.units)})
			}
		}
		all = append(all, of)
	}
	return all
}

// try grows and judges the trials of families without folds lo up to hi, and does another task, if it is not nil.
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
		t := m.newTrial(fold, func(v *view) *path { return newPath(v, of.family, o, false) })
		of.trials[fold] = t
		for i := range of.choices {
			if o.Stop() != nil {
				return
			}
			c := &of.choices[i]
			m.judge(t.rows, t.predict(c.size, c.shrink), c.units)
		}
	})
}

const (
	firstFolds = 1  // after which families may be left out
	behind     = 3. // standard errors of the difference by which one is behind
	leastUnits = 30 // that a standard error takes
)

// alive returns the families that are not behind the best one after the first folds.
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

func pick(values []float64, at []int32) []float64 {
	some := make([]float64, len(at))
	for i, u := range at {
		some[i] = values[u]
	}
	return some
}

func difference(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i, v := range a {
		d[i] = v - b[i]
	}
	return d
}

// worthwhile is the share of the log-loss of the unit clause alone that a family has to save beyond a simpler one where there
// are too few subgraphs to hold out: what is found in all of them need not carry over to another.
const worthwhile = .1

// bestOf returns the choice of greatest CLL, of equal ones the first.
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

// smallest returns the best choice of the smallest size that the best of all is not better than by a standard error of their
// difference over the judged subgraphs: what makes all sizes better in some years than in others does not count. Of each size there
// are so many shrinkages.
func smallest(list []choice, shrinks int, best *choice) *choice {
	for some := range slices.Chunk(list, shrinks) {
		small := bestOf(some)
		if d := difference(best.units, small.units); mean(d) <= standardError(d) {
			return small
		}
	}
	return best
}

// largest returns the best choice of the largest size that is within a standard error of the difference from the best of all: with
// few subgraphs, where held-out rows tell little of other subgraphs, a shrunk model of many columns is the safe one. Its cll is the
// best's.
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
