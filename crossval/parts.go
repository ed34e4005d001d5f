package crossval

import (
	"context"
	"slices"

	"resolwe"
)

// Part is the share of a cross-validation for one of several processes: some systems on one fold.
type Part struct {
	Fold    int      `json:"fold"`    // by index, from 0
	Systems []string `json:"systems"` // by name
}

// Parts divides a cross-validation into parts that can be done separately, in any order: each system on each fold, or each fold if
// its candidates are discovered first. Parts already in opt.Checkpoints.Resume are left out. Errors are those of Run.
func Parts(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt Options) ([]Part, error) {
	r, err := prepare(ctx, m, s, &opt)
	if err != nil {
		return nil, err
	}
	var out []Part
	for fold := r.first; fold < len(r.folds); fold++ {
		left := r.left(fold)
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

// RunPart carries out a part, and returns a checkpoint that contains it. The model, stream and options must be those given to
// Parts; Checkpoints have no effect. Errors are those of Run.
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

// Join combines opt.Checkpoints.Resume and the checkpoints of parts into one, from which Run continues; if all parts are present,
// Run then returns the result. Errors are those of Run.
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
