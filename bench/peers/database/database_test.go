package database_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/kernels/naive"

	"resolwe/bench/peers/database"
	"resolwe/bench/peers/relational"
)

// random returns a random task, and its subgraphs as the model sees them.
func random(tb testing.TB, seed uint64, opt naive.TaskOptions) (*resolwe.Model, []*subgraph.Subgraph) {
	tb.Helper()
	model, db := naive.RandomTask(rand.New(rand.NewPCG(seed, 29)), opt)
	m, err := resolwe.ParseModel("task.mln", []byte(model), resolwe.ModelOptions{})
	check.OK(tb, err)
	path := filepath.Join(tb.TempDir(), "facts.db")
	check.OK(tb, os.WriteFile(path, []byte(db), 0o600))
	s, err := resolwe.OpenStream(m, []string{path}, resolwe.StreamOptions{Names: true})
	check.OK(tb, err)
	defer s.Close()
	var subs []*subgraph.Subgraph
	err = resolwe.Each(tb.Context(), s, resolwe.Run{}, func(sub *subgraph.Subgraph) error {
		subs = append(subs, sub)
		return nil
	})
	check.OK(tb, err)
	return m, subs
}

// want returns the naive counts of a candidate.
func want(m *resolwe.Model, sub *subgraph.Subgraph, c *mln.Candidate) relational.Counts {
	selected, _ := naive.NewWorld(m.Schema, m.Constants, sub).Selection(c)
	full := len(selected) - 1
	out := relational.Counts{selected[0]}
	if l := len(c.Enforcer); l > 1 {
		for k := range l {
			out = append(out, selected[full&^(1<<k)])
		}
	}
	return append(out, selected[full])
}

// checkCounts compares the counts of random tasks, in all forms, with the naive ones. Each task has a database of its
// own. It returns how many were compared.
func checkCounts(t *testing.T, open func(context.Context) (database.Database, error), seeds uint64) int {
	t.Helper()
	n := 0
	for seed := range seeds {
		m, subs := random(t, seed, naive.TaskOptions{})
		n += checkTask(t, open, m, subs, seed)
	}
	return n
}

func checkTask(
	t *testing.T, open func(context.Context) (database.Database, error), m *resolwe.Model, subs []*subgraph.Subgraph, seed uint64,
) int {
	t.Helper()
	candidates, _, err := mln.Candidates(&mln.Model{Schema: *m.Schema, Formulas: m.Formulas})
	check.OK(t, err)
	tables, err := relational.NewTables(m.Schema, subs)
	check.OK(t, err)
	db, err := open(t.Context())
	check.OK(t, err)
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	check.OK(t, db.Load(t.Context(), tables))
	n := 0
	for _, c := range candidates {
		for s, sub := range subs {
			want := want(m, sub, c)
			for _, form := range relational.Forms() {
				query := relational.Query(c, sub, s, form)
				got, _, err := db.Count(t.Context(), query, time.Minute)
				if err != nil {
					t.Fatalf("seed %d: %s: %v\n%s", seed, mln.FormatFormula(c.Formula), err, query)
				}
				if diff := cmp.Diff(got, want); diff != "" {
					t.Errorf("seed %d, subgraph %s, %v: %s (-got, +want):\n%s%s",
						seed, sub.Name, form, mln.FormatFormula(c.Formula), diff, query)
				}
				n++
			}
		}
	}
	return n
}

func TestSQLite_MatchesNaive(t *testing.T) {
	t.Parallel()
	if n := checkCounts(t, database.SQLite, 60); n < 1000 {
		t.Errorf("got %d counts, want 1000", n)
	}
}

func TestPostgres_MatchesNaive(t *testing.T) {
	t.Parallel()
	url := os.Getenv("DATABASE_URL")
	if url == "" {
		t.Skip("DATABASE_URL names no server")
	}
	open := func(ctx context.Context) (database.Database, error) { return database.Postgres(ctx, url) }
	checkCounts(t, open, 20)
	checkLimit(t, open)
}

