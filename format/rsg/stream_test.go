package rsg_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"resolwe/format/mln"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

func TestStream_RoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		b := newBuilder(social())
		var want []*subgraph.Subgraph
		for i := range rapid.IntRange(0, 5).Draw(rt, "subgraphs") {
			want = append(want, random(t, b, rng, i, rapid.IntRange(0, 12).Draw(rt, "facts")))
			if rng.IntN(2) == 0 {
				want[i].Time, _ = subgraph.TimeAt(rng.Int64N(1<<32) - 1<<31)
			}
		}
		data := encode(t, b.schema, rsg.WriterOptions{Zstd: rapid.IntRange(0, 3).Draw(rt, "zstd") == 3}, want...)
		for name, read := range readers {
			got, err := read(data, rsg.ReaderOptions{Names: true})
			check.OKf(rt, err, "%s", name)
			check.MustNoDiff(rt, diff(got, want), "%s: -want +got", name)
			checkBlind(rt, read, data, want)
		}
		sum, err := rsg.Verify(bytes.NewReader(data), "x.rsg")
		check.OK(rt, err)
		check.Equal(rt, "summary", sum, rsg.Summary{Subgraphs: len(want), Bytes: int64(len(data)), Digest: true})
	})
}

// checkBlind reads without names: relations are the same, and the center and the wanted constants are found.
func checkBlind(rt *rapid.T, read func([]byte, rsg.ReaderOptions) ([]*subgraph.Subgraph, error), data []byte, want []*subgraph.Subgraph) {
	wanted := []rsg.Constant{{"person", "P3"}, {"person", "P0"}, {"thing", "T1"}, {"planet", "X"}}
	got, err := read(data, rsg.ReaderOptions{Wanted: wanted})
	check.OK(rt, err)
	types := social().Types
	for i, s := range got {
		check.MustEqual(rt, "Relations", s.Relations, want[i].Relations)
		for _, c := range append(wanted[:3:3], rsg.Constant{"person", s.Center}, rsg.Constant{"thing", s.Center}) {
			typ := slices.Index(types, c.Type)
			id, ok := s.Domains[typ].Names.Lookup(c.Name)
			wantID, wantOK := want[i].Domains[typ].Names.Lookup(c.Name)
			if id != wantID || ok != wantOK {
				rt.Fatalf("%s %s: got %d, %v, want %d, %v", c.Type, c.Name, id, ok, wantID, wantOK)
			}
		}
		for typ, d := range s.Domains {
			for id := range uint32(d.Size) {
				if name := d.Names.Name(id); name[0] != '#' {
					rt.Fatalf("%s %d: got name %q of a reader without names", types[typ], id, name)
				}
			}
		}
	}
}

func TestWriter_BytesDependOnTheSubgraphsAlone(t *testing.T) {
	t.Parallel()
	for _, opt := range []rsg.WriterOptions{{}, {Zstd: true}} {
		first := encode(t, social(), opt, samples(t)...)
		got, err := readPipe(first, rsg.ReaderOptions{Names: true})
		check.OK(t, err)
		if again := encode(t, social(), opt, got...); !bytes.Equal(first, again) {
			t.Errorf("%+v: what was read is written as other bytes", opt)
		}
	}
}

// A view with more entities than its indexes know of, as a model's type lines give, is written as if it had been built so.
func TestWriter_EntitiesBeyondTheIndexes(t *testing.T) {
	t.Parallel()
	build := func(more ...string) *subgraph.Subgraph {
		b := newBuilder(social())
		b.Reset("s", "", -1)
		b.state(subgraph.True, "owns", "Anna", "Tea")
		b.state(subgraph.Unknown, "likes", "Anna", "Cake")
		for _, name := range more {
			b.Entity(0, name)
			b.Entity(1, name)
		}
		return b.finish(t)
	}
	want, view := build("A", "B"), build()
	view.Domains = want.Domains
	if !bytes.Equal(encode(t, social(), rsg.WriterOptions{}, view), encode(t, social(), rsg.WriterOptions{}, want)) {
		t.Error("got other bytes")
	}
}

