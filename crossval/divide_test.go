package crossval_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe"
	"resolwe/crossval"
	"resolwe/internal/test/check"
)

// shuffled deals n positions to folds by a Fisher-Yates shuffle with PCG(seed, 0).
func shuffled(n, folds int, seed uint64) [][]int {
	r := rand.New(rand.NewPCG(seed, 0))
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := r.IntN(i + 1)
		order[i], order[j] = order[j], order[i]
	}
	of := make([]int, n)
	for place, i := range order {
		of[i] = place % folds
	}
	out := make([][]int, folds)
	for i, f := range of {
		out[f] = append(out[f], i)
	}
	return out
}

func TestDivide(t *testing.T) {
	t.Parallel()
	entries := func(folds ...int) []resolwe.Entry {
		out := make([]resolwe.Entry, len(folds))
		for i, f := range folds {
			out[i] = resolwe.Entry{Index: i, Name: fmt.Sprint("s", i), Fold: f}
		}
		return out
	}
	none := make([]int, 11)
	for i := range none {
		none[i] = -1
	}
	for seed := range uint64(5) {
		for folds := 2; folds <= 11; folds++ {
			got, err := crossval.Divide(entries(none...), folds, seed)
			if diff := cmp.Diff(got, shuffled(11, folds, seed)); err != nil || diff != "" {
				t.Errorf("seed %d, %d folds: %v (-got +want):\n%s", seed, folds, err, diff)
			}
		}
	}
	gaps := entries(-1, -1, -1)
	gaps[2].Index = 7
	got, err := crossval.Divide(gaps, 3, 1)
	if seen := fmt.Sprint(got); err != nil || !strings.Contains(seen, "[7]") || strings.Contains(seen, "[2]") {
		t.Errorf("positions with a gap: got %v, %v", got, err)
	}
	got, err = crossval.Divide(entries(5, 2, 5, 9, 2, 5), 4, 1)
	if diff := cmp.Diff(got, [][]int{{1, 4}, {0, 2, 5}, {3}}); err != nil || diff != "" {
		t.Errorf("folds of the stream: %v (-got +want):\n%s", err, diff)
	}
	for name, in := range map[string][]resolwe.Entry{
		"one fold": entries(3, 3, 3), "fold missing": entries(0, 1, -1), "few subgraphs": entries(-1, -1, -1), "none": nil,
	} {
		check.ErrorAs[*crossval.FoldError](t, check.Err(crossval.Divide(in, 4, 1)), "%s", name)
	}
	check.ErrorAs[*resolwe.OptionError](t, check.Err(crossval.Divide(entries(none...), 1, 1)), "one fold wanted")
}
