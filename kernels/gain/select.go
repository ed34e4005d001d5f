package gain

import (
	"cmp"
	"fmt"
)

// Options of a selection. Zero is the default.
type Options struct {
	Formulas  int     // columns at most; 60
	Depth     int     // literals of a rule at most; 3
	Support   int     // rows that a threshold or a rule must hold for, and not hold for, at least; 20
	Shrink    float64 // shrinkage of the weights; what held-out rows choose among 10, 30, 100, 300 and 1000
	Parsimony bool    // the smallest size whose held-out CLL is within one standard error of the best
	All       bool    // of Task.Choose: instead of a selection, the logarithms of all candidates
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
