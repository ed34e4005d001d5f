package resolwe_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"resolwe"
	"resolwe/format/facts"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

func TestOpenStream_Forms(t *testing.T) {
	t.Parallel()
	m := parse(t, friends)
	text := friendsDB(0, 5)
	subs := subgraphs(t, m, text)
	plain := pack(t, m.Schema, subs, rsg.WriterOptions{})
	want, err := contents(t, m, resolwe.NewStream(m, subs))
	if err != nil || len(want) != 5 {
		t.Fatalf("got %d subgraphs, %v, want 5", len(want), err)
	}
	for _, test := range []struct {
		name   string
		data   []byte
		length int
	}{
		{"s.db", []byte(text), -1},
		{"s.db.gz", archivetest.Gzip(text), -1},
		{"s.db.zst", archivetest.Zstd(text), -1},
		{"s.rsg", plain, 5},
		{"packed.rsg", pack(t, m.Schema, subs, rsg.WriterOptions{Zstd: true}), 5},
		{"s.rsg.gz", archivetest.Gzip(plain), -1},
		{"s.rsg.zst", archivetest.Zstd(plain), -1},
		{"any name", archivetest.Gzip(plain), -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, m, resolwe.StreamOptions{Names: true}, file(t, "", test.name, test.data))
			check.Equal(t, "length", s.Len(), test.length)
			for range 2 {
				if got, err := contents(t, m, s); err != nil || !slices.Equal(got, want) {
					t.Errorf("%v (-got +want):\n%s", err, cmp.Diff(got, want))
				}
			}
			entries, err := s.Entries(t.Context())
			if last := (resolwe.Entry{Index: 4, Name: "s4", Fold: -1}); err != nil || len(entries) != 5 || entries[4] != last {
				t.Errorf("entries: got %v, %v", entries, err)
			}
		})
		t.Run("pipe of "+test.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, m, resolwe.StreamOptions{Names: true, Stdin: bytes.NewReader(test.data)}, "-")
			if got, err := contents(t, m, s); err != nil || !slices.Equal(got, want) {
				t.Errorf("%v (-got +want):\n%s", err, cmp.Diff(got, want))
			}
			check.ErrorIs(t, check.Err(contents(t, m, s)), resolwe.ErrReadOnce, "second reading")
			check.ErrorIs(t, check.Err(s.Entries(t.Context())), resolwe.ErrReadOnce, "entries")
		})
	}
}

// A pipe without a byte is damage, whatever is skipped; one with the head of a stream has no subgraphs.
func TestOpenStream_EmptyPipe(t *testing.T) {
	t.Parallel()
	m := parse(t, friends)
	opt := resolwe.StreamOptions{Stdin: strings.NewReader(""), SkipDamaged: true}
	_, err := resolwe.OpenStream(m, []string{file(t, "", "s.db", nil), "-"}, opt)
	if _, ok := errors.AsType[*resolwe.PathError](err); !ok || !errors.Is(err, subgraph.ErrCorrupt) {
		t.Errorf("no byte: got %v, want a *PathError that matches ErrCorrupt", err)
	}
	opt.Stdin = bytes.NewReader(pack(t, m.Schema, nil, rsg.WriterOptions{}))
	if got, err := contents(t, m, open(t, m, opt, "-")); err != nil || len(got) != 0 {
		t.Errorf("no subgraph: got %v, %v", got, err)
	}
}

func TestOpenStream_Errors(t *testing.T) {
	t.Parallel()
	m := parse(t, friends)
	empty := t.TempDir()
	twice := file(t, "", "twice.db", []byte(friendsDB(0, 1)+friendsDB(0, 1)))
	once := file(t, "", "once.db", []byte(friendsDB(0, 1)))
	again := file(t, "", "again.rsg", pack(t, m.Schema, subgraphs(t, m, friendsDB(0, 1)), rsg.WriterOptions{}))
	isPath := func(err error) bool { return errors.As(err, new(*resolwe.PathError)) }
	isDuplicate := func(err error) bool { return errors.As(err, new(*resolwe.DuplicateError)) }
	for _, test := range []struct {
		name  string
		paths []string
		is    func(error) bool
	}{
		{"folder among the matches", []string{filepath.Dir(empty) + "/*"}, isPath},
		{"no path", nil, isPath},
		{"no standard input", []string{"-"}, isPath},
		{"name twice in a text", []string{twice}, func(err error) bool { return errors.As(err, new(facts.InputError)) }},
		{"name in two files", []string{once, again}, isDuplicate},
		{"a file twice", []string{again, again}, isDuplicate},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, err := resolwe.OpenStream(m, test.paths, resolwe.StreamOptions{Names: true})
			if err == nil {
				defer s.Close()
				_, err = contents(t, m, s)
			}
			if !test.is(err) {
				t.Errorf("got %T: %v", err, err)
			}
		})
	}
	t.Run("name twice in memory", func(t *testing.T) {
		t.Parallel()
		s := subgraphs(t, m, friendsDB(0, 1))
		if _, err := contents(t, m, resolwe.NewStream(m, append(s, s...))); !isDuplicate(err) {
			t.Errorf("got %v", err)
		}
	})
}

