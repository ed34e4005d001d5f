package resolwe_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
)

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
	for seed := range rounds(t, 16) {
		general := seed%2 == 1
		text, db := random(seed, oracle.TaskOptions{General: general, Known: true, Subgraphs: 4})
		m := parse(t, text)
		lines := parse(t, "item = {Extra1, A0}\nuser = {\"Extra two\"}\n"+text)
		subs := subgraphs(t, m, db)
		schema, moved := permuted(rand.New(rand.NewPCG(seed, 1)), m.Schema, subs)
		plain := pack(t, m.Schema, subs, rsg.WriterOptions{})
		forms := map[string][]byte{
			"text": []byte(db), "plain": plain, "zstd": pack(t, m.Schema, subs, rsg.WriterOptions{Zstd: true}),
			"gzip": archivetest.Gzip(plain), "packed with type lines": pack(t, lines.Schema, subgraphs(t, lines, db), rsg.WriterOptions{}),
			"permuted": pack(t, schema, moved, rsg.WriterOptions{}),
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
	err := inferring.Counts(t.Context(), m, s, resolwe.Run{}, func(name string, counts []resolwe.Count) error {
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
		sel, err := resolwe.Select(t.Context(), m, s, resolwe.SelectOptions{Criterion: resolwe.Paper})
		check.OK(t, err)
		fmt.Fprintln(&out, rules(sel.Selected), sel.Notes)
		return out.String()
	}
	err := inferring.Infer(t.Context(), m, s, resolwe.InferOptions{}, func(r *resolwe.Marginals) error {
		for i, p := range r.P {
			name := ""
			if names {
				name = r.Atom(i)
			}
			fmt.Fprintln(&out, r.Subgraph, r.Index, name, p, r.Truth(i))
		}
		return nil
	})
	check.OK(t, err)
	return out.String()
}

// A model without names and a model with names see the same constants.
func TestSelect_WithoutNames(t *testing.T) {
	t.Parallel()
	for seed := range rounds(t, 40) {
		text, db := random(seed, oracle.TaskOptions{Subgraphs: 3})
		m := parse(t, "item = {Extra1, A0}\n"+text)
		want := result(t, m, inMemory(t, m, db), false, true)
		data := pack(t, m.Schema, subgraphs(t, m, db), rsg.WriterOptions{})
		for _, path := range []string{file(t, "", "s.rsg", data), file(t, "", "s.rsg.gz", archivetest.Gzip(data))} {
			if got := result(t, m, open(t, m, resolwe.StreamOptions{}, path), false, false); got != want {
				t.Errorf("seed %d, %s (-got +want):\n%s", seed, filepath.Base(path), cmp.Diff(got, want))
			}
		}
	}
}

// What subgraphs share makes a stream shorter and changes no result, in whatever form the stream comes.
func TestStream_SharingDoesNotMatter(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		db := sharingDB(seed, 12)
		m, lines := parse(t, sharing), parse(t, "page = {P0, Extra}\n"+sharing)
		subs := subgraphs(t, m, db)
		shared := pack(t, m.Schema, subs, rsg.WriterOptions{})
		whole := pack(t, m.Schema, subs, rsg.WriterOptions{Whole: true})
		check.AtMost(t, len(shared), len(whole)*9/10, "seed %d, bytes, of %d without sharing", seed, len(whole))
		schema, moved := permuted(rand.New(rand.NewPCG(seed, 1)), m.Schema, subs)
		forms := map[string][]byte{
			"whole": whole, "shared": shared, "zstd": pack(t, m.Schema, subs, rsg.WriterOptions{Zstd: true}),
			"gzip": archivetest.Gzip(shared), "permuted": pack(t, schema, moved, rsg.WriterOptions{}),
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
		check.OK(t, err)
		expected, err := contents(t, m, inMemory(t, m, db))
		check.OK(t, err)
		check.Equal(t, fmt.Sprintf("seed %d", seed), got, expected)
	}
}
