package rsg_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// TestSharing_RoundTrip writes subgraphs of graphs that grow and hide some of their ties, and reads them in every way.
func TestSharing_RoundTrip(t *testing.T) {
	t.Parallel()
	used := 0
	for seed := range uint64(24) {
		g := newGraph(rand.New(rand.NewPCG(seed, 0)), 3+int(seed%11), int(seed%7))
		g.part = []float64{1, 0.9, 0.6, 0.3}[seed%4]
		g.hidden = []float64{0, 0, 0.02, 0.5}[seed/4%4]
		var want []*subgraph.Subgraph
		b := newBuilder(social())
		for i := range 8 {
			want = append(want, g.one(t, b, i))
			if seed%3 == 0 {
				g.grow(1, 1)
			}
		}
		opt := rsg.WriterOptions{Zstd: seed%5 == 4}
		data := encode(t, social(), opt, want...)
		opt.Whole = true
		whole := encode(t, social(), opt, want...)
		for name, read := range readers {
			what := fmt.Sprintf("seed %d, %s", seed, name)
			got, err := read(map[string][]byte{"pipe": data, "mapped": whole}[name], rsg.ReaderOptions{Names: true})
			check.OKf(t, err, "%s", what)
			check.MustNoDiff(t, diff(got, want), "%s: -want +got", what)
			shared, err := read(data, rsg.ReaderOptions{Shared: true})
			check.OKf(t, err, "%s", what)
			used += checkShared(t, what, shared, want)
		}
		_, err := rsg.Verify(bytes.NewReader(data), "x.rsg")
		check.OK(t, err)
		if again := encode(t, social(), rsg.WriterOptions{Zstd: seed%5 == 4}, want...); !bytes.Equal(again, data) {
			t.Errorf("seed %d: the same subgraphs are written as other bytes", seed)
		}
	}
	check.AtLeast(t, used, 100, "induced relations in all")
}

// TestSharing_Compressed writes records, of which later ones are longer than the one that brings what they share, compressed.
func TestSharing_Compressed(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		list := newGraph(rand.New(rand.NewPCG(seed, 0)), 60, 40).cut(t, 20)
		data := encode(t, social(), rsg.WriterOptions{Zstd: true}, list...)
		got, err := readFile(data, rsg.ReaderOptions{Names: true})
		check.OK(t, err)
		check.MustNoDiff(t, diff(got, list), "seed %d: -want +got", seed)
	}
}

// checkShared compares what subgraphs share with the definition of an induced relation, and returns how many are.
func checkShared(t *testing.T, what string, got, want []*subgraph.Subgraph) (induced int) {
	t.Helper()
	var bases []*subgraph.Background
	for i, s := range got {
		sh := s.Shared
		if sh == nil {
			check.MustNoDiff(t, delta(want[i].Relations, s.Relations), "%s: -want +got", what)
			continue
		}
		if k := slices.Index(bases, sh.Background); k < 0 {
			bases = append(bases, sh.Background)
		} else if k != len(bases)-1 {
			t.Fatalf("%s: subgraph %d goes back to base %d of %d", what, i, k, len(bases))
		}
		for p := range s.Relations {
			if !sh.Induced[p] {
				check.MustNoDiff(t, delta(want[i].Relations[p], s.Relations[p]), "%s: -want +got", what)
				continue
			}
			induced++
			if n := s.Relations[p].True.Len(); n != 0 || sh.Counts[p] != want[i].Relations[p].True.Len() {
				t.Fatalf("%s: got %d tuples of %d", what, n, sh.Counts[p])
			}
			args := social().Predicates[p].Args
			check.MustNoDiff(t, delta(tuplesOf(&want[i].Relations[p].True), inducedBy(sh, p, args)), "%s: -want +got", what)
			var table subgraph.Table
			for range 2 { // the second time in its own memory
				sh.Expand(&table, p, args)
				check.MustNoDiff(t, delta(want[i].Relations[p].True, table), "%s: -want +got", what)
			}
		}
		whole := s.Complete(social())
		if d := delta(want[i].Relations, whole.Relations); d != "" || whole.Shared != nil || s.Shared == nil {
			t.Fatalf("%s: Complete: -want +got\n%s", what, d)
		}
	}
	return induced
}

