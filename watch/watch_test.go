package watch_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"resolwe"
	"resolwe/bench/drift"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/watch"
)

const task = `
reads(person)
plays(person)
cooks(person)
sings(person)
travels(person)
paints(person)
knows(person, person)
target buys(person)
%s buys(x)
%s reads(x) => buys(x)
%s cooks(x) => buys(x)
%s once: knows(x, y) ^ plays(y) => buys(x)
%s log: knows(x, y) ^ sings(y) => buys(x)
`

// model parses the task with weights.
func model(t *testing.T, weights ...any) *resolwe.Model {
	t.Helper()
	m, err := resolwe.ParseModel("task.mln", fmt.Appendf(nil, task, weights...), resolwe.ModelOptions{})
	check.OK(t, err)
	return m
}

// stream generates subgraphs.
func stream(t *testing.T, m *resolwe.Model, opt drift.Options) *resolwe.Stream {
	t.Helper()
	var subs []*subgraph.Subgraph
	_, err := drift.Generate(m.Schema, opt, func(s *subgraph.Subgraph) error {
		subs = append(subs, s.Clone())
		return nil
	})
	check.OK(t, err)
	return resolwe.NewStream(m, subs)
}

// One block and an expert that forgets nothing: its weights are the optimum that learning finds.
func TestWatch_LearnsAsLearn(t *testing.T) {
	t.Parallel()
	m := model(t, "0", "0", "0", "0", "0")
	s := stream(t, m, drift.Options{Kind: "abrupt", At: 150, Subgraphs: 300, Size: 1, Seed: 7})
	opt := watch.Options{Block: 300, Horizons: []float64{}, Sigma: 1.5, Run: resolwe.Run{Workers: 2}}
	got, err := watch.Forgetless(t.Context(), m, s, opt)
	check.OK(t, err)
	want, err := resolwe.Learn(t.Context(), m, s, resolwe.LearnOptions{Sigma: 1.5})
	check.OK(t, err)
	weights := map[string]float64{}
	for _, f := range want.Model.Formulas {
		weights[name(f)] = f.Weight
	}
	check.Equal(t, "formulas", len(got.Formulas), len(weights))
	for _, f := range got.Formulas {
		if w, ok := weights[name(f)]; !ok || math.Abs(w-f.Weight) > 1e-6 {
			t.Errorf("%s: got %v, want %v", name(f), f.Weight, w)
		}
	}
}

func name(f *mln.Formula) string {
	g := *f
	g.Weight, g.HasWeight = 0, false
	return mln.FormatFormula(&g)
}

// After an abrupt change there is an alarm, whose beginning is near the change, and a model that loses less takes over; without a change
// there is neither. Truth that comes later moves all of it, but changes no prediction of what was issued before.
func TestWatch_Abrupt(t *testing.T) {
	t.Parallel()
	m := model(t, "-1.5", "1.25", "0", ".8", "0") // the causes before the change
	for _, tt := range []struct {
		kind  string
		delay int
	}{{"abrupt", 0}, {"abrupt", 120}, {"none", 0}, {"covariate", 0}} {
		s := stream(t, m, drift.Options{Kind: tt.kind, At: 1000, Subgraphs: 3000, Size: 1, Seed: 11})
		var events []*watch.Event
		var lines []*watch.Line
		got, err := watch.Watch(t.Context(), m, s, watch.Options{
			Delay: tt.delay, Run: resolwe.Run{Workers: 2},
			Event: func(e *watch.Event) error { events = append(events, e); return nil },
			Line:  func(l *watch.Line) error { lines = append(lines, l); return nil },
		})
		check.OK(t, err)
		check.Equal(t, "subgraphs", got.Subgraphs, 3000)
		check.Equal(t, "blocks", len(lines), 60)
		if tt.kind != "abrupt" {
			check.Equal(t, tt.kind+": alarms", got.Alarms, 0)
			continue
		}
		alarm := slices.IndexFunc(events, func(e *watch.Event) bool { return e.Event == "alarm" })
		if alarm < 0 || got.Takeovers == 0 {
			t.Fatalf("delay %d: %d alarms, %d takeovers", tt.delay, got.Alarms, got.Takeovers)
		}
		e := events[alarm]
		if e.Subgraph < 1000 || e.Subgraph > 1400 || e.Began < 800 || e.Began > 1200 {
			t.Errorf("delay %d: alarm at %d, began at %d", tt.delay, e.Subgraph, e.Began)
		}
		last := lines[len(lines)-1].Figures
		if last[1].CLL < last[2].CLL+.03 { // published and frozen
			t.Errorf("delay %d: the last block's CLL is %v, of the first model %v", tt.delay, last[1].CLL, last[2].CLL)
		}
	}
}
