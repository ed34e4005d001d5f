package paperscale_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"resolwe/bench/csvtables"
	"resolwe/bench/paperscale"
	"resolwe/internal/test/check"
)

// generate writes the tables of a task into a new folder.
func generate(
	tb testing.TB, task func(context.Context, string, csvtables.Options) (*paperscale.Stats, error), scale float64, seed uint64,
) (string, *paperscale.Stats) {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "tables")
	stats, err := task(tb.Context(), dir, csvtables.Options{Scale: scale, Seed: seed})
	check.OK(tb, err)
	return dir, stats
}

// read reads the rows of a table, whose header it checks.
func read(tb testing.TB, dir, name, header string) [][]string {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name+".tsv"))
	check.OK(tb, err)
	var rows [][]string
	for line := range strings.Lines(string(data)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		check.MustIs(tb, len(rows[len(rows)-1]), len(rows[0]), "%s: row %d, fields", name, len(rows))
	}
	check.MustIs(tb, strings.Join(rows[0], " "), header, "%s, header", name)
	return rows[1:]
}

// files reads all files of a folder.
func files(tb testing.TB, dir string) map[string][]byte {
	tb.Helper()
	entries, err := os.ReadDir(dir)
	check.OK(tb, err)
	out := map[string][]byte{}
	for _, e := range entries {
		if out[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			tb.Fatal(err)
		}
	}
	return out
}

// differing names the files of a that are not the same in b.
func differing(a, b map[string][]byte) []string {
	var names []string
	for name, data := range a {
		if !bytes.Equal(data, b[name]) {
			names = append(names, name)
		}
	}
	return names
}

// checkDistinct checks that no row comes twice.
func checkDistinct(tb testing.TB, name string, rows [][]string) {
	tb.Helper()
	seen := set{}
	for _, row := range rows {
		seen.add(strings.Join(row, "\t"))
	}
	check.Equal(tb, name+": distinct rows", len(seen), len(rows))
}

// dayNumber is a day as a number; it must be as time.DateOnly has it.
func dayNumber(tb testing.TB, s string) int {
	tb.Helper()
	d, err := time.Parse(time.DateOnly, s)
	check.OK(tb, err)
	return int(d.Unix() / 86_400)
}

type set map[string]bool

func (s set) add(x string) { s[x] = true }

// relation is pairs, from either side.
type relation map[string]set

func (r relation) add(a, b string) {
	if r[a] == nil {
		r[a] = set{}
	}
	r[a][b] = true
}

func number(tb testing.TB, s string) float64 {
	tb.Helper()
	x, err := strconv.ParseFloat(s, 64)
	check.OK(tb, err)
	return x
}
