package tablewrite_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"resolwe/format/tablewrite"
	"resolwe/internal/test/check"
)

var columns = []tablewrite.Column{
	{Name: "name", Kind: tablewrite.Text},
	{Name: "f1", Kind: tablewrite.Real, Title: "p(x) => q(x)"},
	{Name: "n", Kind: tablewrite.Whole},
	{Name: "ok", Kind: tablewrite.Truth},
}

// hostile are texts that programs stumble over.
var hostile = []string{
	"", " ", "a,b", `say "hi"`, "two\nlines", "return\r", "\t", "=cmd()", "'=cmd()", "+1+1", "-2", "-2.5e3", "@sum", "'quoted", "'", "\u202Eright to left",
	"nul\x00", "é", "\xff not UTF-8", "null", strings.Repeat("long", 2500),
}

// table writes a table.
func table(t *testing.T, format tablewrite.Format, rows [][]tablewrite.Cell) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := tablewrite.NewWriter(&b, format, columns)
	check.OK(t, err)
	for _, r := range rows {
		check.OK(t, w.Row(r))
	}
	check.OK(t, w.Close())
	return b.Bytes()
}

// hostileRows returns rows with the texts, numbers of all sizes, and nulls.
func hostileRows() (rows [][]tablewrite.Cell) {
	r := rand.New(rand.NewPCG(7, 7))
	for i, s := range hostile {
		row := []tablewrite.Cell{
			tablewrite.TextCell(s), tablewrite.RealCell(math.Ldexp(r.Float64(), i*7-60)),
			tablewrite.WholeCell(int64(r.Uint64())), tablewrite.TruthCell(i%2 == 0),
		}
		if i > 0 {
			row[i%4] = tablewrite.Cell{}
		}
		rows = append(rows, row)
	}
	return rows
}

func TestCSV(t *testing.T) {
	t.Parallel()
	got := string(table(t, tablewrite.CSV, [][]tablewrite.Cell{
		{tablewrite.TextCell("=cmd()"), tablewrite.RealCell(1 << 40), tablewrite.WholeCell(math.MaxInt64), tablewrite.TruthCell(true)},
		{tablewrite.TextCell(`a "b", c`), tablewrite.RealCell(0.1), {}, tablewrite.TruthCell(false)},
		{tablewrite.TextCell("-2.5"), {}, {}, {}},
	}))
	want := `name,p(x) => q(x),n,ok
'=cmd(),1099511627776,9223372036854775807,1
"a ""b"", c",0.1,,0
-2.5,,,
`
	check.Equal(t, "table", got, want)
	records, err := csv.NewReader(bytes.NewReader(table(t, tablewrite.CSV, hostileRows()))).ReadAll()
	check.OK(t, err)
	for i, s := range hostile {
		if i%4 == 0 && i > 0 {
			continue // null
		}
		cell := records[i+1][0]
		check.Equal(t, fmt.Sprintf("%q is marked", s), strings.HasPrefix(cell, "'"), strings.ContainsAny(s[:min(len(s), 1)], "=+@\t'"))
		check.Equal(t, fmt.Sprint("text ", i), strings.TrimPrefix(cell, "'"), s)
	}
}

