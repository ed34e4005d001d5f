package streamtest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"resolwe"
	"resolwe/internal/test/check"
)

var processors = runtime.GOMAXPROCS(0)

// SameBytes returns a result that does not depend on the schedule: it is the same for 1, 2, 3, 7 and 16 workers, which yield at random, on
// random numbers of processors. With NETWORKS each is tried twice.
func SameBytes(t *testing.T, what string, result func(run resolwe.Run) string) string {
	t.Helper()
	defer runtime.GOMAXPROCS(processors)
	want := result(resolwe.Run{Workers: 1})
	for round := range min(2, check.Networks(t, 1)) {
		for _, workers := range []int{1, 2, 3, 7, 16}[1-round:] {
			runtime.GOMAXPROCS(1 + chance(4))
			check.Equal(t, fmt.Sprintf("%s, %d workers", what, workers), result(Yielding(workers)), want)
		}
	}
	return want
}

// Yielding returns a Run whose workers yield at random, between subgraphs and wherever they ask whether to stop.
func Yielding(workers int) resolwe.Run {
	return resolwe.Run{Workers: workers, Tight: func() bool {
		switch chance(16) {
		case 0:
			time.Sleep(time.Duration(chance(200)) * time.Microsecond)
		case 1, 2, 3:
			runtime.Gosched()
		}
		return false // there is memory
	}}
}

// chance returns a random number below n. Only the schedule depends on it.
func chance(n int) int { return rand.IntN(n) } //nolint:forbidigo // called by several goroutines

// Replicas returns a random task whose networks consist of replicas, one for each topic, and facts of a number of subgraphs. A page that
// they all edit ties some users so that nearly all like a topic, or nearly none; others only talk. How strongly, and what hints at likes,
// differs, so that a component may be easy to sample for one topic and hard for another.
func Replicas(seed uint64, subgraphs int) (model, db string) {
	r := rand.New(rand.NewPCG(seed, 18))
	// Fewer ties between editors would be listed as pairs; fewer talkers would need more samples before plain sweeps settle them.
	const editors, talkers, topics = 96, 22, 4
	pull, tie := .05*float64(1+r.IntN(6)), .02+float64(.02*r.Float64())
	model = fmt.Sprintf(`edit(page, user)
editor(user)
talk(user, user)
hint(topic, user)
warning(topic, user)
target likes(topic, user)
%.3f edit(p, u) ^ edit(p, z) ^ likes(t, u) ^ likes(t, z)
%.2f editor(u) ^ likes(t, u)
%.2f talk(u, z) ^ likes(t, u) => likes(t, z)
%.2f talk(z, u) ^ likes(t, u) => likes(t, z)
2 hint(t, u) ^ likes(t, u)
-2 warning(t, u) ^ likes(t, u)
`, tie, -tie*editors, pull, pull)
	var b strings.Builder
	for i := range subgraphs {
		fmt.Fprintf(&b, "@subgraph s%d\n", i)
		for u := range editors {
			fmt.Fprintf(&b, "editor(U%d)\nedit(P0, U%d)\nedit(P%d, U%d)\n", u, u, 1+r.IntN(20), u)
		}
		agree := func(first, end, topic int, share float64) {
			for u := first; u < end; u++ {
				if r.Float64() < share {
					fmt.Fprintf(&b, "likes(T%d, U%d)\n", topic, u)
				}
			}
		}
		for t := range topics {
			agree(0, editors, t, [...]float64{.1, .9}[r.IntN(2)])
		}
		for first := editors; first < editors+2*talkers; first += talkers {
			end := first + talkers
			for u := first; u < end; u++ {
				for z := first; z < u; z++ {
					fmt.Fprintf(&b, "talk(U%d, U%d)\n", z, u)
				}
			}
			for t := range topics {
				agree(first, end, t, [...]float64{.05, .95}[r.IntN(2)])
				if evidence := [...]string{"", "hint", "warning"}[r.IntN(3)]; evidence != "" {
					for u := first; u < end; u++ {
						fmt.Fprintf(&b, "%s(T%d, U%d)\n", evidence, t, u)
					}
				}
			}
		}
	}
	return model, b.String()
}
