package table_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"resolwe/format/table"
	"resolwe/internal/test/check"
)

func TestDict_Empty(t *testing.T) {
	t.Parallel()
	var d table.Dict
	if _, ok := d.Lookup("x"); ok || d.Len() != 0 {
		t.Errorf("an empty dictionary has %d names, Lookup %v", d.Len(), ok)
	}
}

// TestDict_MatchesMap compares with a map, on names short and long, over many blocks.
func TestDict_MatchesMap(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	var d table.Dict
	ids := map[string]uint32{}
	var names []string
	for range 60_000 {
		name := strconv.Itoa(rng.IntN(50_000))
		switch rng.IntN(1000) {
		case 0:
			name = strings.Repeat("long", rng.IntN(30_000))
		case 1:
			name = strings.Repeat("m", 100+rng.IntN(100))
		case 2:
			name = strings.Repeat("block", 1<<20/5+rng.IntN(3))
		}
		want, old := ids[name]
		if got, ok := d.Lookup(name); ok != old || got != want {
			t.Fatalf("seed %d: Lookup(%.20q) = %d, %v, want %d, %v", seed, name, got, ok, want, old)
		}
		if !old {
			want = uint32(len(names))
			ids[name] = want
			names = append(names, name)
		}
		if got := d.Intern([]byte(name)); got != want {
			t.Fatalf("seed %d: Intern(%.20q) = %d, want %d", seed, name, got, want)
		}
	}
	if d.Len() != len(names) {
		t.Errorf("seed %d: Len() = %d, want %d", seed, d.Len(), len(names))
	}
	for id, want := range names {
		if got := d.Name(uint32(id)); got != want {
			t.Fatalf("seed %d: Name(%d) = %.20q, want %.20q", seed, id, got, want)
		}
	}
}

// TestDict_InternAll compares with one call for each name, in lists of any length among which names repeat.
func TestDict_InternAll(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	var d, one table.Dict
	for round := 1; round < 60; round++ {
		var text []byte
		var ends []int
		want := []uint32{7}
		for range rng.IntN(20 * round) {
			name := strconv.AppendInt(nil, int64(rng.IntN(100*round)), 10)
			if rng.IntN(50) == 0 {
				name = nil
			}
			text = append(text, name...)
			ends, want = append(ends, len(text)), append(want, one.Intern(name))
		}
		check.MustSlices(t, d.InternAll([]uint32{7}, text, ends), want, "seed %d, round %d", seed, round)
	}
	for id := range uint32(one.Len()) {
		check.Equal(t, "Name", d.Name(id), one.Name(id))
	}
	check.Is(t, d.NamesFrom(uint32(d.Len())), "", "no names")
	check.Is(t, d.NamesFrom(uint32(d.Len())-2), d.Name(uint32(d.Len())-2)+d.Name(uint32(d.Len())-1), "the last names")
}

func TestDict_KeepsNoReference(t *testing.T) {
	t.Parallel()
	var d table.Dict
	name := []byte("first")
	d.Intern(name)
	copy(name, "other")
	check.Equal(t, "Name(0)", d.Name(0), "first")
}

// TestDict_Bytes holds the documentation to what a name takes.
func TestDict_Bytes(t *testing.T) {
	heap := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	var d table.Dict
	text, before := 0, heap()
	for i := range 400_000 {
		name := strconv.AppendInt(nil, int64(i), 10)
		d.Intern(name)
		text += len(name)
		if i < 100_000 || i%50_000 != 0 {
			continue
		}
		if each := (heap() - before - float64(text)) / float64(d.Len()); each < 15 || each > 50 {
			t.Fatalf("%d names take %.1f bytes each beside their own, want 20 to 45", d.Len(), each)
		}
	}
}

func TestDict_ConcurrentReaders(t *testing.T) {
	t.Parallel()
	var d table.Dict
	for i := range 1000 {
		d.Intern(strconv.AppendInt(nil, int64(i), 10))
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range uint32(1000) {
				if id, ok := d.Lookup(d.Name(i)); !ok || id != i {
					t.Errorf("Lookup(Name(%d)) = %d, %v", i, id, ok)
				}
			}
		})
	}
	wg.Wait()
}

func TestDict_LookupAllocatesNothing(t *testing.T) {
	var d table.Dict
	d.Intern([]byte("known"))
	if got := testing.AllocsPerRun(100, func() { d.Lookup("known") }); got != 0 {
		t.Errorf("Lookup allocates %v times, want 0", got)
	}
}

func ExampleDict() {
	var d table.Dict
	fmt.Println(d.Intern([]byte("Ann")), d.Intern([]byte("Bo")), d.Intern([]byte("Ann")))
	fmt.Println(d.Name(1), d.Len())
	// Output:
	// 0 1 0
	// Bo 2
}
