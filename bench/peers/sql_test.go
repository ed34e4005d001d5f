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

	"resolwe"
	"resolwe/format/export"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/check"
	"resolwe/internal/streamtest"
	"resolwe/kernels/naive"
)

// sqlCounts runs what is exported for SQL on a subgraph, and returns the values of the formulas.
func sqlCounts(t *testing.T, m *resolwe.Model, sub *subgraph.Subgraph) []float64 {
	t.Helper()
	var b bytes.Buffer
	check.OK(t, export.Write(&b, "sql", &export.Model{Schema: m.Schema, Constants: m.Constants, Formulas: m.Formulas}))
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "s.db"))
	check.OK(t, err)
	defer db.Close()
	tables, queries, found := strings.Cut(b.String(), "\n\n--")
	tx, err := db.Begin()
	check.OK(t, err)
	exec := func(text string, args ...any) {
		_, err := tx.Exec(text, args...)
		check.OK(t, err)
	}
	exec(tables)
	if sub.Center != "" {
		exec("INSERT INTO center VALUES (?)", sub.Center)
	}
	for typ, d := range sub.Domains {
		for id := range d.Size {
			exec(fmt.Sprintf("INSERT OR IGNORE INTO \"domain_%s\" VALUES (?)", m.Schema.Types[typ]), d.Names.Name(uint32(id)))
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
				exec(fmt.Sprintf("INSERT INTO %q VALUES (?%s)", p.Name, strings.Repeat(", ?", len(args)-1)), args...)
			}
		}
	}
	check.OK(t, tx.Commit())
	var out []float64
	for query := range strings.SplitSeq(queries, "\n\n--") {
		if !found {
			break
		}
		var v float64
		_, text, _ := strings.Cut(query, "\n")
		if err := db.QueryRow(text).Scan(&v); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		out = append(out, v)
	}
	return out
}

// compareSQL holds the queries against counts.
func compareSQL(t *testing.T, m *resolwe.Model, subs []*subgraph.Subgraph) {
	t.Helper()
	byName := map[string]*subgraph.Subgraph{}
	for _, s := range subs {
		byName[s.Name] = s
	}
	err := resolwe.Counts(t.Context(), m, resolwe.NewStream(m, subs), resolwe.Run{}, func(name string, counts []resolwe.Count) error {
		got := sqlCounts(t, m, byName[name])
		check.Equal(t, "queries", len(got), len(counts))
		for i, c := range counts {
			want := c.Value
			if !c.Shaped {
				want = float64(c.N)
			}
			if math.Abs(got[i]-want) > 1e-9*math.Max(1, math.Abs(want)) {
				t.Errorf("%s in %s: SQL counts %v, resolwe %v", mln.FormatFormula(m.Formulas[i]), name, got[i], want)
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
			if name != mln.NumberType {
				fmt.Fprintf(&b, "@entity %s %c0 %c1\n", name, 'A'+typ, 'A'+typ)
			}
		}
		for _, p := range schema.Predicates {
			seen := map[string]bool{}
			for range 10 {
				args := make([]string, len(p.Args))
				for i, typ := range p.Args {
					args[i] = fmt.Sprintf("%c%d", 'A'+typ, r.IntN(4))
					if schema.Types[typ] == mln.NumberType {
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

func TestExport_SQLOfExamples(t *testing.T) {
	t.Parallel()
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
			compareSQL(t, m, streamtest.Subgraphs(t, m, facts))
		})
	}
}

func TestExport_SQLOfRandomTasks(t *testing.T) {
	t.Parallel()
	for seed := range uint64(120) {
		text, db := streamtest.Random(seed, naive.TaskOptions{General: seed%4 > 0, Shapes: seed%4 == 2, Counts: seed%4 == 3})
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			m := streamtest.Parse(t, text)
			compareSQL(t, m, streamtest.Subgraphs(t, m, db))
		})
	}
}
