package bitset_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"resolwe/kernels/bitset"
)

// benchSizes are set sizes in bytes.
var benchSizes = []int{64, 128, 256, 512, 1 << 10, 8 << 10, 64 << 10, 1 << 20}

// benchmark runs a function at each level on operands of each size. The rate counts the bytes of the sets read. The level "generic" is
// the unrolled Go loop.
//
//	go test -run '^$' -bench . -count 6 ./kernels/bitset
func benchmark(b *testing.B, sets int, f func(o *operands)) {
	b.Helper()
	for _, size := range benchSizes {
		n := size / 8
		place := func(words []uint64) []uint64 { return words }
		o := randomOperands(rand.New(rand.NewPCG(1, 1)), n, place)
		for i, level := range bitset.Levels() {
			b.Run(fmt.Sprintf("bytes=%d/level=%s", size, level), func(b *testing.B) {
				defer bitset.UseLevel(i)()
				b.SetBytes(int64(sets * size))
				for b.Loop() {
					f(o)
				}
			})
		}
	}
}

func BenchmarkCount(b *testing.B) {
	benchmark(b, 1, func(o *operands) { bitset.Count(o.a) })
}

func BenchmarkAndCount(b *testing.B) {
	benchmark(b, 2, func(o *operands) { bitset.AndCount(o.a, o.b) })
}

func BenchmarkAndInto(b *testing.B) {
	benchmark(b, 2, func(o *operands) { bitset.AndInto(o.a, o.b) })
}

func BenchmarkOrInto(b *testing.B) {
	benchmark(b, 2, func(o *operands) { bitset.OrInto(o.a, o.b) })
}

// BenchmarkOrRows adds 20 of 3,500 rows, a typical number of partners of an entity. Rows have 6 words (masks), 28 and 55 (the users and
// the articles of a subgraph) or 512. "OrInto" adds them one at a time.
func BenchmarkOrRows(b *testing.B) {
	for _, width := range []int{1, 6, 8, 28, 55, 512} {
		r := rand.New(rand.NewPCG(1, 1))
		dst, matrix, rows := make([]uint64, width), make([]uint64, 3500*width), make([]uint32, 20)
		for i := range matrix {
			matrix[i] = r.Uint64()
		}
		for i := range rows {
			rows[i] = uint32(r.IntN(3500))
		}
		for i, level := range bitset.Levels() {
			b.Run(fmt.Sprintf("words=%d/level=%s", width, level), func(b *testing.B) {
				defer bitset.UseLevel(i)()
				b.SetBytes(int64(8 * width * len(rows)))
				for b.Loop() {
					bitset.OrRows(dst, matrix, rows)
				}
			})
		}
		b.Run(fmt.Sprintf("words=%d/OrInto", width), func(b *testing.B) {
			b.SetBytes(int64(8 * width * len(rows)))
			for b.Loop() {
				for _, r := range rows {
					bitset.OrInto(dst, matrix[int(r)*width:])
				}
			}
		})
	}
}

// BenchmarkAddAndCounts intersects rows of some words with 6 sets, for 5 sets of rows. "AndCount" handles one set at a time.
func BenchmarkAddAndCounts(b *testing.B) {
	const lanes, members = 6, 0b11111
	for _, words := range []int{6, 18, 55} {
		r := rand.New(rand.NewPCG(1, 1))
		stride := bitset.Stride(lanes)
		row, cols := make([]uint64, words), make([]uint64, words*stride)
		for w := range row {
			row[w] = r.Uint64()
			for j := range lanes {
				cols[w*stride+j] = r.Uint64()
			}
		}
		sums := make([]uint64, 5*stride)
		for i, level := range bitset.Levels() {
			b.Run(fmt.Sprintf("words=%d/level=%s", words, level), func(b *testing.B) {
				defer bitset.UseLevel(i)()
				for b.Loop() {
					bitset.AddAndCounts(sums, members, row, cols, lanes)
				}
			})
		}
		b.Run(fmt.Sprintf("words=%d/AndCount", words), func(b *testing.B) {
			for b.Loop() {
				for j := range lanes {
					n := uint64(bitset.AndCount(row, cols[j*words:][:words]))
					for i := range 5 {
						sums[i*stride+j] += n
					}
				}
			}
		})
	}
}

func BenchmarkTranspose64(b *testing.B) {
	for i, level := range bitset.Levels() {
		b.Run("level="+level, func(b *testing.B) {
			defer bitset.UseLevel(i)()
			var m [64]uint64
			b.SetBytes(512)
			for b.Loop() {
				bitset.Transpose64(&m)
			}
		})
	}
}
