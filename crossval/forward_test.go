package crossval_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"resolwe"
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
