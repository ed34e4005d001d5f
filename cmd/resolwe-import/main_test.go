package main_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"resolwe/cmd/internal/console"
	"resolwe/format/parquet"
	"resolwe/format/tableinit"
	"resolwe/format/tableschema"
	"resolwe/internal/progress"
	"resolwe/internal/test/check"

	cmd "resolwe/cmd/resolwe-import"
)

// imported imports a database into a new folder, and returns what the program says.
func imported(t *testing.T, address string, args ...string) (dir, stderr string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "tables")
	var out, messages bytes.Buffer
	if status := cmd.Run(t.Context(), append([]string{address, "-o", dir}, args...), &out, &messages); status != console.Done {
		t.Fatalf("status %d: %s", status, messages.String())
	}
	return dir, messages.String()
}

// rows reads a table as lines of cells.
func rows(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	check.OK(t, err)
	defer f.Close()
	info, err := f.Stat()
	check.OK(t, err)
	table, err := parquet.Open(f, info.Size())
	check.OK(t, err)
	defer table.Close()
	var b strings.Builder
	for i, name := range table.Names() {
		check.OK(t, table.Want(i))
		b.WriteString(name + "|")
	}
	for {
		cells, err := table.Next()
		if errors.Is(err, io.EOF) {
			return b.String()
		}
		check.OK(t, err)
		b.WriteByte('\n')
		for _, c := range cells {
			b.WriteString(string(c) + "|")
		}
	}
}

// firm is a database with keys and references of all kinds.
func firm() string {
	var b strings.Builder
	b.WriteString(`
CREATE TABLE "Straße 1" (id INTEGER PRIMARY KEY, title VARCHAR(40) NOT NULL UNIQUE, budget DECIMAL(10,2), "select" INTEGER);
CREATE TABLE "Employee" (id INTEGER PRIMARY KEY, name VARCHAR(40), boss INTEGER, dept INTEGER NOT NULL, badge VARCHAR(20), hired DATE, seen @datetime,
	active BOOLEAN, score @real, photo @bytes, FOREIGN KEY (dept) REFERENCES "Straße 1" (id), FOREIGN KEY (boss) REFERENCES "Employee" (id));
CREATE TABLE task (project VARCHAR(10), nr INTEGER, PRIMARY KEY (project, nr));
CREATE TABLE worked (who INTEGER, project VARCHAR(10), nr INTEGER, at_day DATE NOT NULL, FOREIGN KEY (project, nr) REFERENCES task (project, nr),
	FOREIGN KEY (who) REFERENCES "Employee" (id));
CREATE TABLE "nothing" (a INTEGER, b VARCHAR(9));
CREATE VIEW chiefs AS SELECT boss FROM "Employee" WHERE boss IS NOT NULL;
INSERT INTO "Straße 1" VALUES (3, 'naïve "x", y', 12.50, NULL), (1, 'O''Hara', 1000, 7), (2, 'Ünï', 0.05, -1);
INSERT INTO task VALUES ('b', 2), ('a', 1), ('B', 3), ('b', 1);
`)
	for i := range 60 {
		boss := "NULL"
		if i > 3 {
			boss = strconv.Itoa(i/4 + 1)
		}
		fmt.Fprintf(&b, "INSERT INTO \"Employee\" VALUES (%d, 'n%d', %s, %d, '00%d', '2020-%02d-%02d', '2021-%02d-%02d 10:20:30', %v, %g, NULL);\n",
			i+1, i, boss, i%3+1, 1000+i, i%12+1, i%28+1, i%12+1, i%28+1, i%2 == 0, float64(i)/8)
	}
	for i := range 300 {
		task := []string{"'b', 2", "'a', 1", "'B', 3"}[i%3]
		fmt.Fprintf(&b, "INSERT INTO worked VALUES (%d, %s, '2022-%02d-%02d');\n", i*7%60+1, task, i%12+1, i%28+1)
	}
	return b.String()
}