func TestFile_FindsAndDescribes(t *testing.T) {
	t.Parallel()
	want := samples(t)
	f, err := rsg.Open(encode(t, social(), rsg.WriterOptions{}, want...), "x.rsg", rsg.ReaderOptions{})
	check.OK(t, err)
	check.Equal(t, "schema", f.Schema(), social())
	end := int64(0)
	for i, s := range want {
		if got, ok := f.Find(s.Name); !ok || got != i {
			t.Errorf("Find(%q): got %d, %v, want %d", s.Name, got, ok, i)
		}
		e := f.Entry(i)
		if e.Name != s.Name || e.Fold != s.Fold || e.Offset < end || e.Bytes <= 0 {
			t.Errorf("Entry(%d): got %+v, want name %q, fold %d, behind byte %d", i, e, s.Name, s.Fold, end)
		}
		end = e.Offset + e.Bytes
	}
	for _, name := range []string{"", "a", "s1", "zz"} {
		if i, ok := f.Find(name); ok {
			t.Errorf("Find(%q): got %d, want none", name, i)
		}
	}
	check.Is(t, [2]int{f.Entities(0), f.Entities(1)}, [2]int{3, 3}, "Entities")
}

func TestFile_IsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	b, rng := newBuilder(social()), rand.New(rand.NewPCG(1, 0))
	var want []*subgraph.Subgraph
	for i := range 20 {
		want = append(want, random(t, b, rng, i, 10))
	}
	opt := rsg.ReaderOptions{Names: true, Wanted: []rsg.Constant{{"person", "P1"}}}
	f, err := rsg.Open(encode(t, b.schema, rsg.WriterOptions{Zstd: true}, want...), "x.rsg", opt)
	check.OK(t, err)
	var wg sync.WaitGroup
	for k := range 4 {
		wg.Go(func() {
			for i := range want {
				i = (i*7 + k*11) % len(want)
				s, err := f.At(i)
				if err != nil {
					t.Error(err)
					return
				}
				check.NoDiff(t, diff([]*subgraph.Subgraph{s}, want[i:i+1]), "-want +got")
			}
		})
	}
	wg.Wait()
}

func TestOpenFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.rsg")
	check.OK(t, os.WriteFile(path, encode(t, social(), rsg.WriterOptions{}, samples(t)...), 0o600))
	f, err := rsg.OpenFile(path, rsg.ReaderOptions{Names: true})
	check.OK(t, err)
	s, err := f.At(2)
	check.OK(t, err)
	check.NoDiff(t, diff([]*subgraph.Subgraph{s}, samples(t)[2:]), "-want +got")
	check.OK(t, f.Close())
	check.ErrorIs(t, check.Err(rsg.OpenFile(path+".none", rsg.ReaderOptions{})), os.ErrNotExist, "error")
}

