package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/internal/test/streamtest"
)

// databases are those at hand: PostgreSQL where DATABASE_URL names a server.
func databases() map[string]func(context.Context) (*database, error) {
	out := map[string]func(context.Context) (*database, error){"SQLite": openSQLite}
	if url := os.Getenv("DATABASE_URL"); url != "" {
		out["PostgreSQL"] = func(ctx context.Context) (*database, error) { return openPostgres(ctx, url) }
	}
	return out
}

// compare holds the queries against counts.
func compare(t *testing.T, m *resolwe.Model, subs []*subgraph.Subgraph) {
	t.Helper()
	var counts [][]resolwe.Count
	err := inferring.Counts(t.Context(), m, resolwe.NewStream(m, subs), resolwe.Run{}, func(_ string, of []resolwe.Count) error {
		counts = append(counts, of)
		return nil
	})
	check.OK(t, err)
	for _, open := range databases() {
		var o outcome
		for i, sub := range subs {
			check.OK(t, o.add(t.Context(), open, m, sub, counts[i], time.Minute))
		}
		check.Equal(t, "queries", len(o.seconds), len(m.Formulas))
		check.Equal(t, "unfinished", o.unfinished, 0)
	}
}

// randomFacts writes subgraphs with facts of each predicate.
func randomFacts(r *rand.Rand, schema *mln.Schema, subgraphs int) string {
	var b strings.Builder
	for s := range subgraphs {
		fmt.Fprintf(&b, "@subgraph s%d center=U0\n", s)
		for typ, name := range schema.Types {
			if !schema.IsNumber(typ) {
				fmt.Fprintf(&b, "@entity %s %c0 %c1\n", name, 'A'+typ, 'A'+typ)
			}
		}
		for _, p := range schema.Predicates {
			seen := map[string]bool{}
			for range 10 {
				args := make([]string, len(p.Args))
				for i, typ := range p.Args {
					args[i] = fmt.Sprintf("%c%d", 'A'+typ, r.IntN(4))
					if schema.IsNumber(typ) {
						args[i] = strconv.Itoa(r.IntN(40))
					}
				}
				atom := fmt.Sprintf("%s(%s)", p.Name, strings.Join(args, ", "))
				if seen[atom] {
					continue
				}
				seen[atom] = true
				if p.Role.IsTarget() {
					b.WriteString([]string{"", "!", "?"}[r.IntN(3)])
				}
				b.WriteString(atom + "\n")
			}
		}
	}
	return b.String()
}

// On subgraphs of each example's task databases count what resolwe does.
func TestExport_Examples(t *testing.T) {
	t.Parallel()
	tasks, err := filepath.Glob("../../examples/*/*.mln")
	check.OK(t, err)
	for i, path := range tasks {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			m, err := resolwe.ReadModel(path, resolwe.ModelOptions{})
			check.OK(t, err)
			facts := randomFacts(rand.New(rand.NewPCG(uint64(i), 3)), m.Schema, 3)
			compare(t, m, streamtest.Subgraphs(t, m, facts))
		})
	}
}

func TestExport_Random(t *testing.T) {
	t.Parallel()
	for seed := range uint64(120) {
		text, db := streamtest.Random(seed, oracle.TaskOptions{General: seed%4 > 0, Shapes: seed%4 == 2, Counts: seed%4 == 3, Aggregates: seed%8 == 3})
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			m := streamtest.Parse(t, text)
			compare(t, m, streamtest.Subgraphs(t, m, db))
		})
	}
}

