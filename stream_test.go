package resolwe_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"resolwe"
	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/naive"
)

const friends = `friends(person, person)
target smokes(person)
friends(x, y) ^ smokes(x) => smokes(y)
`

// friendsDB has so many subgraphs, named from s0 on.
func friendsDB(first, n int) string {
	var b strings.Builder
	for i := first; i < first+n; i++ {
		fmt.Fprintf(&b, "@subgraph s%d\nfriends(A, B%d)\nfriends(B%d, C)\nsmokes(A)\n", i, i, i)
	}
	return b.String()
}

func TestOpenStream_Forms(t *testing.T) {
	t.Parallel()
	m := parse(t, friends)
	text := friendsDB(0, 5)
	subs := subgraphs(t, m, text)
	plain := pack(t, m.Schema, subs, subgraph.WriterOptions{})
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
		{"s.db.gz", gzipped(t, []byte(text)), -1},
		{"s.db.zst", zstdPacked(t, []byte(text)), -1},
		{"s.rsg", plain, 5},
		{"packed.rsg", pack(t, m.Schema, subs, subgraph.WriterOptions{Zstd: true}), 5},
		{"s.rsg.gz", gzipped(t, plain), -1},
		{"s.rsg.zst", zstdPacked(t, plain), -1},
		{"any name", gzipped(t, plain), -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, m, resolwe.StreamOptions{Names: true}, file(t, "", test.name, test.data))
			if got := s.Len(); got != test.length {
				t.Errorf("length: got %d, want %d", got, test.length)
			}
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
			if _, err := contents(t, m, s); !errors.Is(err, resolwe.ErrReadOnce) {
				t.Errorf("second reading: got %v, want %v", err, resolwe.ErrReadOnce)
			}
			if _, err := s.Entries(t.Context()); !errors.Is(err, resolwe.ErrReadOnce) {
				t.Errorf("entries: got %v, want %v", err, resolwe.ErrReadOnce)
			}
		})
	}
}

func TestOpenStream_Paths(t *testing.T) {
	t.Parallel()
	m := parse(t, friends)
	dir := t.TempDir()
	rsg := func(first int) []byte {
		return pack(t, m.Schema, subgraphs(t, m, friendsDB(first, 1)), subgraph.WriterOptions{})
	}
	file(t, dir, "b.rsg", rsg(2))
	file(t, dir, "a.db", []byte(friendsDB(1, 1)))
	file(t, dir, "B.db.gz", gzipped(t, []byte(friendsDB(0, 1))))
	file(t, dir, "c.rsg.zst", zstdPacked(t, rsg(3)))
	file(t, dir, "README", []byte("not facts"))
	file(t, dir, "notes.db.txt", []byte("not facts"))
	if err := os.Mkdir(filepath.Join(dir, "d.db"), 0o700); err != nil {
		t.Fatal(err)
	}
	other := file(t, "", "other.db", []byte(friendsDB(4, 1)))
	for _, test := range []struct {
		name  string
		paths []string
		want  []string
	}{
		{"folder in byte order", []string{dir}, []string{"s0", "s1", "s2", "s3"}},
		{"glob", []string{filepath.Join(dir, "?.rsg*")}, []string{"s2", "s3"}},
		{"several in the order given", []string{other, filepath.Join(dir, "b.rsg"), filepath.Join(dir, "a.db")}, []string{"s4", "s2", "s1"}},
		{"with standard input", []string{"-", other}, []string{"s9", "s4"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, m, resolwe.StreamOptions{Stdin: strings.NewReader(friendsDB(9, 1))}, test.paths...)
			var got []string
			err := resolwe.Each(t.Context(), s, resolwe.Run{Workers: 3}, func(sub *subgraph.Subgraph) error {
				if sub.Index != len(got) {
					t.Errorf("position of %s: got %d, want %d", sub.Name, sub.Index, len(got))
				}
				got = append(got, sub.Name)
				return nil
			})
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("got %v, %v, want %v", got, err, test.want)
			}
		})
	}
}

