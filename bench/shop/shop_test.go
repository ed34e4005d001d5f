package shop_test

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"resolwe/bench/csvtables"
	"resolwe/bench/shop"
	"resolwe/internal/test/check"
)

// read returns the rows of a table behind its header.
func read(t *testing.T, dir, name string) [][]string {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, name+".csv"))
	check.OK(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	check.OK(t, err)
	return rows[1:]
}

// column returns the distinct cells of a column.
func column(rows [][]string, i int) map[string]bool {
	out := map[string]bool{}
	for _, r := range rows {
		out[r[i]] = true
	}
	return out
}

func day(t *testing.T, cell string) time.Time {
	t.Helper()
	d, err := time.Parse(time.DateOnly, cell)
	check.OK(t, err)
	return d
}

// TestGenerate_Keys checks the counts, that keys are unique, and that foreign keys point to rows.
func TestGenerate_Keys(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	dir := t.TempDir()
	report, err := shop.Generate(t.Context(), dir, csvtables.Options{Scale: .05, Seed: seed})
	check.OK(t, err)
	for _, name := range []string{"customers", "products", "orders", "order_lines", "returns", "visits", "mailings", "responses"} {
		rows := read(t, dir, name)
		if want := fmt.Sprintf("%8d  %s\n", len(rows), name); !strings.Contains(report, want) {
			t.Errorf("got the report\n%swant %q in it", report, want)
		}
		if keys := len(column(rows, 0)); name != "order_lines" && name != "responses" && keys != len(rows) {
			t.Errorf("%s: got %d keys of %d rows", name, keys, len(rows))
		}
	}
	for _, tt := range []struct {
		from   string
		column int
		to     string
	}{
		{"orders", 1, "customers"},
		{"order_lines", 0, "orders"},
		{"order_lines", 1, "products"},
		{"returns", 1, "orders"},
		{"returns", 2, "customers"},
		{"returns", 3, "products"},
		{"visits", 1, "customers"},
		{"visits", 2, "products"},
		{"responses", 0, "mailings"},
		{"responses", 1, "customers"},
	} {
		keys := column(read(t, dir, tt.to), 0)
		keys[""] = tt.from == "visits"
		for cell := range column(read(t, dir, tt.from), tt.column) {
			if !keys[cell] {
				t.Errorf("%s: got %q in column %d, which is not in %s", tt.from, cell, tt.column, tt.to)
			}
		}
	}
}

// TestGenerate_Target holds the responses against the orders: who ordered before, and again in 30 days.
func TestGenerate_Target(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	dir := t.TempDir()
	_, err := shop.Generate(t.Context(), dir, csvtables.Options{Scale: .1, Seed: seed})
	check.OK(t, err)
	got := map[[2]string]bool{}
	for _, r := range read(t, dir, "responses") {
		got[[2]string{r[0], r[1]}] = true
	}
	want := map[[2]string]bool{}
	for _, m := range read(t, dir, "mailings") {
		sent, before, after := day(t, m[1]), map[string]bool{}, map[string]bool{}
		for _, o := range read(t, dir, "orders") {
			switch d := day(t, o[2]); {
			case d.Before(sent):
				before[o[1]] = true
			case d.Before(sent.AddDate(0, 0, 30)):
				after[o[1]] = true
			}
		}
		for c := range after {
			if before[c] {
				want[[2]string{m[0], c}] = true
			}
		}
	}
	check.Equal(t, "responses", got, want)
}

// TestGenerate_Same checks that a seed gives the same bytes, those of all processors.
func TestGenerate_Same(t *testing.T) {
	t.Parallel()
	dir, seen, all := t.TempDir(), int64(0), int64(0)
	_, err := shop.Generate(t.Context(), dir, csvtables.Options{Scale: .1, Seed: 7, Progress: func(_ string, done, total int64) {
		seen, all = seen+1, total
		check.Equal(t, "windows done", done, seen)
	}})
	check.OK(t, err)
	check.Equal(t, "windows seen", seen, all)
	files, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	check.OK(t, err)
	sum := crc32.NewIEEE()
	for _, path := range files {
		text, err := os.ReadFile(path)
		check.OK(t, err)
		_, _ = sum.Write(text)
	}
	check.Equal(t, "checksum", sum.Sum32(), uint32(2103707200))
}

func TestGenerate_Canceled(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := shop.Generate(ctx, dir, csvtables.Options{})
	if _, gone := os.Stat(dir); !errors.Is(err, context.Canceled) || gone == nil {
		t.Errorf("canceled: got %v, and a folder %v", err, gone == nil)
	}
}
