package gain

import "slices"

// choice is the family, size and shrinkage that predict held-out rows best.
type choice struct {
	family Family
	size   int
	shrink int      // index of what was tried
	trials []*trial // of the family, by fold
	units  []float64
	cll    float64
}

// sizes returns those that are judged.
func sizes(most int) (s []int) {
	for k := 0; k < most; k += max(1, min(10, k/5)) {
		s = append(s, k)
	}
	return append(s, most)
}

// race is the trials of families, of which those that fall behind are not finished.
type race struct {
	*Matrix
	opt    *Options
	family []Family // the longest tasks first
	trials [][]*trial
	units  [][][][]float64 // by family, size, shrinkage and unit: mean log-likelihood
	grid   []int           // sizes
}

// choose grows a path of each family without each fold. Families that are clearly behind after the first folds are left out.
// It calls final, beside other tasks if it can, with the family that is chosen.
func (m *Matrix) choose(o *Options, final func(Family)) (choice, error) {
	r := m.newRace(o)
	if err := r.run(r.family, 0, firstFolds, nil); err != nil {
		return choice{}, err
	}
	alive := r.family
	if len(m.truth) > exactRows {
		alive = r.alive()
	}
	var other func()
	if len(alive) == 1 {
		other = func() { final(alive[0]) }
	}
	if err := r.run(alive, firstFolds, Folds, other); err != nil {
		return choice{}, err
	}
	var best choice
	for f, family := range slices.Backward(r.family) {
		if !slices.Contains(alive, family) {
			continue
		}
		c := bestOf(r.units[f], r.grid, o.Parsimony)
		margin := 0.0
		if len(m.names) < fewSubgraphs {
			margin = -float64(worthwhile * mean(r.units[f][0][0]))
			if !o.Parsimony {
				c = largest(r.units[f], r.grid, c)
			}
		}
		c.family, c.trials = family, r.trials[f]
		if best.units == nil || c.cll > best.cll+margin {
			best = c
		}
	}
	if other != nil {
		return best, nil
	}
	return best, o.each(1, func(int) { final(best.family) })
}

func (m *Matrix) newRace(o *Options) *race {
	r := &race{Matrix: m, opt: o, family: []Family{FamilyRules, FamilyThresholds, FamilyLogs}, grid: sizes(o.Formulas)}
	if len(o.families) > 0 {
		r.family = slices.DeleteFunc(r.family, func(f Family) bool { return !slices.Contains(o.families, f) })
	}
	for range r.family {
		r.trials = append(r.trials, make([]*trial, Folds))
		units := make([][][]float64, len(r.grid))
		for s := range units {
			for range o.shrinks() {
				units[s] = append(units[s], make([]float64, m.units))
			}
		}
		r.units = append(r.units, units)
	}
	return r
}

// run grows and judges the trials of families without folds lo up to hi, and does another task, if it is not nil.
func (r *race) run(families []Family, lo, hi int, other func()) error {
	n := len(families) * (hi - lo)
	if other != nil {
		n++
	}
	return r.opt.each(n, func(task int) {
		if other != nil {
			if task == 0 {
				other()
				return
			}
			task--
		}
		f := slices.Index(r.family, families[task/(hi-lo)])
		t := r.newTrial(lo+task%(hi-lo), func(v *view) *path { return newPath(v, r.family[f], r.opt, false) })
		r.trials[f][lo+task%(hi-lo)] = t
		for s, size := range r.grid {
			if r.opt.Stop() != nil {
				return
			}
			for w := range r.opt.shrinks() {
				r.judge(t.rows, t.predict(size, w), r.units[f][s][w])
			}
		}
	})
}

const (
	firstFolds = 2  // after which families may be left out
	behind     = 3. // standard errors of the difference by which one is behind
	leastUnits = 30 // that a standard error takes
)

// alive returns the families that are not behind the best one after the first folds.
func (r *race) alive() []Family {
	var seen []int32
	for i, u := range r.unit {
		if r.fold[i] < firstFolds {
			seen = append(seen, u)
		}
	}
	slices.Sort(seen)
	seen = slices.Compact(seen)
	if len(seen) < leastUnits {
		return r.family
	}
	of, best := make([][]float64, len(r.family)), 0
	for f, units := range r.units {
		some := make([][][]float64, len(units))
		for s := range units {
			for _, u := range units[s] {
				some[s] = append(some[s], pick(u, seen))
			}
		}
		of[f] = bestOf(some, r.grid, false).units
		if mean(of[f]) > mean(of[best]) {
			best = f
		}
	}
	var alive []Family
	for f, family := range r.family {
		d := difference(of[best], of[f])
		if f == best || mean(d) <= behind*standardError(d) {
			alive = append(alive, family)
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

// largest returns the largest size that is within a standard error of the difference from the best: with few subgraphs,
// where held-out rows tell little of other subgraphs, a shrunk model of many columns is the safe one. Its cll is the best's.
func largest(units [][][]float64, grid []int, best choice) choice {
	for s := len(units) - 1; grid[s] > best.size; s-- {
		c := bestOf(units[s:s+1], grid[s:s+1], false)
		if d := difference(best.units, c.units); mean(d) <= standardError(d) {
			c.cll = best.cll
			return c
		}
	}
	return best
}

// bestOf returns the size and the shrinkage of greatest CLL, of equal ones the first; with parsimony the smallest size
// that is within a standard error of it.
func bestOf(units [][][]float64, grid []int, parsimony bool) choice {
	var best choice
	for s := range units {
		for w, u := range units[s] {
			if cll := mean(u); best.units == nil || cll > best.cll {
				best = choice{size: grid[s], shrink: w, units: u, cll: cll}
			}
		}
	}
	if !parsimony {
		return best
	}
	bar := best.cll - standardError(best.units)
	for s := range units {
		small := bestOf(units[s:s+1], grid[s:s+1], false)
		if small.cll >= bar {
			return small
		}
	}
	return best
}
