package watch_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"resolwe"
	"resolwe/bench/drift"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
	"resolwe/kernels/features"
	"resolwe/watch"
)

// record is what a run shows, a line each.
type record struct {
	lines []string
	marks []int64 // as of its checkpoints, how many lines there were
	saved [][]byte
}

// options has a run recorded, which saves a checkpoint after every block.
func (r *record) options(opt watch.Options) watch.Options {
	add := func(kind string, v any) error {
		r.lines = append(r.lines, fmt.Sprintf("%s %+v", kind, v))
		return nil
	}
	opt.Line = func(l *watch.Line) error { return add("line", *l) }
	opt.Event = func(e *watch.Event) error { return add("event", *e) }
	opt.Publish = func(n int, m *resolwe.Model) error {
		var b strings.Builder
		return add(fmt.Sprintf("model %d", n), fmt.Sprint(m.Write(&b, nil), b.String()))
	}
	opt.Checkpoints.Due = func() bool { return true }
	opt.Checkpoints.Save = func(data []byte) error {
		r.marks, r.saved = append(r.marks, int64(len(r.lines))), append(r.saved, data)
		return nil
	}
	return opt
}

// With candidates whose causes change, formulas are selected again and those of after the change take over. The lines, events and models
// are those of another number of workers, and of a run that goes on from any checkpoint.
func TestWatch_Structure(t *testing.T) {
	t.Parallel()
	m, err := resolwe.ParseModel("task.mln", []byte(strings.NewReplacer("%s ", "", "once: ", "", "log: ", "").Replace(task)), resolwe.ModelOptions{})
	check.OK(t, err)
	s := stream(t, m, drift.Options{Kind: "abrupt", At: 700, Subgraphs: 1350, Size: 1, Seed: 5})
	for _, delay := range []int{0, 70} {
		opt := watch.Options{Start: 300, Adapt: watch.AdaptStructure, Alarm: 1000, Delay: delay, Run: resolwe.Run{Workers: 2}}
		var whole record
		got, err := watch.Watch(t.Context(), m, s, whole.options(opt))
		check.OK(t, err)
		all := strings.Join(whole.lines, "\n")
		first, _, _ := strings.Cut(all, "\nline")
		if last := all[strings.LastIndex(all, "\nmodel "):]; got.Takeovers == 0 || !strings.Contains(last, "cooks(x)") || strings.Contains(first, "cooks(x)") {
			t.Errorf("delay %d: %d takeovers, the last model:%s", delay, got.Takeovers, last)
		}
		seed := rand.Uint64()
		for _, at := range []int{rand.New(rand.NewPCG(seed, 0)).IntN(len(whole.saved)), len(whole.saved) - 3} {
			opt.Run = streamtest.Yielding([]int{1, 3, 7, 16}[at%4])
			again := opt
			again.Checkpoints.Resume = whole.saved[at]
			var rest record
			_, err := watch.Watch(t.Context(), m, s, rest.options(again))
			check.OK(t, err)
			if want := whole.lines[whole.marks[at]:]; strings.Join(rest.lines, "\n") != strings.Join(want, "\n") {
				t.Errorf("delay %d, seed %d, checkpoint %d: got %d lines, want %d", delay, seed, at, len(rest.lines), len(want))
			}
		}
	}
}

