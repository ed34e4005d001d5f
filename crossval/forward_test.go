package crossval_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"resolwe"
	"resolwe/bench/drift"
	"resolwe/crossval"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

// timed returns a stream of 15 subgraphs with seven times; about half of them share the fourth.
func timed(t *testing.T, m *resolwe.Model) []*subgraph.Subgraph {
	t.Helper()
	subs := streamtest.Subgraphs(t, m, streamtest.IndependentDB(1, 15))
	for i, s := range subs {
		s.Time = resolwe.Time{Unix: int64([]int{0, 1, 1, 2, 3, 3, 3, 3, 3, 3, 3, 4, 5, 5, 6}[i]) * 86400, Known: true}
	}
	return subs
}

// A fold that goes forward in time is trained on everything before it. The parts have about equally many query atoms, and equal times are
// in one part.
func TestRun_Forward(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, candidates)
	subs := timed(t, m)
	for _, test := range []struct {
		forward int
		from    string
		folds   [][]int
		begins  string
	}{
		{1, "", [][]int{{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}}, "[1970-01-04]"},
		{2, "", [][]int{{4, 5, 6, 7, 8, 9, 10}, {11, 12, 13, 14}}, "[1970-01-04 1970-01-05]"},
		{0, "1970-01-05", [][]int{{11, 12, 13, 14}}, "[]"},
		{0, "1970-01-04T00:00:01Z", [][]int{{11, 12, 13, 14}}, "[]"},
	} {
		opt := crossval.Options{Forward: test.forward, Systems: crossval.Systems()}
		opt.From, _ = subgraph.ParseTime(test.from)
		opt.Select.Subgraphs, opt.Select.Threshold, opt.LearnOn = 3, new(0.5), crossval.LearnAll
		got, err := crossval.Run(t.Context(), m, resolwe.NewStream(m, subs), opt)
		check.OK(t, err)
		name := fmt.Sprint(test.forward, test.from)
		check.Equal(t, name, got.Systems, byHand(t, m, subs, test.folds, opt, true, len(test.folds)), nearly)
		check.Equal(t, name+" tested", got.Tested, tested(subs, test.folds))
		check.Equal(t, name+" begins", fmt.Sprint(got.From), test.begins)
		compareTests(t, got)
	}
}

// Of two streams of which one changes at a subgraph, evidence, labels or both, all systems predict alike what comes before it, and differently
// what comes later.
func TestRun_ForwardUnknown(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	m := streamtest.Parse(t, "reads(person)\nplays(person)\ncooks(person)\nsings(person)\ntravels(person)\npaints(person)\nknows(person, person)\n"+
		"target buys(person)\nreads(x) => buys(x)\ncooks(x) => buys(x)\nknows(x, y) ^ plays(y) => buys(x)\nknows(x, y) ^ sings(y) => buys(x)\n")
	differed, pairs := 0, check.Networks(t, 2)
	for range pairs {
		const all = 60
		changed, kind := 20+rng.IntN(all-30), []string{"abrupt", "covariate", "gradual"}[rng.IntN(3)]
		opt := crossval.Options{Forward: 1 + rng.IntN(3), Run: resolwe.Run{Workers: 1 + rng.IntN(3)}}
		if rng.IntN(2) == 0 {
			opt.Discover = &resolwe.DiscoverOptions{Length: 2, Support: 5}
		}
		times := make([]int64, all)
		for i := range all - 1 {
			times[i+1] = times[i] + rng.Int64N(3)*3600
		}
		var got [2]*crossval.Result
		for k, of := range []drift.Options{{Kind: "none", At: 1}, {Kind: kind, At: changed, Size: 1}} {
			of.Subgraphs, of.Seed = all, seed
			var subs []*subgraph.Subgraph
			_, err := drift.Generate(m.Schema, of, func(s *subgraph.Subgraph) error {
				c := s.Clone()
				c.Time, _ = subgraph.TimeAt(times[s.Index])
				subs = append(subs, c)
				return nil
			})
			check.OK(t, err)
			got[k], err = crossval.Run(t.Context(), m, resolwe.NewStream(m, subs), opt)
			check.OK(t, err)
		}
		check.MustIs(t, len(got[0].Tested), len(got[1].Tested), "test subgraphs")
		same := true
		for i, tested := range got[0].Tested {
			for k, system := range got[0].Systems {
				a, b := system.Figures[i], got[1].Systems[k].Figures[i]
				if tested.Index < changed {
					check.Equal(t, fmt.Sprintf("%s, changed at %d: %s on subgraph %d", kind, changed, system.Name, tested.Index), a, b)
				}
				same = same && a == b
			}
		}
		if !same {
			differed++
		}
	}
	check.AtLeast(t, differed, pairs/2, "pairs whose predictions differ later")
}

