package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"resolwe/internal/test/check"

	peers "resolwe/bench/peers"
	"resolwe/bench/peers/database"
	"resolwe/bench/peers/relational"
)

const (
	model = `friends(person, person)
target listed smokes(person)
friends(x, y) => smokes(y)
friends(x, y) ^ smokes(x) => smokes(y)
friends(x, y) ^ friends(y, z) ^ x != z ^ smokes(x) => smokes(z)
`
	db = `@subgraph s1
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
`
)

// write writes the task.
func write(t *testing.T) (modelPath, stream string) {
	t.Helper()
	dir := t.TempDir()
	modelPath, stream = filepath.Join(dir, "task.mln"), filepath.Join(dir, "facts.db")
	for path, text := range map[string]string{modelPath: model, stream: db} {
		check.OK(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return modelPath, stream
}

// run runs the program.
func run(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	status = peers.Run(t.Context(), args, &out, &errs)
	return out.String(), errs.String(), status
}

func TestRun_SQLite(t *testing.T) {
	t.Parallel()
	model, stream := write(t)
	stdout, stderr, status := run(t, model, "--stream", stream, "--subgraphs", "2", "--postgres", "", "--duckdb", "no-such-command", "--json")
	if status != 0 || !strings.Contains(stderr, "left out") {
		t.Fatalf("got status %d: %s", status, stderr)
	}
	var r struct {
		Subgraphs, Candidates int
		Resolwe               float64 `json:"resolwe_seconds"`
		Databases             []struct {
			Database   string
			Ratio      float64 `json:"over_resolwe"`
			Unfinished int
			Formulas   []struct {
				Formula string
				Forms   []string
			}
		}
	}
	check.OK(t, json.Unmarshal([]byte(stdout), &r))
	if r.Subgraphs != 2 || r.Candidates != 3 || !(r.Resolwe > 0) || len(r.Databases) != 1 {
		t.Fatalf("got %+v", r)
	}
	d := r.Databases[0]
	if !strings.HasPrefix(d.Database, "SQLite 3") || !(d.Ratio > 0) || d.Unfinished != 0 || len(d.Formulas) != 3 ||
		d.Formulas[0].Formula != "friends(x, y) => smokes(y)" || len(d.Formulas[0].Forms) == 0 {
		t.Errorf("got %+v", d)
	}
}

func TestRun_Text(t *testing.T) {
	t.Parallel()
	model, stream := write(t)
	stdout, stderr, status := run(t, model, "--stream", stream, "--postgres", "", "--duckdb", "", "--formulas")
	if status != 0 {
		t.Fatalf("got status %d: %s", status, stderr)
	}
	for _, part := range []string{"3 candidates on 3 subgraphs; resolwe counts in ", "\nSQLite 3", "friends(x, y) => smokes(y)\n"} {
		if !strings.Contains(stdout, part) {
			t.Errorf("got %s\nwant %q in it", stdout, part)
		}
	}
}

func TestRun_Errors(t *testing.T) {
	t.Parallel()
	model, stream := write(t)
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"no stream", []string{model}, 2, "--stream"},
		{"no model", []string{"none.mln", "--stream", stream}, 1, "none.mln"},
		{"no file", []string{model, "--stream", "none.db"}, 1, "none.db"},
		{"no subgraph asked for", []string{model, "--stream", stream, "--subgraphs", "0"}, 1, "at least 1"},
		{"no server", []string{model, "--stream", stream, "--no-sqlite", "--postgres", "postgres://127.0.0.1:1/x"}, 1, "127.0.0.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, status := run(t, tt.args...)
			if status != tt.status || !strings.Contains(stderr, tt.want) || stdout != "" {
				t.Errorf("got status %d, %q, %q, want %d and %q", status, stdout, stderr, tt.status, tt.want)
			}
		})
	}
}

// fake answers every query in the same way.
type fake struct {
	counts relational.Counts
	err    error
}

func (fake) Name() string                                    { return "fake" }
func (fake) Load(context.Context, []*relational.Table) error { return nil }
func (fake) Close() error                                    { return nil }

func (f fake) Count(context.Context, string, time.Duration) (relational.Counts, time.Duration, error) {
	return f.counts, time.Millisecond, f.err
}

func TestCompare_OtherCounts(t *testing.T) {
	t.Parallel()
	model, stream := write(t)
	_, _, err := peers.Compare(t.Context(), model, stream, fake{counts: relational.Counts{2, 2}})
	e := (*peers.CountError)(nil)
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "[2 2] where resolwe counts [2 1] on subgraph s1: friends(x, y) => smokes(y)") {
		t.Errorf("got error %v", err)
	}
}

func TestCompare_Unfinished(t *testing.T) {
	t.Parallel()
	model, stream := write(t)
	ratio, unfinished, err := peers.Compare(t.Context(), model, stream, fake{err: database.ErrLimit})
	if err != nil || unfinished != 3 || !(ratio > 0) {
		t.Errorf("got ratio %v, %d unfinished, %v, want 3", ratio, unfinished, err)
	}
	broken := errors.New("broken")
	if _, _, err := peers.Compare(t.Context(), model, stream, fake{err: broken}); !errors.Is(err, broken) {
		t.Errorf("got error %v, want %v", err, broken)
	}
}
