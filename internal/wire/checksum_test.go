package wire_test

import (
	"hash/crc32"
	"math/rand/v2"
	"strconv"
	"testing"

	"resolwe/internal/wire"
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
func checkTwin(t *testing.T, p []byte, what string, seed uint64) {
	t.Helper()
	if got, want := wire.Checksum(p), crc32.Checksum(p, table); got != want {
		t.Errorf("%s, seed %d, %d bytes: got %#x, want %#x", what, seed, len(p), got, want)
	}
}

func TestChecksum_AllLengths(t *testing.T) {
	t.Parallel()
	for n := range 1500 {
		checkTwin(t, random(uint64(n), n%64, n), "random", uint64(n))
	}
	for misaligned := range 64 {
		for n := range 600 {
			if n%7 == misaligned%7 {
				checkTwin(t, random(1, misaligned, n), "misaligned by "+strconv.Itoa(misaligned), 1)
			}
		}
	}
}

func TestChecksum_Long(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		checkTwin(t, random(seed, int(seed), 1<<20+int(seed*seed*97)), "long", seed)
	}
}

// TestChecksum_EveryBit looks at each position of a single bit, where nothing else can hide a wrong constant.
func TestChecksum_EveryBit(t *testing.T) {
	t.Parallel()
	p := make([]byte, 1100)
	for i := range 8 * len(p) {
		p[i/8] = 1 << (i % 8)
		checkTwin(t, p, "bit "+strconv.Itoa(i), 0)
		p[i/8] = 0
	}
}

func FuzzChecksum(f *testing.F) {
	for _, n := range []int{0, 1, 255, 256, 257, 319, 320, 511, 512, 513, 1023, 4096} {
		f.Add(random(uint64(n), 0, n), uint8(n))
	}
	f.Fuzz(func(t *testing.T, p []byte, skip uint8) {
		checkTwin(t, p[min(int(skip), len(p)):], "fuzz", 0)
	})
}

func BenchmarkChecksum(b *testing.B) {
	for _, n := range []int{64, 256, 1024, 4096, 65536, 1 << 19, 64 << 20} {
		p := random(1, 0, n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				wire.Checksum(p)
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
