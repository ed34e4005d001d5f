package bitset_test

import (
	"math/rand/v2"
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"resolwe/internal/test/check"
	"resolwe/kernels/bitset"
)

// fenced copies words to pages of their own between two inaccessible ones: right before the second, or right after the first.
func fenced(t *testing.T, atEnd bool, words []uint64) (placed []uint64, free func()) {
	t.Helper()
	page := os.Getpagesize()
	size := (8*len(words)/page + 1) * page
	memory, err := unix.Mmap(-1, 0, page+size+page, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	check.OK(t, err)
	data := memory[page : page+size]
	check.OK(t, unix.Mprotect(data, unix.PROT_READ|unix.PROT_WRITE))
	if atEnd {
		data = data[size-8*len(words):]
	}
	if len(words) > 0 {
		placed = unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(data))), len(words))
		copy(placed, words)
	}
	return placed, func() {
		check.OK(t, unix.Munmap(memory))
	}
}

func TestTwins_TouchNothingBeyond(t *testing.T) {
	for n := range 140 {
		for _, atEnd := range []bool{false, true} {
			var frees []func()
			place := func(words []uint64) []uint64 {
				placed, free := fenced(t, atEnd, words)
				frees = append(frees, free)
				return placed
			}
			o := randomOperands(rand.New(rand.NewPCG(uint64(n), 1)), n, place)
			for i := range bitset.Levels() {
				restore := bitset.UseLevel(i)
				o.got(place)
				restore()
			}
			for _, free := range frees {
				free()
			}
		}
	}
}
