package castagnoli_test

import (
	"hash/crc32"
	"math/rand/v2"
	"strconv"
	"testing"

	"resolwe/internal/castagnoli"
)

var table = crc32.MakeTable(crc32.Castagnoli)

// random returns bytes that lie so many beyond a multiple of 64.
func random(seed uint64, misaligned, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 0))
	p := make([]byte, misaligned+n)
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return p[misaligned:]
}

// checkTwin compares a checksum with that of hash/crc32.
func checkTwin(t *testing.T, crc uint32, p []byte, what string, seed uint64) {
	t.Helper()
	if got, want := castagnoli.Update(crc, p), crc32.Update(crc, table, p); got != want {
		t.Errorf("%s, seed %d, %d bytes after %#x: got %#x, want %#x", what, seed, len(p), crc, got, want)
	}
}

func TestUpdate_AllLengths(t *testing.T) {
	t.Parallel()
	for n := range 1500 {
		checkTwin(t, uint32(n)*0x9e3779b9, random(uint64(n), n%64, n), "random", uint64(n))
	}
	for misaligned := range 64 {
		for n := range 600 {
			if n%7 == misaligned%7 {
				checkTwin(t, 0, random(1, misaligned, n), "misaligned by "+strconv.Itoa(misaligned), 1)
			}
		}
	}
}

func TestUpdate_Long(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		n := 1<<20 + int(seed*seed*97)
		checkTwin(t, uint32(seed), random(seed, int(seed), n), "long", seed)
	}
}

// TestUpdate_EveryBit looks at each position of a single bit, where nothing else can hide a wrong constant.
func TestUpdate_EveryBit(t *testing.T) {
	t.Parallel()
	p := make([]byte, 1100)
	for i := range 8 * len(p) {
		p[i/8] = 1 << (i % 8)
		checkTwin(t, ^uint32(0), p, "bit "+strconv.Itoa(i), 0)
		p[i/8] = 0
	}
}

func TestUpdate_InParts(t *testing.T) {
	t.Parallel()
	p := random(3, 0, 10_000)
	want := castagnoli.Checksum(p)
	r := rand.New(rand.NewPCG(4, 0))
	for range 200 {
		a := r.IntN(len(p))
		b := a + r.IntN(len(p)-a)
		got := castagnoli.Update(castagnoli.Update(castagnoli.Checksum(p[:a]), p[a:b]), p[b:])
		if got != want {
			t.Errorf("seed 4, cut at %d and %d: got %#x, want %#x", a, b, got, want)
		}
	}
}

func TestUpdate_DoesNotAllocate(t *testing.T) {
	p := random(5, 0, 4096)
	if n := testing.AllocsPerRun(10, func() { castagnoli.Checksum(p) }); n != 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}

func FuzzUpdate(f *testing.F) {
	for _, n := range []int{0, 1, 255, 256, 257, 319, 320, 511, 512, 513, 1023, 4096} {
		f.Add(random(uint64(n), 0, n), uint32(n), uint8(n))
	}
	f.Fuzz(func(t *testing.T, p []byte, crc uint32, skip uint8) {
		checkTwin(t, crc, p[min(int(skip), len(p)):], "fuzz", 0)
	})
}

func BenchmarkChecksum(b *testing.B) {
	for _, n := range []int{64, 128, 256, 384, 512, 1024, 4096, 65536, 1 << 19, 64 << 20} {
		p := random(1, 0, n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				castagnoli.Checksum(p)
			}
		})
		b.Run(strconv.Itoa(n)+"/hash", func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				crc32.Checksum(p, table)
			}
		})
	}
}