func TestOpenStream_Errors(t *testing.T) {
	t.Parallel()
	m := parse(t, friends)
	empty := t.TempDir()
	twice := file(t, "", "twice.db", []byte(friendsDB(0, 1)+friendsDB(0, 1)))
	once := file(t, "", "once.db", []byte(friendsDB(0, 1)))
	again := file(t, "", "again.rsg", pack(t, m.Schema, subgraphs(t, m, friendsDB(0, 1)), subgraph.WriterOptions{}))
	good := pack(t, m.Schema, subgraphs(t, m, friendsDB(0, 3)), subgraph.WriterOptions{})
	isPath := func(err error) bool { return errors.As(err, new(*resolwe.PathError)) }
	isDuplicate := func(err error) bool { return errors.As(err, new(*resolwe.DuplicateError)) }
	isDamage := func(err error) bool { return errors.Is(err, subgraph.ErrCorrupt) }
	for _, test := range []struct {
		name  string
		paths []string
		is    func(error) bool
	}{
		{"no file", []string{filepath.Join(empty, "none.rsg")}, func(err error) bool { return isPath(err) && errors.Is(err, fs.ErrNotExist) }},
		{"glob without a match", []string{filepath.Join(empty, "*.rsg")}, isPath},
		{"malformed glob", []string{filepath.Join(empty, "[")}, isPath},
		{"empty folder", []string{empty}, isPath},
		{"folder among the matches", []string{filepath.Dir(empty) + "/*"}, isPath},
		{"no path", nil, isPath},
		{"no standard input", []string{"-"}, isPath},
		{"standard input twice", []string{"-", "-"}, isPath},
		{"name twice in a text", []string{twice}, func(err error) bool { return errors.As(err, new(*facts.DuplicateNameError)) }},
		{"name in two files", []string{once, again}, isDuplicate},
		{"a file twice", []string{again, again}, isDuplicate},
		{"truncated", []string{file(t, "", "t.rsg", good[:len(good)-70])}, isDamage},
		{"truncated head", []string{file(t, "", "t.rsg", good[:70])}, isDamage},
		{"truncated archive", []string{file(t, "", "t.rsg.gz", gzipped(t, good)[:200])}, isDamage},
		{"syntax", []string{file(t, "", "x.db", []byte("friends(A\n"))}, func(err error) bool {
			return errors.As(err, new(facts.InputError))
		}},
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
			data := pack(t, parse(t, test.declared).Schema, nil, subgraph.WriterOptions{})
			path := file(t, "", "s.rsg", data)
			want := " does not fit the model: " + test.want
			for _, in := range []string{path, file(t, "", "s.rsg.gz", gzipped(t, data)), "-"} {
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
	if _, err := contents(t, quoted, inMemory(t, quoted, friendsDB(0, 1))); err != nil {
		t.Errorf("a constant of that name: got %v, want nil", err)
	}
}

// permuted returns a schema with more predicates and types than m's, in another order, and subgraphs over it.
func permuted(r *rand.Rand, m *mln.Schema, subs []*subgraph.Subgraph) (*mln.Schema, []*subgraph.Subgraph) {
	types, preds := r.Perm(len(m.Types)+1), r.Perm(len(m.Predicates)+1)
	out := &mln.Schema{Types: make([]string, len(types)), Predicates: make([]mln.Predicate, len(preds))}
	for from, to := range types {
		out.Types[to] = append(slices.Clone(m.Types), "unused")[from]
	}
	extra := mln.Predicate{Name: "extra", Args: []int{0, len(m.Types)}, Role: mln.RoleEvidence}
	for from, to := range preds {
		p := append(slices.Clone(m.Predicates), extra)[from]
		p.Args = slices.Clone(p.Args)
		for i, t := range p.Args {
			p.Args[i] = types[t]
		}
		out.Predicates[to] = p
	}
	moved := make([]*subgraph.Subgraph, len(subs))
	for i, s := range subs {
		b := subgraph.NewBuilder(out)
		b.Reset(s.Name, s.Center, s.Fold)
		for t, d := range s.Domains {
			for id := range d.Size {
				b.Entity(types[t], d.Names.Name(uint32(id)))
			}
		}
		none := b.Entity(types[len(m.Types)], "None")
		if s.Domains[0].Size > 0 {
			b.Add(preds[len(m.Predicates)], []uint32{0, none}, subgraph.True)
		}
		for p, rel := range s.Relations {
			for truth, table := range map[subgraph.Truth]subgraph.Table{subgraph.True: rel.True, subgraph.False: rel.False, subgraph.Unknown: rel.Unknown} {
				for k := range table.Len() {
					args := make([]uint32, len(table.Cols))
					for c, col := range table.Cols {
						args[c] = col[k]
					}
					b.Add(preds[p], args, truth)
				}
			}
		}
		var err error
		if moved[i], err = b.Finish(); err != nil {
			panic(err)
		}
	}
	return out, moved
}

// A stream gives the same results in whatever form it comes, with type lines in the model or more in the stream.
func TestStream_FormDoesNotMatter(t *testing.T) {
	t.Parallel()
	for seed := range uint64(16) {
		general := seed%2 == 1
		text, db := random(seed, naive.TaskOptions{General: general, Known: true, Subgraphs: 4})
		m := parse(t, text)
		lines := parse(t, "item = {Extra1, A0}\nuser = {\"Extra two\"}\n"+text)
		subs := subgraphs(t, m, db)
		schema, moved := permuted(rand.New(rand.NewPCG(seed, 1)), m.Schema, subs)
		plain := pack(t, m.Schema, subs, subgraph.WriterOptions{})
		forms := map[string][]byte{
			"text": []byte(db), "plain": plain, "zstd": pack(t, m.Schema, subs, subgraph.WriterOptions{Zstd: true}),
			"gzip": gzipped(t, plain), "packed with type lines": pack(t, lines.Schema, subgraphs(t, lines, db), subgraph.WriterOptions{}),
			"permuted": pack(t, schema, moved, subgraph.WriterOptions{}),
		}
		for _, m := range []*resolwe.Model{m, lines} {
			want := results(t, m, resolwe.NewStream(m, subgraphs(t, m, db)), general)
			for name, data := range forms {
				for _, names := range []bool{false, true} {
					if names {
						s := open(t, m, resolwe.StreamOptions{Names: true}, file(t, "", "s", data))
						if got := results(t, m, s, general); got != want {
							t.Errorf("seed %d: %s (-got +want):\n%s", seed, name, cmp.Diff(got, want))
						}
					}
					s := open(t, m, resolwe.StreamOptions{Names: names, Stdin: bytes.NewReader(data)}, "-")
					if got := result(t, m, s, general, names); names && got != "" && !strings.HasPrefix(want, got) {
						t.Errorf("seed %d: pipe of %s (-got +want):\n%s", seed, name, cmp.Diff(got, want))
					}
				}
			}
		}
	}
}

// results selects or predicts, then counts.
func results(t *testing.T, m *resolwe.Model, s *resolwe.Stream, general bool) string {
	t.Helper()
	out := result(t, m, s, general, true)
	err := resolwe.Counts(t.Context(), m, s, resolwe.Run{}, func(name string, counts []int64) error {
		out += fmt.Sprintln(name, counts)
		return nil
	})
	if err != nil {
		out += err.Error()
	}
	return out
}

// result selects or predicts.
func result(t *testing.T, m *resolwe.Model, s *resolwe.Stream, general, names bool) string {
	t.Helper()
	var out strings.Builder
	if !general {
		sel, err := resolwe.Select(t.Context(), m, s, resolwe.DefaultSelectOptions())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&out, rules(sel.Selected), sel.Notes)
		return out.String()
	}
	err := resolwe.Infer(t.Context(), m, s, resolwe.DefaultInferOptions(), func(r *resolwe.Marginals) error {
		for i, p := range r.P {
			name := ""
			if names {
				name = r.Atom(i)
			}
			fmt.Fprintln(&out, r.Subgraph, r.Index, name, p, r.Truth(i))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A model without names and a model with names see the same constants.
func TestSelect_WithoutNames(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		text, db := random(seed, naive.TaskOptions{Subgraphs: 3})
		m := parse(t, "item = {Extra1, A0}\n"+text)
		want := result(t, m, inMemory(t, m, db), false, true)
		data := pack(t, m.Schema, subgraphs(t, m, db), subgraph.WriterOptions{})
		for _, path := range []string{file(t, "", "s.rsg", data), file(t, "", "s.rsg.gz", gzipped(t, data))} {
			if got := result(t, m, open(t, m, resolwe.StreamOptions{}, path), false, false); got != want {
				t.Errorf("seed %d, %s (-got +want):\n%s", seed, filepath.Base(path), cmp.Diff(got, want))
			}
		}
	}
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
			opt := resolwe.DefaultSelectOptions()
			opt.Subgraphs, opt.Run = 1000, run
			_, err := resolwe.Select(ctx, m, s, opt)
			return err
		}},
		{"learn", func(ctx context.Context, s *resolwe.Stream, run resolwe.Run) error {
			opt := resolwe.DefaultLearnOptions()
			opt.Passes, opt.Run = 1000, run
			_, err := resolwe.Learn(ctx, m, s, opt)
			return err
		}},
		{"infer", func(ctx context.Context, s *resolwe.Stream, run resolwe.Run) error {
			opt := resolwe.DefaultInferOptions()
			opt.Run = run
			return resolwe.Infer(ctx, m, s, opt, func(*resolwe.Marginals) error { return nil })
		}},
		{"counts", func(ctx context.Context, s *resolwe.Stream, run resolwe.Run) error {
			return resolwe.Counts(ctx, m, s, run, func(string, []int64) error { return nil })
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
				if err := test.run(ctx, resolwe.NewStream(m, subs), run); !errors.Is(err, reason) {
					t.Errorf("got %v, want %v", err, reason)
				}
				if done > after+20 {
					t.Errorf("%d subgraphs were done after cancellation at %d", done, after)
				}
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
	opt := resolwe.DefaultInferOptions()
	opt.Samples = 1 << 30
	err := resolwe.Infer(ctx, m, s, opt, func(*resolwe.Marginals) error { return nil })
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
}
