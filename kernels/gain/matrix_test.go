package gain_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"reflect"
	"slices"
	"testing"

	"resolwe/internal/elementary"
	"resolwe/internal/test/check"
	"resolwe/kernels/features"
	"resolwe/kernels/gain"
)

func TestHash(t *testing.T) {
	h := fnv.New64a()
	h.Write([]byte{7, 1, 0, 0, 0, 0, 0, 0})
	h.Write([]byte("s17"))
	if features.Hash(263, "s17") != elementary.Mix(h.Sum64()) {
		t.Error("hash")
	}
}

// Of too many rows, whole subgraphs of least hash stay.
func TestLimit(t *testing.T) {
	r := seeded(t)
	d := random(r, 200, 3, 2, .5, func([]int64) float64 { return 0 })
	whole := d.matrix(t, r.Perm(200))
	for _, limit := range []int{1, 3, 100, 599, 600, 5000} {
		b := features.NewBuilder(2, features.BuilderOptions{Seed: 1, Limit: limit})
		for _, s := range r.Perm(200) {
			check.OK(t, b.Add(d.subgraph(s)))
		}
		m, err := gain.NewMatrix(b, nil)
		check.OK(t, err)
		want := max(1, min(200, limit/3))
		if len(m.Subgraphs) != want || m.Rows() != 3*want || !reflect.DeepEqual(m.Names(), whole.Names()[:want]) {
			t.Errorf("limit %d: %d subgraphs, %d rows", limit, len(m.Subgraphs), m.Rows())
		}
	}
}

func TestErrors(t *testing.T) {
	truth := []bool{true, false}
	for _, offset := range [][]float64{{}, {1}, {1, math.NaN()}, {math.Inf(1), 0}, {0, 0, 0}} {
		s := &features.Subgraph{Name: "s", Truth: truth, Offset: offset}
		check.Fails(t, features.NewBuilder(1, features.BuilderOptions{}).Add(s), "%v", offset)
	}
	b := features.NewBuilder(3, features.BuilderOptions{})
	for range 2 {
		check.OK(t, b.Add(&features.Subgraph{Name: "s", Truth: truth}))
	}
	var twice *features.DuplicateError
	if _, err := gain.NewMatrix(b, nil); !errors.As(err, &twice) {
		t.Error(err)
	}
	m, err := gain.NewMatrix(features.NewBuilder(3, features.BuilderOptions{}), nil)
	check.OK(t, err)
	check.Fails(t, check.Err(m.Select(gain.Options{})), "no rows")
}

// Groups are held out together, subgraphs of no group as their hashes say, atoms of a few subgraphs apart.
func TestFolds(t *testing.T) {
	for _, subgraphs := range []int{7, 40} {
		for _, groups := range []int{0, 1, 4, 7} {
			b := features.NewBuilder(1, features.BuilderOptions{Seed: 3})
			for s := range subgraphs {
				sub := &features.Subgraph{Name: fmt.Sprint("s", s), Truth: make([]bool, 30)}
				if groups > 0 {
					sub.Group = fmt.Sprint("g", s%groups)
				}
				check.OK(t, b.Add(sub))
			}
			m, err := gain.NewMatrix(b, nil)
			check.OK(t, err)
			for s := range subgraphs {
				name := fmt.Sprint("s", s)
				folds := m.FoldsOf()[name]
				whole := len(slices.Compact(slices.Clone(folds))) == 1
				switch {
				case groups > 1:
					if !whole || int(folds[0]) != s%groups%gain.Folds {
						t.Errorf("%d groups: %s is in %v", groups, name, folds)
					}
				case subgraphs > 10:
					if !whole || uint64(folds[0]) != features.Hash(3, name)%gain.Folds {
						t.Errorf("%s is in %v", name, folds)
					}
				case whole:
					t.Errorf("all atoms of %s are in fold %d", name, folds[0])
				}
			}
		}
	}
}

// Thinned rows ascend, are as many as asked for, and leave each run of rows its share, within one.
func TestThinned(t *testing.T) {
	t.Parallel()
	r := seeded(t)
	for range 200 {
		rows := make([]uint32, 1+r.IntN(3000))
		for i := range rows {
			rows[i] = uint32(2 * i)
		}
		most := 1 + r.IntN(2*len(rows))
		got := gain.Thinned(rows, most)
		if len(got) != min(most, len(rows)) || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Fatalf("%d of %d rows: %d", most, len(rows), len(got))
		}
		run := uint32(1 + r.IntN(len(rows)))
		share := float64(run) * float64(len(got)) / float64(len(rows))
		in := 0
		for _, row := range got {
			if row < 2*run {
				in++
			}
		}
		if math.Abs(float64(in)-share) > 1 {
			t.Fatalf("%d of %d rows: %d of the first %d", most, len(rows), in, run)
		}
	}
}

// The mean log-likelihood of a subgraph's rows is what logarithms of single rows say, however many and however unlikely they are.
func TestJudge_MatchesLogarithms(t *testing.T) {
	t.Parallel()
	r := seeded(t)
	d := random(r, 20, 400, 1, .5, func([]int64) float64 { return 0 })
	m := d.matrix(t, r.Perm(20))
	z := make([]float64, m.Rows())
	for i := range z {
		z[i] = 30 * r.NormFloat64()
	}
	_, units := m.Judge(z)
	all, sum := 0.0, 0.0
	for _, u := range units {
		sum += u
	}
	for _, u := range gain.LogLikelihoods(m, z) {
		all += u
	}
	if math.Abs(all-sum) > 1e-9*math.Abs(all) {
		t.Errorf("%v, not %v", sum, all)
	}
}
