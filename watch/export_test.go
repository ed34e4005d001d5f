package watch

import (
	"context"

	"resolwe"
	"resolwe/format/subgraph"
)

// Forgetless returns the model of the expert that forgets nothing, behind the whole stream.
func Forgetless(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt Options) (*resolwe.Model, error) {
	w, err := run(ctx, m, s, opt)
	if err != nil {
		return nil, err
	}
	return w.model(w.state.Experts[len(w.state.Experts)-1].Weights), nil
}

// Sampled returns the places of the sample after subgraphs of given names and sizes.
func Sampled(seed uint64, names []string, sizes []int) (places []int) {
	w := &watcher{}
	w.opt.Select.Gain.Seed = seed
	for i, name := range names {
		w.remember(&item{index: i, sub: &subgraph.Subgraph{Name: name, Domains: []subgraph.Domain{{Size: sizes[i]}}}}, nil)
	}
	for _, x := range w.state.Sample {
		places = append(places, x.Place)
	}
	return places
}