// Forward folds are refused without times, out of order, or with too few times.
func TestRun_ForwardErrors(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, candidates)
	run := func(change func([]*subgraph.Subgraph), opt crossval.Options) error {
		subs := timed(t, m)
		change(subs)
		_, err := crossval.Run(t.Context(), m, resolwe.NewStream(m, subs), opt)
		return err
	}
	none := func(subs []*subgraph.Subgraph) {
		for _, s := range subs {
			s.Time = resolwe.Time{}
		}
	}
	date, _ := subgraph.ParseTime("1970-01-04")
	for _, test := range []struct {
		name   string
		change func([]*subgraph.Subgraph)
		opt    crossval.Options
		want   string
	}{
		{"no times", none, crossval.Options{Forward: 2}, "crossval.Options.Forward: the subgraphs have no times"},
		{"no times, at a date", none, crossval.Options{From: date}, "Subset.Split: the subgraphs have no times"},
		{"one without", func(subs []*subgraph.Subgraph) { subs[5].Time = resolwe.Time{} }, crossval.Options{Forward: 2}, "subgraph s5 has no time"},
		{"out of order", func(subs []*subgraph.Subgraph) { subs[5].Time.Unix = 0 }, crossval.Options{From: date}, "subgraph s5 has time 1970-01-01 and follows one with 1970-01-04"},
		{"too many", func([]*subgraph.Subgraph) {}, crossval.Options{Forward: 6}, "7 different times cannot be divided into 7 parts"},
		{"less than one", func([]*subgraph.Subgraph) {}, crossval.Options{Forward: -1}, "at least 1"},
		{"both", func([]*subgraph.Subgraph) {}, crossval.Options{Forward: 2, Split: .5}, "already divided in two"},
		{"before all", func([]*subgraph.Subgraph) {}, crossval.Options{From: resolwe.Time{Known: true}}, "1970-01-01 of 15 subgraphs leaves none"},
	} {
		err := run(test.change, test.opt)
		option, folds := errors.As(err, new(*resolwe.OptionError)), errors.As(err, new(*crossval.FoldError))
		if !option && !folds || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
}

// Without options folds go forward where all subgraphs have different times; else they are named by the stream, or random, and that is said
// if times do not allow it.
func TestRun_ForwardByDefault(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, candidates)
	for _, test := range []struct {
		name   string
		change func([]*subgraph.Subgraph)
		opt    crossval.Options
		from   int
		warns  string
	}{
		{"times", func([]*subgraph.Subgraph) {}, crossval.Options{Folds: 2}, 2, ""},
		{"random", func([]*subgraph.Subgraph) {}, crossval.Options{Folds: 3, Random: true}, 0, ""},
		{"one without", func(subs []*subgraph.Subgraph) { subs[5].Time = resolwe.Time{} }, crossval.Options{Folds: 3}, 0, ""},
		{"named", func(subs []*subgraph.Subgraph) {
			for i, s := range subs {
				s.Fold = i % 3
			}
		}, crossval.Options{Folds: 3}, 0, ""},
		{"one time", func(subs []*subgraph.Subgraph) {
			for _, s := range subs {
				s.Time = subs[0].Time
			}
		}, crossval.Options{Folds: 3}, 0, ""},
		{"out of order", func(subs []*subgraph.Subgraph) { subs[5].Time.Unix = 0 }, crossval.Options{Folds: 3}, 0, "the stream must be ordered by time"},
		{"few times", func([]*subgraph.Subgraph) {}, crossval.Options{Folds: 6}, 0, "7 different times cannot be divided into 7 parts"},
	} {
		subs := timed(t, m)
		test.change(subs)
		warned := ""
		test.opt.Systems = named(t, "gain", "base")
		test.opt.Warn = func(text string) {
			if strings.Contains(text, "folds are random") && !strings.Contains(text, "inner folds") {
				warned += text
			}
		}
		got, err := crossval.Run(t.Context(), m, resolwe.NewStream(m, subs), test.opt)
		check.OK(t, err)
		check.Is(t, len(got.From), test.from, "%s: folds forward in time", test.name)
		check.Is(t, got.Overlap > 0, test.from == 0, "%s: training sets overlap", test.name)
		if (warned == "") != (test.warns == "") || !strings.Contains(warned, test.warns) {
			t.Errorf("%s: warned %q, want %q", test.name, warned, test.warns)
		}
		if test.from == 0 {
			continue
		}
		explicit := crossval.Options{Forward: 2, Systems: test.opt.Systems}
		want, err := crossval.Run(t.Context(), m, resolwe.NewStream(m, subs), explicit)
		check.OK(t, err)
		check.Equal(t, test.name, got, want, cmpopts.EquateNaNs())
		test.opt.Null = resolwe.NewStream(m, streamtest.Subgraphs(t, m, streamtest.IndependentDB(2, 15))) // without times
		got, err = crossval.Run(t.Context(), m, resolwe.NewStream(m, subs), test.opt)
		check.OK(t, err)
		check.Is(t, got.Null.System.Subgraphs, 15, "of the null stream")
	}
}
