package rsg_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// A buffer that has held other subgraphs, damaged ones among them, gives what a fresh one gives.
func TestFile_AtInto(t *testing.T) {
	t.Parallel()
	const seed = 5
	g := newGraph(rand.New(rand.NewPCG(seed, 0)), 20, 10)
	want := g.cut(t, 30)
	for name, opt := range map[string]rsg.WriterOptions{"plain": {}, "zstd": {Zstd: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := encode(t, social(), opt, want...)
			read := rsg.ReaderOptions{Names: true, Shared: true}
			intact, err := rsg.Open(bytes.Clone(data), "x.rsg", read)
			check.OK(t, err)
			f, err := rsg.Open(data, "x.rsg", read)
			check.OK(t, err)
			e := f.Entry(17)
			data[e.Offset+e.Bytes-80] ^= 1
			var b rsg.Buffer
			rng := rand.New(rand.NewPCG(seed, 1))
			names := map[int]string{}
			for range 200 {
				i := rng.IntN(len(want))
				s, err := f.AtInto(&b, i)
				if (err != nil) != (i == 17) {
					t.Fatalf("seed %d, record %d: got %v", seed, i, err)
				}
				if err != nil {
					continue
				}
				fresh, err := intact.At(i)
				check.OK(t, err)
				schema := f.Schema()
				got := []*subgraph.Subgraph{s.Complete(schema)}
				check.MustNoDiff(t, diff(got, []*subgraph.Subgraph{fresh.Complete(schema)}), "seed %d, record %d: -want +got", seed, i)
				names[i] = s.Name
			}
			for i, name := range names { // which outlive the buffer's next use
				check.Is(t, name, want[i].Name, "record %d, name", i)
			}
		})
	}
}

func TestFile_AtInto_AllocatesNamesOnly(t *testing.T) {
	g := newGraph(rand.New(rand.NewPCG(6, 0)), 20, 10)
	data := encode(t, social(), rsg.WriterOptions{}, g.cut(t, 30)...)
	for _, shared := range []bool{true, false} {
		f, err := rsg.Open(data, "x.rsg", rsg.ReaderOptions{Shared: shared})
		check.OK(t, err)
		var b rsg.Buffer
		if n := testing.AllocsPerRun(20, func() {
			for i := range f.Len() {
				check.OK(t, check.Err(f.AtInto(&b, i)))
			}
		}); n > float64(2*f.Len()) {
			t.Errorf("got %v allocations for %d subgraphs", n, f.Len())
		}
	}
}
