package report_test

import (
	"bytes"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"resolwe"
	"resolwe/crossval"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
	"resolwe/report"
)

// When a budget expires, the page is about what is there, and lists what is not.
func TestMake_Budget(t *testing.T) {
	m := streamtest.Parse(t, task)
	subs := streamtest.Subgraphs(t, m, streamtest.IndependentDB(3, 24))
	for _, c := range []struct {
		seconds float64 // for a cross-validation in which each step takes one, and twice that for all
		said    []string
	}{
		{1.5, nil},
		{4.5, []string{"the cross-validation lacks fold 1: base; fold 2; fold 3; fold 4", "figures are of the first 1."}},
		{14.5, []string{"the cross-validation lacks fold 3: single, base; fold 4", "figures are of the first 2."}},
		{1000, []string{"No warnings"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			opt := report.Options{Budget: resolwe.NewBudget(time.Duration(2*c.seconds*float64(time.Second)), time.Now)}
			opt.Cross.Systems = streamtest.Try(crossval.Named("gain", "single", "base"))
			opt.Cross.Select.Gain.Gate = new(0.)
			opt.Cross.Stage = func(string) { time.Sleep(time.Second) }
			r, err := report.Make(t.Context(), m, resolwe.NewStream(m, subs), opt)
			if c.said == nil {
				check.ErrorIs(t, err, resolwe.ErrBudget, "%v s", c.seconds)
				return
			}
			check.OK(t, err)
			var page bytes.Buffer
			check.OK(t, r.Write(&page))
			checkPage(t, page.String())
			for _, text := range c.said {
				if !strings.Contains(page.String(), text) {
					t.Errorf("%v s: %q is not on the page; warnings: %q", c.seconds, text, r.Warnings)
				}
			}
		})
	}
}

// Of a model with weights, what was predicted in time is evaluated.
func TestMake_Budget_Weighted(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, weighted)
	subs := streamtest.Subgraphs(t, m, streamtest.IndependentDB(3, 24))
	fitted, said := 0, map[string]bool{}
	for limit := range 200 {
		var n atomic.Int64
		clock := func() time.Time { return time.Unix(n.Add(1), 0) } // each look takes a second
		opt := report.Options{Budget: resolwe.NewBudget(time.Duration(limit)*time.Second, clock)}
		opt.Begin = func(string, int) resolwe.Run { return resolwe.Run{Workers: 1} }
		r, err := report.Make(t.Context(), m, resolwe.NewStream(m, subs), opt)
		if errors.Is(err, resolwe.ErrBudget) && fitted == 0 {
			continue
		}
		check.OK(t, err)
		if r.Fitted < fitted || r.Fitted != r.Cross.Systems[0].Subgraphs {
			t.Errorf("%d s: got %d subgraphs, after %d with less time", limit, r.Fitted, fitted)
		}
		fitted = r.Fitted
		for _, w := range r.Warnings {
			said[strings.TrimRight(w, " 0123456789subgraphof")] = true
		}
		var page bytes.Buffer
		check.OK(t, r.Write(&page))
		if len(r.Warnings) == 0 {
			break
		}
	}
	check.Equal(t, "fitted", fitted, 24)
	check.Equal(t, "said", said, map[string]bool{
		"the budget expired: this model predicted":                         true,
		"the budget expired: the figures of the formulas are of the first": true,
	})
}
