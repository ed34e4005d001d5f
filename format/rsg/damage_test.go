package rsg_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/rsgtest"
)

var layouts = map[string]rsg.WriterOptions{"plain": {}, "zstd": {Zstd: true}, "shared": {}, "timed": {}}

// packed returns a stream in a layout: the samples, what is long enough to be compressed, what shares in a background, or samples
// of which two have times.
func packed(tb testing.TB, layout string) ([]byte, []*subgraph.Subgraph) {
	tb.Helper()
	var list []*subgraph.Subgraph
	switch layout {
	case "zstd":
		b, rng := newBuilder(social()), rand.New(rand.NewPCG(3, 0))
		list = append(list, random(tb, b, rng, 0, 20))
	case "shared":
		list = newGraph(rand.New(rand.NewPCG(4, 0)), 4, 3).cut(tb, 3)
	case "timed":
		list = samples(tb)
		list[0].Time, list[2].Time = subgraph.Time{Unix: -86400, Known: true}, subgraph.Time{Unix: 1<<32 + 1, Known: true}
	default:
		list = samples(tb)
	}
	return encode(tb, social(), layouts[layout], list...), list
}

// eachLayout runs a test on a stream of each layout.
func eachLayout(t *testing.T, test func(t *testing.T, layout string, data []byte, want []*subgraph.Subgraph)) {
	t.Helper()
	t.Parallel()
	for name := range layouts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, want := packed(t, name)
			test(t, name, data, want)
		})
	}
}

// step leaves out some of the damage where it takes long to read.
func step(layout string) int {
	return map[string]int{"plain": 1, "zstd": 3, "shared": 2, "timed": 2}[layout]
}

// harmless requires that a damaged stream is refused or reads as what was written, through both readers and Verify.
func harmless(tb testing.TB, what string, data []byte, want []*subgraph.Subgraph) {
	tb.Helper()
	for name, read := range readers {
		got, err := read(data, rsg.ReaderOptions{Names: true})
		if err != nil {
			if !errors.Is(err, subgraph.ErrCorrupt) {
				tb.Fatalf("%s, %s: got %v, want damage", what, name, err)
			}
			continue
		}
		check.MustNoDiff(tb, diff(got, want), "%s, %s: read as another stream: -want +got", what, name)
	}
	var c *rsg.CorruptError
	if _, err := rsg.Verify(bytes.NewReader(data), "x.rsg"); !errors.As(err, &c) || c.Path != "x.rsg" {
		tb.Fatalf("%s: Verify: got %v, want damage", what, err)
	}
}

func TestDamage_EveryBit(t *testing.T) {
	eachLayout(t, func(t *testing.T, name string, data []byte, want []*subgraph.Subgraph) {
		t.Helper()
		for i := 0; i < len(data); i += step(name) {
			data[i] ^= 1 << (i % 8)
			harmless(t, "byte "+strconv.Itoa(i), data, want)
			data[i] ^= 1 << (i % 8)
		}
	})
}

func TestDamage_EveryTruncation(t *testing.T) {
	eachLayout(t, func(t *testing.T, _ string, data []byte, _ []*subgraph.Subgraph) {
		t.Helper()
		for n := range data {
			for reader, read := range readers {
				if _, err := read(data[:n], rsg.ReaderOptions{}); !errors.Is(err, rsg.ErrTruncated) {
					t.Fatalf("%d bytes, %s: got %v, want %v", n, reader, err, rsg.ErrTruncated)
				}
			}
		}
		for reader, read := range readers {
			check.ErrorIs(t, check.Err(read(append(data, 0), rsg.ReaderOptions{})), subgraph.ErrCorrupt, "a byte more, %s", reader)
		}
	})
}

// TestDamage_Forged damages a stream and makes the checksums fit: nothing may panic, and what is read obeys the
// invariants, which the writer checks.
func TestDamage_Forged(t *testing.T) {
	eachLayout(t, func(t *testing.T, name string, data []byte, _ []*subgraph.Subgraph) {
		t.Helper()
		for i := 0; i < len(data); i += step(name) {
			forged := bytes.Clone(data)
			forged[i] ^= []byte{1, 2, 0x80, 0xff}[i%4]
			rsgtest.Reseal(forged)
			survive(t, forged)
		}
	})
}

