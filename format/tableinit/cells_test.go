package tableinit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"resolwe/format/mln"
	"resolwe/format/recipe"
	"resolwe/format/table"
	"resolwe/format/tablefile"
	"resolwe/format/tableinit"
	"resolwe/internal/test/check"
)

const cellRows = 300

func customerOf(i int) string { return fmt.Sprintf("C%d", i*7%30) }
func productOf(i int) string  { return fmt.Sprintf("P%d", i*11%12) }
func dayOf(i int) string      { return fmt.Sprintf("2021-%02d-%02d", 1+i*5%12, 1+i*3%28) }
func numberOf(i int) string   { return fmt.Sprintf("%d.%02d", 1+i*37%101, i*13%100) }

// usualRow is the row of a table with customer, product, x and date.
func usualRow(i int) []string { return []string{customerOf(i), productOf(i), numberOf(i), dayOf(i)} }

// tableOf joins rows below a header, if it is not empty.
func tableOf(header, delimiter string, row func(i int) []string) string {
	var b strings.Builder
	if header != "" {
		b.WriteString(header + "\n")
	}
	for i := range cellRows {
		b.WriteString(strings.Join(row(i), delimiter) + "\n")
	}
	return b.String()
}

// drafted drafts from a file, and loads the table that the recipe describes: what it says, its notes, and what a column holds. Customers and
// products are in the columns that are given.
func drafted(t *testing.T, opt tableinit.Options, files ...[2]string) (text string, loaded *table.Table, u *table.Universe, spec *table.Spec) {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		path := filepath.Join(dir, f[0])
		check.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
		check.OK(t, os.WriteFile(path, []byte(f[1]), 0o600))
	}
	if opt.Center == "" {
		opt.Center, opt.Target = "t.customer", "t(customer, product)"
	}
	d, err := tableinit.Infer(t.Context(), dir, opt)
	check.OK(t, err)
	m, err := mln.Parse("task.mln", d.Task, mln.Options{})
	check.OK(t, err)
	r, err := recipe.Parse("task.recipe", d.Recipe, &m.Schema)
	if err != nil {
		t.Fatalf("%v in\n%s", err, d.Recipe)
	}
	u = table.NewUniverse(r.Types)
	spec = &r.Tables[0]
	loaded, err = new(tablefile.Reader).Load(t.Context(), u, spec, dir, nil)
	if err != nil {
		t.Fatalf("%v in\n%s", err, d.Recipe)
	}
	return string(d.Recipe) + strings.Join(d.Notes, "\n"), loaded, u, spec
}

// columnNamed returns the values of a column of a header or position, NaN in place of empty ones; nil for none of values.
func columnNamed(loaded *table.Table, spec *table.Spec, name string) (values []float64, filled int) {
	for i, c := range spec.Columns {
		if len(c.Refs) != 1 || c.Refs[0].String() != name || c.Func == "" {
			continue
		}
		for row := range loaded.Rows {
			switch at := &loaded.Columns[i]; {
			case at.IsEmpty(row):
				values = append(values, -12345)
				continue
			case at.Kind == table.KindFloat:
				values = append(values, at.Floats[row])
			default:
				values = append(values, float64(at.Nums[row]))
			}
			filled++
		}
	}
	return values, filled
}

// TestInfer_Marks reads each usual mark of absence in numbers and in dates as an empty cell.
func TestInfer_Marks(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{
		"#N/A", "n/a", "<NA>", "NAN", "none", "Null", "NaT", ".", "--", "-", "-nan", "?", `\N`, "nil", "missing", "unknown", "Not Available", "#DIV/0!", "..", `"null"`, " NA ", "",
	} {
		every := func(n, at int) func(int) []string {
			return func(i int) []string {
				row := usualRow(i)
				if i%n == n/2 {
					row[at] = mark
				}
				return row
			}
		}
		for at, name := range map[int]string{2: "x", 3: "date"} {
			text, loaded, _, spec := drafted(t, tableinit.Options{}, [2]string{"t.csv", tableOf("customer,product,x,date", ",", every(10, at))})
			if _, filled := columnNamed(loaded, spec, name); filled != cellRows*9/10 {
				t.Errorf("%q in %s: %d cells are filled\n%s", mark, name, filled, text)
			}
		}
	}
	text, _, _, _ := drafted(t, tableinit.Options{}, [2]string{"t.csv", tableOf("customer,product,colour,date", ",", func(i int) []string {
		return []string{customerOf(i), productOf(i), []string{"red", "unknown", "none"}[i%3], dayOf(i)}
	})})
	check.Contains(t, text, "3 texts that repeat", "words in a column of names")
}