func TestParquet(t *testing.T) {
	t.Parallel()
	rows := hostileRows()
	data := table(t, tablewrite.Parquet, rows)
	if !bytes.Equal(data, table(t, tablewrite.Parquet, rows)) {
		t.Error("two runs differ")
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	check.OK(t, os.WriteFile(path, data, 0o600))
	type row struct {
		Name *string  `parquet:"name"`
		F1   *float64 `parquet:"f1"`
		N    *int64   `parquet:"n"`
		OK   *bool    `parquet:"ok"`
	}
	got, err := parquet.ReadFile[row](path)
	check.OK(t, err)
	check.Equal(t, "rows", len(got), len(rows))
	for i, r := range got {
		nulls := []bool{r.Name == nil, r.F1 == nil, r.N == nil, r.OK == nil}
		for c, null := range nulls {
			check.Equal(t, fmt.Sprintf("row %d column %d is null", i, c), null, i > 0 && i%4 == c)
		}
		if r.Name != nil {
			check.Equal(t, "text", *r.Name, strings.ToValidUTF8(hostile[i], "\uFFFD"))
		}
		if r.F1 != nil {
			check.Equal(t, "number", tablewrite.RealCell(*r.F1) == rows[i][1], true)
		}
	}
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	check.OK(t, err)
	title, _ := f.Lookup("f1")
	check.Equal(t, "metadata", title, "p(x) => q(x)")
}

// A table of several row groups is whole.
func TestParquet_RowGroups(t *testing.T) {
	t.Parallel()
	const rows = 1<<20 + 5000 // of 4 columns
	var b bytes.Buffer
	w, err := tablewrite.NewWriter(&b, tablewrite.Parquet, columns)
	check.OK(t, err)
	for i := range rows {
		check.OK(t, w.Row([]tablewrite.Cell{tablewrite.TextCell("x"), tablewrite.RealCell(float64(i % 7)), tablewrite.WholeCell(int64(i)), {}}))
	}
	check.OK(t, w.Close())
	f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	check.OK(t, err)
	check.Equal(t, "row groups", len(f.RowGroups()), 3)
	check.Equal(t, "rows", f.NumRows(), int64(rows))
}

// Columns of any names keep their order; dates and moments are read back.
func TestParquet_Names(t *testing.T) {
	t.Parallel()
	odd := []tablewrite.Column{
		{Name: "z,optional", Kind: tablewrite.Day},
		{Name: "a \"b\" é", Kind: tablewrite.Moment},
		{Name: "-", Kind: tablewrite.Text},
	}
	row := []tablewrite.Cell{tablewrite.DayCell(-1), tablewrite.MomentCell(time.Date(2024, 2, 29, 23, 59, 59, 250_000_000, time.FixedZone("", 3600))), {}}
	written := map[tablewrite.Format]string{}
	for _, format := range []tablewrite.Format{tablewrite.CSV, tablewrite.JSON, tablewrite.Parquet} {
		var b bytes.Buffer
		w, err := tablewrite.NewWriter(&b, format, odd)
		check.OK(t, err)
		check.OK(t, w.Row(row))
		check.OK(t, w.Close())
		written[format] = b.String()
	}
	check.Equal(t, "CSV", written[tablewrite.CSV], "\"z,optional\",\"a \"\"b\"\" é\",'-\n1969-12-31,2024-02-29T22:59:59.25Z,\n")
	check.Equal(t, "JSON", written[tablewrite.JSON], `[
 {"z,optional":"1969-12-31","a \"b\" é":"2024-02-29T22:59:59.25Z","-":null}
]
`)
	f, err := parquet.OpenFile(strings.NewReader(written[tablewrite.Parquet]), int64(len(written[tablewrite.Parquet])))
	check.OK(t, err)
	var got []string
	for _, c := range f.Root().Columns() {
		got = append(got, c.Name()+" "+c.Type().String())
	}
	check.Slices(t, got, []string{"z,optional DATE", "a \"b\" é TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)", "- STRING"}, "columns")
	cells := make([]parquet.Row, 1)
	_, err = f.RowGroups()[0].Rows().ReadRows(cells)
	check.Is(t, err == nil || errors.Is(err, io.EOF), true, "reading: %v", err)
	check.Is(t, fmt.Sprint(cells[0]), "[-1 1709247599250000 <null>]", "cells")
}

// A row group is no larger than some bytes of texts, however few rows that are.
func TestParquet_LongTexts(t *testing.T) {
	t.Parallel()
	const rows, length = 40, 1 << 20
	var b bytes.Buffer
	w, err := tablewrite.NewWriter(&b, tablewrite.Parquet, columns[:1])
	check.OK(t, err)
	for i := range rows {
		check.OK(t, w.Row([]tablewrite.Cell{tablewrite.TextCell(strings.Repeat(string(rune('a'+i%26)), length) + strconv.Itoa(i))}))
	}
	check.OK(t, w.Close())
	f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	check.OK(t, err)
	check.Is(t, len(f.RowGroups()), 3, "row groups of 40 MiB")
	check.Is(t, f.NumRows(), rows, "rows")
}

func TestJSON(t *testing.T) {
	t.Parallel()
	check.Equal(t, "no rows", string(table(t, tablewrite.JSON, nil)), "[]\n")
	rows := append(hostileRows(), []tablewrite.Cell{{}, tablewrite.RealCell(math.NaN()), {}, {}})
	var got []map[string]any
	check.OK(t, json.Unmarshal(table(t, tablewrite.JSON, rows), &got))
	check.Equal(t, "rows", len(got), len(rows))
	for i, s := range hostile {
		if i == 0 || i%4 > 0 {
			check.Equal(t, "text", got[i]["name"], any(strings.ToValidUTF8(s, "\uFFFD")))
		}
	}
	check.Equal(t, "no number", got[len(rows)-1]["f1"], nil)
}

func TestFormatOf(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]tablewrite.Format{
		"a.csv": tablewrite.CSV, "b/c.parquet": tablewrite.Parquet, "d.json": tablewrite.JSON, "e.CSV": "", "csv": "", "": "", "-": "",
	} {
		check.Equal(t, path, tablewrite.FormatOf(path), want)
	}
}

func Example() {
	w, _ := tablewrite.NewWriter(os.Stdout, tablewrite.CSV, columns)
	_ = w.Row([]tablewrite.Cell{tablewrite.TextCell("@home"), tablewrite.RealCell(0.5), {}, tablewrite.TruthCell(true)})
	_ = w.Close()
	// Output:
	// name,p(x) => q(x),n,ok
	// '@home,0.5,,1
}
