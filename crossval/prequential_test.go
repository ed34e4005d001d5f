package crossval_test

import (
	"fmt"
	"math"
	"testing"

	"resolwe"
	"resolwe/bench/drift"
	"resolwe/crossval"
	"resolwe/examples"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/watch"
)

// The comparison uses exactly what watch reports, subgraph by subgraph, for any number of workers; late truth does not change positions.
func TestPrequential(t *testing.T) {
	t.Parallel()
	text, err := examples.FS.ReadFile("drift/drift.mln")
	check.OK(t, err)
	m, err := resolwe.ParseModel("drift.mln", text, resolwe.ModelOptions{})
	check.OK(t, err)
	var subs []*subgraph.Subgraph
	_, err = drift.Generate(m.Schema, drift.Options{Kind: "abrupt", At: 300, Subgraphs: 700, Size: 1, Seed: 5}, func(s *subgraph.Subgraph) error {
		subs = append(subs, s.Clone())
		return nil
	})
	check.OK(t, err)
	s := resolwe.NewStream(m, subs)
	for _, delay := range []int{0, 130} {
		opt := watch.Options{Start: 150, Block: 40, Delay: delay}
		want, err := watch.Watch(t.Context(), m, s, opt)
		check.OK(t, err)
		first := ""
		for _, workers := range []int{1, 5} {
			opt.Run.Workers = workers
			entries, err := s.Entries(t.Context())
			check.OK(t, err)
			p := crossval.NewPrequential(entries, watch.Systems[:]...)
			opt.Scored = p.Add
			_, err = watch.Watch(t.Context(), m, s, opt)
			check.OK(t, err)
			got := p.Result()
			for i, o := range got.Systems {
				f := want.Figures[i]
				if math.Abs(o.CLL-f.CLL)+math.Abs(o.MAP-f.MAP)+math.Abs(o.AUCROC-f.AUC) > 1e-12 || o.Subgraphs != 550 || o.Ranked != want.Ranked {
					t.Errorf("delay %d, %s: got %+v, want %+v", delay, o.Name, o.Evaluation, f)
				}
			}
			for i, x := range got.Tested {
				check.Equal(t, "tested", x.Name, subs[150+i].Name)
			}
			check.Equal(t, "tested", len(got.Tested), 550)
			compareTests(t, got)
			if text := fmt.Sprint(*got); first == "" {
				first = text
			} else {
				check.Equal(t, fmt.Sprint(workers, " workers"), text, first)
			}
		}
	}
}
