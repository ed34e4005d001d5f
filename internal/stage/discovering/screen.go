package discovering

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/internal/elementary"
	"resolwe/internal/printable"
	"resolwe/internal/stage/run"
	"resolwe/internal/stage/selecting"
	"resolwe/kernels/discover"
	"resolwe/kernels/gain"
)

// The maximum number of discovered aggregates to keep, in all and per group, by their gain on the sample; fewer if selection would
// need more values than mostValues.
const (
	mostAggregates  = 300
	leastAggregates = 50
	mostOfGroup     = 6
	mostValues      = 1 << 26
)

// chance is the gain, in nats, of the best of n aggregates by chance, with sixteen thresholds each: half the square of a normal
// deviate exceeds ln(k) about once in k draws. Selection later judges sizes on the same subgraphs, and could not tell such a
// candidate from a true one.
func chance(aggregates int) float64 { return elementary.Log(float64(16 * aggregates)) }

// screenCells is roughly how many values are held at once while screening aggregates.
const screenCells = 1 << 24

// valueBytes is roughly the memory of a value of an aggregate, in bytes.
const valueBytes = 64

// room returns how many values may be held, fewer if memory is short.
func (d *discovering) room(values int) int { return int(min(int64(values), d.opt.Memory/valueBytes)) }

// screened is an aggregate with its gain on the sample.
type screened struct {
	discover.Aggregate
	gain.Screened

	text string
}

// aggregates adds the most promising candidates on rows.
func (d *discovering) aggregates(ctx context.Context) error {
	all := d.grower.Aggregates()
	if len(all) == 0 {
		return nil
	}
	var found []screened
	batch := max(1, d.room(screenCells)/max(1, d.rows))
	run := d.part("aggregates", d.reads(len(all), batch))
	for some := range slices.Chunk(all, batch) {
		list, err := d.screen(ctx, some, run)
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

// screen gathers the rows of some aggregates and returns their gains, without aggregates that lack support.
func (d *discovering) screen(ctx context.Context, some []discover.Aggregate, run run.Run) (out []screened, err error) {
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
	targets, lists, err := selecting.Screen(ctx, d.model.With(nil), candidates, d.stream, d.opt.Support, run)
	if err != nil {
		return nil, err
	}
	for i, list := range lists {
		for _, s := range list {
			a := *of[targets[i].Candidates[s.Candidate].Formula]
			if n, ok := a.Formula.Body.(*mln.Implies).L.(*mln.Count); ok {
				n.K = s.Middle
			}
			out = append(out, screened{a, s, mln.FormatFormula(a.Formula)})
		}
	}
	return out, nil
}

// chosen returns the most promising aggregates: those with more gain than chance, the shortest of equal ones, and only some of each
// group.
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
	most := min(d.opt.Max, mostAggregates)
	cut, room := 0, max(leastAggregates, d.room(mostValues)/max(1, d.rows*d.times))
	for _, s := range all {
		switch {
		case s.Gain <= least || of[s.Group] == mostOfGroup:
		case len(out) < min(most, room):
			of[s.Group]++
			out = append(out, s)
		case len(out) < most:
			d.out.CutByMemory = d.out.CutByMemory || d.room(mostValues) < mostValues
		case most == d.opt.Max:
			cut++
		}
	}
	if cut > 0 {
		d.out.CutByMax = true
		d.warn("there are too many candidates: %s with the least gain were left out", printable.Count(cut, "aggregate"))
	}
	slices.SortFunc(out, func(a, b screened) int {
		return cmp.Or(cmp.Compare(a.Length, b.Length), strings.Compare(a.text, b.text))
	})
	return out
}