func TestOpenStream_Schema(t *testing.T) {
	t.Parallel()
	m := parse(t, friends)
	for _, test := range []struct{ name, declared, want string }{
		{"predicate missing", "friend(person, person)\ntarget smokes(person)\n", "it has no predicate friends (but friend)"},
		{"arity", "friends(person)\ntarget smokes(person)\n", "it has friends(person), the model friends(person, person)"},
		{"type", "friends(person, thing)\ntarget smokes(person)\n", "it has friends(person, thing), the model friends(person, person)"},
		{"role", "friends(person, person)\nsmokes(person)\ntarget t(person)\n", "it has smokes(person), the model target smokes(person)"},
		{"listed", "friends(person, person)\ntarget listed smokes(person)\n", "it has target listed smokes(person), the model target smokes(person)"},
		{"two", "friends(person)\n", "it has friends(person), the model friends(person, person); it has no predicate smokes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			data := pack(t, parse(t, test.declared).Schema, nil, rsg.WriterOptions{})
			path := file(t, "", "s.rsg", data)
			want := " does not fit the model: " + test.want
			for _, in := range []string{path, file(t, "", "s.rsg.gz", archivetest.Gzip(data)), "-"} {
				_, err := resolwe.OpenStream(m, []string{in}, resolwe.StreamOptions{Stdin: bytes.NewReader(data)})
				if e, ok := errors.AsType[*resolwe.SchemaError](err); !ok || e.Error() != in+want {
					t.Errorf("got %v, want %s", err, in+want)
				}
			}
		})
	}
}

func TestStream_CenterMissing(t *testing.T) {
	t.Parallel()
	m := parse(t, "friends(person, person)\ntarget smokes(person)\nfriends(@center, x) => smokes(x)\n")
	s := inMemory(t, m, "@subgraph a center=B\nfriends(A, B)\n@subgraph b\nfriends(A, B)\n")
	_, err := contents(t, m, s)
	if e, ok := errors.AsType[*resolwe.CenterError](err); !ok || e.Subgraph != "b" {
		t.Errorf("got %v, want a *CenterError of b", err)
	}
	quoted := parse(t, "friends(person, person)\ntarget smokes(person)\nfriends(\"@center\", x) => smokes(x)\n")
	check.OKf(t, check.Err(contents(t, quoted, inMemory(t, quoted, friendsDB(0, 1)))), "a constant of that name")
}

func TestStream_Cancelled(t *testing.T) {
	t.Parallel()
	m := parse(t, "friends(person, person)\ntarget smokes(person)\n1 friends(x, y) ^ smokes(x) => smokes(y)\n")
	subs := subgraphs(t, m, friendsDB(0, 200))
	reason := errors.New("enough")
	for _, test := range []struct {
		name string
		run  func(context.Context, *resolwe.Stream, resolwe.Run) error
	}{
		{"select", func(ctx context.Context, s *resolwe.Stream, run resolwe.Run) error {
			opt := resolwe.SelectOptions{Criterion: resolwe.Paper, Subgraphs: 1000, Run: run}
			_, err := resolwe.Select(ctx, m, s, opt)
			return err
		}},
		{"learn", func(ctx context.Context, s *resolwe.Stream, run resolwe.Run) error {
			opt := resolwe.LearnOptions{Objective: true, Passes: 1000, Run: run}
			_, err := resolwe.Learn(ctx, m, s, opt)
			return err
		}},
		{"infer", func(ctx context.Context, s *resolwe.Stream, run resolwe.Run) error {
			opt := resolwe.InferOptions{Run: run}
			return inferring.Infer(ctx, m, s, opt, func(*resolwe.Marginals) error { return nil })
		}},
		{"counts", func(ctx context.Context, s *resolwe.Stream, run resolwe.Run) error {
			return inferring.Counts(ctx, m, s, run, func(string, []resolwe.Count) error { return nil })
		}},
	} {
		for _, after := range []int{1, 50, 190, 250} {
			if after > 200 && test.name != "learn" {
				continue
			}
			t.Run(fmt.Sprint(test.name, after), func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				done := 0
				run := resolwe.Run{Workers: 3, Progress: func(n int) {
					if done += n; done == after {
						cancel(reason)
					}
				}}
				check.ErrorIs(t, test.run(ctx, resolwe.NewStream(m, subs), run), reason, "error")
				check.AtMost(t, done, after+20, "subgraphs done after cancellation at %d", after)
			})
		}
	}
}

