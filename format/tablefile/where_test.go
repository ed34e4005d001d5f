package tablefile_test

import (
	"errors"
	"fmt"
	"testing"

	"resolwe/format/subgraph"
	"resolwe/format/table"
	"resolwe/format/tablefile"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

func optional(c table.ColumnSpec) table.ColumnSpec {
	c.Optional = true
	return c
}

// withEmpty is what a table holds, nil where it has no entry.
func withEmpty(u *table.Universe, t *table.Table) [][]any {
	rows := loaded(u, t)
	for i, row := range rows {
		for c := range row {
			if t.Columns[c].IsEmpty(i) {
				row[c] = nil
			}
		}
	}
	return rows
}

// TestLoad_Optional has an empty cell leave out a value, and not the others of its row, in text and Parquet.
func TestLoad_Optional(t *testing.T) {
	t.Parallel()
	const text = "id,user,n,f,day,y,m,d,at\n" +
		"1,Ann,3,.5,2016-01-02,2016,1,3,1970-01-01T00:00:09Z\n" +
		"2,,,,,,,,\n" +
		"3,\"\",4,,\"\",2016,,3,\n"
	columns := []table.ColumnSpec{
		column("id"), optional(column("user")), optional(value("int", "n")), optional(value("float", "f")),
		optional(value("date", "day")), optional(value("date", "y", "m", "d")), optional(value("time", "at")),
	}
	want := [][]any{
		{"1", "Ann", int64(3), .5, int64(16802), int64(16803), int64(9)},
		{"2", nil, nil, nil, nil, nil, nil},
		{"3", nil, int64(4), nil, nil, nil, nil},
	}
	type row struct {
		ID   int64    `parquet:"id"`
		User *string  `parquet:"user,optional"`
		N    *int64   `parquet:"n,optional"`
		F    *float64 `parquet:"f,optional"`
		Day  *int32   `parquet:"day,optional,date"`
		Y    *int32   `parquet:"y,optional"`
		M    *int32   `parquet:"m,optional"`
		D    *int32   `parquet:"d,optional"`
		At   *int64   `parquet:"at,optional,timestamp(millisecond)"`
	}
	user, n, n2, f, at := "Ann", int64(3), int64(4), .5, int64(9000)
	day, y, m, d := int32(16802), int32(2016), int32(1), int32(3)
	rows := []row{{1, &user, &n, &f, &day, &y, &m, &d, &at}, {ID: 2}, {ID: 3, N: &n2, Y: &y, D: &d}}
	for name, content := range map[string][]byte{
		"t.csv": []byte(text), "t.csv.gz": archivetest.Gzip([]byte(text)), "t.parquet": parquetOf(t, rows),
	} {
		dir, u := t.TempDir(), universe()
		write(t, dir, name, content)
		got, err := new(tablefile.Reader).Load(t.Context(), u, spec(name, columns...), dir, nil)
		check.OK(t, err)
		check.Equal(t, name, withEmpty(u, got), want)
		check.Equal(t, "names", u.Dicts[1].Len(), 1) // none is ""
	}
}

// TestLoad_Where passes over rows before it reads their other cells.
func TestLoad_Where(t *testing.T) {
	t.Parallel()
	const text = "id,kind,user,day\n1,1,Ann,2016-01-02\n2,2,,never\n3,1.0,Bo,2016-01-03\n4,,Cy,2016-02-01T10:00:00Z\n"
	less, equal, notEqual, atLeast := [3]bool{true, false, false}, [3]bool{false, true, false}, [3]bool{true, false, true}, [3]bool{false, true, true}
	tests := []struct {
		name  string
		where []table.Condition
		want  []string
	}{
		{"a number", []table.Condition{{Column: value("float", "kind"), Test: table.TestCompare, Holds: equal, Float: 1}}, []string{"1", "3"}},
		{"a text", []table.Condition{{Column: column("kind"), Test: table.TestCompare, Holds: equal, Text: "1"}}, []string{"1"}},
		{"another text; an empty cell is none", []table.Condition{{Column: column("kind"), Test: table.TestCompare, Holds: notEqual, Text: "1"}}, []string{"2", "3"}},
		{"empty", []table.Condition{{Column: column("user"), Test: table.TestEmpty}}, []string{"2"}},
		{"not empty", []table.Condition{{Column: nth("", 2), Test: table.TestNotEmpty}, {Column: column("user"), Test: table.TestNotEmpty}}, []string{"1", "3"}},
		{"a date", []table.Condition{
			{Column: column("user"), Test: table.TestNotEmpty},
			{Column: value("date", "day"), Test: table.TestCompare, Holds: atLeast, Num: 16803},
		}, []string{"3", "4"}},
		{"a time", []table.Condition{
			{Column: column("user"), Test: table.TestNotEmpty},
			{Column: value("time", "day"), Test: table.TestCompare, Holds: less, Num: 16803 * 24 * 60 * 60},
		}, []string{"1"}},
	}
	dir := t.TempDir()
	write(t, dir, "t.csv", []byte(text))
	for _, tt := range tests {
		s, u := spec("t.csv", column("id")), universe()
		s.Where = tt.where
		got, err := new(tablefile.Reader).Load(t.Context(), u, s, dir, nil)
		check.OK(t, err)
		var ids []string
		for _, row := range loaded(u, got) {
			ids = append(ids, fmt.Sprint(row...))
		}
		check.Equal(t, tt.name, ids, tt.want)
	}
	s := spec("t.csv", column("user"), value("date", "day"))
	s.Where = []table.Condition{{Column: column("kind"), Test: table.TestCompare, Holds: equal, Text: "1"}}
	check.OKf(t, check.Err(new(tablefile.Reader).Load(t.Context(), universe(), s, dir, nil)), "cells of rows that are passed over")
}

func TestLoad_WhereErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "t.csv", []byte("id,kind\n1,two\n"))
	where := func(c table.ColumnSpec, test table.Test) error {
		s := spec("t.csv", column("id"))
		s.Where = []table.Condition{{Column: c, Test: test}}
		_, err := new(tablefile.Reader).Load(t.Context(), universe(), s, dir, nil)
		return err
	}
	err := where(value("float", "kind"), table.TestCompare)
	check.ErrorIs(t, err, subgraph.ErrCorrupt, "a cell that is no number")
	checkError(t, err, dir, new(tablefile.DamageError), `DIR/t.csv:2:3: column "kind": "two" is not a number, with which a condition compares it (where it is a date, say date(..) there); correct the cell or leave out the row`)
	if _, ok := errors.AsType[*tablefile.UsageError](where(column("kinds"), table.TestEmpty)); !ok {
		t.Error("a column that is not there: got no UsageError")
	}
}

// TestLoad_EmptyErrors says what to write where a cell is empty.
func TestLoad_EmptyErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "7.csv", []byte("a,b c,y,m,d\n,,,,\n"))
	prefixed := column("b c")
	prefixed.Prefix = "w"
	for want, c := range map[string]table.ColumnSpec{
		"a": column("a"), `w:"b c"`: prefixed, "date(y, m, d)": value("date", "y", "m", "d"), "time(#2)": nth("time", 2), `int("b c")`: value("int", "b c"),
	} {
		_, err := new(tablefile.Reader).Load(t.Context(), universe(), spec("{w}.csv", c), dir, nil)
		content, ok := errors.AsType[*tablefile.DamageError](err)
		if suffix := "; where cells may be empty, write: optional " + want; !ok || content.Message[max(0, len(content.Message)-len(suffix)):] != suffix {
			t.Errorf("got %v, want a *ContentError that ends with %s", err, suffix)
		}
	}
}