const firmSchema = `{"tables": [
 {"name": "Employee", "file": "Employee.parquet", "columns": [
  {"name": "id", "type": "integer", "nullable": false}, {"name": "name", "type": "text", "nullable": true}, {"name": "boss", "type": "integer", "nullable": true},
  {"name": "dept", "type": "integer", "nullable": false}, {"name": "badge", "type": "text", "nullable": true}, {"name": "hired", "type": "date", "nullable": true},
  {"name": "seen", "type": "timestamp", "nullable": true}, {"name": "active", "type": "boolean", "nullable": true}, {"name": "score", "type": "number", "nullable": true}],
  "primary_key": ["id"], "foreign_keys": [{"columns": ["boss"], "table": "Employee", "references": ["id"]}, {"columns": ["dept"], "table": "Straße 1", "references": ["id"]}]},
 {"name": "Straße 1", "file": "Straße 1.parquet", "columns": [
  {"name": "id", "type": "integer", "nullable": false}, {"name": "title", "type": "text", "nullable": false},
  {"name": "budget", "type": "number", "nullable": true}, {"name": "select", "type": "integer", "nullable": true}], "primary_key": ["id"], "unique_keys": [["title"]]},
 {"name": "nothing", "file": "nothing.parquet", "columns": [{"name": "a", "type": "integer", "nullable": true}, {"name": "b", "type": "text", "nullable": true}]},
 {"name": "task", "file": "task.parquet", "columns": [{"name": "project", "type": "text", "nullable": false}, {"name": "nr", "type": "integer", "nullable": false}],
  "primary_key": ["project", "nr"]},
 {"name": "worked", "file": "worked.parquet", "columns": [{"name": "who", "type": "integer", "nullable": true}, {"name": "project", "type": "text", "nullable": true},
  {"name": "nr", "type": "integer", "nullable": true}, {"name": "at_day", "type": "date", "nullable": false}],
  "foreign_keys": [{"columns": ["project", "nr"], "table": "task", "references": ["project", "nr"]}, {"columns": ["who"], "table": "Employee", "references": ["id"]}]}]}`

// The same tables in each database give the same files but for types that one lacks, the same schema, and the same draft.
func TestImport(t *testing.T) {
	var draft *tableinit.Draft
	for _, engine := range []string{"SQLite", "PostgreSQL", "MariaDB"} {
		t.Run(engine, func(t *testing.T) {
			address, _ := database(t, engine, firm())
			dir, messages := imported(t, address)
			check.Contains(t, messages, "Employee.photo holds bytes: it is left out", "messages")
			want, err := tableschema.Parse("", []byte(firmSchema))
			check.OK(t, err)
			var written bytes.Buffer
			check.OK(t, want.Write(&written))
			got, err := os.ReadFile(filepath.Join(dir, tableschema.File))
			check.OK(t, err)
			check.Equal(t, "schema", string(got), written.String())
			check.Equal(t, "departments", rows(t, filepath.Join(dir, "Straße 1.parquet")), "id|title|budget|select|\n1|O'Hara|1000.00|7|\n2|Ünï|0.05|-1|\n3|naïve \"x\", y|12.50||")
			check.Equal(t, "tasks", rows(t, filepath.Join(dir, "task.parquet")), "project|nr|\nB|3|\na|1|\nb|1|\nb|2|")
			check.Equal(t, "nothing", rows(t, filepath.Join(dir, "nothing.parquet")), "a|b|")
			first := strings.Split(rows(t, filepath.Join(dir, "Employee.parquet")), "\n")[:7]
			check.Slices(t, first, []string{
				"id|name|boss|dept|badge|hired|seen|active|score|", "1|n0||1|001000|2020-01-01|2021-01-01 10:20:30|true|0|",
				"2|n1||2|001001|2020-02-02|2021-02-02 10:20:30|false|0.125|", "3|n2||3|001002|2020-03-03|2021-03-03 10:20:30|true|0.25|",
				"4|n3||1|001003|2020-04-04|2021-04-04 10:20:30|false|0.375|", "5|n4|2|2|001004|2020-05-05|2021-05-05 10:20:30|true|0.5|",
				"6|n5|2|3|001005|2020-06-06|2021-06-06 10:20:30|false|0.625|",
			}, "employees")
			again, _ := imported(t, address)
			check.Equal(t, "files of another run", files(t, again), files(t, dir))
			views, _ := imported(t, address, "--tables", "chiefs,nothing")
			check.Is(t, len(strings.Split(rows(t, filepath.Join(views, "chiefs.parquet")), "\n")), 57, "lines of a view")

			d, err := tableinit.Infer(t.Context(), dir, tableinit.Options{Center: "worked.who", Target: "worked(who, project)"})
			check.OK(t, err)
			for _, part := range []string{"boss: an employee, of Employee (as", "dept: a stra_e_1, of Straße 1 (as", "badge: left out (60 texts"} {
				check.Contains(t, string(d.Recipe), part, "recipe")
			}
			if draft == nil {
				draft = d
			}
			check.Equal(t, "recipe", string(d.Recipe), string(draft.Recipe))
			check.Equal(t, "task", string(d.Task), string(draft.Task))
		})
	}
}

