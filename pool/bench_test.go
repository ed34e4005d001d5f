package pool_test

import (
	"context"
	"fmt"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/pool"
)

// What a work item costs beside the work.
func BenchmarkMap(b *testing.B) {
	fn := func(_ context.Context, _ struct{}, i int) (int, error) { return i, nil }
	for _, workers := range []int{1, 2, 8} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			b.ReportAllocs()
			err := pool.Map(b.Context(), workers, upTo(b.N), noScratch, fn, func(int) error { return nil })
			check.OK(b, err)
		})
	}
}

func BenchmarkReduce(b *testing.B) {
	fn := func(_ context.Context, sum *int, i int) error {
		*sum += i
		return nil
	}
	for _, workers := range []int{1, 2, 8} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			b.ReportAllocs()
			if _, err := pool.Reduce(b.Context(), workers, upTo(b.N), newSum, fn); err != nil {
				b.Fatal(err)
			}
		})
	}
}