// The sample is the 2,000 subgraphs with the least keys, fewer where these are too large, whatever came in which order.
func TestSample(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	for _, size := range []int{1, 10_000} {
		var names []string
		var sizes, order []int
		keys := make([]float64, 7000)
		for i := range keys {
			names, sizes, order = append(names, fmt.Sprint("s", i)), append(sizes, size), append(order, i)
			u := (float64(features.Hash(seed, names[i])>>11) + .5) / (1 << 53)
			keys[i] = math.Log(-math.Log(u)) - float64(i)/2000
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
		got := watch.Sampled(seed, names, sizes)
		if want := order[:min(2000, 256<<20/(1000+32*size))]; !slices.Equal(got, want) {
			t.Errorf("seed %d, size %d: got %d of places %v.., want %d of %v..", seed, size, len(got), got[:3], len(want), want[:3])
		}
	}
}

// A delay in time is one in subgraphs where these are an hour apart. The last known labels are those of a twin.
func TestWatch_Waits(t *testing.T) {
	t.Parallel()
	m := model(t, "-1.5", "1.25", "0", ".8", "0")
	var subs []*subgraph.Subgraph
	_, err := drift.Generate(m.Schema, drift.Options{Kind: "abrupt", At: 200, Subgraphs: 400, Size: 1, Seed: 3}, func(s *subgraph.Subgraph) error {
		c := s.Clone()
		c.Time, _ = subgraph.TimeAt(int64(s.Index) * 3600)
		subs = append(subs, c)
		return nil
	})
	check.OK(t, err)
	buys, last, counts := m.Schema.Predicate("buys"), map[uint32]int{}, [3][2]float64{}
	for _, opt := range []watch.Options{{Delay: 120, Alarm: 20}, {Delay: 0}} {
		var by [2]record
		opt.Run.Workers = 2
		var lines []*watch.Line
		for i := range by {
			if i == 1 {
				opt.Delay, opt.Wait = 0, time.Duration(opt.Delay+1)*time.Hour
			}
			o := by[i].options(opt)
			show := o.Line
			o.Line = func(l *watch.Line) error { lines = append(lines, l); return show(l) }
			_, err := watch.Watch(t.Context(), m, resolwe.NewStream(m, subs), o)
			check.OK(t, err)
		}
		check.Equal(t, "lines", by[0].lines, by[1].lines)
		if opt.Alarm != 0 {
			continue
		}
		for k := range 8 { // of no delay
			loss := 0.
			var after []func()
			for _, s := range subs[50*k : 50*k+50] {
				n, truth := s.Domains[0].Size, s.Relations[buys].True.Cols[0]
				for id := range uint32(n) {
					is := 0
					if slices.Contains(truth, id) {
						is = 1
					}
					c := counts[last[id]]
					loss -= math.Log((c[is]+.5)/(c[0]+c[1]+1)) / float64(n) / 50
					at := last[id]
					after = append(after, func() { counts[at][is]++; last[id] = 1 + is })
				}
			}
			for _, f := range after {
				f()
			}
			if got := lines[k].Figures[5].CLL; math.Abs(got+loss) > 1e-9 {
				t.Errorf("block %d: got %v, want %v", k, got, -loss)
			}
		}
	}
}

// A run resumes only on a stream that begins with the same subgraphs: with as many, and the same names and times.
func TestWatch_Resume_OtherStream(t *testing.T) {
	t.Parallel()
	m := model(t, "-1.5", "1.25", "0", ".8", "0")
	var subs []*subgraph.Subgraph
	_, err := drift.Generate(m.Schema, drift.Options{Kind: "none", Subgraphs: 200, Size: 1, Seed: 3}, func(s *subgraph.Subgraph) error {
		subs = append(subs, s.Clone())
		return nil
	})
	check.OK(t, err)
	opt := watch.Options{Block: 20}
	var whole record
	_, err = watch.Watch(t.Context(), m, resolwe.NewStream(m, subs), whole.options(opt))
	check.OK(t, err)
	changed := func(i int, change func(*subgraph.Subgraph)) []*subgraph.Subgraph {
		out := slices.Clone(subs)
		s := *out[i]
		change(&s)
		out[i] = &s
		return out
	}
	rename := func(s *subgraph.Subgraph) { s.Name = "other" }
	for _, test := range []struct {
		what   string
		stream []*subgraph.Subgraph
		same   bool
	}{
		{"the same", subs, true},
		{"another that has not been read yet", changed(100, rename), true},
		{"longer", append(slices.Clone(subs), changed(0, rename)[0]), true},
		{"ends with the checkpoint", subs[:100], true},
		{"another first name", changed(0, rename), false},
		{"another last name", changed(99, rename), false},
		{"another time", changed(50, func(s *subgraph.Subgraph) { s.Time, _ = subgraph.TimeAt(1e9) }), false},
		{"two exchanged", slices.Concat(subs[:7], []*subgraph.Subgraph{subs[8], subs[7]}, subs[9:]), false},
		{"shorter", subs[:99], false},
		{"the rest of it", subs[100:], false},
		{"none", nil, false},
	} {
		again, rewound := opt, false
		again.Checkpoints.Resume = whole.saved[4] // after 100
		again.Rewind = func([]int64) error { rewound = true; return nil }
		var rest record
		_, err := watch.Watch(t.Context(), m, resolwe.NewStream(m, test.stream), rest.options(again))
		check.Is(t, errors.As(err, new(*resolwe.CheckpointError)), !test.same, "%s: %v", test.what, err)
		check.Is(t, rewound, test.same, "%s: outputs are rewound", test.what)
		if test.same != (err == nil) || !test.same && len(rest.lines) > 0 {
			t.Errorf("%s: got %v and %d lines", test.what, err, len(rest.lines))
		}
	}
}

// With a delay in time, the stream must be in its order, from the start that a first model is selected on to the end.
func TestWatch_OrderOfTime(t *testing.T) {
	t.Parallel()
	m := model(t, "-1.5", "1.25", "0", ".8", "0")
	candidates, err := resolwe.ParseModel("task.mln", []byte(strings.ReplaceAll(task, "%s", "")), resolwe.ModelOptions{})
	check.OK(t, err)
	for _, test := range []struct {
		model *resolwe.Model
		early []int // these come a year before, later ones a year after their turn
		late  []int
		wait  time.Duration
		want  string
	}{
		{m, nil, nil, time.Hour, ""},
		{m, nil, []int{121}, time.Hour, "follows one with 2001-"},
		{m, nil, []int{3}, time.Hour, "subgraph s000004"},
		{m, nil, []int{50, 100}, time.Hour, "follows one with 2001-"},
		{m, []int{50}, nil, time.Hour, "subgraph s000050"},
		{candidates, nil, []int{10}, time.Hour, "subgraph s000011"},
		{m, nil, []int{121}, 0, ""}, // times do not matter
		{m, nil, []int{199}, time.Hour, ""},
	} {
		var subs []*subgraph.Subgraph
		_, err := drift.Generate(m.Schema, drift.Options{Kind: "none", Subgraphs: 200, Size: 1, Seed: 3}, func(s *subgraph.Subgraph) error {
			c, at := s.Clone(), int64(95e7+3600*s.Index)
			if slices.Contains(test.late, s.Index) {
				at += 365 * 86400
			}
			if slices.Contains(test.early, s.Index) {
				at -= 365 * 86400
			}
			c.Name = fmt.Sprintf("s%06d", s.Index)
			c.Time, _ = subgraph.TimeAt(at)
			subs = append(subs, c)
			return nil
		})
		check.OK(t, err)
		_, err = watch.Watch(t.Context(), test.model, resolwe.NewStream(test.model, subs), watch.Options{Wait: test.wait, Start: 100})
		if test.want == "" {
			check.OK(t, err)
			continue
		}
		e, ok := errors.AsType[*resolwe.OptionError](err)
		if !ok || e.Option != "watch.Options.Delay" || !strings.Contains(err.Error(), test.want) {
			t.Errorf("late %v, early %v: got %v", test.late, test.early, err)
		}
	}
}

// Measures without an atom of known truth, or without a subgraph to rank, are undefined, in a block and in the summary.
func TestWatch_Undefined(t *testing.T) {
	t.Parallel()
	m := model(t, "-1.5", "1.25", "0", ".8", "0")
	buys := m.Schema.Predicate("buys")
	for _, known := range []bool{false, true} {
		var subs []*subgraph.Subgraph
		_, err := drift.Generate(m.Schema, drift.Options{Kind: "none", Subgraphs: 120, Size: 1, Seed: 3}, func(s *subgraph.Subgraph) error {
			c := s.Clone()
			r := &c.Relations[buys]
			if r.True.Cols[0] = nil; !known {
				r.Unknown.Cols = [][]uint32{nil}
				for id := range uint32(c.Domains[0].Size) {
					r.Unknown.Cols[0] = append(r.Unknown.Cols[0], id)
				}
			}
			subs = append(subs, c)
			return nil
		})
		check.OK(t, err)
		var lines []*watch.Line
		got, err := watch.Watch(t.Context(), m, resolwe.NewStream(m, subs), watch.Options{Line: func(l *watch.Line) error { lines = append(lines, l); return nil }})
		check.OK(t, err)
		check.Is(t, got.Atoms > 0, known, "atoms")
		for _, l := range append(lines, &watch.Line{Figures: got.Figures}) {
			for _, f := range l.Figures {
				check.Is(t, [4]bool{math.IsNaN(f.CLL), math.IsNaN(f.MAP), math.IsNaN(f.AUC), math.IsNaN(f.Calibration)}, [4]bool{!known, true, true, !known}, "undefined")
			}
		}
	}
}
