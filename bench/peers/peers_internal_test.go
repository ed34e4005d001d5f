package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/internal/test/streamtest"
	"resolwe/kernels/naive"
)

// write writes a task, and returns the command line that counts it in SQLite.
func write(t *testing.T) cli {
	t.Helper()
	dir := t.TempDir()
	c := cli{Model: filepath.Join(dir, "task.mln"), Stream: []string{filepath.Join(dir, "facts.db")}, Subgraphs: 2, SQLite: true, Limit: time.Minute}
	check.OK(t, os.WriteFile(c.Model, []byte(`friends(person, person)
target listed smokes(person)
friends(x, y) => smokes(y)
friends(x, y) ^ smokes(x) => smokes(y)
friends(x, y) ^ friends(y, z) ^ x != z ^ smokes(x) => smokes(z)
`), 0o600))
	check.OK(t, os.WriteFile(c.Stream[0], []byte(`@subgraph s1
friends(A, B)
friends(B, C)
smokes(A)
!smokes(B)
smokes(C)
@subgraph s2
friends(B, A)
smokes(A)
smokes(B)
@subgraph s3
friends(B, A)
`), 0o600))
	return c
}

func TestRun(t *testing.T) {
	t.Parallel()
	c := write(t)
	c.Formulas = true
	var out strings.Builder
	check.OK(t, c.run(t.Context(), &out))
	for _, part := range []string{"3 candidates on 2 subgraphs; resolwe counts in ", "\nSQLite 3", "friends(x, y) => smokes(y)\n"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("got %s\nwant %q in it", out.String(), part)
		}
	}
}

func TestRun_Errors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		want   string
		change func(c *cli)
	}{
		{"none.mln", func(c *cli) { c.Model = "none.mln" }},
		{"none.db", func(c *cli) { c.Stream = []string{"none.db"} }},
		{"at least 1", func(c *cli) { c.Subgraphs = 0 }},
		{"targets that are not listed", func(c *cli) {
			check.OK(t, os.WriteFile(c.Model, []byte("target smokes(person)\nsmokes(x) => smokes(A)\n"), 0o600))
		}},
		{"127.0.0.1", func(c *cli) { c.SQLite, c.Postgres = false, "postgres://127.0.0.1:1/x" }},
	} {
		t.Run(tt.want, func(t *testing.T) {
			t.Parallel()
			c := write(t)
			tt.change(&c)
			var out strings.Builder
			if err := c.run(t.Context(), &out); err == nil || !strings.Contains(err.Error(), tt.want) || out.Len() > 0 {
				t.Errorf("got error %v, %q, want %q", err, out.String(), tt.want)
			}
		})
	}
}

// compareWith compares once a task has been changed.
func compareWith(t *testing.T, limit time.Duration, change func(*task)) (*outcome, error) {
	t.Helper()
	c := write(t)
	task, err := c.task(t.Context())
	check.OK(t, err)
	defer task.stream.Close()
	db, err := openSQLite(t.Context())
	check.OK(t, err)
	defer db.remove()
	change(task)
	return task.compare(t.Context(), db, limit)
}

func TestCompare_OtherCounts(t *testing.T) {
	t.Parallel()
	_, err := compareWith(t, time.Minute, func(t *task) { t.counts[0].Candidates[0].Joint.True = 2 })
	if err == nil || !strings.Contains(err.Error(), "counts are [2 1], resolwe's [2 2], on subgraph s1: friends(x, y) => smokes(y)") {
		t.Errorf("got error %v", err)
	}
}

func TestCompare_Unfinished(t *testing.T) {
	t.Parallel()
	out, err := compareWith(t, 1, func(*task) {})
	if err != nil || out.unfinished != 6 || !(out.count > 0) {
		t.Errorf("got %+v, %v, want 6 unfinished", out, err)
	}
}

// databases are those at hand.
func databases() map[string]func(context.Context) (*database, error) {
	out := map[string]func(context.Context) (*database, error){"SQLite": openSQLite}
	if url := os.Getenv("DATABASE_URL"); url != "" {
		out["PostgreSQL"] = func(ctx context.Context) (*database, error) { return openPostgres(ctx, url) }
	}
	return out
}

// Random tasks have the naive counts in all forms.
func TestQuery_MatchesNaive(t *testing.T) {
	t.Parallel()
	for name, open := range databases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, seeds := 0, map[string]uint64{"SQLite": 180, "PostgreSQL": 40}[name]
			for seed := range seeds {
				model, facts := naive.RandomTask(rand.New(rand.NewPCG(seed, 29)), naive.TaskOptions{})
				m := streamtest.Parse(t, model)
				m.Formulas = slices.DeleteFunc(m.Formulas, func(f *mln.Formula) bool { return !writes(m.Schema, f.Body) })
				n += checkTask(t, open, m, jointest.Load(t, model, facts).Subs)
			}
			if n < int(5*seeds) {
				t.Errorf("got %d counts in %d tasks", n, seeds)
			}
		})
	}
}