func TestWriter_Refuses(t *testing.T) {
	t.Parallel()
	good := samples(t)[0]
	broken := func(change func(s *subgraph.Subgraph)) *subgraph.Subgraph {
		s := samples(t)[2]
		change(s)
		return s
	}
	blind, err := readPipe(encode(t, social(), rsg.WriterOptions{}, samples(t)[2]), rsg.ReaderOptions{})
	check.OK(t, err)
	for _, row := range []struct {
		name string
		sub  *subgraph.Subgraph
	}{
		{"a name twice", samples(t)[0]},
		{"a domain too few", broken(func(s *subgraph.Subgraph) { s.Domains = s.Domains[:1] })},
		{"a fold below -1", broken(func(s *subgraph.Subgraph) { s.Fold = -2 })},
		{"no names", broken(func(s *subgraph.Subgraph) { s.Domains[0].Names = nil })},
		{"names that were not asked for", blind[0]},
		{"an id beyond its domain", broken(func(s *subgraph.Subgraph) { s.Relations[2].False.Cols[0][0] = 9 })},
		{"false evidence", broken(func(s *subgraph.Subgraph) { s.Relations[0].False = s.Relations[3].False })},
		{"an index that is not there", broken(func(s *subgraph.Subgraph) { s.Relations[3].True.Forward = subgraph.Index{} })},
		{"a column too few", broken(func(s *subgraph.Subgraph) { s.Relations[3].True.Cols = s.Relations[3].True.Cols[:1] })},
	} {
		var out bytes.Buffer
		w, err := rsg.NewWriter(&out, social(), rsg.WriterOptions{})
		check.OK(t, err)
		check.OK(t, w.Write(good))
		before := out.Len()
		err = w.Write(row.sub)
		if err == nil || errors.Is(err, subgraph.ErrCorrupt) || out.Len() != before {
			t.Errorf("%s: got error %v and %d bytes, want an error and none", row.name, err, out.Len()-before)
		}
		var dup *rsg.DuplicateError
		if errors.As(err, &dup) != (row.name == "a name twice") {
			t.Errorf("%s: got %v", row.name, err)
		}
		check.OKf(t, w.Close(), "%s: the stream is unusable afterwards", row.name)
		check.OKf(t, check.Err(readPipe(out.Bytes(), rsg.ReaderOptions{})), "%s", row.name)
	}
}

// TestWriter_ReadsBack writes what a subgraph may hold by its interfaces, and no reader takes.
func TestWriter_ReadsBack(t *testing.T) {
	t.Parallel()
	schema := &mln.Schema{Types: []string{"zip", mln.NumberType}, Predicates: []mln.Predicate{
		{Name: "price", Args: []int{0, 1}, Role: mln.RoleEvidence}, {Name: "sold", Args: []int{0}, Role: mln.RoleListed},
	}}
	for _, row := range []struct {
		name, want string
		number     string
		lookup     map[string]uint32
		unknown    bool
	}{
		{name: "nothing wrong", number: "501", lookup: map[string]uint32{}},
		{"a center by another name", "center", "501", map[string]uint32{"00501": 0}, false},
		{"a number in another spelling", "shortest", "501.0", nil, false},
		{"a number of letters", "shortest", "A", nil, false},
		{"an atom that is true and unknown", "two truth values", "501", nil, true},
	} {
		for _, opt := range []rsg.WriterOptions{{}, {Zstd: true}, {Whole: true}} {
			var out bytes.Buffer
			w, err := rsg.NewWriter(&out, schema, opt)
			check.OK(t, err)
			b := newBuilder(schema)
			for i, name := range []string{"00501", "B"} { // its name is new in the first record only
				b.Reset(fmt.Sprint("s", i), "00501", -1)
				b.state(subgraph.True, "price", "00501", row.number)
				b.state(subgraph.True, "sold", name)
				s := b.finish(t)
				if row.lookup != nil {
					s.Domains[1].Names = lying{s.Domains[1].Names, row.lookup}
				}
				if row.unknown {
					s.Relations[1].Unknown = s.Relations[1].True
				}
				if err == nil {
					err = w.Write(s)
				}
			}
			if row.want == "" {
				check.OK(t, errors.Join(err, w.Close()))
				check.OK(t, check.Err(rsg.Verify(&out, row.name)))
				continue
			}
			if err == nil || !strings.Contains(err.Error(), row.want) || errors.Is(err, subgraph.ErrCorrupt) {
				t.Errorf("%s, %+v: got %v, want an error about %q that is no damage of an input", row.name, opt, err, row.want)
			}
		}
	}
}

// lying is names that are found by others.
type lying struct {
	subgraph.Names
	lookup map[string]uint32
}

func (l lying) Lookup(name string) (uint32, bool) {
	id, ok := l.lookup[name]
	return id, ok
}