// files returns what the files of a folder hold.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	check.OK(t, err)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		check.OK(t, err)
		out[e.Name()] = string(data)
	}
	return out
}

// What others write meanwhile is in no table.
func TestImport_Snapshot(t *testing.T) {
	for _, engine := range []string{"SQLite", "PostgreSQL", "MariaDB"} {
		t.Run(engine, func(t *testing.T) {
			wal := map[string]string{"SQLite": "PRAGMA journal_mode = WAL;"}[engine]
			address, db := database(t, engine, wal+"CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (id INTEGER PRIMARY KEY); INSERT INTO a VALUES (1); INSERT INTO b VALUES (1);")
			wrote := false
			meter := progress.Options{Mode: progress.Auto, Writer: io.Discard, Now: func() time.Time {
				if !wrote { // the first table begins
					wrote = true
					_, err := db.ExecContext(t.Context(), "INSERT INTO a VALUES (2)")
					check.OK(t, err)
					_, err = db.ExecContext(t.Context(), "INSERT INTO b VALUES (2)")
					check.OK(t, err)
				}
				return time.Time{}
			}}
			dir := filepath.Join(t.TempDir(), "tables")
			check.OK(t, cmd.Copy(t.Context(), address, dir, meter))
			check.Is(t, wrote, true, "something was written")
			check.Is(t, rows(t, filepath.Join(dir, "a.parquet"))+rows(t, filepath.Join(dir, "b.parquet")), "id|\n1|id|\n1|", "tables")
		})
	}
}

