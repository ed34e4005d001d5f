package discover_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/kernels/discover"
)

// Levels and flows are told apart by how they go on in time, whatever their names; by their names where the data do not tell.
func TestGrower_Levels(t *testing.T) {
	t.Parallel()
	const seed = 4
	r := rand.New(rand.NewPCG(seed, 0))
	walk := 0.
	// A visit's number, given how many days ago it was and the user's mean.
	numbers := []struct {
		name  string
		level bool
		of    func(days int, mean float64) (float64, bool)
	}{
		{"x7", true, func(int, float64) (float64, bool) { walk = .8*walk + r.NormFloat64(); return walk, true }}, // also below 0
		{"degrees", true, func(days int, mean float64) (float64, bool) { return mean - float64(days/10), true }},
		{"fee", true, func(_ int, mean float64) (float64, bool) { return mean, true }},
		{"level_of_sale", false, func(_ int, mean float64) (float64, bool) { return mean * r.ExpFloat64(), true }},
		{"signed", false, func(int, float64) (float64, bool) { return r.NormFloat64(), true }},
		{"stock_sold", false, func(int, float64) (float64, bool) { return float64(r.IntN(2)), true }},
		{"rare_balance", true, func(days int, _ float64) (float64, bool) { return r.Float64(), days < 30 }},
		{"rare_amount", false, func(days int, mean float64) (float64, bool) { return mean, days < 30 }},
	}
	var declared, db strings.Builder
	declared.WriteString("number days\nvisits_user(visit, user)\nvisits_days(visit, days)\ntarget listed likes(user)\n")
	for i, n := range numbers {
		fmt.Fprintf(&declared, "number kind%d\nvisits_%s(visit, kind%[1]d)\n", i, n.name)
	}
	for user := range 19 { // 95 pairs of six rows are too few
		mean := float64(10 + r.IntN(1000))
		fmt.Fprintf(&db, "likes(U%d)\n", user)
		for i := range 20 { // the order of ids is not that of time
			fmt.Fprintf(&db, "visits_user(V%d_%d, U%[2]d)\nvisits_days(V%[1]d_%[2]d, %[1]d)\n", i*7%20*5, user)
		}
		for days := 0; days < 100; days += 5 {
			for _, n := range numbers {
				if v, ok := n.of(days, mean); ok {
					fmt.Fprintf(&db, "visits_%s(V%d_%d, %g)\n", n.name, days, user, v)
				}
			}
		}
	}
	text := declared.String()
	task := jointest.Load(t, text, db.String())
	o := discover.NewObserver(&task.Model.Schema)
	o.Add(task.Subs[0])
	o.Add(task.Subs[0]) // which tells nothing new
	found := map[string]bool{}
	for _, a := range discover.NewGrower(&task.Model.Schema, o, discover.Options{Length: 1, Support: 1, Max: 100}).Aggregates() {
		found[mln.Canonical(a.Formula)] = true
	}
	for _, n := range numbers {
		for kind, want := range map[string]bool{"sum{n, v: ": !n.level, "avg{n, v: ": true, "trend{n, d, v: ": true} {
			days := ""
			if strings.HasPrefix(kind, "trend") {
				days = " ^ visits_days(v, d)"
			}
			f := jointest.Load(t, text+kind+"visits_user(v, u) ^ visits_"+n.name+"(v, n)"+days+"} >= 0 => likes(u)\n", "likes(U)").Model.Formulas[0]
			check.Is(t, found[mln.Canonical(f)], want, "seed %d: %s of %s", seed, kind, n.name)
		}
	}
}
