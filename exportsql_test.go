package resolwe_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/export"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
)

// sqlite answers queries, each task's on tables of its own, with Python's SQLite.
const sqlite = `
import json, math, sqlite3, sys
out = []
for task in json.load(sys.stdin):
    db = sqlite3.connect(":memory:")
    db.create_function("ln", 1, lambda x: math.log(x) if x is not None and x > 0 else None)
    db.executescript(task["script"])
    out.append([db.execute(q).fetchone()[0] for q in task["queries"]])
print(json.dumps(out))
`

// sqlTask is a subgraph in tables, with a query for each formula of its model.
type sqlTask struct {
	Script  string   `json:"script"`
	Queries []string `json:"queries"`

	name string
	want []resolwe.Count
	m    *resolwe.Model
}

// sqlTasks exports a model, once for each subgraph.
func sqlTasks(t *testing.T, name string, m *resolwe.Model, subs []*subgraph.Subgraph) (out []sqlTask) {
	t.Helper()
	var text bytes.Buffer
	check.OKf(t, export.Write(&text, "sql", &export.Model{Schema: m.Schema, Constants: m.Constants, Formulas: m.Formulas}), "%s", name)
	parts := strings.Split(text.String(), "\n\n--")
	var queries []string
	for _, part := range parts[1:] {
		_, query, _ := strings.Cut(part, "\n") // after the comment
		queries = append(queries, query)
	}
	check.OK(t, inferring.Counts(t.Context(), m, resolwe.NewStream(m, subs), resolwe.Run{}, func(_ string, counts []resolwe.Count) error {
		sub := subs[len(out)]
		out = append(out, sqlTask{parts[0] + "\n" + rows(m, sub), queries, name + ", " + sub.Name, counts, m})
		return nil
	}))
	return out
}

// rows returns statements that insert a subgraph.
func rows(m *resolwe.Model, sub *subgraph.Subgraph) string {
	var b strings.Builder
	insert := func(table string, values ...string) {
		fmt.Fprintf(&b, "INSERT INTO \"%s\" VALUES (%s) ON CONFLICT DO NOTHING;\n", table, strings.Join(values, ", "))
	}
	quoted := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	if sub.Center != "" {
		insert("center", quoted(sub.Center))
	}
	for typ, d := range sub.Domains {
		for id := range d.Size {
			insert("domain_"+m.Schema.Types[typ], quoted(d.Names.Name(uint32(id))))
		}
	}
	for pred, p := range m.Schema.Predicates {
		for i, table := range sub.Relations[pred].Tables() {
			for row := range table.Len() {
				var values []string
				for c, col := range table.Cols {
					values = append(values, quoted(sub.Domains[p.Args[c]].Names.Name(col[row])))
				}
				if p.Role.IsTarget() {
					values = append(values, [...]string{"1", "0", "NULL"}[i])
				}
				insert(p.Name, values...)
			}
		}
	}
	return b.String()
}

// The queries that are exported count in SQLite what Counts does, for formulas of every kind, whatever the predicates are called.
func TestExport_SQL(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil || exec.CommandContext(t.Context(), python, "-c", "import sqlite3").Run() != nil {
		t.Skip("needs python3 with sqlite3")
	}
	var tasks []sqlTask
	for seed := range rounds(t, 120) {
		text, db := random(seed, oracle.TaskOptions{General: seed%4 > 0, Shapes: seed%4 == 2, Counts: seed%4 >= 2, Aggregates: seed%8 == 3 || seed%8 == 6})
		m := parse(t, text)
		tasks = append(tasks, sqlTasks(t, fmt.Sprint("seed ", seed), m, subgraphs(t, m, db))...)
	}
	var text, facts strings.Builder
	text.WriteString("ev(a, a)\ntarget q(a)\n")
	facts.WriteString("@subgraph s\n@entity a A B C\nev(A, B)\nev(B, C)\nev(C, A)\nev(A, A)\nq(A)\n!q(B)\n")
	for i, name := range []string{"t0", "T1", "tt0", "r", "atoms", "counted", "name", "truth", "a1", "v0", "order"} { // of tables and columns
		fmt.Fprintf(&text, "%s(a, a)\n1 !%[1]s(x, y) ^ ev(x, y) => q(x)\n1 ev(x, y) ^ (EXIST z %[1]s(y, z) ^ !%[1]s(z, x)) ^ q(x)\n1 #{z: %[1]s(x, z) ^ !ev(z, x)} >= 1 => q(x)\n", name)
		fmt.Fprintf(&facts, "%s(%c, A)\n%[1]s(%[2]c, B)\n", name, "ABC"[i%3])
	}
	m := parse(t, text.String())
	tasks = append(tasks, sqlTasks(t, "names", m, subgraphs(t, m, facts.String()))...)
	m = parse(t, `number time, sum
of(row, a)
paid(row, sum)
at(row, time)
won(row)
target q(a)
1 share{r: won(r) ^ paid(r, n) ^ n > 2 | of(r, x)} >= 0.5 => q(x)
1 share{r, n: won(r) | of(r, x) ^ paid(r, n)} < 0.5 ^ q(x)
1 trend{n, t, r: of(r, x) ^ paid(r, n) ^ at(r, t)} >= 0.5 ^ q(x)
1 !trend{n, t, r: of(r, x) ^ paid(r, n) ^ at(r, t)} < 10 ^ q(x)
`)
	tasks = append(tasks, sqlTasks(t, "shares and trends", m, subgraphs(t, m, `@subgraph s
@entity a A B C D
of(R1, A)
of(R2, A)
of(R3, A)
of(R4, B)
of(R5, C)
of(R6, C)
paid(R1, 2.5)
paid(R2, 1)
paid(R3, 3)
paid(R3, 4)
paid(R5, 7)
paid(R6, 7)
at(R1, 1)
at(R2, 3)
at(R3, 3)
at(R5, 4)
at(R6, 2)
won(R1)
won(R3)
won(R4)
won(R6)
q(A)
q(B)
q(C)
q(D)
`))...)
	in, err := json.Marshal(tasks)
	check.OK(t, err)
	c := exec.CommandContext(t.Context(), python, "-c", sqlite)
	var stderr bytes.Buffer
	c.Stdin, c.Stderr = bytes.NewReader(in), &stderr
	answer, err := c.Output()
	check.OKf(t, err, "%s", &stderr)
	var got [][]*float64
	check.OK(t, json.Unmarshal(answer, &got))
	compared, counted := 0, 0
	for i, task := range tasks {
		for k, f := range task.m.Formulas {
			want := float64(task.want[k].N)
			if task.want[k].Shaped {
				want = task.want[k].Value
			}
			if n := got[i][k]; n == nil || math.Abs(*n-want) > 1e-9*math.Max(1, math.Abs(want)) {
				t.Errorf("%s: %s: SQLite does not count %v\n%s", task.name, mln.FormatFormula(f), want, task.Queries[k])
			}
			if compared++; want != 0 {
				counted++
			}
		}
	}
	check.AtLeast(t, counted, compared/4, "counts above 0")
}