// Values of each type are read as they are.
func TestImport_Types(t *testing.T) {
	for _, tt := range []struct{ engine, statements, want, types, message string }{
		{
			"SQLite", `CREATE TABLE t (k BLOB PRIMARY KEY, i INTEGER, mixed INTEGER, r REAL, n NUMERIC, d DECIMAL(6,3), b BOOLEAN, b2 BOOLEAN, at TIMESTAMP, u, whole NUMERIC(9));
			INSERT INTO t VALUES (x'00ff', 9223372036854775807, 'x', 1e300, 12345678901, 1.0005, 1, 2, 1700000000, 1.5, 12),
				(x'01', -9223372036854775808, 1.25, 0.1, 0.1, 2, 0, 0, NULL, 2, NULL);`,
			"k|i|mixed|r|n|d|b|b2|at|u|whole|\n00ff|9223372036854775807|x|1" + strings.Repeat("0", 300) + "|12345678901|1.0005|true|2|1700000000|1.5|12|\n01|-9223372036854775808|1.25|0.1|0.1|2.000|false|0||2||",
			"text integer text number number number boolean integer integer number integer", "",
		},
		{
			"PostgreSQL", `CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN nat AS bigint CHECK (value >= 0);
			CREATE TABLE t (k bytea PRIMARY KEY, i nat, r real, f double precision, n numeric, w numeric(12), d date, at timestamp(3), z timestamptz, j json, m mood,
				a int[], u uuid, c char(5), tm time, "do" int GENERATED ALWAYS AS (w + 1) STORED);
			INSERT INTO t VALUES ('\x00ff', 7, 0.1, 1e-7, 123456789012345678901234567890.123, 12, '2024-02-29', '2024-02-29 23:59:59.25', '2024-02-29 23:30:00-05', '{"a": 1}', 'ok',
				'{1,2}', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'ab', '10:20:30'), ('\x01', NULL, 'NaN', 'NaN', 'NaN', 0, 'infinity', '-infinity', '0044-03-15 BC', NULL, 'sad', NULL, NULL, NULL, NULL);`,
			"k|i|r|f|n|w|d|at|z|j|m|a|u|c|tm|do|\n00ff|7|0.1|0.0000001|123456789012345678901234567890.123|12|2024-02-29|2024-02-29 23:59:59.25|2024-03-01T04:30:00Z|" +
				`{"a": 1}|ok|{1,2}|a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11|ab|10:20:30|13|` + "\n01||||NaN|0|||||sad|||||1|",
			"text integer number number number integer date timestamp timestamp text text text text text text integer", "t.d: 1 value read as null",
		},
		{
			"MariaDB", `SET sql_mode = '', time_zone = '+02:00'; CREATE TABLE t (k BINARY(2) PRIMARY KEY, i BIGINT UNSIGNED, big BIGINT UNSIGNED, r FLOAT, n DECIMAL(30,2), b BOOLEAN, stars TINYINT(1), d DATE,
				at DATETIME(3), z TIMESTAMP NULL, y YEAR, e ENUM('x','y'), bits BIT(3), one BIT(1), j JSON, c CHAR(5), tm TIME);
			INSERT INTO t VALUES (x'00ff', 7, 18446744073709551615, 0.1, 1234567890123456789012345678.90, TRUE, 5, '2024-02-29', '2024-02-29 23:59:59.25', '2024-02-29 23:30:00', 2024, 'y', 5, 1, '{"a": 1}', 'ab', '10:20:30'),
				(x'0100', NULL, 1, NULL, 0, FALSE, 1, '0000-00-00', NULL, NULL, NULL, 'x', 0, 0, NULL, NULL, NULL);`,
			"k|i|big|r|n|b|stars|d|at|z|y|e|bits|one|j|c|tm|\n00ff|7|18446744073709551615|0.1|1234567890123456789012345678.90|true|5|2024-02-29|2024-02-29 23:59:59.25|2024-02-29T21:30:00Z|2024|y|5|true|" +
				`{"a": 1}|ab|10:20:30|` + "\n0100||1||0.00|false|1|||||x|0|false||||",
			"text integer integer number number boolean integer date timestamp timestamp integer text integer boolean text text text", "t.d: 1 value read as null",
		},
	} {
		t.Run(tt.engine, func(t *testing.T) {
			address, _ := database(t, tt.engine, tt.statements)
			dir, messages := imported(t, address)
			check.Equal(t, "rows", rows(t, filepath.Join(dir, "t.parquet")), tt.want)
			check.Contains(t, messages, tt.message, "messages")
			text, err := os.ReadFile(filepath.Join(dir, tableschema.File))
			check.OK(t, err)
			s, err := tableschema.Parse("", text)
			check.OK(t, err)
			var types []string
			for _, c := range s.Tables[0].Columns {
				types = append(types, string(c.Type))
			}
			check.Is(t, strings.Join(types, " "), tt.types, "types")
		})
	}
}

