package main_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of PostgreSQL
	"resolwe"
	"resolwe/format/export"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
	"resolwe/kernels/naive"
)

// server is a database that runs what is exported.
type server struct {
	name, driver string
	parameter    string // the i-th of a statement, for fmt
}

var (
	sqliteServer   = server{"SQLite", "sqlite", "?"}
	postgresServer = server{"PostgreSQL", "pgx", "$%d"}
)

// open opens an empty database: of PostgreSQL the one that DATABASE_URL names, in which nothing is left.
func (s server) open(t *testing.T) *sql.Tx {
	t.Helper()
	source := os.Getenv("DATABASE_URL")
	if s == sqliteServer {
		source = "file:" + filepath.Join(t.TempDir(), "s.db")
	}
	db, err := sql.Open(s.driver, source)
	check.OK(t, err)
	tx, err := db.Begin()
	check.OK(t, err)
	t.Cleanup(func() { _ = db.Close() })
	if s == postgresServer {
		_, err := tx.Exec("SET LOCAL search_path TO pg_temp")
		check.OK(t, err)
	}
	return tx
}

// insertion is a statement with a number of parameters.
func (s server) insertion(table string, parameters int) string {
	list := make([]string, parameters)
	for i := range list {
		if list[i] = s.parameter; s == postgresServer {
			list[i] = fmt.Sprintf(s.parameter, i+1)
		}
	}
	return fmt.Sprintf("INSERT INTO %q VALUES (%s) ON CONFLICT DO NOTHING", table, strings.Join(list, ", "))
}

// counts runs what is exported for SQL on a subgraph, and returns the values of the formulas.
func (s server) counts(t *testing.T, m *resolwe.Model, sub *subgraph.Subgraph) []float64 {
	t.Helper()
	var b bytes.Buffer
	check.OK(t, export.Write(&b, "sql", &export.Model{Schema: m.Schema, Constants: m.Constants, Formulas: m.Formulas}))
	tables, queries, found := strings.Cut(b.String(), "\n\n--")
	tx := s.open(t)
	defer tx.Rollback()
	insert := func(table string, args ...any) {
		_, err := tx.Exec(s.insertion(table, len(args)), args...)
		check.OK(t, err)
	}
	_, err := tx.Exec(tables)
	check.OK(t, err)
	if sub.Center != "" {
		insert("center", sub.Center)
	}
	for typ, d := range sub.Domains {
		for id := range d.Size {
			insert("domain_"+m.Schema.Types[typ], d.Names.Name(uint32(id)))
		}
	}
	for pred, p := range m.Schema.Predicates {
		for i, table := range sub.Relations[pred].Tables() {
			for row := range table.Len() {
				var args []any
				for c, col := range table.Cols {
					args = append(args, sub.Domains[p.Args[c]].Names.Name(col[row]))
				}
				if p.Role.IsTarget() {
					args = append(args, []any{1, 0, nil}[i])
				}
				insert(p.Name, args...)
			}
		}
	}
	var out []float64
	for query := range strings.SplitSeq(queries, "\n\n--") {
		if !found {
			break
		}
		var v float64
		_, text, _ := strings.Cut(query, "\n")
		if err := tx.QueryRow(text).Scan(&v); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		out = append(out, v)
	}
	return out
}

// compare holds the queries against counts.
func (s server) compare(t *testing.T, m *resolwe.Model, subs []*subgraph.Subgraph) {
	t.Helper()
	byName := map[string]*subgraph.Subgraph{}
	for _, s := range subs {
		byName[s.Name] = s
	}
	err := resolwe.Counts(t.Context(), m, resolwe.NewStream(m, subs), resolwe.Run{}, func(name string, counts []resolwe.Count) error {
		got := s.counts(t, m, byName[name])
		check.Equal(t, "queries", len(got), len(counts))
		for i, c := range counts {
			want := c.Value
			if !c.Shaped {
				want = float64(c.N)
			}
			if math.Abs(got[i]-want) > 1e-9*math.Max(1, math.Abs(want)) {
				t.Errorf("%s in %s: %s counts %v, resolwe %v", mln.FormatFormula(m.Formulas[i]), name, s.name, got[i], want)
			}
		}
		return nil
	})
	check.OK(t, err)
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

// examples holds what a server counts on three subgraphs of each example's task against resolwe.
func (s server) examples(t *testing.T) {
	t.Helper()
	tasks, err := filepath.Glob("../../examples/*/*.mln")
	check.OK(t, err)
	for i, path := range tasks {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile(path)
			check.OK(t, err)
			m, err := resolwe.ParseModel(path, src, resolwe.ModelOptions{})
			check.OK(t, err)
			facts := randomFacts(rand.New(rand.NewPCG(uint64(i), 3)), m.Schema, 3)
			s.compare(t, m, streamtest.Subgraphs(t, m, facts))
		})
	}
}

// random holds it so on random tasks.
func (s server) random(t *testing.T, seeds uint64) {
	t.Helper()
	for seed := range seeds {
		text, db := streamtest.Random(seed, naive.TaskOptions{General: seed%4 > 0, Shapes: seed%4 == 2, Counts: seed%4 == 3, Aggregates: seed%8 == 3})
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			m := streamtest.Parse(t, text)
			s.compare(t, m, streamtest.Subgraphs(t, m, db))
		})
	}
}

func TestExport_SQLite(t *testing.T) {
	t.Parallel()
	sqliteServer.examples(t)
	sqliteServer.random(t, 120)
}

func TestExport_PostgreSQL(t *testing.T) {
	t.Parallel()
	if os.Getenv("DATABASE_URL") == "" {
		t.Skip("DATABASE_URL names no PostgreSQL server")
	}
	postgresServer.examples(t)
	postgresServer.random(t, 60)
}
