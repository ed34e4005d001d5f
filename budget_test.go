package resolwe_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"resolwe"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/check"
)

// ticking returns a clock that goes on by a second whenever it is read.
func ticking() func() time.Time {
	var n atomic.Int64
	return func() time.Time { return time.Unix(n.Add(1), 0) }
}

// Whenever a budget expires, selection gives a model, says what was not done, and has read the more and chosen the more formulas
// the more time there was; time that suffices changes nothing.
func TestSelect_Budget(t *testing.T) {
	t.Parallel()
	m := parse(t, shop)
	db := shopDB(3, 60, 2)
	chosen := func(clock func() time.Time, limit time.Duration) (*resolwe.Selection, error) {
		opt := resolwe.SelectOptions{Gain: resolwe.GainOptions{Formulas: 12}, Run: resolwe.Run{Workers: 1}}
		if clock != nil {
			opt.Budget = resolwe.NewBudget(limit, clock)
		}
		return resolwe.Select(t.Context(), m, inMemory(t, m, db), opt)
	}
	whole, err := chosen(nil, 0)
	check.OK(t, err)
	clock := ticking()
	got, err := chosen(clock, time.Hour*1e5)
	check.OK(t, err)
	check.Equal(t, "with time", selectedText(t, m, got), selectedText(t, m, whole))
	check.Equal(t, "with time", []any{got.Stopped, len(got.Warnings)}, []any{false, 0})
	calls := clock().Unix()

	if _, err := chosen(clock, 0); !errors.Is(err, resolwe.ErrBudget) || err.Error() != "the budget expired before a subgraph was counted" {
		t.Errorf("without time: got %v", err)
	}
	said := map[string]bool{}
	read, size := 0, 0
	for limit := int64(16); limit < calls; limit = limit*5/4 + 1 {
		got, err := chosen(ticking(), time.Duration(limit)*time.Second)
		if read == 0 && errors.Is(err, resolwe.ErrBudget) {
			continue
		}
		check.OK(t, err)
		check.Equal(t, "stopped", got.Stopped, true)
		for _, w := range got.Warnings {
			text, _, _ := strings.Cut(w.Msg, " on ")
			said[text] = true
		}
		g := &got.Gain[0]
		if got.Subgraphs < read || got.Subgraphs == read && len(g.Path) < size {
			t.Errorf("%d s: %d subgraphs and a path of %d formulas, after %d and %d with less time", limit, got.Subgraphs, len(g.Path), read, size)
		}
		read, size = got.Subgraphs, len(g.Path)
		kept, _ := got.Model(m)
		check.OK(t, inferring.Infer(t.Context(), kept, inMemory(t, m, shopDB(4, 2, 0)), resolwe.InferOptions{}, func(*resolwe.Marginals) error { return nil }))
	}
	maps.DeleteFunc(said, func(text string, _ bool) bool { return strings.HasPrefix(text, "buys: nothing was selected") })
	check.Equal(t, "said", said, map[string]bool{
		"the budget expired: candidates were judged":                                                  true,
		"the budget expired: not all formulas were tried, and those chosen so far are selected":       true,
		"the budget expired: formulas with several target literals were not judged, and are left out": true,
	})
	check.Equal(t, "read at last", read, 60)
}

// By the other criteria candidates are judged on what was read, as with a smaller k2.
func TestSelect_Budget_Paper(t *testing.T) {
	t.Parallel()
	m := parse(t, shop)
	for limit := range 40 {
		opt := resolwe.SelectOptions{Criterion: resolwe.Paper, Run: resolwe.Run{Workers: 1}}
		opt.Budget = resolwe.NewBudget(time.Duration(limit)*time.Minute, ticking())
		got, err := resolwe.Select(t.Context(), m, inMemory(t, m, shopDB(1, 60, 0)), opt)
		if limit == 0 && errors.Is(err, resolwe.ErrBudget) {
			continue
		}
		check.OK(t, err)
		check.Equal(t, "stopped", got.Stopped, got.Subgraphs < 30)
		opt.Budget, opt.Subgraphs = nil, got.Subgraphs
		want, err := resolwe.Select(t.Context(), m, inMemory(t, m, shopDB(1, 60, 0)), opt)
		check.OK(t, err)
		check.Equal(t, "as with --k2", fmt.Sprint(got.Notes), fmt.Sprint(want.Notes))
		if got.Stopped {
			check.Equal(t, "said", got.Warnings[len(got.Warnings)-1].Msg, fmt.Sprintf("the budget expired: candidates were judged on %d of 30 subgraphs", got.Subgraphs))
		}
	}
}

// A context that a budget ends is no soft end: whoever set it wants nothing.
func TestSelect_Budget_Context(t *testing.T) {
	t.Parallel()
	m := parse(t, shop)
	for _, criterion := range []resolwe.Criterion{resolwe.Gain, resolwe.Lift} {
		ctx, cancel := resolwe.NewBudget(0, time.Now).Context(context.Background())
		defer cancel()
		sel, err := resolwe.Select(ctx, m, inMemory(t, m, shopDB(1, 9, 0)), resolwe.SelectOptions{Criterion: criterion})
		if sel != nil || !errors.Is(err, resolwe.ErrBudget) {
			t.Errorf("%v: got %v and %v", criterion, sel, err)
		}
	}
}

// Parts share what is left; no budget is no limit.
func TestBudget(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	b := resolwe.NewBudget(100*time.Second, func() time.Time { return now })
	now = now.Add(20 * time.Second)
	half := b.Part(.5)
	check.Equal(t, "left", []time.Duration{b.Left(), half.Left()}, []time.Duration{80 * time.Second, 40 * time.Second})
	now = now.Add(40 * time.Second)
	check.Equal(t, "over", []bool{b.Over(), half.Over()}, []bool{false, true})
	check.Equal(t, "without time", []time.Duration{b.Part(-1).Left(), half.Part(.5).Left()}, []time.Duration{0, 0})
	none := (*resolwe.Budget)(nil)
	check.Equal(t, "none", []any{none.Over(), none.Part(.5) == nil, none.Left()}, []any{false, true, time.Duration(-1)})
}
