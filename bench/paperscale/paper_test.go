package paperscale_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"resolwe/bench/csvtables"
	"resolwe/bench/paperscale"
	"resolwe/internal/test/check"
)

var tasks = map[string]func(context.Context, string, csvtables.Options) (*paperscale.Stats, error){
	"wikicollabs": paperscale.WikiCollabs, "delicious": paperscale.Delicious,
}

// The seed and the scale determine the bytes, the number of processors does not.
func TestGenerate_IsDeterministic(t *testing.T) {
	for name, task := range tasks {
		t.Run(name, func(t *testing.T) {
			dir, stats := generate(t, task, 1e-6, 7)
			want := files(t, dir)
			for _, procs := range []int{1, 2, 8} {
				before := runtime.GOMAXPROCS(procs)
				dir, again := generate(t, task, 1e-6, 7)
				runtime.GOMAXPROCS(before)
				if names := differing(want, files(t, dir)); names != nil {
					t.Errorf("%d processors: other bytes in %v", procs, names)
				}
				check.Is(t, again.String(), stats.String(), "%d processors", procs)
			}
			other, _ := generate(t, task, 1e-6, 8)
			if got := differing(want, files(t, other)); len(got) != len(want) {
				t.Errorf("seed 8: got other bytes in %v alone", got)
			}
		})
	}
}

// Progress goes forward to the end of each table that it names; one who stops leaves nothing.
func TestGenerate_ProgressAndDone(t *testing.T) {
	t.Parallel()
	want := map[string][]string{
		"wikicollabs": {"article_edit", "category", "external", "hyperlink", "similarity", "user_talk"},
		"delicious":   {"fan", "tagging"},
	}
	for name, task := range tasks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			last, totals := map[string]int64{}, map[string]int64{}
			opt := csvtables.Options{Scale: 1e-6, Progress: func(table string, done, total int64) {
				if done < last[table] || done > total {
					t.Errorf("%s: got %d of %d after %d", table, done, total, last[table])
				}
				last[table], totals[table] = done, total
			}}
			check.OK(t, check.Err(task(t.Context(), t.TempDir(), opt)))
			check.Slices(t, slices.Sorted(maps.Keys(last)), want[name], "tables")
			check.Equal(t, "done", last, totals)
			for _, table := range want[name] {
				dir := t.TempDir()
				ctx, cancel := context.WithCancel(t.Context())
				stop := csvtables.Options{Scale: 1e-6}
				stop.Progress = func(now string, _, _ int64) {
					if now == table {
						cancel()
					}
				}
				check.ErrorIs(t, check.Err(task(ctx, dir, stop)), context.Canceled, "error")
				if left := files(t, dir); len(left) > 0 {
					t.Errorf("got %v left, want nothing", slices.Sorted(maps.Keys(left)))
				}
			}
		})
	}
}

func TestGenerate_BadFolder(t *testing.T) {
	t.Parallel()
	for name, task := range tasks {
		file := filepath.Join(t.TempDir(), "file")
		check.OK(t, os.WriteFile(file, nil, 0o600))
		check.Fails(t, check.Err(task(t.Context(), file, csvtables.Options{Scale: 1e-6})), "%s", name)
		// A folder stands in the way of the last table: none appears.
		dir := t.TempDir()
		last := map[string]string{"wikicollabs": "user_talk.tsv", "delicious": "tagging.tsv"}[name]
		check.OK(t, os.Mkdir(filepath.Join(dir, last), 0o700))
		check.Fails(t, check.Err(task(t.Context(), dir, csvtables.Options{Scale: 1e-6})), "%s", name)
		entries, err := os.ReadDir(dir)
		check.OK(t, err)
		check.Equal(t, name+": entries left", len(entries), 1)
	}
}

func TestStats_String(t *testing.T) {
	t.Parallel()
	s := paperscale.Stats{
		Task: "Task", Scale: 0.5, Seed: 3, Rule: "all", Noise: []string{"a", "b"},
		Figures: []paperscale.Figure{{Name: "things", Generated: 1234567, Paper: 2469134}, {Name: "mean", Generated: 6.25}},
		Signals: []paperscale.Signal{
			{Formula: "p(x) => q(x)", Role: paperscale.Planted}, {Formula: "r(x) => q(x)", Role: paperscale.Follows},
		},
	}
	want := `Task, scale 0.5, seed 3
centers: all

  generated      paper 
  1,234,567  2,469,134 things
       6.25          - mean

noise: a, b

planted  p(x) => q(x)
follows  r(x) => q(x)
`
	check.Equal(t, "result", s.String(), want)
	check.Is(t, s.Figure("nothing"), 0, "unknown figure")
	if strings.Contains(s.String(), "\t") {
		t.Error("a tab is left")
	}
}
