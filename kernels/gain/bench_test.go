package gain_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/features"
	"resolwe/kernels/gain"
)

// BenchmarkSelect has the shape of a fold of Last.fm: 92,000 atoms, 118 candidates, of which an atom has two thirds, their
// counts up to a million.
func BenchmarkSelect(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	const candidates, subgraphs, size = 118, 1095, 84
	builder := features.NewBuilder(candidates, features.BuilderOptions{Seed: 1})
	for s := range subgraphs {
		sub := features.Subgraph{Name: strconv.Itoa(s)}
		for a := range uint32(size) {
			busy, odds := r.NormFloat64(), -1.5
			for c := range uint32(candidates) {
				level := busy + r.NormFloat64() + .4
				if level <= 0 {
					continue
				}
				n := int64(math.Exp(min(level*float64(1+c%7), 14)))
				sub.Cells = append(sub.Cells, features.Cell{Atom: a, Candidate: c, Count: n})
				if c%5 == 0 {
					odds += .3 * math.Sin(float64(c)) * math.Min(level, 2)
				}
			}
			sub.Truth = append(sub.Truth, r.Float64() < 1/(1+math.Exp(-odds)))
		}
		check.OK(b, builder.Add(&sub))
	}
	m, err := gain.NewMatrix(builder, nil)
	check.OK(b, err)
	for b.Loop() {
		check.OK(b, check.Err(m.Select(gain.Options{Run: twoAtOnce})))
	}
}

func twoAtOnce(n int, task func(int)) {
	tasks := make(chan int, n)
	for i := range n {
		tasks <- i
	}
	close(tasks)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for i := range tasks {
				task(i)
			}
		})
	}
	all.Wait()
}
