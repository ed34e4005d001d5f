package tableinit_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"resolwe/format/tableinit"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

// TestInfer_Layouts drafts from one table in many layouts: the recipe loads all of its numbers.
func TestInfer_Layouts(t *testing.T) {
	t.Parallel()
	usual := func(delimiter string) string {
		return tableOf(strings.Join([]string{"customer", "product", "x", "date"}, delimiter), delimiter, usualRow)
	}
	without := func(header bool, change func(i int, row []string) []string) string {
		h := ""
		if header {
			h = "customer,product,x,date"
		}
		return tableOf(h, ",", func(i int) []string { return change(i, usualRow(i)) })
	}
	comma := usual(",")
	object := func(i int) []string {
		return []string{fmt.Sprintf(`{"customer":%q,"product":%q,"x":%s,"at":{"date":%q},"tags":[1]}`, customerOf(i), productOf(i), numberOf(i), dayOf(i))}
	}
	tests := []struct{ name, text, says string }{
		{"t.csv", comma, ""},
		{"t.csv", usual(", "), " trim ("},
		{"t.csv", usual("||"), `delimiter "||"`},
		{"t.txt", usual("::"), `delimiter "::"`},
		{"t.csv", usual("~|~"), `delimiter "~|~"`},
		{"t.csv", usual("^"), `delimiter "^"`},
		{"t.txt", usual("\x01"), "delimiter"},
		{"t.csv", usual(" | "), `delimiter "|"`},
		{"t.txt", usual("   "), "delimiter blanks"},
		{"t.txt", strings.ReplaceAll(usual("   "), "C", "    C"), "delimiter blanks"},
		{"t.csv", "sep=;\r\n" + usual(";"), `delimiter ";" skip 1`},
		{"t.csv", "\"sep=|\"\n" + usual("|"), "skip 1"},
		{"t.csv", "Sales\nas of 2021-05-05\n\n" + comma, "skip 2"},
		{"t.csv", "Sales,,,\nas of,2021-05-05,,\n,,,\n" + comma, "skip 3"},
		{"t.csv", "# one, two\n# three\n" + comma, "skip 2"},
		{"t.csv", "# one\n" + strings.ReplaceAll(comma, "\nC7,", "\n# more\nC7,"), `comment "#"`},
		{"t.csv", "#" + comma, "skip 1 noheader"},
		{"t.tsv", "% one\n" + usual("\t"), "skip 1"},
		{"t.csv", without(true, func(i int, row []string) []string {
			if i%9 == 4 {
				row[1] = `"a \" b, c"`
			}
			return row
		}), " escape ("},
		{"t.csv", without(true, func(i int, row []string) []string { return row[:4-i%150/149] }), " ragged ("},
		{"t.csv", without(true, func(_ int, row []string) []string { return append(row, "", "") }), " ragged ("},
		{"t.csv", strings.ReplaceAll(comma, "\n", "\r"), ""},
		{"t.csv", "\ufeff" + strings.ReplaceAll(strings.ReplaceAll(usual(";"), ".", ","), "\n", "\r\n"), `as "1.234,5"`},
		{"t.jsonl", tableOf("", "", object), "tags: left out (is of type list, which is not read)"},
		{"t.ndjson.gz", string(archivetest.Gzip([]byte(tableOf("", "", object)))), "at.date: time of the row"},
	}
	for _, tt := range tests {
		text, loaded, _, spec := drafted(t, tableinit.Options{}, [2]string{tt.name, tt.text})
		name := "x"
		if spec.NoHeader {
			name = "#3"
		}
		values, filled := columnNamed(loaded, spec, name)
		if loaded.Rows != cellRows || filled != cellRows || !strings.Contains(text, tt.says) {
			t.Fatalf("%.80q: %d rows, %d numbers in\n%s", tt.text, loaded.Rows, filled, text)
		}
		for i := range values {
			check.Is(t, fmt.Sprintf("%.2f", values[i]), numberOf(i), "%.80q: number %d", tt.text, i)
		}
	}
}