// Comments are declared, and tables that belong to others are left out.
func TestImport_Comments(t *testing.T) {
	for engine, statements := range map[string]string{
		"PostgreSQL": `CREATE SCHEMA other; CREATE TABLE other.p (id INT PRIMARY KEY); CREATE TABLE t (id INT, at DATE, p INT REFERENCES other.p, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
			CREATE TABLE t_2024 PARTITION OF t FOR VALUES FROM ('2024-01-01') TO ('2025-01-01'); COMMENT ON TABLE t IS 'about "it"'; COMMENT ON COLUMN t.at IS 'the
			day';`,
		"MariaDB": `CREATE DATABASE other; CREATE TABLE other.p (id INT PRIMARY KEY); CREATE TABLE t (id INT, at DATE COMMENT 'the
			day', p INT, PRIMARY KEY (id, at), FOREIGN KEY (p) REFERENCES other.p (id)) COMMENT 'about "it"';`,
	} {
		t.Run(engine, func(t *testing.T) {
			address, _ := database(t, engine, statements)
			dir, messages := imported(t, address)
			check.Contains(t, messages, "the reference of t to p is left out: that table is not imported", "messages")
			check.Is(t, len(files(t, dir)), 2, "files")
			s, err := tableschema.Parse("", []byte(files(t, dir)[tableschema.File]))
			check.OK(t, err)
			check.Is(t, s.Tables[0].Comment+strings.Join(strings.Fields(s.Tables[0].Column("at").Comment), " "), `about "it"the day`, "comments")
			other, _ := imported(t, address, "--schema", "other")
			check.Is(t, rows(t, filepath.Join(other, "p.parquet")), "id|", "a table of another schema")
		})
	}
}

// Names of any kind become files that init finds and columns that it names.
func TestImport_Names(t *testing.T) {
	t.Parallel()
	names := []string{"a/b", "a\\b", `say "hi"`, "A/B2", "..", ".hidden", "tab\tle", "part-1", "t1", "t2", "x.csv", "CON", "schema", strings.Repeat("long", 80), "q?*", "$1 :x @y", "ж", " "}
	var b strings.Builder
	for i, name := range names {
		name = strings.ReplaceAll(name, `"`, `""`)
		fmt.Fprintf(&b, "CREATE TABLE \"%s\" (\"id,optional\" INTEGER PRIMARY KEY, \"%s\" TEXT, \"new\nline\" INTEGER REFERENCES \"%s\");\n", name, name, name)
		for k := range 20 {
			fmt.Fprintf(&b, "INSERT INTO \"%s\" VALUES (%d, 'v%d', %d);\n", name, k+1, (k+i)%3, k/2+1)
		}
	}
	address, _ := database(t, "SQLite", b.String())
	dir, _ := imported(t, address)
	check.Is(t, len(files(t, dir)), len(names)+1, "files")
	d, err := tableinit.Infer(t.Context(), dir, tableinit.Options{Center: "t1.id,optional", Target: "t1(id,optional, t1)"})
	check.OK(t, err)
	check.Is(t, len(d.Tables), len(names), "tables of the draft")
	for _, table := range d.Tables {
		check.Is(t, table.Rows, 20, "rows of %s", table.Name)
	}
	check.Is(t, strings.Count(string(d.Recipe), "as schema.json declares"), 2*len(names), "keys and references")
}

// Names need no luck in any database.
func TestImport_Quotes(t *testing.T) {
	for _, engine := range []string{"SQLite", "PostgreSQL", "MariaDB"} {
		t.Run(engine, func(t *testing.T) {
			const table, key = `"say ""hi"" \ ` + "`x`" + ` 'y'"`, `"c""d` + "`" + ` ? $1 :x @y %s"`
			address, _ := database(t, engine, fmt.Sprintf(`CREATE TABLE %[1]s (%[2]s INTEGER PRIMARY KEY, "Ж,select" INTEGER, "Select" VARCHAR(9),
				FOREIGN KEY ("Ж,select") REFERENCES %[1]s (%[2]s)); INSERT INTO %[1]s VALUES (2, NULL, 'x'), (10, 2, 'y');`, table, key))
			dir, _ := imported(t, address)
			name := `say _hi_ _ ` + "`x` 'y'.parquet"
			check.Equal(t, "rows", rows(t, filepath.Join(dir, name)), "c\"d` ? $1 :x @y %s|Ж,select|Select|\n2||x|\n10|2|y|")
			s, err := tableschema.Parse("", []byte(files(t, dir)[tableschema.File]))
			check.OK(t, err)
			check.Is(t, s.Tables[0].ForeignKeys[0].References[0].Text, "c\"d` ? $1 :x @y %s", "the reference")
		})
	}
}