func TestDuckDB_MatchesNaive(t *testing.T) {
	t.Parallel()
	open := func(ctx context.Context) (database.Database, error) { return database.DuckDB(ctx, "duckdb") }
	if _, err := exec.LookPath("duckdb"); err != nil {
		t.Skip(err)
	}
	checkCounts(t, open, 3)
	checkLimit(t, open)
}

// A query that takes too long is given up, and the next one is answered.
func TestSQLite_Limit(t *testing.T) {
	t.Parallel()
	checkLimit(t, database.SQLite)
}

func checkLimit(t *testing.T, open func(context.Context) (database.Database, error)) {
	t.Helper()
	db, err := open(t.Context())
	check.OK(t, err)
	defer db.Close()
	endless := "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT 1 - x FROM c) SELECT COUNT(*) FROM c"
	if _, _, err := db.Count(t.Context(), endless, 20*time.Millisecond); !errors.Is(err, database.ErrLimit) {
		t.Errorf("got error %v, want %v", err, database.ErrLimit)
	}
	got, _, err := db.Count(t.Context(), "SELECT 7, 8", time.Minute)
	if diff := cmp.Diff(got, relational.Counts{7, 8}); diff != "" || err != nil {
		t.Errorf("after it: error %v (-got, +want):\n%s", err, diff)
	}
	if _, _, err := db.Count(t.Context(), "SELECT FROM nothing", time.Minute); err == nil || errors.Is(err, database.ErrLimit) {
		t.Errorf("a wrong query: got error %v", err)
	}
}

// fakeDuckDB answers every query with the same row, and keeps what it was asked.
func fakeDuckDB(t *testing.T, answer string) (command, log string) {
	t.Helper()
	dir := t.TempDir()
	command, log = filepath.Join(dir, "duckdb"), filepath.Join(dir, "log")
	script := "#!/bin/sh\ncat >> " + log + "\n" + answer + "\n"
	check.OK(t, os.WriteFile(command, []byte(script), 0o700))
	return command, log
}

func TestDuckDB_Command(t *testing.T) {
	t.Parallel()
	command, log := fakeDuckDB(t, "echo 3,4")
	db, err := database.DuckDB(t.Context(), command)
	check.OK(t, err)
	m, subs := random(t, 1, naive.TaskOptions{})
	tables, err := relational.NewTables(m.Schema, subs)
	check.OK(t, err)
	check.OK(t, db.Load(t.Context(), tables))
	got, _, err := db.Count(t.Context(), "SELECT 3, 4", time.Minute)
	if diff := cmp.Diff(got, relational.Counts{3, 4}); diff != "" || err != nil {
		t.Errorf("error %v (-got, +want):\n%s", err, diff)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	asked, err := os.ReadFile(log)
	check.OK(t, err)
	for _, part := range []string{"CREATE TABLE d0 (s INTEGER NOT NULL, a0 INTEGER NOT NULL);\nCOPY d0 FROM '", "SELECT 3, 4;\n"} {
		if !strings.Contains(string(asked), part) {
			t.Errorf("the command was not asked %q", part)
		}
	}
}

func TestDuckDB_Errors(t *testing.T) {
	t.Parallel()
	if _, err := database.DuckDB(t.Context(), "no-such-command"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("got error %v, want %v", err, exec.ErrNotFound)
	}
	failing, _ := fakeDuckDB(t, "echo broken >&2; exit 3")
	if _, err := database.DuckDB(t.Context(), failing); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("got error %v, want what the command says", err)
	}
	wordy, _ := fakeDuckDB(t, "echo 3,many")
	db, err := database.DuckDB(t.Context(), wordy)
	check.OK(t, err)
	defer db.Close()
	if _, _, err := db.Count(t.Context(), "SELECT 1", time.Minute); err == nil {
		t.Error("a row that is no row of integers: want an error")
	}
}
