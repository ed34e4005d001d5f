package tablefile_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"resolwe/format/table"
	"resolwe/format/tablefile"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

// rowsIn reads a file of a folder.
func rowsIn(t *testing.T, name string, text []byte, s *table.Spec) (header []string, rows [][]string, err error) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, name, text)
	s.Name, s.Glob = "t", name
	paths, err := tablefile.Files(s, dir)
	check.OK(t, err)
	in, err := new(tablefile.Reader).OpenRows(t.Context(), paths[0], s)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	header, _ = in.Columns()
	for {
		cells, err := in.Next()
		if errors.Is(err, io.EOF) {
			return header, rows, nil
		}
		if err != nil {
			return header, rows, err
		}
		row := make([]string, len(cells))
		for i, c := range cells {
			row[i] = string(c)
		}
		rows = append(rows, row)
	}
}

// TestLayout reads two rows, a and "b c" and then d" and an empty cell, as people write them.
func TestLayout(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		layout     table.Layout
	}{
		{"t.csv", "x,y\na,b c\n\"d\"\"\",\n", table.Layout{}},
		{"t.csv", "x , y\n a,\tb c  \n \"d\"\"\" , \n  \n", table.Layout{Trim: true}},
		{"t.csv", "\u00a0x,y\na ,b c\u00a0\n\"d\"\"\",\n", table.Layout{Trim: true}},
		{"t.tsv", "\"x\"\t\"y\"\n\"a\" \t\"b c\"\n \"d\"\"\"\t\"\"\n", table.Layout{Trim: true}},
		{"t.csv", "x||y\na||b c\n\"d\"\"\"||\n", table.Layout{Delimiter: "||"}},
		{"t.txt", "x::y\na::\"b c\"\n\"d\"\"\"::\n", table.Layout{Delimiter: "::"}},
		{"t.txt", "  x   y\t\n a \t\"b c\"\n\n\"d\"\"\" \"\"  \n", table.Layout{Delimiter: table.Blanks}},
		{"t.csv", "sep=;\nx;y\na;b c\n\"d\"\"\";\n", table.Layout{Delimiter: ";", Skip: 1}},
		{"t.csv", "Report,\xff\n\nx,y\na,b c\n\"d\"\"\",\n", table.Layout{Skip: 2}},
		{"t.csv", "# one\nx,y\na,b c\n# \"two\n\"d\"\"\",\n", table.Layout{Comment: "#"}},
		{"t.csv", "x,y\n\"a\",\"b c\"\n\"d\\\"\",\"\"\n", table.Layout{Escape: true}},
		{"t.csv", "x,y\na,b c,\n\"d\"\"\",,,\n", table.Layout{Ragged: true}},
		{"t.csv", "x,y\ra,b c\r\r\"d\"\"\",\r", table.Layout{}},
		{"t.jsonl", "{\"x\": \"a\", \"y\": \"b c\"}\n\n {\"y\": null, \"x\": \"d\\\"\"}\n", table.Layout{}},
		{"t.ndjson.gz", string(archivetest.Gzip([]byte("{\"x\":\"a\",\"y\":\"b c\"}\r\n{\"x\":\"d\\u0022\"}"))), table.Layout{}},
		{"y=b%20c/t.csv", "x\na\n\"d\"\"\"\n", table.Layout{}},
	}
	for _, tt := range tests {
		header, rows, err := rowsIn(t, tt.name, []byte(tt.text), &table.Spec{Layout: tt.layout})
		check.OKf(t, err, "%q", tt.text)
		check.Equal(t, tt.text+": header", header, []string{"x", "y"})
		want := [][]string{{"a", "b c"}, {`d"`, ""}}
		if strings.Contains(tt.name, "=") {
			want[1][1] = "b c"
		}
		check.Equal(t, tt.text+": rows", rows, want)
	}
}

// TestLayout_Escape compares with strconv, which also writes a backslash before quotes and backslashes.
func TestLayout_Escape(t *testing.T) {
	t.Parallel()
	rng, seed := newRand()
	var text strings.Builder
	var want [][]string
	for range 500 {
		var row []string
		for range 3 {
			row = append(row, string(anyOf(rng, `a\",`, rng.IntN(6))))
		}
		want = append(want, row)
		text.WriteString(strconv.Quote(row[0]) + "," + strconv.Quote(row[1]) + "," + strconv.Quote(row[2]) + "\n")
	}
	_, rows, err := rowsIn(t, "t.csv", []byte(text.String()), &table.Spec{Layout: table.Layout{Escape: true, NoHeader: true}})
	check.OKf(t, err, "seed %d", seed)
	check.Equal(t, "rows with seed "+strconv.FormatUint(seed, 10), rows, want)
}