// survive reads any bytes in every way.
func survive(tb testing.TB, data []byte) {
	tb.Helper()
	_, errVerify := rsg.Verify(bytes.NewReader(data), "x")
	if errVerify != nil && !errors.Is(errVerify, subgraph.ErrCorrupt) {
		tb.Fatalf("Verify: got %v, want damage", errVerify)
	}
	for _, opt := range []rsg.ReaderOptions{
		{Wanted: []rsg.Constant{{"person", "Anna"}}}, {Names: true, SkipDamaged: true}, {Shared: true},
	} {
		for name, read := range readers {
			list, err := read(data, opt)
			if err != nil && !errors.Is(err, subgraph.ErrCorrupt) {
				tb.Fatalf("%s: got %v, want damage", name, err)
			}
			if errVerify == nil && err != nil {
				tb.Fatalf("%s: got %v, Verify found nothing", name, err)
			}
			for _, s := range list {
				use(s)
			}
		}
	}
}

// use touches all that a subgraph offers.
func use(s *subgraph.Subgraph) {
	for _, d := range s.Domains {
		for i := range uint32(d.Size) {
			d.Names.Lookup(d.Names.Name(i))
		}
		d.Names.Lookup(s.Center)
	}
	if sh := s.Shared; sh != nil {
		for t := range sh.ToBackground {
			for local, id := range sh.ToBackground[t] {
				if id != subgraph.NoEntity && sh.FromBackground[t][id] != uint32(local) {
					panic("not the inverse")
				}
			}
		}
	}
	for i := range s.Relations {
		r := &s.Relations[i]
		for _, t := range []*subgraph.Table{&r.True, &r.False, &r.Unknown} {
			for _, x := range []*subgraph.Index{&t.Forward, &t.Backward} {
				for id := range x.Offsets {
					x.Row(uint32(id))
				}
			}
		}
	}
}

// blocks returns the offsets of the frames of the records.
func blocks(tb testing.TB, data []byte) []rsg.Entry {
	tb.Helper()
	f, err := rsg.Open(data, "x", rsg.ReaderOptions{})
	check.OK(tb, err)
	out := make([]rsg.Entry, f.Len())
	for i := range out {
		out[i] = f.Entry(i)
	}
	return out
}

func TestReader_SkipsDamage(t *testing.T) {
	t.Parallel()
	whole := encode(t, social(), rsg.WriterOptions{}, samples(t)...)
	at := blocks(t, whole)
	end := at[2].Offset + at[2].Bytes
	for _, row := range []struct {
		name   string
		names  bool
		damage func(data []byte) []byte
		want   []int // what is left
		skip   int
	}{
		{"nothing", true, func(b []byte) []byte { return b }, []int{0, 1, 2}, 0},
		{"facts", true, flip(at[1].Offset - 64), []int{1, 2}, 1},
		{"head", true, flip(at[0].Offset + 192), []int{1, 2}, 1},
		{"section table", false, flip(at[0].Offset + 40), []int{1, 2}, 1},
		{"section table, names are needed", true, flip(at[0].Offset + 40), nil, 3},
		{"frame header", false, flip(at[1].Offset + 8), []int{0, 2}, 1},
		{"two frame headers", false, flip(at[1].Offset+8, at[2].Offset), []int{0}, 2},
		{"index header", true, flip(end), []int{0, 1, 2}, 1},
		{"index", true, flip(end + 200), []int{0, 1, 2}, 0},
		{"trailer", true, flip(int64(len(whole)) - 1), []int{0, 1, 2}, 0},
		{"cut in a record", true, func(b []byte) []byte { return b[:at[2].Offset+100] }, []int{0, 1}, 1},
		{"cut between records", true, func(b []byte) []byte { return b[:at[2].Offset] }, []int{0, 1}, 1},
	} {
		data := row.damage(bytes.Clone(whole))
		r, err := rsg.NewReader(bytes.NewReader(data), "x", rsg.ReaderOptions{Names: row.names, SkipDamaged: true})
		check.OKf(t, err, "%s", row.name)
		var got []int
		for {
			s, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			check.OKf(t, err, "%s", row.name)
			got = append(got, s.Index)
			if want := samples(t)[s.Index].Name; s.Name != want {
				t.Errorf("%s: got subgraph %q at %d, want %q", row.name, s.Name, s.Index, want)
			}
		}
		if !slices.Equal(got, row.want) || r.Skipped() != row.skip {
			t.Errorf("%s: got %v and %d skipped, want %v and %d", row.name, got, r.Skipped(), row.want, row.skip)
		}
	}
}

// flip damages the bytes at the offsets.
func flip(offsets ...int64) func([]byte) []byte {
	return func(b []byte) []byte {
		for _, o := range offsets {
			b[o] ^= 0x10
		}
		return b
	}
}

