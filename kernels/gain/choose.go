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

// choose grows a path of each family without each fold.
func (m *Matrix) choose(o *Options) (choice, error) {
	families := []Family{FamilyRules, FamilyThresholds, FamilyLogs} // the longest tasks first
	if len(o.Families) > 0 {
		families = slices.DeleteFunc(families, func(f Family) bool { return !slices.Contains(o.Families, f) })
	}
	trials := make([]*trial, len(families)*Folds)
	units := make([][][][]float64, len(families)) // by family, size, shrinkage and unit
	grid := sizes(o.Formulas)
	for f := range units {
		units[f] = make([][][]float64, len(grid))
		for s := range grid {
			units[f][s] = make([][]float64, len(o.shrinks()))
			for w := range units[f][s] {
				units[f][s][w] = make([]float64, m.units)
			}
		}
	}
	err := o.Run(len(trials), func(task int) {
		family, fold := task/Folds, task%Folds
		t := m.newTrial(fold, families[family], o)
		trials[task] = t
		z := make([]float64, len(t.rows))
		for s, size := range grid {
			for w := range o.shrinks() {
				m.judge(t, t.predict(z, size, w), units[family][s][w])
			}
		}
	})
	if err != nil {
		return choice{}, err
	}
	var best choice
	for f, family := range slices.Backward(families) {
		c := bestOf(units[f], grid, o.Parsimony)
		c.family, c.trials = family, trials[f*Folds:(f+1)*Folds]
		if best.units == nil || c.cll > best.cll {
			best = c
		}
	}
	return best, nil
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