// TestInfer_Values reads numbers and dates as people write them: the first row of the cells, and how many are filled.
func TestInfer_Values(t *testing.T) {
	t.Parallel()
	if1 := func(rare, usual string) func(int) string {
		return func(i int) string {
			if i%100 == 50 {
				return rare
			}
			return usual
		}
	}
	grow := func(format string) func(int) string { return func(i int) string { return fmt.Sprintf(format, 100+i) } }
	and := func(n int, rare string, usual func(int) string) func(int) string {
		return func(i int) string {
			if i%n == n/2 {
				return rare
			}
			return usual(i)
		}
	}
	tests := []struct {
		what   string
		cell   func(i int) string
		first  float64
		filled int
		says   string
	}{
		{"dollars", grow(`"$1,%d.50"`), 1100.5, 300, `as "$1,234.5"`},
		{"euros", grow(`"1.%d,50 €"`), 1100.5, 300, `as "1.234,5€"`},
		{"pounds", grow("GBP %d"), 100, 300, `as "GBP1234.5"`},
		{"brackets", and(3, "($12.50)", grow("$%d")), 100, 300, `as "($1234.5)"`},
		{"sap", and(3, "12.50-", grow("%d")), 100, 300, ""},
		{"percent", grow("%d.5 %%"), 100.5, 300, `as "1234.5%"`},
		{"swiss", grow("1'%d"), 1100, 300, ""},
		{"narrow blanks", grow("1\u202f%d"), 1100, 300, ""},
		{"minus signs", and(3, "\u22125", grow("%d")), 100, 300, ""},
		{"codes", grow("C%d"), 0, 0, ""},
		{"bounds", and(100, "> 89", grow("%d")), 100, 300, "3 bounds are read as their numbers"},
		{"top codes", and(50, "400+", grow("%d")), 100, 300, "6 bounds are read as their numbers"},
		{"classes", and(2, "<5", if1(">10", ">10")), 0, 0, "2 texts that repeat"},
		{"odd cells", and(100, "abc", grow("%d")), 100, 297, `"abc": 3, first in line 52`},
		{"too many odd cells", and(50, "abc", grow("%d")), 0, 0, `but for these it would hold numbers: "abc": 6, first in line 27`},
		{"-1", and(10, "-1", grow("%d")), 100, 270, "-1 stand for no value: --keep-sentinel t.x keeps them"},
		{"-1 of few", func(i int) string { return []string{"1", "0", "-1"}[i%3] }, 1, 300, "whole numbers from -1 to 1"},
		{"999", and(10, "999", func(i int) string { return strconv.Itoa(i % 28) }), 0, 270, "999 stand for no value"},
		{"near 999", func(i int) string { return strconv.Itoa(990 + i%20) }, 990, 300, "whole numbers from 990 to 1009"},
		{"once 999", func(i int) string { return strconv.Itoa(map[bool]int{true: 999, false: i % 28}[i == 7]) }, 0, 300, "whole numbers from 0 to 999"},
		{"-999.0", and(10, "-999.0", func(i int) string { return fmt.Sprintf("%d.5", i%50-20) }), -20.5, 270, "-999.0 stand for no value"},
		{"9999-12-31", and(10, "9999-12-31", dayOf), 18628, 270, "9999-12-31 stand for no value"},
		{"31/12/9999", and(10, "31/12/9999", func(i int) string { return fmt.Sprintf("%d/%d/2021", 1+i%28, 1+i%12) }), 18628, 270, `as "dmy"`},
		{"99991231", and(10, "99991231", func(i int) string { return strings.ReplaceAll(dayOf(i), "-", "") }), 18628, 270, "99991231 stand for no value"},
		{"1900-01-01", and(10, "1900-01-01", dayOf), 18628, 270, "1900-01-01 stand for no value"},
		{"an odd date", and(300, "2021-02-30", dayOf), 18628, 299, `"2021-02-30": 1, first in line 152`},
		{"no dates", and(20, "soon", dayOf), 0, 0, `t.x is not read as a time`},
		{"quarters", func(i int) string { return fmt.Sprintf("Q%d 20%02d", 1+i%4, 20+i%3) }, 18262, 300, `as "period"`},
		{"weeks", func(i int) string { return fmt.Sprintf("2020-W%02d", 2+i%50) }, 18267, 300, `as "period"`},
		{"months first", func(i int) string { return fmt.Sprintf("%d/%d/20", 1+i%12, 1+i%28) }, 18262, 300, `as "mdy"`},
		{"days first", func(i int) string { return fmt.Sprintf("%d/%d/20", 1+i%28, 1+i%12) }, 18262, 300, `as "dmy"`},
		{"years first", func(i int) string { return fmt.Sprintf("20/%d/%d", 1+i%12, 1+i%28) }, 18262, 300, `as "ymd"`},
	}
	for _, tt := range tests {
		rows := func(i int) []string { return []string{customerOf(i), productOf(i), tt.cell(i)} }
		text, loaded, _, spec := drafted(t, tableinit.Options{}, [2]string{"t.csv", tableOf("customer,product,x", ",", rows)})
		values, filled := columnNamed(loaded, spec, "x")
		if filled != tt.filled || filled > 0 && values[0] != tt.first || !strings.Contains(text, tt.says) {
			t.Errorf("%s: %d cells are filled, first %.1v; want %d and %v\n%s", tt.what, filled, values, tt.filled, tt.first, text)
		}
	}
	keep := tableinit.Options{Center: "t.customer", Target: "t(customer, product)", KeepSentinel: []string{"t.x"}}
	text, loaded, _, spec := drafted(t, keep, [2]string{"t.csv", tableOf("customer,product,x", ",", func(i int) []string {
		return []string{customerOf(i), productOf(i), strconv.Itoa(i%10 - 1 + i%10/9)}
	})})
	if _, filled := columnNamed(loaded, spec, "x"); filled != cellRows {
		t.Errorf("a kept value is empty in\n%s", text)
	}
	keep.KeepSentinel = []string{"t.y"}
	_, err := tableinit.Infer(t.Context(), folder(t, false, [2]string{"t.csv", tableOf("customer,product,x", ",", usualRow)}), keep)
	check.Fails(t, err, "a column that is not there")
}

