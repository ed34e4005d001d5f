package watch

import (
	"context"

	"resolwe"
)

// Forgetless returns the model of the expert that forgets nothing, behind the whole stream.
func Forgetless(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt Options) (*resolwe.Model, error) {
	w, err := run(ctx, m, s, opt)
	if err != nil {
		return nil, err
	}
	return w.model(w.state.Experts[len(w.state.Experts)-1].Weights), nil
}
