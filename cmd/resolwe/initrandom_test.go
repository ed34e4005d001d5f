package main_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"resolwe/internal/test/check"
)

// TestInit_Random drafts and builds random folders: whatever is asked for gives a stream, or an error of usage or damage that
// leaves nothing behind.
func TestInit_Random(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	built := 0
	rounds := 40
	if testing.Short() {
		rounds = 5
	}
	for range rounds {
		dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
		g := &tableAuthor{Rand: rng}
		for range 1 + rng.IntN(4) {
			g.table(t, dir)
		}
		center, target := g.ask()
		got := resolwe(t, "init", dir, "--center", center, "--target", target, "-o", out)
		recipe := filepath.Join(out, "task.recipe")
		if got.status != 0 {
			if _, err := os.Stat(out); err == nil || got.status != 2 && got.status != 3 {
				t.Errorf("%s, %s: got status %d and %s", center, target, got.status, got.stderr)
			}
			continue
		}
		stream := filepath.Join(out, "task.rsg")
		b := resolwe(t, "build", recipe, "--model", filepath.Join(out, "task.mln"), "--data", dir, "-o", stream)
		if b.status != 0 {
			t.Errorf("%s, %s: build: got status %d and %s\nof\n%s", center, target, b.status, b.stderr, contents(t, recipe))
		} else {
			built++
		}
	}
	check.AtLeast(t, built, rounds/8, "folders built")
}

// tableAuthor writes random tables.
type tableAuthor struct {
	*rand.Rand
	tables []string
	heads  [][]string
}

func (g *tableAuthor) pick(words ...string) string { return words[g.IntN(len(words))] }

// cells returns what writes the cells of a random column.
func (g *tableAuthor) cells() func(row int) string {
	n, unique := 2+g.IntN(30), g.IntN(3) == 0
	id := func(row int) int {
		if unique {
			return row
		}
		return g.IntN(n)
	}
	return []func(int) string{
		func(row int) string { return strconv.Itoa(100 + 7*id(row)) },
		func(row int) string { return fmt.Sprintf("u%03d", id(row)) },
		func(int) string { return fmt.Sprintf("%04d", g.IntN(n)) },
		func(int) string { return fmt.Sprint(float64(g.IntN(1000)) / 8) },
		func(int) string { return fmt.Sprintf("%d,%03d", 1+g.IntN(9), g.IntN(1000)) },
		func(int) string { return fmt.Sprintf("20%02d-%02d-%02d", g.IntN(9), 1+g.IntN(12), 1+g.IntN(28)) },
		func(int) string { return fmt.Sprintf("2020-01-%02dT%02d:00:00Z", 1+g.IntN(9), g.IntN(24)) },
		func(int) string { return fmt.Sprintf("%d/%d/2020", 1+g.IntN(28), 1+g.IntN(12)) },
		func(int) string { return strconv.Itoa(1_500_000_000 + g.IntN(1e8)) },
		func(int) string { return g.pick("Y", "N") },
		func(int) string { return g.pick("0", "1") },
		func(int) string { return g.pick("red", "gr\"ün", "a,b", "x\ny") },
		func(int) string { return strings.Repeat("long ", g.IntN(60)) },
		func(int) string { return "" },
		func(int) string { return strconv.FormatInt(g.Int64()-1<<62, 10) },
	}[g.IntN(15)]
}

func (g *tableAuthor) table(t *testing.T, dir string) {
	t.Helper()
	name := g.pick("users", "orders", "Items", "item_tags", "time", "ü", "v")
	var heads []string
	columns := make([]func(int) string, 1+g.IntN(6))
	holes := make([]bool, len(columns))
	for i := range columns {
		heads = append(heads, g.pick("id", "user_id", "userID", "order_id", "item", "parent_id", "created_at", "day", "month", "year", "n", "Größe", "is", "flag", "a b"))
		columns[i], holes[i] = g.cells(), g.IntN(4) == 0
	}
	var b strings.Builder
	line := func(cells []string) {
		for i, c := range cells {
			if cells[i] = c; strings.ContainsAny(c, "\",\n") {
				cells[i] = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
			}
		}
		fmt.Fprintln(&b, strings.Join(cells, ","))
	}
	line(append([]string{}, heads...))
	for row := range g.IntN(80) {
		cells := make([]string, len(columns))
		for i, c := range columns {
			if !holes[i] || g.IntN(3) > 0 {
				cells[i] = c(row)
			}
		}
		if len(cells) > 1 || cells[0] != "" { // an empty line is no row
			line(cells)
		}
	}
	check.OK(t, os.WriteFile(filepath.Join(dir, name+".csv"), []byte(b.String()), 0o600))
	g.tables, g.heads = append(g.tables, name), append(g.heads, heads)
}

// ask returns a center and a target that may make sense.
func (g *tableAuthor) ask() (center, target string) {
	a := g.IntN(len(g.tables))
	column := func(i int) string { return g.heads[i][g.IntN(len(g.heads[i]))] }
	left, right := column(a), column(a)
	for range 5 {
		if right == left {
			right = column(a)
		}
	}
	if center = g.tables[a] + "." + left; g.IntN(4) == 0 {
		b := g.IntN(len(g.tables))
		center = g.tables[b] + "." + column(b)
	}
	return center, g.tables[a] + "(" + left + ", " + right + ")"
}