func anyOf(rng *rand.Rand, letters string, n int) (text []byte) {
	for range n {
		text = append(text, letters[rng.IntN(len(letters))])
	}
	return text
}

// TestLayout_Ragged reads tables of which as many rows lack a cell as may, and one more.
func TestLayout_Ragged(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rows, short int
		fails       bool
	}{{19, 1, true}, {20, 1, false}, {20, 2, true}, {200, 2, false}, {200, 3, true}, {299, 3, true}, {300, 3, false}} {
		text := "x,y\n" + strings.Repeat("a\n", tt.short) + strings.Repeat("a,b\n", tt.rows-tt.short)
		_, rows, err := rowsIn(t, "t.csv", []byte(text), &table.Spec{Layout: table.Layout{Ragged: true}})
		if tt.fails {
			e := check.ErrorAs[*tablefile.DamageError](t, err, "%+v", tt)
			check.Contains(t, e.Error(), "t.csv:2:2: a row of 1 cells where the first has 2", "%+v", tt)
			continue
		}
		check.OKf(t, err, "%+v", tt)
		check.Equal(t, "rows", len(rows), tt.rows)
		check.Equal(t, "a short row", rows[0], []string{"a", ""})
	}
}

// TestJSON reads objects in objects, and refuses what is no table.
func TestJSON(t *testing.T) {
	t.Parallel()
	dir, u := t.TempDir(), universe()
	write(t, dir, "t.jsonl", []byte(`{"id": 1, "user": {"name": "A", "at": {"city": "Oslo"}}, "ok": true, "n": -1.5e1, "tags": ["a", {"b": [1]}]}
{"user": {"name": "B"}, "id": 12345678901234567, "n": 2, "user.age": 3}
`))
	s := spec("t.jsonl", value("int", "id"), column("user.name"), optional(column("user.at.city")), optional(column("ok")), value("float", "n"), optional(value("int", "user.age")))
	got, err := new(tablefile.Reader).Load(t.Context(), u, s, dir, nil)
	check.OK(t, err)
	check.Equal(t, "rows", loaded(u, got), [][]any{
		{int64(1), "A", "Oslo", "true", -15., nil}, {int64(12345678901234567), "B", nil, nil, 2., int64(3)},
	})
	_, err = new(tablefile.Reader).Load(t.Context(), universe(), spec("t.jsonl", column("tags")), dir, nil)
	check.Contains(t, check.ErrorAs[*tablefile.UsageError](t, err, "a list").Error(), `column "tags" is of type list, which is not read`, "a list")
	for text, want := range map[string]string{
		"[1]":                         "1:2: a line that is no JSON object",
		"7":                           "a line that is no JSON object",
		"{\"a\": 1}\n{\"a\": ":        "2:6: the object is broken",
		"{\"a\": 1} {}":               "text behind the object",
		"{\"a\": 1, \"a\": 2}":        `two values of "a"`,
		"{\"a\": \"\\u0000\"}":        "NUL",
		"{\"a\": [1}":                 "the list is broken",
		strings.Repeat(`{"a":`, 2000): "objects in more than 100 others",
	} {
		_, _, err := rowsIn(t, "t.jsonl", []byte(text), new(table.Spec))
		check.Contains(t, check.ErrorAs[*tablefile.DamageError](t, err, "%s", text).Error(), want, "%.20s", text)
	}
}

// TestColumnNulls reads texts as empty in one column of a table.
func TestColumnNulls(t *testing.T) {
	t.Parallel()
	dir, u := t.TempDir(), universe()
	write(t, dir, "t.csv", []byte("a,b,n\n999,999,999\n-,x,2\n"))
	a, n := optional(column("a")), optional(value("int", "n"))
	a.Nulls, n.Nulls = []string{"-", "x"}, []string{"999"}
	s := spec("t.csv", a, column("b"), n)
	got, err := new(tablefile.Reader).Load(t.Context(), u, s, dir, nil)
	check.OK(t, err)
	check.Equal(t, "rows", loaded(u, got), [][]any{{"999", "999", nil}, {nil, "x", int64(2)}})
	n.Optional = false
	_, err = new(tablefile.Reader).Load(t.Context(), universe(), spec("t.csv", n), dir, nil)
	check.Contains(t, check.ErrorAs[*tablefile.DamageError](t, err, "a null").Error(), `t.csv:2:9: column "n": the cell is empty, it should hold a whole number; where cells may be empty, write: optional int(n null "999")`, "a null")
}
