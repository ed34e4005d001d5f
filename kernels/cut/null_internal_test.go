package cut

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"resolwe/format/table"
)

// TestFrequent_Draw draws entities that occur about as often: of 2,000 one of 20, and others only where these are not free.
func TestFrequent_Draw(t *testing.T) {
	t.Parallel()
	const n = 2000
	u := table.NewUniverse([]string{"a"})
	r := newRelation(0, 1)
	for i := range n {
		id := u.Dicts[0].Intern(fmt.Appendf(nil, "U%d", i))
		for range i + 1 { // occurs that often
			r.codes[0] = append(r.codes[0], id)
		}
	}
	f := r.frequent(0, u.Dicts[0])
	random := rand.New(rand.NewPCG(1, 2))
	pcg := rand.NewPCG(1, 2)
	drawn := map[uint32]int{}
	for range 4000 {
		id := f.draw(1000, pcg, func(x uint32) bool { return x != 1000 })
		if id < 990 || id > 1010 || id == 1000 {
			t.Fatalf("got entity %d for 1000", id)
		}
		drawn[id]++
	}
	if len(drawn) != 19 {
		t.Errorf("got %d different ones, want 19", len(drawn))
	}
	for range 100 {
		of, only := uint32(random.IntN(n)), uint32(random.IntN(n))
		if id := f.draw(of, pcg, func(x uint32) bool { return x == only }); id != only {
			t.Errorf("got %d, want %d, the only free one", id, only)
		}
	}
	if id := f.draw(7, pcg, func(uint32) bool { return false }); id != 7 {
		t.Errorf("got %d where none is free", id)
	}
}
