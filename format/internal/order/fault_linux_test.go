package order_test

import (
	"math/rand/v2"
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"resolwe/internal/test/check"
)

// fenced copies ids into pages of their own between two that cannot be touched: against the one after them, or against
// the one before.
func fenced(t *testing.T, atEnd bool, ids []uint32) []uint32 {
	t.Helper()
	page := os.Getpagesize()
	size := (4*len(ids)/page + 1) * page
	memory, err := unix.Mmap(-1, 0, page+size+page, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	check.OK(t, err)
	t.Cleanup(func() {
		if err := unix.Munmap(memory); err != nil {
			t.Error(err)
		}
	})
	data := memory[page : page+size]
	check.OK(t, unix.Mprotect(data, unix.PROT_READ|unix.PROT_WRITE))
	if len(ids) == 0 {
		return nil
	}
	if atEnd {
		data = data[size-4*len(ids):]
	}
	placed := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(data))), len(ids))
	copy(placed, ids)
	return placed
}

func TestTwins_TouchNothingBeyond(t *testing.T) {
	for n := range 90 {
		for _, atEnd := range []bool{false, true} {
			r := rand.New(rand.NewPCG(uint64(n), 1))
			l := table(r, n, 1+n/2)
			placed := &lists{fenced(t, atEnd, l.first), fenced(t, atEnd, l.second), fenced(t, atEnd, l.offsets)}
			checkTwins(t, placed, uint64(n))
			for range 20 {
				damage(r, placed)
				checkTwins(t, placed, uint64(n))
			}
		}
	}
}

func TestTupleFalls_TouchesNothingBeyond(t *testing.T) {
	for n := 1; n < 90; n++ {
		for _, atEnd := range []bool{false, true} {
			cols := tuples(rand.New(rand.NewPCG(uint64(n), 2)), 3, n)
			for c := range cols {
				cols[c] = fenced(t, atEnd, cols[c])
			}
			checkTupleFalls(t, cols, uint64(n))
		}
	}
}