// Predicates may be called as the tables and columns of the queries are.
func TestExport_Names(t *testing.T) {
	t.Parallel()
	text := "target q(a)\n"
	facts := "@subgraph s\n@entity a A B C\nq(A)\n!q(B)\n"
	for i, name := range []string{"t0", "T1", "tt0", "r", "atoms", "counted", "name", "truth", "a1", "v0", "order"} {
		text += fmt.Sprintf("%s(a, a)\n1 !%[1]s(x, y) ^ ev(x, y) => q(x)\n1 ev(x, y) ^ (EXIST z %[1]s(y, z) ^ !%[1]s(z, x)) ^ q(x)\n1 #{z: %[1]s(x, z) ^ !ev(z, x)} >= 1 => q(x)\n", name)
		facts += fmt.Sprintf("%s(%c, A)\n%[1]s(%[2]c, B)\n", name, "ABC"[i%3])
	}
	m := streamtest.Parse(t, "ev(a, a)\n"+text)
	compare(t, m, streamtest.Subgraphs(t, m, facts+"ev(A, B)\nev(B, C)\nev(C, A)\nev(A, A)\n"))
}

// write writes a task, and returns the command line that counts it in SQLite.
func write(t *testing.T) cli {
	t.Helper()
	dir := t.TempDir()
	c := cli{Model: filepath.Join(dir, "task.mln"), Stream: []string{filepath.Join(dir, "facts.db")}, Subgraphs: 2, SQLite: true, Limit: time.Minute, Formulas: true}
	check.OK(t, os.WriteFile(c.Model, []byte("friends(person, person)\ntarget listed smokes(person)\nfriends(x, y) => smokes(y)\n"), 0o600))
	check.OK(t, os.WriteFile(c.Stream[0], []byte("@subgraph s1\nfriends(A, B)\nsmokes(A)\n!smokes(B)\n@subgraph s2\nfriends(B, A)\nsmokes(A)\n@subgraph s3\n"), 0o600))
	return c
}

func TestRun(t *testing.T) {
	t.Parallel()
	c := write(t)
	var out strings.Builder
	check.OK(t, c.run(t.Context(), &out))
	for _, part := range []string{"1 formulas on 2 subgraphs; resolwe counts in ", "\nSQLite 3", "friends(x, y) => smokes(y)\n"} {
		check.Contains(t, out.String(), part, "text")
	}
	for want, change := range map[string]func(c *cli){
		"none.mln":  func(c *cli) { c.Model = "none.mln" },
		"none.db":   func(c *cli) { c.Stream = []string{"none.db"} },
		"no sub":    func(c *cli) { c.Subgraphs = 0 },
		"127.0.0.1": func(c *cli) { c.SQLite, c.Postgres = false, "postgres://127.0.0.1:1/x" },
	} {
		c := write(t)
		change(&c)
		var out strings.Builder
		if err := c.run(t.Context(), &out); err == nil || !strings.Contains(err.Error(), want) || out.Len() > 0 {
			t.Errorf("got error %v, %q, want %q", err, out.String(), want)
		}
	}
}

// Other counts than resolwe's are an error.
func TestOutcome_OtherCounts(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, "target p(thing)\np(x)\n")
	sub := streamtest.Subgraphs(t, m, "p(A)\n")[0]
	err := new(outcome).add(t.Context(), openSQLite, m, sub, []resolwe.Count{{N: 2}}, time.Minute)
	if err == nil || !strings.Contains(err.Error(), "counts 1, resolwe 2") {
		t.Errorf("got error %v", err)
	}
}

// A query that takes too long is given up, and the next one is answered.
func TestCount_Limit(t *testing.T) {
	t.Parallel()
	for name, open := range databases() {
		db, err := open(t.Context())
		check.OK(t, err)
		endless := "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT 1 - x FROM c) SELECT COUNT(*) FROM c"
		for range 50 { // as often as a connection is made anew; SQLite ignores an interrupt before the query has begun
			if _, _, err := db.count(t.Context(), endless, 20*time.Millisecond); !errors.Is(err, errLimit) {
				t.Errorf("%s: got error %v, want %v", name, err, errLimit)
			}
		}
		if got, _, err := db.count(t.Context(), "SELECT 7", time.Minute); got != 7 || err != nil {
			t.Errorf("%s: after it: got %v, %v", name, got, err)
		}
		if _, _, err := db.count(t.Context(), "SELECT FROM nothing", time.Minute); err == nil || errors.Is(err, errLimit) {
			t.Errorf("%s, a wrong query: got error %v", name, err)
		}
		check.OK(t, db.remove())
	}
}
