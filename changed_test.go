package resolwe_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"resolwe"
	"resolwe/format/rsg"
	"resolwe/internal/test/check"
)

// A mapped file that is written to while it is in use gives an error, whatever was read of it. One that another is put in
// the place of does not change.
func TestStream_FileChanges(t *testing.T) {
	t.Parallel()
	m := parse(t, friends)
	data := pack(t, m.Schema, subgraphs(t, m, friendsDB(0, 100)), rsg.WriterOptions{})
	run, past := resolwe.Run{Workers: 2}, time.Now().Add(-time.Hour)
	infer := func(s *resolwe.Stream, step func()) error {
		return resolwe.Infer(t.Context(), m, s, resolwe.InferOptions{Run: run}, func(*resolwe.Marginals) error {
			step()
			return nil
		})
	}
	learn := func(s *resolwe.Stream, step func()) error {
		opt := resolwe.LearnOptions{Passes: 1, Run: run}
		opt.Run.Progress = func(int) { step() }
		_, err := resolwe.Learn(t.Context(), m, s, opt)
		return err
	}
	sel := func(s *resolwe.Stream, step func()) error {
		opt := resolwe.SelectOptions{Criterion: resolwe.Paper, Run: run}
		opt.Run.Progress = func(int) { step() }
		_, err := resolwe.Select(t.Context(), m, s, opt)
		return err
	}
	overwrite := func(path string) error {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		zeros := make([]byte, len(data)-200)
		_, err = f.WriteAt(zeros, 100)
		return errors.Join(err, f.Close())
	}
	replace := func(path string) error {
		next := filepath.Join(filepath.Dir(path), "next")
		return errors.Join(os.WriteFile(next, []byte("other"), 0o600), os.Rename(next, path))
	}
	for name, do := range map[string]func(*resolwe.Stream, func()) error{"infer": infer, "learn": learn, "select": sel} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, at := range []int{1, 5} {
				path := file(t, "", "s.rsg", data)
				check.OK(t, os.Chtimes(path, past, past)) // clocks of file systems are coarse
				s := open(t, m, resolwe.StreamOptions{Names: true}, path)
				steps := 0
				err := do(s, func() {
					if steps++; steps == at {
						check.OK(t, overwrite(path))
					}
				})
				if e, ok := errors.AsType[*rsg.CorruptError](err); !ok || e.Path != path {
					t.Errorf("step %d: got %v, want that %s changed", at, err, path)
				}
			}
			path := file(t, "", "s.rsg", data)
			check.OK(t, do(open(t, m, resolwe.StreamOptions{Names: true}, path), func() { check.OK(t, replace(path)) }))
		})
	}
}