// TestInfer_GivenLayout reads a file as the request says.
func TestInfer_GivenLayout(t *testing.T) {
	t.Parallel()
	file := [2]string{"t-1.csv", "customer;product;x\n" + tableOf("", ";", func(i int) []string {
		return []string{customerOf(i), productOf(i), []string{"gone", "5"}[i%2]}
	})}
	opt := tableinit.Options{Center: "t-1.#1", Target: "t-1(#1, #2)", Layout: []string{`t=delimiter ";" skip 2 noheader null "gone"`}}
	text, loaded, _, spec := drafted(t, opt, file)
	_, filled := columnNamed(loaded, spec, "#3")
	if loaded.Rows != cellRows-1 || filled != cellRows/2 {
		t.Errorf("%d rows, %d numbers\n%s", loaded.Rows, filled, text)
	}
	for _, wrong := range []string{`t=delimiter`, `t=skip 0`, `other=trim`, `t=trim (`} {
		opt.Layout = []string{wrong}
		_, err := tableinit.Infer(t.Context(), folder(t, false, file), opt)
		check.ErrorAs[*tableinit.UsageError](t, err, "%s", wrong)
	}
}

// TestInfer_Headers finds out whether a first row names columns.
func TestInfer_Headers(t *testing.T) {
	t.Parallel()
	wide := func(titles ...string) string {
		return tableOf("customer,product,"+strings.Join(titles, ","), ",", func(i int) []string {
			row := []string{customerOf(i), productOf(i)}
			for k := range titles {
				row = append(row, strconv.Itoa(i*7%50+k))
			}
			return row
		})
	}
	for _, tt := range []struct {
		text   string
		header bool
		says   string
	}{
		{wide("1990", "1991", "1992", "1993"), true, "t.csv is a wide table: its columns 1990 to 1993 are one number over time"},
		{wide("2019", "2020", "2021"), true, ""},
		{wide("1/30/20", "1/31/20", "2/1/20", "2/2/20"), true, "t.csv is a wide table: its columns 1/30/20 to 2/2/20"},
		{wide("2020-01-31", "2020-02-29", "2020-03-31", "2020-04-30"), true, "wide table"},
		{wide("2020Q1", "2020Q2", "2020Q3", "2020Q4"), true, "wide table"},
		{wide("1", "2", "3", "4", "5"), true, ""},
		{wide("5", "7", "9"), false, ""},
		{tableOf("", ",", usualRow), false, ""},
		{tableOf("", ",", func(i int) []string { return append(usualRow(i), dayOf(i+1), dayOf(i+2)) }), false, ""},
		{tableOf("", ",", func(i int) []string { return []string{customerOf(i), customerOf(i*3 + 1), "x"} }), false, ""},
		{tableOf("customer,product", ",", func(i int) []string { return usualRow(i)[:2] }), true, ""},
	} {
		opt := tableinit.Options{}
		if !tt.header {
			opt = tableinit.Options{Center: "t.#1", Target: "t(#1, #2)"}
		}
		text, _, _, spec := drafted(t, opt, [2]string{"t.csv", tt.text})
		check.Is(t, !spec.NoHeader, tt.header, "%.60q has a header", tt.text)
		check.Contains(t, text, tt.says, "%.60q", tt.text)
	}
}

// TestInfer_Folders drafts from the files of folders.
func TestInfer_Folders(t *testing.T) {
	t.Parallel()
	part := func(from int) string {
		return tableOf("customer,product,x,date", ",", func(i int) []string { return usualRow(from + i) })
	}
	for _, tt := range []struct {
		files [][2]string
		says  string
	}{
		{[][2]string{{"t/year=2020/a.csv", part(0)}, {"t/year=2021/b.csv", part(300)}}, `from "t/year=*/*.csv"`},
		{[][2]string{{"t/year=2020/month=1/a.csv", part(0)}, {"t/year=2021/month=2/b.csv", part(300)}}, `from "t/year=*/month=*/*.csv"`},
		{[][2]string{{"t/_SUCCESS", ""}, {"t/part-0-x.csv", part(0)}, {"t/part-1-y.csv", part(300)}}, `from "t/*.csv"`},
	} {
		text, loaded, _, spec := drafted(t, tableinit.Options{}, tt.files...)
		check.Is(t, loaded.Rows, 2*cellRows, "rows of\n%s", text)
		check.Contains(t, text, tt.says, "the draft")
		if strings.Contains(tt.says, "year") {
			values, _ := columnNamed(loaded, spec, "year")
			check.Is(t, values[0], 2020, "the first year")
			check.Is(t, values[cellRows], 2021, "the last year")
		}
	}
	dir := folder(t, false, [2]string{"t.csv", "customer,product,x\nA,B,1\nC,D,2,3\nE,F,4\n"})
	_, err := tableinit.Infer(t.Context(), dir, tableinit.Options{Center: "t.customer", Target: "t(customer, product)"})
	check.Contains(t, fmt.Sprint(err), "t.csv:3:", "a row that is too wide hides those above it")
}
