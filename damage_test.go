package resolwe_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"resolwe"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

// damaged is a stream of n subgraphs of which that record does not match its checksums.
func damaged(t *testing.T, m *resolwe.Model, n, record int) []byte {
	t.Helper()
	data := pack(t, m.Schema, subgraphs(t, m, friendsDB(0, n)), rsg.WriterOptions{})
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