// A sampler at work stops as well.
func TestInfer_CancelledWhileSampling(t *testing.T) {
	t.Parallel()
	m := parse(t, "friends(person, person)\ntarget smokes(person)\n1 friends(x, y) ^ smokes(x) => smokes(y)\n")
	var db strings.Builder
	for i := range 60 {
		fmt.Fprintf(&db, "friends(P%d, P%d)\n", i, (i+1)%60)
	}
	s := inMemory(t, m, db.String())
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	opt := resolwe.InferOptions{Method: resolwe.MethodMCSAT, Samples: 1 << 30}
	err := inferring.Infer(ctx, m, s, opt, func(*resolwe.Marginals) error { return nil })
	check.ErrorIs(t, err, context.DeadlineExceeded, "error")
}

// damaged is a stream of n subgraphs of which that record does not match its checksums.
func damaged(t *testing.T, m *resolwe.Model, n int, records ...int) []byte {
	t.Helper()
	data := pack(t, m.Schema, subgraphs(t, m, friendsDB(0, n)), rsg.WriterOptions{})
	for _, record := range records {
		data = damagedAt(t, data, record)
	}
	return data
}

func damagedAt(t *testing.T, data []byte, record int) []byte {
	t.Helper()
	f, err := rsg.Open(data, "s.rsg", rsg.ReaderOptions{})
	check.OK(t, err)
	entry := f.Entry(record)
	for at := entry.Offset + entry.Bytes - 1; at > entry.Offset; at-- {
		out := bytes.Clone(data)
		out[at] ^= 0x10
		if f, err := rsg.Open(out, "s.rsg", rsg.ReaderOptions{}); err == nil {
			if _, err := f.At(record); err != nil {
				return out
			}
		}
	}
	t.Fatal("no byte of the record matters")
	return nil
}

func TestStream_Damage(t *testing.T) {
	t.Parallel()
	m := parse(t, friends)
	data := damaged(t, m, 6, 2)
	type positions struct {
		Names   []string
		Indices []int
	}
	for _, test := range []struct {
		name string
		open func(resolwe.StreamOptions) *resolwe.Stream
	}{
		{"mapped", func(opt resolwe.StreamOptions) *resolwe.Stream { return open(t, m, opt, file(t, "", "s.rsg", data)) }},
		{"archive", func(opt resolwe.StreamOptions) *resolwe.Stream {
			return open(t, m, opt, file(t, "", "s.rsg.gz", archivetest.Gzip(data)))
		}},
		{"pipe", func(opt resolwe.StreamOptions) *resolwe.Stream {
			opt.Stdin = bytes.NewReader(data)
			return open(t, m, opt, "-")
		}},
	} {
		read := func(s *resolwe.Stream) (got positions, err error) {
			err = resolwe.Each(t.Context(), s, resolwe.Run{Workers: 2}, func(sub *subgraph.Subgraph) error {
				got.Names, got.Indices = append(got.Names, sub.Name), append(got.Indices, sub.Index)
				return nil
			})
			return got, err
		}
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := read(test.open(resolwe.StreamOptions{}))
			e, ok := errors.AsType[*rsg.CorruptError](err)
			if !ok || e.Record != 2 || e.Offset == 0 || len(got.Names) != 2 {
				t.Errorf("got %v after %v, want damage of record 2", err, got.Names)
			}
			skip := resolwe.StreamOptions{SkipDamaged: true}
			s := test.open(skip)
			got, err = read(s)
			if err != nil || !slices.Equal(got.Names, []string{"s0", "s1", "s3", "s4", "s5"}) ||
				!slices.Equal(got.Indices, []int{0, 1, 3, 4, 5}) || s.Skipped() != 1 {
				t.Errorf("got %v, %v, %d skipped", got, err, s.Skipped())
			}
			s = test.open(skip)
			opt := resolwe.SelectOptions{Criterion: resolwe.Paper, Subgraphs: 4}
			sel, err := resolwe.Select(t.Context(), m, s, opt)
			if err != nil || sel.Subgraphs != 3 || s.Skipped() != 1 {
				t.Errorf("select: got %+v, %v, %d skipped, want 3 subgraphs", sel, err, s.Skipped())
			}
			learn := resolwe.LearnOptions{Objective: true, Skip: 1, Subgraphs: 6}
			learned, err := resolwe.Learn(t.Context(), m, test.open(skip), learn)
			if err != nil || learned.Subgraphs != 4 {
				t.Errorf("learn: got %+v, %v, want 4 subgraphs", learned, err)
			}
		})
	}
	t.Run("truncated", func(t *testing.T) {
		t.Parallel()
		s := open(t, m, resolwe.StreamOptions{Names: true, SkipDamaged: true}, file(t, "", "s.rsg", data[:len(data)-100]), file(t, "", "t.db", []byte(friendsDB(7, 1))))
		got, err := contents(t, m, s)
		if err != nil || len(got) != 6 || s.Skipped() != 1 {
			t.Errorf("got %d subgraphs, %v, %d skipped, want 6 and 1", len(got), err, s.Skipped())
		}
	})
}

