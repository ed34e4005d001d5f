package forecast

import (
	"context"
	"errors"
	"time"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/kernels/gain"
	"resolwe/kernels/selection"
)

// Gain is the cost of selection by gain on the whole stream.
type Gain struct {
	Candidates int     // including those that compare numbers with boundaries
	Subgraphs  int     // that it uses
	Atoms      float64 // their query atoms with known truth
	Rows       float64 // the sample of these on which formulas are chosen, limited by the options for each target predicate
	Counts     float64 // pairs of a row and a candidate that holds for it
	Bytes      float64 // of memory, besides that of reading
	Err        error   // why it fails on the sampled subgraphs, in which case nothing else is set
}

// byGain reports whether selection is by gain.
func (f *forecaster) byGain() bool {
	c := f.opt.Select.Criterion
	return c == 0 || c == resolwe.Gain
}

// candidates reports whether the model has candidates.
func (f *forecaster) candidates() bool {
	task := &mln.Model{Schema: *f.model.Schema, Formulas: f.model.Formulas}
	list, _, err := mln.Candidates(task)
	return err == nil && len(list) > 0
}

// selected returns how many subgraphs selection uses.
func (f *forecaster) selected() int {
	if first := f.opt.Select.First(); first > 0 {
		return min(first, f.out.Subgraphs)
	}
	return f.out.Subgraphs
}

// gain forecasts selection by gain from the sampled subgraphs.
func (f *forecaster) gain(ctx context.Context) error {
	g := &gaining{forecaster: f, stream: f.stream.Pick(f.built)}
	err := g.count(ctx)
	f.gained = &Time{Step: "select", Err: err}
	switch {
	case f.failed(err):
		f.out.Gain = &Gain{Err: err}
		return nil
	case err != nil:
		return err
	}
	f.out.Gain = g.size()
	if f.opt.Now == nil {
		return nil
	}
	took, err := g.choose(ctx)
	switch {
	case f.failed(err):
		f.gained.Err = err
		return nil
	case err == nil:
		f.gained = took
	}
	return err
}

// failed reports whether an error comes from the computation that is forecast, or from the budget.
func (f *forecaster) failed(err error) bool {
	if errors.Is(err, ErrBudget) {
		f.out.Over = true
		return true
	}
	return errors.As(err, new(*resolwe.SubgraphError)) || errors.As(err, new(*selection.TooManyTargetsError))
}

// gaining is selection by gain on the sampled subgraphs.
type gaining struct {
	*forecaster

	stream   *resolwe.Stream // subgraphs that have a network
	selector *resolwe.Selector
	counts   *resolwe.SelectionCounts
	took     timing // of counting, numbers included

	work, workAll float64 // of choosing formulas on the sampled subgraphs, and on the whole stream
	tied, tiedAll float64 // rows on which formulas with several target literals are chosen, likewise
}

// mostRows is more than sampled subgraphs can have.
const mostRows = 1<<22 - 1

// count counts numbers and rows.
func (g *gaining) count(ctx context.Context) error {
	opt := g.opt.Select
	opt.Run, opt.Gain.Rows = g.opt.Run, mostRows
	s, err := resolwe.NewSelector(g.model, opt)
	if err != nil {
		return err
	}
	began := g.now()
	numbers, err := s.CountNumbers(ctx, g.stream)
	if err != nil {
		return err
	}
	ended := g.now()
	g.took, err = g.timing(func(run resolwe.Run) error {
		opt.Run = run
		s, err := resolwe.NewSelector(g.model, opt)
		if err != nil {
			return err
		}
		g.selector = s.WithNumbers(numbers.Boundaries())
		g.counts, err = g.selector.Count(ctx, g.stream)
		return err
	})
	if len(numbers) > 0 {
		g.took.mean += ended.Sub(began).Seconds() / float64(len(g.built))
	}
	return err
}

// size returns the estimated cost.
func (g *gaining) size() *Gain {
	out := &Gain{Candidates: len(g.selector.Candidates()), Subgraphs: g.selected()}
	most := float64(g.opt.Select.Gain.Rows)
	if most == 0 {
		most = 1_000_000
	}
	for _, b := range g.counts.Rows.Builders {
		rows, cells := b.Size()
		if rows == 0 {
			continue
		}
		atoms := float64(float64(rows) / float64(len(g.built)) * float64(out.Subgraphs))
		used := min(atoms, most)
		counts := float64(float64(cells) / float64(rows) * used)
		out.Atoms += atoms
		out.Rows += used
		out.Counts += counts
		out.Bytes += float64(gain.Bytes(int64(used), int64(counts), b.Candidates()))
		g.work += gain.Work(float64(rows))
		g.workAll += gain.Work(used)
		g.tied += gain.TiedAtoms(float64(rows), float64(len(g.built)))
		g.tiedAll += gain.TiedAtoms(used, float64(out.Subgraphs))
	}
	return out
}

// choose returns the time of selection: that of counting, plus that of choosing.
func (g *gaining) choose(ctx context.Context) (*Time, error) {
	began, tying := g.now(), time.Time{}
	_, err := g.selector.Select(ctx, g.counts, func(positions []int) ([]*resolwe.Stream, error) {
		tying = g.now()
		return []*resolwe.Stream{g.stream.Pick(positions)}, nil
	})
	ended := g.now()
	if tying.IsZero() {
		tying = ended
	}
	seconds := 0.0
	if g.work > 0 {
		seconds = float64(tying.Sub(began).Seconds()*g.workAll/g.work) + float64(ended.Sub(tying).Seconds()*g.tiedAll/g.tied)
	}
	t := g.took.over("select", g.selected())
	t.Seconds += seconds
	t.Low += seconds / unsure
	t.High += float64(seconds * unsure)
	return t, err
}

// unsure is the factor by which the time of choosing formulas may differ, since the number of formulas tried is not known
// beforehand.
const unsure = 3
