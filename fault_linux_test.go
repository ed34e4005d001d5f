package resolwe_test

import (
	"errors"
	"os"
	"testing"

	"resolwe"
	"resolwe/format/rsg"
)

// A mapped file that becomes shorter while it is in use is a damaged one.
func TestStream_FileBecomesShorter(t *testing.T) {
	t.Parallel()
	m := parse(t, friends)
	data := pack(t, m.Schema, subgraphs(t, m, friendsDB(0, 100)), rsg.WriterOptions{})
	run := resolwe.Run{Workers: 2}
	for _, test := range []struct {
		name  string
		after int // subgraphs
		run   func(*resolwe.Stream, func()) error
	}{
		{"infer", 10, func(s *resolwe.Stream, step func()) error {
			opt := resolwe.InferOptions{Run: run}
			return resolwe.Infer(t.Context(), m, s, opt, func(r *resolwe.Marginals) error {
				step()
				_ = r.Atom(0)
				return nil
			})
		}},
		{"select", 0, func(s *resolwe.Stream, step func()) error {
			step()
			opt := resolwe.SelectOptions{Criterion: resolwe.Paper, Run: run}
			_, err := resolwe.Select(t.Context(), m, s, opt)
			return err
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := file(t, "", "s.rsg", data)
			s := open(t, m, resolwe.StreamOptions{Names: true, SkipDamaged: true}, path)
			steps := 0
			err := test.run(s, func() {
				if steps++; steps == max(test.after, 1) {
					if err := os.Truncate(path, 0); err != nil {
						t.Error(err)
					}
				}
			})
			e, ok := errors.AsType[*rsg.CorruptError](err)
			if !ok || !errors.Is(err, rsg.ErrTruncated) || e.Path != path {
				t.Errorf("got %v, want that %s is truncated", err, path)
			}
		})
	}
}
