package workload

import (
	"context"
	"errors"

	"resolwe"
	"resolwe/format/subgraph"
)

// Select times the selection of the model's candidates by the paper's criterion. Its stages are open, which maps the
// files and checks that they fit, select, which reads and counts, and pass, which adds up the words of the same bytes on
// one core; the last is missing where the stream is not mapped.
func Select(ctx context.Context, src Source, opt Options) (*Report, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	var sel *resolwe.Selection
	r, err := measure(ctx, src, opt, "select", func(s *resolwe.Stream) (err error) {
		sel, err = selectOn(ctx, src.Model, s, &opt)
		return err
	})
	if err != nil {
		return nil, err
	}
	r.Subgraphs, r.Work = sel.Subgraphs, sel.Work
	for i := range sel.Candidates {
		r.Groundings += sel.Candidates[i].Joint.Selected
	}
	return r, nil
}

// selectOn selects with the paper's parameters.
func selectOn(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt *Options) (*resolwe.Selection, error) {
	o := resolwe.SelectOptions{Criterion: resolwe.Paper}
	o.Subgraphs, o.Run.Workers = opt.Subgraphs, opt.Workers
	return resolwe.Select(ctx, m, s, o)
}

// errEnough ends a reading early.
var errEnough = errors.New("enough subgraphs")

// Read times the reading of whole subgraphs, whose every part is checked. Its stages are those of [Select], with read in
// place of select.
func Read(ctx context.Context, src Source, opt Options) (*Report, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	n := 0
	r, err := measure(ctx, src, opt, "read", func(s *resolwe.Stream) error {
		n = 0
		err := resolwe.Each(ctx, s, resolwe.Run{Workers: opt.Workers}, func(*subgraph.Subgraph) error {
			if n++; n == opt.Subgraphs {
				return errEnough
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	r.Subgraphs = n
	return r, nil
}