// delta is cmp.Diff, which takes its time, where there is a difference.
func delta(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

// tuplesOf lists the tuples of a binary table.
func tuplesOf(t *subgraph.Table) (rows [][]uint32) {
	for i := range t.Len() {
		rows = append(rows, []uint32{t.Cols[0][i], t.Cols[1][i]})
	}
	return rows
}

// inducedBy lists the tuples of the base whose arguments are in the subgraph, sorted by local ids.
func inducedBy(sh *subgraph.Shared, pred int, args []int) (rows [][]uint32) {
	for _, row := range tuplesOf(&sh.Background.Relations[pred].True) {
		x, y := sh.FromBackground[args[0]][row[0]], sh.FromBackground[args[1]][row[1]]
		if x != subgraph.NoEntity && y != subgraph.NoEntity {
			rows = append(rows, []uint32{x, y})
		}
	}
	slices.SortFunc(rows, slices.Compare)
	return rows
}

// Where subgraphs hold nearly all of a graph, the second brings the base, and the others hardly take any bytes.
func TestSharing_Saves(t *testing.T) {
	t.Parallel()
	g := newGraph(rand.New(rand.NewPCG(1, 0)), 100, 50)
	list := g.cut(t, 20)
	data := encode(t, social(), rsg.WriterOptions{}, list...)
	whole := encode(t, social(), rsg.WriterOptions{Whole: true}, list...)
	if got, want := len(data), len(whole)/3; got > want {
		t.Errorf("got %d bytes, want at most %d", got, want)
	}
	got, err := readFile(data, rsg.ReaderOptions{Shared: true})
	check.OK(t, err)
	if got[0].Shared != nil || got[1].Shared == nil || !got[19].Shared.Induced[0] || !got[19].Shared.Induced[4] {
		t.Error("got no base in record 1, or none that the last shares in")
	}
	if n := got[19].Shared.Background.Bytes(); n < 3*4*3000 || n > int64(len(data)) {
		t.Errorf("got a base of %d bytes", n)
	}
}

// Subgraphs that have their facts for themselves are written as if nothing could be shared.
func TestSharing_Refrains(t *testing.T) {
	t.Parallel()
	b, rng := newBuilder(social()), rand.New(rand.NewPCG(2, 0))
	var strangers []*subgraph.Subgraph
	for i := range 10 {
		strangers = append(strangers, random(t, b, rng, i, 30))
	}
	g := newGraph(rng, 20, 20)
	g.hidden, g.owns = 0.5, nil
	for name, list := range map[string][]*subgraph.Subgraph{"strangers": strangers, "hidden ties": g.cut(t, 10)} {
		data := encode(t, social(), rsg.WriterOptions{}, list...)
		if whole := encode(t, social(), rsg.WriterOptions{Whole: true}, list...); !bytes.Equal(data, whole) {
			t.Errorf("%s: got %d bytes, want the same %d as without sharing", name, len(data), len(whole))
		}
	}
}

// TestWriter_CompletesWhatItIsGiven writes subgraphs that come with what they share.
func TestWriter_CompletesWhatItIsGiven(t *testing.T) {
	t.Parallel()
	data, want := packed(t, "shared")
	list, err := readPipe(data, rsg.ReaderOptions{Names: true, Shared: true})
	check.OK(t, err)
	if again := encode(t, social(), rsg.WriterOptions{}, list...); !bytes.Equal(again, data) {
		t.Error("got other bytes than those that were read")
	}
	check.Is(t, string(text(t, list)), string(text(t, want)), "Write")
}

func TestFile_OneBaseForAll(t *testing.T) {
	t.Parallel()
	g := newGraph(rand.New(rand.NewPCG(3, 0)), 20, 10)
	want := g.cut(t, 30)
	for _, opt := range []rsg.WriterOptions{{}, {Zstd: true}} {
		f, err := rsg.Open(encode(t, social(), opt, want...), "x.rsg", rsg.ReaderOptions{Shared: true})
		check.OK(t, err)
		var wg sync.WaitGroup
		bases := make([][]*subgraph.Background, 4)
		for k := range bases {
			bases[k] = make([]*subgraph.Background, len(want))
			wg.Go(func() {
				for i := range want {
					i = (i*7 + k*11) % len(want)
					s, err := f.At(i)
					if err != nil {
						t.Error(err)
						return
					}
					if s.Shared != nil {
						bases[k][i] = s.Shared.Background
					}
				}
			})
		}
		wg.Wait()
		for k := range bases {
			if !slices.Equal(bases[k], bases[0]) || bases[k][29] == nil {
				t.Errorf("%+v: got other bases in another goroutine, or none", opt)
			}
		}
	}
}

// TestWriter_SharedName refuses two entities of one name.
func TestWriter_SharedName(t *testing.T) {
	t.Parallel()
	w, err := rsg.NewWriter(new(bytes.Buffer), social(), rsg.WriterOptions{})
	check.OK(t, err)
	s := &subgraph.Subgraph{
		Name: "s", Fold: -1, Domains: []subgraph.Domain{{Size: 2, Names: same{}}, {}},
		Relations: make([]subgraph.Relation, len(social().Predicates)),
	}
	if err := w.Write(s); err == nil || fmt.Sprint(err) != "subgraph s, type person: two entities of one type share a name" {
		t.Errorf("got %v", err)
	}
}

// same is names that are all alike.
type same struct{}

func (same) Name(uint32) string           { return "Anna" }
func (same) Lookup(string) (uint32, bool) { return 0, true }
