package tablefile_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"resolwe/format/subgraph"
	"resolwe/format/table"
	"resolwe/format/tablefile"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

// rowsOf reads a file of a name that has a text.
func rowsOf(t *testing.T, name string, text []byte) ([][]string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	check.OK(t, os.WriteFile(path, text, 0o600))
	rows, err := new(tablefile.Reader).OpenRows(t.Context(), path, &table.Spec{Name: "t", Glob: path, Layout: table.Layout{NoHeader: true}})
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out [][]string
	for {
		cells, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		row := make([]string, len(cells))
		for i, c := range cells {
			row[i] = string(c)
		}
		out = append(out, row)
	}
}

// TestTabs reads texts between tabs as their writers meant them: spreadsheets quote cells, databases do not.
func TestTabs(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, text, want string }{ // ' is a quote, | a tab, ~ the end of a line
		{"all in quotes", "'c'|'n'~'C1'|'say ''hi'''~'C2'|'plain'~", "c|n~C1|say 'hi'~C2|plain~"},
		{"where needed", "c|n~C1|'say ''hi'''~C2|plain~", "c|n~C1|say 'hi'~C2|plain~"},
		{"a tab and the end of a line", "c|n~C1|'a|b'~C2|'two~lines'~C3|plain~", "c|n~C1|a<tab>b~C2|two<end>lines~C3|plain~"},
		{"texts but no numbers", "'c'|'n'~'C1'|1~'C2'|NA~", "c|n~C1|1~C2|NA~"},
		{"absent values, no header", "'C1'|'x'~'C2'|NA~", "C1|x~C2|NA~"},
		{"a header without quotes", "c|n~'C1'|'x'~'C2'|'y'~", "c|n~C1|x~C2|y~"},
		{"titles", "c|n~C1|'Heroes'~C2|Heroes~", "c|n~C1|'Heroes'~C2|Heroes~"},
		{"a nickname", "c|n~C1|'Heroes'~C2|'Weird Al' Yankovic~", "c|n~C1|'Heroes'~C2|'Weird Al' Yankovic~"},
		{"inches", "c|n~C1|'x'~C2|5' disk~", "c|n~C1|'x'~C2|5' disk~"},
		{"one that nothing closes", "c|n~C1|'x~C2|y~", "c|n~C1|'x~C2|y~"},
		{"two that would join rows", "c|n~C1|'x~C2|y'~C3|z~", "c|n~C1|'x~C2|y'~C3|z~"},
		{"one alone", "c|n~C1|'~C2|x~", "c|n~C1|'~C2|x~"},
	} {
		text := strings.NewReplacer("'", `"`, "|", "\t", "~", "\n").Replace(row.text)
		for name, data := range map[string][]byte{"t.tsv": []byte(text), "t.tsv.gz": archivetest.Gzip(text)} {
			got, err := rowsOf(t, name, data)
			check.OKf(t, err, "%s", row.name)
			var want [][]string
			for line := range strings.SplitSeq(strings.TrimSuffix(row.want, "~"), "~") {
				want = append(want, strings.Split(strings.NewReplacer("'", `"`, "<tab>", "\t", "<end>", "\n").Replace(line), "|"))
			}
			check.Equal(t, row.name+", "+name, got, want)
		}
	}
	_, err := rowsOf(t, "t.tsv", []byte("\"c\"\t\"n\"\nC1\t5\" disk\n"))
	check.ErrorIs(t, err, subgraph.ErrCorrupt, "a quoted header, and a quote out of place")
}

// TestTabs_AsWritten writes random tables in the ways in which programs quote, and reads them back.
func TestTabs_AsWritten(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	pieces := []string{"a", "bc", "\"", ",", "\n", " ", "ü", "\t", "'", "0"}
	for round := range 60 {
		rows := [][]string{{"c", "n", "m"}}
		for i := range 1 + r.IntN(20) {
			cells := []string{fmt.Sprint("C", i), strconv.Itoa(r.IntN(9)), "x\"y"} // some quotes are needed
			for range r.IntN(6) {
				cells[2] += pieces[r.IntN(len(pieces))]
			}
			rows = append(rows, cells)
		}
		var needed, texts, all bytes.Buffer
		w := csv.NewWriter(&needed)
		w.Comma = '\t'
		check.OK(t, w.WriteAll(rows))
		for i, cells := range rows {
			for k, c := range cells {
				end := []string{"\t", "\t", "\n"}[k]
				quoted := `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
				all.WriteString(quoted + end)
				if k == 1 && i > 0 { // a number
					quoted = c
				}
				texts.WriteString(quoted + end)
			}
		}
		for how, text := range map[string][]byte{"where needed": needed.Bytes(), "texts": texts.Bytes(), "all": all.Bytes()} {
			got, err := rowsOf(t, "t.tsv", text)
			check.OKf(t, err, "seed %d, round %d, %s", seed, round, how)
			check.MustEqual(t, fmt.Sprintf("seed %d, round %d, %s", seed, round, how), got, rows)
		}
	}
}
