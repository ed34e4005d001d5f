package main_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"resolwe/format/rsg"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

const hostileModel = "e(a, a)\ntarget p(a)\n1.5 e(x, y) => p(x)\n-1 p(x)\n.3 e(x, y) ^ p(y) => p(x)\n"

// hostileNames are names of data that outputs could stumble over, and a spreadsheet, a terminal or a browser obey.
var hostileNames = []string{
	"=1+1", "'=1+1", "'", "=cmd()", "+1+1", "-2+3", "@sum(A1)", "a\tb", "two\nlines", "return\r", `say "hi"`, `back\slash`, "it's", "a,b;c", "<script>alert(1)</script>",
	"\x1b[31mred", "nul\x00", "\u202eright to left\u2066", "line\u2028separator", "// comment", "{{.}}", strings.Repeat("long ", 2000), "é", "\xff\xfe",
}

// inJSON is a name as JSON has it.
func inJSON(name string) string { return string([]rune(name)) }

// hostileStream writes a model, and a stream in which each name is that of a subgraph and of two entities.
func hostileStream(t *testing.T) (dir, model, stream string) {
	t.Helper()
	dir = t.TempDir()
	m := streamtest.Parse(t, hostileModel)
	var db strings.Builder
	for i := range hostileNames {
		fmt.Fprintf(&db, "@subgraph s%d\ne(A, B)\ne(B, B)\np(A)\n", i)
	}
	subs := streamtest.Subgraphs(t, m, db.String())
	for i, s := range subs {
		s.Name = hostileNames[i]
		s.Domains[0].Names = twoNames{hostileNames[i], hostileNames[i] + "2"}
	}
	model = streamtest.File(t, dir, "m.mln", []byte(hostileModel))
	return dir, model, streamtest.File(t, dir, "s.rsg", streamtest.Pack(t, m.Schema, subs, rsg.WriterOptions{}))
}

type twoNames [2]string

func (n twoNames) Name(id uint32) string { return n[id] }
func (n twoNames) Lookup(name string) (uint32, bool) {
	return 0, name == n[0]
}

// Whatever names the data has, each output is what it says it is: a row is a line between tabs, JSON and CSV have the names, no cell of
// CSV is a formula of a spreadsheet, a terminal gets no command, and a page no markup.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	dir, model, stream := hostileStream(t)
	n := len(hostileNames)
	on := func(command string, more ...string) []string {
		return append([]string{command, model, "--stream", stream}, more...)
	}

	for command, rows := range map[string]int{"infer": 2 * n, "counts": 3 * n, "map": 3 * n} { // map has a comment for each subgraph
		lines := strings.Split(strings.TrimSuffix(output(t, on(command)...), "\n"), "\n")
		check.Equal(t, command+": lines", len(lines), rows)
		for _, line := range lines {
			if tabs := strings.Count(line, "\t"); tabs != 2 && (command != "map" || tabs != 0) {
				t.Errorf("%s: a line has %d tabs: %q", command, tabs, line[:min(len(line), 80)])
			}
		}
	}
	first := hostileNames[0]
	for _, args := range [][]string{
		on("infer"), on("counts"), on("map"), on("explain", "--subgraph", first), on("explain", "--formula", "1"), on("eval"), {"inspect", stream},
	} {
		for _, r := range onScreen(t, 80, false, args...) {
			if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
				t.Errorf("%v: a terminal gets %q", args[0], r)
				break
			}
		}
	}
	type named struct{ Subgraph string }
	for _, args := range [][]string{on("infer"), on("counts"), on("map")} {
		got := printed[[]named](t, args...)
		check.Equal(t, args[0]+": subgraphs", len(got), n)
		for i := range got {
			check.Equal(t, args[0]+": name", got[i].Subgraph, inJSON(hostileNames[i]))
		}
	}
	for i, name := range hostileNames {
		if !utf8.ValidString(name) {
			continue // flags are text
		}
		for _, args := range [][]string{on("explain", "--subgraph="+name), on("explain", "--subgraph="+name, "--json")} {
			got := resolwe(t, args...)
			check.Equal(t, fmt.Sprintf("explain of subgraph %d: %s", i, got.stderr), got.status, 0)
			check.Equal(t, "JSON", args[len(args)-1] != "--json" || json.Valid([]byte(got.stdout)), true)
		}
	}

	for command, columns := range map[string]int{"infer": 6, "features": 7} { // features: two formulas have one target literal
		path := filepath.Join(dir, command+".csv")
		output(t, on(command, "-o", path)...)
		data, err := os.ReadFile(path)
		check.OK(t, err)
		records, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		check.OK(t, err)
		check.Equal(t, command+": records", len(records), 1+2*n)
		for i, record := range records {
			check.Equal(t, command+": columns", len(record), columns)
			for _, cell := range record {
				if _, err := strconv.ParseFloat(cell, 64); err != nil && strings.ContainsAny(cell[:min(len(cell), 1)], "=+-@\t\r") {
					t.Errorf("%s: a spreadsheet runs %q", command, cell[:min(len(cell), 40)])
				}
			}
			if i > 0 {
				want := hostileNames[(i-1)/2]
				check.Equal(t, command+": name", strings.TrimPrefix(record[0], "'"), want)
			}
		}
		for _, format := range []string{".parquet", ".json"} {
			if command == "features" && format == ".json" {
				continue
			}
			output(t, on(command, "-o", filepath.Join(dir, command+format))...)
		}
	}
	rows := loaded[[]named](t, dir, "infer.json")
	check.Equal(t, "rows of infer.json", len(rows), 2*n)

	page := filepath.Join(dir, "page.html")
	output(t, on("report", "-o", page)...)
	data, err := os.ReadFile(page)
	check.OK(t, err)
	check.AtMost(t, bytes.Count(data, []byte("<script")), 2, "scripts of the page: the data of the cases, and one that runs")
	check.Equal(t, "marks in the page", bytes.ContainsAny(data, "\x00\x1b\u202e\u2066"), false)
}

// What inspect prints of a subgraph, pack reads back exactly.
func TestHostileNames_RoundTrip(t *testing.T) {
	t.Parallel()
	dir, model, stream := hostileStream(t)
	for i, name := range hostileNames {
		if !utf8.ValidString(name) {
			continue // flags are text; package facts tests other names
		}
		text := streamtest.File(t, dir, fmt.Sprintf("%d.db", i), []byte(output(t, "inspect", stream, "--subgraph="+name)))
		packed := filepath.Join(dir, fmt.Sprintf("%d.rsg", i))
		output(t, "pack", model, text, "-o", packed)
		f, err := rsg.OpenFile(packed, rsg.ReaderOptions{Names: true})
		check.OK(t, err)
		s, err := f.At(0)
		check.OK(t, err)
		names := s.Domains[0].Names
		check.Equal(t, "names", []string{s.Name, names.Name(0), names.Name(1)}, []string{name, name, name + "2"})
		check.OK(t, f.Close())
	}
}
