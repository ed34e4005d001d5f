package features_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/features"
)

// A matrix has the rows of the subgraphs of least hash, up to the limit, in whatever order and by however many builders they came. Its
// columns list the levels of counts that are not 0, and the bins of values that are there.
func TestMatrix(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 4))
		opt := features.BuilderOptions{Seed: seed, Limit: r.IntN(3) * (1 + r.IntN(60)), Measures: []int{2}}
		subgraphs, parts := make([]*features.Subgraph, 1+r.IntN(30)), [2]*features.Builder{}
		for i := range parts {
			parts[i] = features.NewBuilder(3, opt)
		}
		for i := range subgraphs {
			s := &features.Subgraph{Name: strconv.Itoa(i), Values: [][]float64{nil}}
			for a := range uint32(1 + r.IntN(8)) {
				s.Truth = append(s.Truth, r.IntN(2) == 0)
				s.Values[0] = append(s.Values[0], []float64{math.NaN(), float64(r.IntN(50))}[r.IntN(2)])
				for c := range uint32(2) {
					s.Cells = append(s.Cells, features.Cell{Atom: a, Candidate: c, Count: r.Int64N(3) * r.Int64N(100)})
				}
				if i%2 == 0 {
					s.Offset = append(s.Offset, 1+r.Float64())
				}
			}
			r.Shuffle(len(s.Cells), func(i, j int) { s.Cells[i], s.Cells[j] = s.Cells[j], s.Cells[i] })
			subgraphs[i] = s
			check.OK(t, parts[r.IntN(2)].Add(s))
		}
		parts[0].Merge(parts[1])
		got, err := parts[0].Matrix()
		check.OK(t, err)

		slices.SortFunc(subgraphs, func(a, b *features.Subgraph) int {
			return cmp.Compare(features.Hash(seed, a.Name), features.Hash(seed, b.Name))
		})
		want := &features.Matrix{Start: []int{0}, Columns: make([]features.Column, 3)}
		var values []float64
		for i, s := range subgraphs {
			first := len(want.Truth)
			if i > 0 && opt.Limit > 0 && first+len(s.Truth) > opt.Limit {
				break
			}
			want.Subgraphs = append(want.Subgraphs, features.Origin{Hash: features.Hash(seed, s.Name), Name: s.Name})
			want.Truth, want.Start = append(want.Truth, s.Truth...), append(want.Start, first+len(s.Truth))
			if want.Offset = append(want.Offset, s.Offset...); s.Offset == nil {
				want.Offset = append(want.Offset, make([]float64, len(s.Truth))...)
			}
			values = append(values, s.Values[0]...)
			for a := range s.Truth {
				for _, c := range s.Cells {
					if int(c.Atom) == a && c.Count > 0 {
						want.Columns[c.Candidate].Add(first+a, features.Level(c.Count))
					}
				}
			}
		}
		sorted := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
		slices.Sort(sorted)
		bounds := features.Quantiles(sorted, nil, 16)
		for i, v := range values {
			if !math.IsNaN(v) {
				want.Columns[2].Add(i, uint8(1+features.Bin(bounds, v)))
			}
		}
		if !slices.ContainsFunc(want.Offset, func(v float64) bool { return v != 0 }) {
			want.Offset = nil
		}
		if !slices.Equal(got.Subgraphs, want.Subgraphs) || !slices.Equal(got.Start, want.Start) || !slices.Equal(got.Truth, want.Truth) ||
			!slices.Equal(got.Offset, want.Offset) || !slices.Equal(got.Bounds[2], bounds) {
			t.Fatalf("seed %d: got %+v, want %+v", seed, got, want)
		}
		for c := range want.Columns {
			if !slices.Equal(got.Columns[c].Rows, want.Columns[c].Rows) || !slices.Equal(got.Columns[c].Levels, want.Columns[c].Levels) {
				t.Fatalf("seed %d: column %d: got %+v, want %+v", seed, c, got.Columns[c], want.Columns[c])
			}
		}
	}
}
