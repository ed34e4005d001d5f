package pool_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/pool"
)

// Each part of each step is handed out once, to workers that come to the steps at any time.
func TestSteps(t *testing.T) {
	t.Parallel()
	const line, steps, workers = 7, 3, 3
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 49))
		var s pool.Steps
		parts, done := make([]int, steps), make([]map[int]bool, steps)
		for step := range parts {
			parts[step], done[step] = r.IntN(6), map[int]bool{}
		}
		at := make([]int, workers) // the steps that they have come to
		for slices.Min(at) < steps {
			worker := r.IntN(workers)
			step := at[worker]
			if step == steps {
				continue
			}
			part := s.Next(line, uint32(step+1), parts[step], worker == 1)
			switch {
			case part == parts[step]:
				at[worker]++
				if len(done[step]) != parts[step] {
					t.Fatalf("seed %d, step %d: got none of the parts left, want one: %v of %d are done", seed, step, done[step], part)
				}
			case part < 0 || part > parts[step] || done[step][part]:
				t.Fatalf("seed %d, step %d: got part %d, want another of %d", seed, step, part, parts[step])
			}
			if part < parts[step] {
				done[step][part] = true
			}
		}
	}
}
