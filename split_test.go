package resolwe_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe"
	"resolwe/format/rsg"
	"resolwe/internal/test/check"
)

// lopsidedDB returns small subgraphs and, in the midst of them, one of 15,000 facts.
func lopsidedDB(rng *rand.Rand) string {
	var out strings.Builder
	for i := range 6 {
		pages, users := 10, 8
		if i == 4 {
			pages, users = 100, 500
		}
		fmt.Fprintf(&out, "@subgraph s%d\n", i)
		for p := range pages {
			fmt.Fprintf(&out, "tagged(P%d, T%d)\nlinks(P%d, P%d)\n", p, rng.IntN(3), p, rng.IntN(pages))
			for u := range users {
				if rng.IntN(5) == 0 {
					fmt.Fprintf(&out, "read(P%d, U%d)\n", p, u)
				}
				if p%10 == 0 {
					fmt.Fprintf(&out, "%slikes(P%d, U%d)\n", [2]string{"", "!"}[rng.IntN(2)], p, u)
				}
			}
		}
	}
	return out.String()
}

// A large subgraph is counted in shares, whose counts are those of the whole.
func TestSelect_LargeSubgraph(t *testing.T) {
	t.Parallel()
	const seed = 3
	m := parse(t, sharing+`#{w: read(p, w)} >= 90 ^ tagged(p, T1) => likes(p, u)
#{q: tagged(q, t) ^ read(q, u)} >= 6 ^ tagged(p, t) => likes(p, u)
`)
	db := lopsidedDB(rand.New(rand.NewPCG(seed, seed)))
	data := pack(t, m.Schema, subgraphs(t, m, db), rsg.WriterOptions{})
	path := file(t, "", "s.rsg", data)
	forms := map[string]func() *resolwe.Stream{
		"memory": func() *resolwe.Stream { return inMemory(t, m, db) },
		"mapped": func() *resolwe.Stream { return open(t, m, resolwe.StreamOptions{}, path) },
		"pipe": func() *resolwe.Stream {
			return open(t, m, resolwe.StreamOptions{Stdin: bytes.NewReader(data)}, "-")
		},
	}
	for name, stream := range forms {
		for _, workers := range []int{1, 3} {
			want := []bool{false, false, false, false, workers > 1, false}
			if got, err := resolwe.Large(stream(), workers); err != nil || !cmp.Equal(got, want) {
				t.Errorf("%s, %d workers: got large %v, %v, want %v", name, workers, got, err, want)
			}
		}
		for _, criterion := range []resolwe.Criterion{resolwe.Paper, resolwe.KL} {
			sameBytes(t, fmt.Sprint(name, ", ", criterion), func(workers int) string {
				opt := resolwe.SelectOptions{Criterion: criterion, Run: resolwe.Run{Workers: workers}}
				sel, err := resolwe.Select(t.Context(), m, stream(), opt)
				check.OK(t, err)
				return fmt.Sprint(sel.Subgraphs, totals(sel), sel.Notes)
			})
		}
	}
}

func totals(s *resolwe.Selection) (out []string) {
	for i := range s.Candidates {
		out = append(out, fmt.Sprintf("%+v\n", s.Candidates[i].Totals))
	}
	return out
}

// A large subgraph that is damaged gives one error, or is left out once.
func TestSelect_LargeSubgraphDamaged(t *testing.T) {
	t.Parallel()
	const seed = 4
	m := parse(t, sharing)
	data := pack(t, m.Schema, subgraphs(t, m, lopsidedDB(rand.New(rand.NewPCG(seed, seed)))), rsg.WriterOptions{})
	f, err := rsg.Open(data, "s", rsg.ReaderOptions{})
	check.OK(t, err)
	e := f.Entry(4)
	data[e.Offset+e.Bytes/2] ^= 1
	path := file(t, "", "s.rsg", data)
	opt := resolwe.SelectOptions{Criterion: resolwe.Paper, Run: resolwe.Run{Workers: 2}}
	if _, err := resolwe.Select(context.Background(), m, open(t, m, resolwe.StreamOptions{}, path), opt); err == nil || !strings.Contains(err.Error(), "s4") {
		t.Errorf("got %v, want an error that names s4", err)
	}
	s := open(t, m, resolwe.StreamOptions{SkipDamaged: true}, path)
	sel, err := resolwe.Select(context.Background(), m, s, opt)
	if err != nil || sel.Subgraphs != 5 || s.Skipped() != 1 {
		t.Errorf("got %v, %v, %d left out; want 5 subgraphs, 1 left out", sel, err, s.Skipped())
	}
}
