package resolwe_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"resolwe"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/kernels/features"
	"resolwe/kernels/join"
)

// overflowing returns a task whose candidate has 9^20 groundings, more than 2^63, for an atom with nine facts.
func overflowing() string {
	var b strings.Builder
	b.WriteString("s(a, b)\ntarget listed t(a)\n")
	for i := range 20 {
		fmt.Fprintf(&b, "s(x, y%d) ^ ", i)
	}
	return b.String() + "t(x)\n"
}

// overflowingDB returns n subgraphs of six atoms each, of which those that vast accepts overflow.
func overflowingDB(n int, vast func(i int) bool) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "@subgraph S%d\n", i)
		for a := range 6 {
			fmt.Fprintf(&b, "%st(A%d)\n", []string{"", "!"}[(i+a)%2], a)
			facts := (i * a) % 3
			if a == 5 && vast(i) {
				facts = 9
			}
			for k := range facts {
				fmt.Fprintf(&b, "s(A%d, B%d)\n", a, k)
			}
		}
	}
	return b.String()
}

// A subgraph that the sample does not want, and that is counted only because it was read before earlier ones were added, does not fail
// a selection. One that is wanted fails it. Both hold for any number of workers.
func TestSelect_FailsInStreamOrder(t *testing.T) {
	t.Parallel()
	const n, rows = 150, 12
	m := parse(t, overflowing())
	var wanted []int // one subgraph after the other
	b := features.NewBuilder(1, features.BuilderOptions{Seed: 1, Limit: rows})
	for i := range n {
		name := fmt.Sprint("S", i)
		if b.Wants(name) {
			wanted = append(wanted, i)
		}
		check.OK(t, b.Add(&features.Subgraph{Name: name, Truth: make([]bool, 6)}))
	}
	if len(wanted) < 5 || len(wanted) > n/4 {
		t.Fatalf("%d of %d subgraphs are wanted", len(wanted), n)
	}
	last := wanted[len(wanted)-1]
	is := map[int]bool{}
	for _, i := range wanted {
		is[i] = true
	}
	run := func(db string, workers int) (string, error) {
		opt := resolwe.SelectOptions{Gain: resolwe.GainOptions{Rows: rows, Seed: 1}, Run: resolwe.Run{Workers: workers}}
		sel, err := resolwe.Select(t.Context(), m, inMemory(t, m, db), opt)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(rules(sel.Selected), sel.Notes, sel.Subgraphs, sel.Gain[0].Atoms, sel.Gain[0].Base, len(sel.Gain[0].Path)), nil
	}
	want, err := run(overflowingDB(n, func(int) bool { return false }), 1)
	check.OK(t, err)
	unwanted := overflowingDB(n, func(i int) bool { return !is[i] })
	failing := overflowingDB(n, func(i int) bool { return !is[i] || i == last })
	for workers := 1; workers <= 64; workers *= 2 {
		got, err := run(unwanted, workers)
		check.OK(t, err)
		check.Equal(t, fmt.Sprintf("selected with %d workers", workers), got, want)
		_, err = run(failing, workers)
		if e, ok := errors.AsType[*resolwe.SubgraphError](err); !ok || e.Index != last || !errors.Is(err, join.ErrOverflow) {
			t.Errorf("%d workers: got error %v, want an overflow in S%d", workers, err, last)
		}
	}
}

// A work that a result of an earlier subgraph makes needless does not fail, however many workers read ahead; the first other one does.
func TestProcess_FailsInStreamOrder(t *testing.T) {
	t.Parallel()
	const n, enough = 100, 20
	m := parse(t, "target listed t(a)\n1 t(x)\n")
	var db strings.Builder
	for i := range n {
		fmt.Fprintf(&db, "@subgraph S%d\nt(A)\n", i)
	}
	for workers := 1; workers <= 64; workers *= 2 {
		for _, test := range []struct{ first, failed int }{{0, 0}, {enough - 1, enough - 1}, {enough, n}, {enough + 3, n}} {
			for _, panics := range []bool{false, true} {
				var found atomic.Int64
				work := func(_ struct{}, sub *subgraph.Subgraph) (int, error) {
					if found.Load() < enough && sub.Index >= test.first {
						if panics {
							panic("broken")
						}
						return 0, errors.New("broken")
					}
					return sub.Index, nil
				}
				taken := 0
				err := resolwe.Process(t.Context(), inMemory(t, m, db.String()), &resolwe.Run{Workers: workers}, func() struct{} { return struct{}{} },
					work, func(i int) error {
						check.Equal(t, "result", i, taken)
						taken++
						found.Add(1)
						return nil
					})
				failed := n
				if e, ok := errors.AsType[*resolwe.SubgraphError](err); ok {
					failed = e.Index
				}
				check.Equal(t, fmt.Sprintf("%d workers, failing from %d on, panics %v: failed", workers, test.first, panics), failed, test.failed)
				check.Equal(t, "taken", taken, test.failed)
			}
		}
	}
}