// checkTask compares all counts of a task, in a database of its own, and returns how many they are.
func checkTask(t *testing.T, open func(context.Context) (*database, error), m *resolwe.Model, subs []*subgraph.Subgraph) (n int) {
	t.Helper()
	db, err := open(t.Context())
	check.OK(t, err)
	defer db.remove()
	candidates, _, err := mln.Candidates(&mln.Model{Schema: *m.Schema, Formulas: m.Formulas})
	check.OK(t, err)
	for position, sub := range subs {
		for _, table := range tables(m.Schema, sub, position) {
			check.OK(t, db.load(t.Context(), &table))
		}
		for _, c := range candidates {
			n += checkForms(t, db, m, sub, position, c)
		}
	}
	return n
}

// checkForms compares all forms of a query, and returns how many they are.
func checkForms(t *testing.T, db *database, m *resolwe.Model, sub *subgraph.Subgraph, position int, c *mln.Candidate) int {
	t.Helper()
	selected, _ := naive.NewWorld(m.Schema, m.Constants, sub).Selection(c)
	full := len(selected) - 1
	want := counts{selected[0]}
	for k := range c.Enforcer {
		if full > 1 {
			want = append(want, selected[full&^(1<<k)])
		}
	}
	want = append(want, selected[full])
	for _, f := range forms {
		q := query(c, sub, position, f)
		got, _, err := db.count(t.Context(), q, len(want), time.Minute)
		check.OK(t, err)
		check.Equal(t, fmt.Sprintf("subgraph %d, %s: %s\n%s", position, f, mln.FormatFormula(c.Formula), q), got, want)
	}
	return len(forms)
}

// A query that takes too long is given up, and the next one is answered.
func TestCount_Limit(t *testing.T) {
	t.Parallel()
	for name, open := range databases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, err := open(t.Context())
			check.OK(t, err)
			defer db.remove()
			endless := "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT 1 - x FROM c) SELECT COUNT(*) FROM c"
			if _, _, err := db.count(t.Context(), endless, 1, 20*time.Millisecond); !errors.Is(err, errLimit) {
				t.Errorf("got error %v, want %v", err, errLimit)
			}
			for range 50 { // as often as a connection is made anew
				if _, _, err := db.count(t.Context(), endless, 1, time.Millisecond); !errors.Is(err, errLimit) {
					t.Errorf("got error %v, want %v", err, errLimit)
				}
			}
			got, _, err := db.count(t.Context(), "SELECT 7, 8", 2, time.Minute)
			check.OK(t, err)
			check.Equal(t, "counts after it", got, counts{7, 8})
			if _, _, err := db.count(t.Context(), "SELECT FROM nothing", 1, time.Minute); err == nil || errors.Is(err, errLimit) {
				t.Errorf("a wrong query: got error %v", err)
			}
		})
	}
}

func TestTables_Rows(t *testing.T) {
	t.Parallel()
	task := jointest.Load(t, `
friends(person, person)
target listed smokes(person)
target listed likes(person, thing)
`, `
@subgraph s1
friends(A, B)
smokes(A)
!smokes(B)
?smokes(C)
likes(A, X)
?likes(B, Y)
!likes(C, Y)
@subgraph s2
@entity thing Z
friends(B, B)
`)
	got := map[string][]string{}
	for position, sub := range task.Plain {
		for _, table := range tables(&task.Model.Schema, sub, position) {
			rows := []string{strings.Join(append(table.key, table.rest...), " ")}
			table.rows(func(row ...uint32) { rows = append(rows, strings.Trim(fmt.Sprint(row), "[]")) })
			got[table.name] = rows
		}
	}
	check.Equal(t, "tables", got, map[string][]string{
		"d0_0": {"a0", "0", "1", "2"},
		"d1_0": {"a0", "0", "1"},
		"p0_0": {"a0 a1", "0 1"},
		"p1_0": {"a0 truth", "0 1", "1 0"},
		"p2_0": {"a0 a1 truth", "0 0 1", "2 1 0"},
		"d0_1": {"a0", "0"},
		"d1_1": {"a0", "0"},
		"p0_1": {"a0 a1", "0 0"},
		"p1_1": {"a0 truth"},
		"p2_1": {"a0 a1 truth"},
	})
}
