package resolwe_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"resolwe"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/format/tablefile"
	"resolwe/format/tablewrite"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

// A mapped file that is written to, or cut, while it is in use gives an error, whatever was read of it. One that another is put
// in the place of does not change.
func TestStream_FileChanges(t *testing.T) {
	t.Parallel()
	m := parse(t, friends)
	data := pack(t, m.Schema, subgraphs(t, m, friendsDB(0, 100)), rsg.WriterOptions{})
	run, past := resolwe.Run{Workers: 2}, time.Now().Add(-time.Hour)
	infer := func(s *resolwe.Stream, step func()) error {
		return inferring.Infer(t.Context(), m, s, resolwe.InferOptions{Run: run}, func(r *resolwe.Marginals) error {
			step()
			_ = r.Atom(0) // a name is read where it lies
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
	changes := []func(path string) error{overwrite}
	if runtime.GOOS == "linux" { // which has a fault of memory there
		changes = append(changes, func(path string) error { return os.Truncate(path, 0) })
	}
	replace := func(path string) error {
		next := filepath.Join(filepath.Dir(path), "next")
		return errors.Join(os.WriteFile(next, []byte("other"), 0o600), os.Rename(next, path))
	}
	for name, do := range map[string]func(*resolwe.Stream, func()) error{"infer": infer, "learn": learn, "select": sel} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range 2 * len(changes) {
				at, change := []int{1, 5}[i%2], changes[i/2]
				path := file(t, "", "s.rsg", data)
				check.OK(t, os.Chtimes(path, past, past)) // clocks of file systems are coarse
				s := open(t, m, resolwe.StreamOptions{Names: true}, path)
				steps := 0
				err := do(s, func() {
					if steps++; steps == at {
						check.OK(t, change(path))
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

// A table that changes while it or another one is read gives an error that names it, and no subgraph: also one that a writer left at the
// end of a line for a while.
func TestBuild_TableChanges(t *testing.T) {
	t.Parallel()
	m := parse(t, buildModel)
	const row = "P1,C\n"
	var parquet bytes.Buffer
	w, err := tablewrite.NewWriter(&parquet, tablewrite.Parquet, []tablewrite.Column{{Name: "article", Kind: tablewrite.Text}, {Name: "user", Kind: tablewrite.Text}})
	check.OK(t, err)
	check.OK(t, w.Row([]tablewrite.Cell{tablewrite.TextCell("P1"), tablewrite.TextCell("A")}))
	check.OK(t, w.Close())
	files := map[string]struct{ content, more []byte }{
		"t.csv":     {[]byte(buildTable), []byte(row)},
		"t.tsv":     {[]byte(strings.ReplaceAll(buildTable, ",", "\t")), []byte("P1\tC\n")},
		"t.csv.gz":  {archivetest.Gzip(buildTable), archivetest.Gzip(row)},
		"t.csv.zst": {archivetest.Zstd(buildTable), archivetest.Zstd(row)},
		"t.parquet": {parquet.Bytes(), []byte(row)},
	}
	for name, file := range files {
		for change, do := range map[string]func(path string) error{
			"append":    func(path string) error { return os.WriteFile(path, append(file.content, file.more...), 0o600) },
			"overwrite": func(path string) error { return os.WriteFile(path, file.content, 0o600) },
			"truncate":  func(path string) error { return os.Truncate(path, 1) },
			"replace": func(path string) error {
				return errors.Join(os.WriteFile(path+".new", file.content, 0o600), os.Rename(path+".new", path))
			},
			"remove": os.Remove,
		} {
			for _, during := range []string{"read edits", "read other"} {
				t.Run(name+" "+change+" "+during, func(t *testing.T) {
					t.Parallel()
					dir := t.TempDir()
					path := filepath.Join(dir, name)
					check.OK(t, os.WriteFile(path, file.content, 0o600))
					past := time.Now().Add(-time.Hour)
					check.OK(t, os.Chtimes(path, past, past)) // clocks of file systems are coarse
					check.OK(t, os.WriteFile(filepath.Join(dir, "other.csv"), []byte("user\nA\n"), 0o600))
					recipe := strings.Replace(buildRecipe, "edits.csv", name, 1) + "table other(user) from \"other.csv\" (user)\nrequire count(seen) >= 1\nseen(u) :- other(u)\n"
					changed := false
					begin := func(what, _ string, _ int64) resolwe.Run {
						return resolwe.Run{Progress: func(int) {
							if what == during && !changed {
								changed = true
								check.OK(t, do(path))
							}
						}}
					}
					_, err := resolwe.Build(t.Context(), m, "r", []byte(recipe), resolwe.BuildOptions{Dir: dir, Run: begin}, func(*subgraph.Subgraph) error {
						t.Error("a subgraph was written")
						return nil
					})
					e, ok := errors.AsType[*tablefile.DamageError](err)
					if !ok || e.Pos.File != path || !errors.Is(err, tablefile.ErrChanged) || !errors.Is(err, subgraph.ErrCorrupt) {
						t.Errorf("got %v, want that %s changed", err, path)
					}
				})
			}
		}
	}
}
