package resolwe

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/internal/elementary"
	"resolwe/kernels/discover"
	"resolwe/kernels/gain"
)

// The most aggregates that are kept of those discovered, in all and of one group, by what they promise on the sample; fewer
// where selection would take more values than mostValues.
const (
	mostAggregates  = 300
	leastAggregates = 50
	mostOfGroup     = 6
	mostValues      = 1 << 26
)

// chance is how many nats the best of n aggregates gains by chance, at sixteen thresholds each: the square of a normal
// deviate, halved, exceeds ln(k) once in about k draws. The same subgraphs judge the sizes of selection later on, which could not tell
// such a candidate from a true one.
func chance(aggregates int) float64 { return elementary.Log(float64(16 * aggregates)) }

// screenCells is about how many values are held at once while aggregates are screened.
const screenCells = 1 << 24

// valueBytes is about how many bytes a value of an aggregate takes.
const valueBytes = 64

// room returns a number of values, fewer where memory is short.
func (d *discovering) room(values int) int { return int(min(int64(values), d.opt.Memory/valueBytes)) }

// screened is an aggregate with what it promises.
type screened struct {
	discover.Aggregate
	gain.Screened

	text string
}

// aggregates adds the candidates on rows that promise most.
func (d *discovering) aggregates(ctx context.Context) error {
	all := d.grower.Aggregates()
	if len(all) == 0 {
		return nil
	}
	var found []screened
	for some := range slices.Chunk(all, max(1, d.room(screenCells)/max(1, d.rows))) {
		list, err := d.screen(ctx, some)
		if err != nil {
			return err
		}
		found = append(found, list...)
	}
	d.found = d.chosen(found)
	for _, s := range d.found {
		d.out.Length = max(d.out.Length, s.Length)
	}
	return nil
}

// screen gathers the rows of some aggregates, and tells what these promise; without those that lack support.
func (d *discovering) screen(ctx context.Context, some []discover.Aggregate) (out []screened, err error) {
	task := &mln.Model{Schema: *d.model.Schema}
	of := map[*mln.Formula]*discover.Aggregate{}
	for i := range some {
		task.Formulas = append(task.Formulas, some[i].Formula)
		of[some[i].Formula] = &some[i]
	}
	candidates, _, err := mln.Candidates(task)
	if err != nil {
		return nil, err
	}
	t := newGainTask(d.model.With(nil), candidates, &SelectOptions{Run: d.opt.Run.Silent()})
	counts, err := t.gather(ctx, d.stream)
	if err != nil {
		return nil, err
	}
	opt := gain.Options{Support: d.opt.Support, Stop: func() error { return context.Cause(ctx) }}
	lists, err := t.Screen(counts.Rows, opt)
	if err != nil {
		return nil, err
	}
	for i, list := range lists {
		for _, s := range list {
			if s.Support < d.opt.Support {
				continue
			}
			a := *of[t.Targets[i].Candidates[s.Candidate].Formula]
			if n, ok := a.Formula.Body.(*mln.Implies).L.(*mln.Count); ok {
				n.K = s.Middle
			}
			out = append(out, screened{a, s, mln.FormatFormula(a.Formula)})
		}
	}
	return out, nil
}

// chosen returns those that promise most: more than chance does; of equal ones the shortest, of a group only some.
func (d *discovering) chosen(all []screened) (out []screened) {
	slices.SortFunc(all, func(a, b screened) int {
		return cmp.Or(cmp.Compare(len(a.text), len(b.text)), strings.Compare(a.text, b.text))
	})
	type key struct {
		target int
		hash   [2]uint64
	}
	seen := map[key]bool{}
	all = slices.DeleteFunc(all, func(s screened) bool {
		k := key{s.Target, s.Hash}
		double := seen[k]
		seen[k] = true
		return double
	})
	slices.SortStableFunc(all, func(a, b screened) int { return cmp.Compare(b.Gain, a.Gain) })
	of, least := map[int]int{}, chance(max(1, len(all)))
	most := min(d.opt.Max, mostAggregates, max(leastAggregates, d.room(mostValues)/max(1, d.rows*d.times)))
	for _, s := range all {
		if s.Gain > least && of[s.Group] < mostOfGroup && len(out) < most {
			of[s.Group]++
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b screened) int {
		return cmp.Or(cmp.Compare(a.Length, b.Length), strings.Compare(a.text, b.text))
	})
	return out
}