func TestFile_DamageStaysInItsRecord(t *testing.T) {
	t.Parallel()
	data := encode(t, social(), rsg.WriterOptions{}, samples(t)...)
	at := blocks(t, data)
	flip(at[0].Offset + 192)(data)
	f, err := rsg.Open(data, "x.rsg", rsg.ReaderOptions{Names: true})
	check.OK(t, err)
	_, err = f.At(0)
	var c *rsg.CorruptError
	if !errors.As(err, &c) || c.Record != 0 || c.Name != "s0" || c.Section != "HEAD" || c.Offset != at[0].Offset+192 {
		t.Errorf("got %v, want damage of the head of record 0", err)
	}
	if want := "x.rsg: record 0 (s0), HEAD at byte "; !strings.HasPrefix(err.Error(), want) || !errors.Is(err, rsg.ErrChecksum) {
		t.Errorf("got %q, want %q.. and a checksum mismatch", err, want)
	}
	for i := 1; i < f.Len(); i++ {
		check.OKf(t, check.Err(f.At(i)), "record %d", i)
	}
}

func TestFile_NamesLostWithAnotherRecord(t *testing.T) {
	t.Parallel()
	data := encode(t, social(), rsg.WriterOptions{}, samples(t)...)
	flip(blocks(t, data)[0].Offset + 40)(data)
	for _, row := range []struct {
		name string
		opt  rsg.ReaderOptions
		want error
	}{
		{"names", rsg.ReaderOptions{Names: true}, rsg.ErrLostNames},
		{"a constant", rsg.ReaderOptions{Wanted: []rsg.Constant{{"thing", "Milk"}}}, rsg.ErrLostNames},
		{"no names", rsg.ReaderOptions{}, nil},
	} {
		f, err := rsg.Open(data, "x.rsg", row.opt)
		check.OK(t, err)
		check.ErrorIs(t, check.Err(f.At(1)), row.want, "%s", row.name)
	}
}

// TestVerify_FindsWhatReadersDoNot forges what only Verify looks at, in the samples.
func TestVerify_FindsWhatReadersDoNot(t *testing.T) {
	t.Parallel()
	whole := encode(t, social(), rsg.WriterOptions{}, samples(t)...)
	words := func(list ...uint32) string { return string(rsg.AppendWords(nil, list)) }
	for _, row := range []struct {
		name     string
		old, new string
		record   int
		section  string
	}{
		{"center", "s2Tea", "s2Toa", 2, "ENTS"},
		{"entity twice in a domain", words(0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), words(1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 0, "ENTS"},
		{"entity twice in the dictionary", "Dora", "Anna", 2, "NAMS"},
		{"subgraph twice", "s2Tea", "s0Tea", 2, "HEAD"},
		{"backward index", words(3, 0, 1, 3, 1, 0, 1), words(3, 0, 2, 3, 0, 1, 1), 0, "FACT"},
		{"true and unknown", words(0, 1, 1, 0, 1, 0), words(0, 1, 1, 0, 1, 1), 0, "FACT"},
		{"name in the index", "\"second\"s2", "\"second\"s3", -1, "NAMS"},
	} {
		data := bytes.Replace(whole, []byte(row.old), []byte(row.new), 1)
		rsgtest.Reseal(data)
		if bytes.Equal(data, whole) {
			t.Fatalf("%s: nothing to forge", row.name)
		}
		check.OKf(t, check.Err(readPipe(data, rsg.ReaderOptions{})), "%s: the reader finds it too", row.name)
		_, err := rsg.Verify(bytes.NewReader(data), "x")
		var c *rsg.CorruptError
		if !errors.As(err, &c) || c.Section != row.section || c.Record != row.record {
			t.Errorf("%s: got %v, want damage of %s in record %d", row.name, err, row.section, row.record)
		}
	}
}

func FuzzReader(f *testing.F) {
	for name := range layouts {
		data, _ := packed(f, name)
		f.Add(data, false)
		f.Add(data, true)
	}
	f.Fuzz(func(t *testing.T, data []byte, sealed bool) {
		if sealed {
			rsgtest.Reseal(data)
		}
		survive(t, data)
	})
}

func FuzzOpen(f *testing.F) {
	for name := range layouts {
		data, _ := packed(f, name)
		f.Add(data, uint32(200), byte(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, at uint32, change byte) {
		if len(data) > 0 {
			data[int(at)%len(data)] ^= change
		}
		rsgtest.Reseal(data)
		file, err := rsg.Open(data, "x", rsg.ReaderOptions{Names: true})
		if err != nil {
			if !errors.Is(err, subgraph.ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		for i := range file.Len() {
			if s, err := file.At(i); err == nil {
				use(s)
			} else if !errors.Is(err, subgraph.ErrCorrupt) {
				t.Fatal(err)
			}
			if k, ok := file.Find(file.Entry(i).Name); !ok || k != i {
				t.Fatalf("Find(%q): got %d, %v, want %d", file.Entry(i).Name, k, ok, i)
			}
		}
	})
}
