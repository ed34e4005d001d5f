package forecast

import (
	"context"
	"errors"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/machine"
	"resolwe/internal/stage/selecting"
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

// candidates reports whether the model has candidates.
func (f *forecaster) candidates() bool {
	task := &mln.Model{Schema: *f.model.Schema, Formulas: f.model.Formulas}
	list, _, err := mln.Candidates(task)
	return err == nil && len(list) > 0
}

// gain forecasts selection by gain from the sampled subgraphs.
func (f *forecaster) gain(ctx context.Context) error {
	s, counts, err := f.count(ctx, f.stream.Pick(f.built))
	switch {
	case f.failed(err):
		f.out.Gain = &Gain{Err: err}
		return nil
	case err == nil:
		f.out.Gain = f.size(s, counts)
	}
	return err
}

// failed reports whether an error comes from the computation that is forecast, or from the budget.
func (f *forecaster) failed(err error) bool {
	if errors.Is(err, ErrBudget) {
		f.out.Over = true
		return true
	}
	return errors.As(err, new(*resolwe.SubgraphError)) || errors.As(err, new(*machine.MemoryError)) || errors.As(err, new(*selection.TooManyTargetsError))
}

// mostRows is more than sampled subgraphs can have.
const mostRows = 1<<22 - 1

// count counts numbers and rows.
func (f *forecaster) count(ctx context.Context, stream *resolwe.Stream) (*selecting.Selector, *selecting.SelectionCounts, error) {
	opt := f.opt.Select
	opt.Run, opt.Gain.Rows = f.opt.Run, mostRows
	s, err := selecting.NewSelector(f.model, opt)
	if err != nil {
		return nil, nil, err
	}
	numbers, err := s.CountNumbers(ctx, stream)
	if err != nil {
		return nil, nil, err
	}
	s = s.WithNumbers(numbers.Boundaries())
	counts, err := s.Count(ctx, stream)
	return s, counts, err
}

// size returns the estimated cost.
func (f *forecaster) size(s *selecting.Selector, of *selecting.SelectionCounts) *Gain {
	out := &Gain{Candidates: len(s.Candidates()), Subgraphs: f.out.Subgraphs}
	if first := f.opt.Select.First(); first > 0 {
		out.Subgraphs = min(first, out.Subgraphs)
	}
	most := float64(f.opt.Select.Gain.Rows)
	if most == 0 {
		most = 1_000_000
	}
	for _, b := range of.Rows.Builders {
		rows, cells := b.Size()
		if rows == 0 {
			continue
		}
		atoms := float64(float64(rows) / float64(len(f.built)) * float64(out.Subgraphs))
		used := min(atoms, most)
		counts := float64(float64(cells) / float64(rows) * used)
		out.Atoms += atoms
		out.Rows += used
		out.Counts += counts
		out.Bytes += float64(gain.Bytes(int64(used), int64(counts), b.Candidates()))
	}
	return out
}
