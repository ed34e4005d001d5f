package resolwe_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe"
	"resolwe/format/subgraph"
)

const sharing = `links(page, page)
tagged(page, tag)
read(page, user)
target listed likes(page, user)
read(p, u) ^ links(p, q) => likes(q, u)
read(p, u) ^ tagged(p, t) ^ tagged(q, t) => likes(q, u)
read(p, u) ^ !links(p, q) => likes(q, u)
links(p, q) ^ likes(p, u) => likes(q, u)
links(p, q) ^ links(q, r) ^ read(p, u) => likes(r, u)
tagged(p, T1) ^ links(p, q) ^ read(q, u) => likes(p, u)
`

// sharingDB returns subgraphs that hold most of one graph of pages, with readers of their own.
func sharingDB(seed uint64, subgraphs int) string {
	rng := rand.New(rand.NewPCG(seed, 5))
	const pages = 12
	var links [pages][pages]bool
	var tags [pages]int
	for p := range pages {
		tags[p] = rng.IntN(3)
		for q := range pages {
			links[p][q] = rng.IntN(4) == 0
		}
	}
	var out strings.Builder
	for i := range subgraphs {
		fmt.Fprintf(&out, "@subgraph s%d\n", i)
		var here []int
		for _, p := range rng.Perm(pages) {
			if rng.IntN(8) > 0 {
				here = append(here, p)
				fmt.Fprintf(&out, "@entity page P%d\ntagged(P%d, T%d)\n", p, p, tags[p])
			}
		}
		for _, p := range here {
			for _, q := range here {
				if links[p][q] {
					fmt.Fprintf(&out, "links(P%d, P%d)\n", p, q)
				}
			}
			for u := range 3 {
				if rng.IntN(3) == 0 {
					fmt.Fprintf(&out, "read(P%d, U%d_%d)\n", p, i, u)
				}
				if k := rng.IntN(6); k < 3 {
					fmt.Fprintf(&out, "%slikes(P%d, U%d_%d)\n", [3]string{"", "!", "?"}[k], p, i, u)
				}
			}
		}
	}
	return out.String()
}

// What subgraphs share makes a stream shorter and changes no result, in whatever form the stream comes.
func TestStream_SharingDoesNotMatter(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		db := sharingDB(seed, 12)
		m, lines := parse(t, sharing), parse(t, "page = {P0, Extra}\n"+sharing)
		subs := subgraphs(t, m, db)
		shared := pack(t, m.Schema, subs, subgraph.WriterOptions{})
		whole := pack(t, m.Schema, subs, subgraph.WriterOptions{Whole: true})
		if len(shared) > len(whole)*9/10 {
			t.Errorf("seed %d: got %d bytes, without sharing %d", seed, len(shared), len(whole))
		}
		schema, moved := permuted(rand.New(rand.NewPCG(seed, 1)), m.Schema, subs)
		forms := map[string][]byte{
			"whole": whole, "shared": shared, "zstd": pack(t, m.Schema, subs, subgraph.WriterOptions{Zstd: true}),
			"gzip": gzipped(t, shared), "permuted": pack(t, schema, moved, subgraph.WriterOptions{}),
		}
		for _, m := range []*resolwe.Model{m, lines} {
			want := results(t, m, inMemory(t, m, db), false)
			for name, data := range forms {
				s := open(t, m, resolwe.StreamOptions{}, file(t, "", "s", data))
				if got := results(t, m, s, false); got != want {
					t.Errorf("seed %d: %s (-got +want):\n%s", seed, name, cmp.Diff(got, want))
				}
				s = open(t, m, resolwe.StreamOptions{Stdin: bytes.NewReader(data)}, "-")
				if got := result(t, m, s, false, false); !strings.HasPrefix(want, got) {
					t.Errorf("seed %d: pipe of %s (-got +want):\n%s", seed, name, cmp.Diff(got, want))
				}
			}
		}
		sources := open(t, m, resolwe.StreamOptions{Names: true}, file(t, "", "a.rsg", shared))
		got, err := contents(t, m, sources)
		if err != nil {
			t.Fatal(err)
		}
		expected, err := contents(t, m, inMemory(t, m, db))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(expected, got); d != "" {
			t.Errorf("seed %d: -want +got\n%s", seed, d)
		}
	}
}
