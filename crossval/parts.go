package crossval

import (
	"context"
	"slices"

	"resolwe"
)

// Part is what one of several processes does of a cross-validation: some systems on one fold.
type Part struct {
	Fold    int      `json:"fold"`    // by place, from 0
	Systems []string `json:"systems"` // by name
}

// Parts cuts a cross-validation into what may be done apart, in any order: each system on each fold, or each fold where
// its candidates are discovered first. What opt.Checkpoints.Resume has is left out. Errors are those of Run.
func Parts(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt Options) ([]Part, error) {
	r, err := prepare(ctx, m, s, &opt)
	if err != nil {
		return nil, err
	}
	var out []Part
	for fold := r.first; fold < len(r.folds); fold++ {
		var left []string
		for _, s := range opt.Systems {
			if r.done[trial{fold, s.Name}] == nil {
				left = append(left, s.Name)
			}
		}
		size := 1
		if opt.Discover != nil {
			size = max(len(left), 1)
		}
		for some := range slices.Chunk(left, size) {
			out = append(out, Part{fold, some})
		}
	}
	return out, nil
}

// RunPart does a part, and returns a checkpoint that has it. The model, the stream and the options are those that Parts had;
// Checkpoints play no part. Errors are those of Run.
func RunPart(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt Options, part Part) ([]byte, error) {
	opt.Checkpoints = resolwe.Checkpoints{}
	r, err := prepare(ctx, m, s, &opt)
	if err != nil {
		return nil, err
	}
	opt.Systems = slices.DeleteFunc(slices.Clone(opt.Systems), func(s System) bool { return !slices.Contains(part.Systems, s.Name) })
	if part.Fold < r.first || part.Fold >= len(r.folds) || len(opt.Systems) == 0 {
		return nil, &FoldError{"a part of another cross-validation"}
	}
	if err := r.fold(ctx, part.Fold); err != nil {
		return nil, err
	}
	return r.encode(), nil
}

// Join returns one checkpoint of opt.Checkpoints.Resume and those of parts, from which Run goes on: to the result, where all
// parts are there. Errors are those of Run.
func Join(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt Options, parts [][]byte) ([]byte, error) {
	r, err := prepare(ctx, m, s, &opt)
	if err != nil {
		return nil, err
	}
	growing := r.growing // parts have none
	for _, data := range parts {
		if err := r.resume(data); err != nil {
			return nil, err
		}
	}
	r.growing = growing
	return r.encode(), nil
}
