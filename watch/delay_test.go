package watch_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"resolwe"
	"resolwe/bench/drift"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/check"
	"resolwe/watch"
)

// candidates is the task without weights.
func candidates(t *testing.T) *resolwe.Model {
	t.Helper()
	m, err := resolwe.ParseModel("task.mln", []byte(strings.NewReplacer("%s ", "", "once: ", "", "log: ", "").Replace(task)), resolwe.ModelOptions{})
	check.OK(t, err)
	return m
}

// Of two streams whose labels differ from a subgraph on, all systems give the same predictions until one of these labels is known, whatever
// comes then; and others thereafter.
func TestWatch_Unknown(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	differed, pairs := 0, check.Networks(t, 5)
	for pair := range pairs {
		const all = 260
		m := candidates(t)
		opt := watch.Options{
			Start: 60 + rng.IntN(80), Block: 1 + rng.IntN(30), Alarm: 5, Run: resolwe.Run{Workers: 1 + rng.IntN(3)},
			Adapt: []watch.Adapt{watch.AdaptWeights, watch.AdaptNone, watch.AdaptStructure}[rng.IntN(3)],
		}
		start := opt.Start
		if opt.Adapt != watch.AdaptStructure && rng.IntN(3) == 0 { // of a model with weights there is no start
			m, start = model(t, "-1.5", "1.25", "0", ".8", "0"), 0
		}
		times := make([]int64, all)
		for i := range all - 1 {
			times[i+1] = times[i] + rng.Int64N(3)*3600
		}
		changed, wait := rng.IntN(all-60), 1+rng.IntN(opt.Start-20) // in subgraphs, or in hours
		byTime := rng.IntN(2) == 0
		if opt.Delay = wait; byTime {
			opt.Delay, opt.Wait = 0, time.Duration(wait)*time.Hour
		}
		same := start // of these and earlier subgraphs the predictions are compared
		for first := start; first < all; first += opt.Block {
			if known := first > changed+wait; byTime && times[first]-times[changed] >= int64(wait)*3600 || !byTime && known {
				break
			}
			same = min(all, first+opt.Block)
		}
		var got [2]map[string][]float64 // by system and place
		var rest [2]map[string][]float64
		for k, of := range []drift.Options{{Kind: "none", At: 1, Seed: seed}, {Kind: "abrupt", At: max(changed, 1), Size: 1, Seed: seed}} {
			of.Subgraphs = all
			subs := make([]*subgraph.Subgraph, 0, all)
			keep := func(s *subgraph.Subgraph) error {
				c := s.Clone()
				c.Time, _ = subgraph.TimeAt(times[s.Index])
				if s.Index == len(subs) {
					subs = append(subs, c)
				}
				return nil
			}
			check.OK(t, errors.Join(generated(m, of, same, keep), generated(m, drift.Options{Kind: "none", At: 1, Subgraphs: all, Seed: seed + uint64(k)}, all, keep)))
			got[k], rest[k] = map[string][]float64{}, map[string][]float64{}
			lists := make([]map[string][]float64, len(watch.Systems)) // calls of different systems may be concurrent
			for i := range lists {
				lists[i] = map[string][]float64{}
			}
			opt.Scored = func(place, system int, _ inferring.Figures, atoms []inferring.Prediction) {
				for _, a := range atoms {
					key := fmt.Sprint(watch.Systems[system], " ", place)
					lists[system][key] = append(lists[system][key], a.P)
				}
			}
			_, err := watch.Watch(t.Context(), m, resolwe.NewStream(m, subs), opt)
			check.OK(t, err)
			for _, list := range lists {
				for key, p := range list {
					slices.Sort(p)
					var system string
					var place int
					_, err := fmt.Sscan(key, &system, &place)
					check.OK(t, err)
					if place < same {
						got[k][key] = p
					} else {
						rest[k][key] = p
					}
				}
			}
		}
		check.Equal(t, fmt.Sprintf("pair %d, %+v, changed %d, predictions before %d", pair, opt.Adapt, changed, same), got[0], got[1])
		if len(rest[0]) > 0 && fmt.Sprint(rest[0]) != fmt.Sprint(rest[1]) {
			differed++
		}
	}
	check.AtLeast(t, differed, pairs/2, "pairs whose predictions differ later")
}

// generated passes the first subgraphs of a stream on.
func generated(m *resolwe.Model, opt drift.Options, first int, keep func(*subgraph.Subgraph) error) error {
	_, err := drift.Generate(m.Schema, opt, func(s *subgraph.Subgraph) error {
		if s.Index >= first {
			return nil
		}
		return keep(s)
	})
	return err
}

// A start of which nothing is known when it ends is refused.
func TestWatch_ShortStart(t *testing.T) {
	t.Parallel()
	m := candidates(t)
	s := stream(t, m, drift.Options{Kind: "none", At: 1, Subgraphs: 200, Seed: 1})
	_, err := watch.Watch(t.Context(), m, s, watch.Options{Start: 100, Delay: 100})
	e, ok := errors.AsType[*resolwe.OptionError](err)
	check.Is(t, ok && e.Option == "watch.Options.Start", true, "got %v", err)
}