func TestNewWriter_RefusesSchemas(t *testing.T) {
	t.Parallel()
	one := mln.Predicate{Name: "p", Args: []int{0}, Role: mln.RoleTarget}
	for _, row := range []struct {
		name   string
		schema mln.Schema
	}{
		{"type twice", mln.Schema{Types: []string{"a", "a"}}},
		{"predicate twice", mln.Schema{Types: []string{"a"}, Predicates: []mln.Predicate{one, one}}},
		{"no arguments", mln.Schema{Types: []string{"a"}, Predicates: []mln.Predicate{{Name: "p", Role: mln.RoleTarget}}}},
		{"unknown type", mln.Schema{Predicates: []mln.Predicate{one}}},
		{"no role", mln.Schema{Types: []string{"a"}, Predicates: []mln.Predicate{{Name: "p", Args: []int{0}}}}},
		{"too long", mln.Schema{Types: []string{string(make([]byte, 1<<20))}}},
	} {
		check.Fails(t, check.Err(rsg.NewWriter(&bytes.Buffer{}, &row.schema, rsg.WriterOptions{})), "%s", row.name)
	}
}

type fullDisk struct{ left int }

var errFull = errors.New("disk is full")

func (d *fullDisk) Write(b []byte) (int, error) {
	if len(b) > d.left {
		return 0, errFull
	}
	d.left -= len(b)
	return len(b), nil
}

func TestWriter_ReportsTheDisk(t *testing.T) {
	t.Parallel()
	for left := 0; left < 3000; left += 100 {
		w, err := rsg.NewWriter(&fullDisk{left: left}, social(), rsg.WriterOptions{})
		for _, s := range samples(t) {
			if err == nil {
				err = w.Write(s)
			}
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil && !errors.Is(err, errFull) {
			t.Errorf("%d bytes: got %v, want %v", left, err, errFull)
		}
	}
}

func TestReader_TakesAnyPipe(t *testing.T) {
	t.Parallel()
	data := encode(t, social(), rsg.WriterOptions{}, samples(t)...)
	for _, row := range []struct {
		name string
		pipe io.Reader
		want error
	}{
		{"byte by byte", iotest.OneByteReader(bytes.NewReader(data)), io.EOF},
		{"end with the last bytes", iotest.DataErrReader(bytes.NewReader(data)), io.EOF},
		{"broken at once", iotest.ErrReader(errFull), errFull},
		{"broken in a record", io.MultiReader(bytes.NewReader(data[:900]), iotest.ErrReader(errFull)), errFull},
		{"broken at the end", io.MultiReader(bytes.NewReader(data), iotest.ErrReader(errFull)), errFull},
	} {
		r, err := rsg.NewReader(row.pipe, "-", rsg.ReaderOptions{SkipDamaged: true})
		for err == nil {
			_, err = r.Next()
		}
		if !errors.Is(err, row.want) || errors.Is(err, subgraph.ErrCorrupt) {
			t.Errorf("%s: got %v, want %v", row.name, err, row.want)
		}
	}
}

// TestReader_MemoryDoesNotGrow reads 50,000 records, each with names of its own, through a pipe.
func TestReader_MemoryDoesNotGrow(t *testing.T) {
	r, w := io.Pipe()
	const records = 50_000
	go func() {
		b := newBuilder(social())
		sw, err := rsg.NewWriter(w, b.schema, rsg.WriterOptions{})
		for i := 0; i < records && err == nil; i++ {
			b.Reset(strconv.Itoa(i), "", -1)
			b.state(subgraph.True, "smokes", "entity"+strconv.Itoa(i))
			var s *subgraph.Subgraph
			if s, err = b.Finish(); err == nil {
				err = sw.Write(s)
			}
		}
		w.CloseWithError(errors.Join(err, sw.Close()))
	}()
	rd, err := rsg.NewReader(r, "-", rsg.ReaderOptions{Wanted: []rsg.Constant{{"person", "entity7"}}})
	check.OK(t, err)
	for range records {
		check.OK(t, check.Err(rd.Next()))
	}
	if _, err := rd.Next(); !errors.Is(err, io.EOF) {
		t.Fatalf("got %v, want %v", err, io.EOF)
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if got, want := m.HeapAlloc, uint64(64<<20); got > want {
		t.Errorf("got %d bytes in use after %d records, want at most %d", got, records, want)
	}
	runtime.KeepAlive(rd)
}