// Years of two digits are of the century that the range of the column, and the dates of other columns, tell. Days are since 1970.
func TestInfer_Centuries(t *testing.T) {
	t.Parallel()
	day := func(year, month, day int) float64 {
		return float64(time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Unix() / 86400)
	}
	short := func(first, years int) func(i int) string {
		return func(i int) string { return fmt.Sprintf("%02d%02d%02d", (first+i%years)%100, 1+i%12, 1+i%28) }
	}
	slashes := func(first, years int) func(i int) string {
		return func(i int) string { return fmt.Sprintf("%d/%d/%02d", 1+i%28, 1+i%12, (first+i%years)%100) }
	}
	for _, tt := range []struct {
		name, other string // header, and year of the dates of another column, "" for none
		cell        func(i int) string
		first       float64
		says        string
	}{
		{"born", "1997", slashes(1925, 72), day(1925, 1, 1), `as "dmy 1920"`},
		{"day", "", slashes(1925, 74), day(1925, 1, 1), `years of two digits from 1925 to 1998`},
		{"issue_date", "1997", short(1925, 74), day(1925, 1, 1), `as "ymd 1920"`},
		{"birth_date", "1997", short(1930, 30), day(1930, 1, 1), `as "ymd 1930"`},
		{"day", "", short(1930, 30), day(2030, 1, 1), `as "ymd"`},
		{"dob", "2024", slashes(1915, 36), day(1915, 1, 1), `as "dmy 1910"`},
		{"issue_date", "1997", short(1998, 6), day(1998, 1, 1), `as "ymd"`},
		{"end_date", "1997", short(1999, 7), 0, `t.end_date is hidden: it is later than its row`},
		{"plan_date", "1997", short(1930, 30), day(1930, 1, 1), `as "ymd 1930"`},
		{"birth_date", "2024", short(1920, 86), day(1920, 1, 1), `as "ymd 1920"`},
		{"birth_date", "2024", short(1961, 10), day(1961, 1, 1), `as "ymd 1960"`},
	} {
		rows := func(i int) []string {
			row := []string{customerOf(i), productOf(i), tt.cell(i), ""}
			if tt.other != "" {
				row[3] = fmt.Sprintf("%s-%02d-%02d", tt.other, 1+i%12, 1+i%28)
			}
			return row
		}
		text, loaded, _, spec := drafted(t, tableinit.Options{}, [2]string{"t.csv", tableOf("customer,product,"+tt.name+",sold_on", ",", rows)})
		values, filled := columnNamed(loaded, spec, tt.name)
		if tt.first != 0 && (filled == 0 || values[0] != tt.first) || !strings.Contains(text, tt.says) {
			t.Errorf("%s beside %q, %s, ..: first of %d %v; want %v and %v\n%s", tt.name, tt.other, tt.cell(0), filled, values[:min(1, filled)], tt.first, tt.says, text)
		}
	}
}