// The first skipped damages are described, in any order in which workers meet them, and each time that the stream is read.
func TestStream_Damaged(t *testing.T) {
	t.Parallel()
	const n = 60
	m := parse(t, friends)
	path := file(t, "", "s.rsg", damaged(t, m, n, 2, 50, 7, 8, 31, 9, 22))
	for workers := 1; workers <= 64; workers *= 4 {
		s := open(t, m, resolwe.StreamOptions{SkipDamaged: true}, path)
		for range 2 {
			check.OK(t, resolwe.Each(t.Context(), s, resolwe.Run{Workers: workers}, func(*subgraph.Subgraph) error { return nil }))
			var records []int
			for _, d := range s.Damaged() {
				records = append(records, d.Record)
				check.Equal(t, "path", d.Path, path)
			}
			check.Equal(t, fmt.Sprintf("%d workers, first records skipped", workers), records, []int{2, 7, 8, 9, 22})
			check.Equal(t, "number", s.Skipped(), 7)
		}
		// Subsets share the count, and count no record twice.
		s = open(t, m, resolwe.StreamOptions{SkipDamaged: true}, path)
		for _, subset := range []struct {
			stream *resolwe.Stream
			want   int
		}{{s.Range(0, 9), 3}, {s.Range(5, 20), 4}, {s.Pick([]int{2, 3}), 4}, {s.Range(20, n), 7}, {s.Range(0, 1), 7}} {
			check.OK(t, resolwe.Each(t.Context(), subset.stream, resolwe.Run{Workers: workers}, func(*subgraph.Subgraph) error { return nil }))
			check.Equal(t, "number after a subset", s.Skipped(), subset.want)
		}
	}
}

// Each damage counts once, however often parts of a file, an archive or a pipe are read, as in a cross-validation.
func TestStream_Damaged_InParts(t *testing.T) {
	t.Parallel()
	const n = 60
	m := parse(t, friends)
	data := damaged(t, m, n, 2, 50, 7, 8, 31, 9, 22)
	for name, content := range map[string][]byte{"s.rsg": data, "s.rsg.gz": archivetest.Gzip(data)} {
		s := open(t, m, resolwe.StreamOptions{SkipDamaged: true}, file(t, "", name, content))
		for i, part := range []*resolwe.Stream{s.Range(0, 9), s.Range(20, 60), s.Pick([]int{5, 9, 59}), s, s.Range(0, 1)} {
			check.OK(t, resolwe.Each(t.Context(), part, resolwe.Run{Workers: 3}, func(*subgraph.Subgraph) error { return nil }))
			if name == "s.rsg" {
				check.Equal(t, "so far", s.Skipped(), []int{3, 6, 7, 7, 7}[i])
			}
		}
		check.Equal(t, name, s.Skipped(), 7)
	}
}
