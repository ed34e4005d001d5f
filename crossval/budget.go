package crossval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"resolwe"
)

// expired returns the result after the budget has expired in a fold.
func (r *run) expired(fold int) (*Result, error) {
	left := r.cut
	for f := fold; f < len(r.folds); f++ {
		text := fmt.Sprintf("fold %d", r.number(f))
		if names := r.left(f); len(names) < len(r.opt.Systems) {
			text += ": " + strings.Join(names, ", ")
		}
		left = append(left, text)
	}
	if r.opt.Null != nil {
		left = append(left, nullName)
	}
	if fold == r.first {
		r.opt.Systems = slices.DeleteFunc(slices.Clone(r.opt.Systems), func(s System) bool { return r.done[trial{fold, s.Name}] == nil })
		if len(r.opt.Systems) == 0 {
			return nil, fmt.Errorf("%w: no system is done on the first fold", resolwe.ErrBudget)
		}
		if err := r.comparable(fold); err != nil {
			return nil, err
		}
		fold++
	}
	out := r.result(fold)
	out.Left = left
	return out, nil
}

// left returns the names of the systems that are not done with a fold.
func (r *run) left(fold int) (names []string) {
	for _, s := range r.opt.Systems {
		if r.done[trial{fold, s.Name}] == nil {
			names = append(names, s.Name)
		}
	}
	return names
}

// growing is the checkpoint of a fold's discovery; none if it has no bytes.
type growing struct {
	fold int
	data []byte
}

// discover finds the candidates of a fold, and reports whether the budget ended that.
func (r *run) discover(ctx context.Context, fold int, train []int) (m *resolwe.Model, short bool, err error) {
	r.opt.Stage(fmt.Sprintf("fold %d: discover", r.number(fold)))
	opt := *r.opt.Discover
	opt.Budget = r.opt.Budget.Part(.5 / float64(len(r.folds)-fold))
	opt.Checkpoints = resolwe.Checkpoints{Due: r.opt.Checkpoints.Due, Save: func(data []byte) error {
		if len(r.cut) == 0 { // else the earlier fold is the first to be continued
			r.growing = growing{fold, data}
		}
		return r.save()
	}}
	if r.growing.fold == fold && len(r.growing.data) > 0 {
		opt.Checkpoints.Resume = r.growing.data
	}
	found, err := resolwe.Discover(ctx, r.model, r.stream.Pick(train), opt)
	if err != nil {
		return nil, false, err
	}
	if found.CutByMax || found.CutByMemory {
		for _, w := range found.Warnings {
			r.opt.Warn(w.String())
		}
	}
	if found.Stopped {
		r.cut = append(r.cut, fmt.Sprintf("longer candidates in fold %d", r.number(fold)))
	}
	return found.Model, found.Stopped, nil
}
