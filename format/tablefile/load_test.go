package tablefile_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"resolwe/format/archive"
	"resolwe/format/subgraph"
	"resolwe/format/table"
	"resolwe/format/tablefile"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

// tagging is a row of all kinds of columns.
type tagging struct {
	User   string    `parquet:"user"`
	Page   int64     `parquet:"page,dict"`
	Count  int32     `parquet:"count"`
	Weight float64   `parquet:"weight"`
	Day    int32     `parquet:"day,date"`
	At     time.Time `parquet:"at,timestamp(microsecond)"`
	Note   *string   `parquet:"note,optional"`
}

var taggingColumns = []table.ColumnSpec{
	column("user"), column("page"), value("int", "count"), value("float", "weight"), value("date", "day"), value("time", "at"),
	value("date", "at"),
}

func randomTaggings(rng *rand.Rand, n int) []tagging {
	rows := make([]tagging, n)
	for i := range rows {
		rows[i] = tagging{
			User: []string{"Ann", "Bo, jr", "C \"Cee\"", "dé", "e\ne"}[rng.IntN(5)], Page: rng.Int64N(100) - 50,
			Count: int32(rng.Uint32()), Weight: rng.NormFloat64(), Day: int32(rng.IntN(40_000)) - 20_000,
			At: time.Unix(rng.Int64N(4e9)-2e9, 1000*rng.Int64N(1e6)).UTC(),
		}
	}
	return rows
}

// csvOf writes rows as CSV.
func csvOf(rows []tagging) []byte {
	b := []byte("note,at,day,weight,count,page,user\n")
	for _, r := range rows {
		day := time.Unix(int64(r.Day)*24*60*60, 0).UTC().Format(time.DateOnly)
		name := "\"" + string(bytes.ReplaceAll([]byte(r.User), []byte("\""), []byte("\"\""))) + "\""
		b = fmt.Appendf(b, ",%s,%s,%v,%d,%d,%s\n", r.At.Format(time.RFC3339Nano), day, r.Weight, r.Count, r.Page, name)
	}
	return b
}

// TestLoad_FormatsAgree loads one table from all formats, and compares with the rows that were written. Ids agree too.
func TestLoad_FormatsAgree(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rows := randomTaggings(rand.New(rand.NewPCG(seed, 0)), 5000)
	text := csvOf(rows)
	dir := t.TempDir()
	write(t, dir, "t.csv", text)
	write(t, dir, "t.csv.gz", archivetest.Gzip(text))
	write(t, dir, "two.csv.gz", append(archivetest.Gzip(text[:20_001]), archivetest.Gzip(text[20_001:])...))
	write(t, dir, "t.csv.zst", archivetest.Zstd(text))
	write(t, dir, "disguised.csv", archivetest.Zstd(text))
	write(t, dir, "skippable.csv.zst", append([]byte("\x50\x2a\x4d\x18\x02\x00\x00\x00hi"), archivetest.Zstd(text)...))
	write(t, dir, "t.parquet", parquetOf(t, rows))
	write(t, dir, "groups.parquet", parquetOf(t, rows, parquet.MaxRowsPerRowGroup(700), parquet.PageBufferSize(999), parquet.DataPageVersion(1)))
	write(t, dir, "zstd.parquet", parquetOf(t, rows, parquet.Compression(&parquet.Zstd)))
	write(t, dir, "snappy.parquet", parquetOf(t, rows, parquet.Compression(&parquet.Snappy)))
	want := make([][]any, len(rows))
	for i, r := range rows {
		want[i] = []any{
			r.User, strconv.FormatInt(r.Page, 10), int64(r.Count), r.Weight, int64(r.Day), r.At.Unix(),
			r.At.Truncate(24*time.Hour).Unix() / (24 * 60 * 60),
		}
	}
	var first *table.Table
	for _, name := range []string{
		"t.csv", "t.csv.gz", "two.csv.gz", "t.csv.zst", "disguised.csv", "skippable.csv.zst",
		"t.parquet", "groups.parquet", "zstd.parquet", "snappy.parquet",
	} {
		u := universe()
		got, err := new(tablefile.Reader).Load(t.Context(), u, spec(name, taggingColumns...), dir, nil)
		check.OKf(t, err, "seed %d", seed)
		if rows := loaded(u, got); !reflect.DeepEqual(rows, want) {
			t.Fatalf("seed %d: %s: rows differ (-want +got):\n%.1000s", seed, name, cmp.Diff(want, rows))
		}
		if first == nil {
			first = got
		} else if !reflect.DeepEqual(first, got) {
			t.Errorf("seed %d: %s: ids or kinds differ from those of the CSV file", seed, name)
		}
	}
}

// TestLoad_RowNumbers numbers the rows of two files, those that a condition leaves out too.
func TestLoad_RowNumbers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "a.csv", []byte("x,n\nu,1\nNA,2\n\"NA\",NA\n"))
	write(t, dir, "b.csv", []byte("x,n\nv,-\n"))
	x, n := column("x"), value("int", "n")
	x.Optional, n.Optional = true, true
	s := spec("{w}.csv", table.ColumnSpec{Row: true, Prefix: "w"}, table.ColumnSpec{Row: true}, x, n)
	s.Nulls = []string{"NA", "-"}
	u := universe()
	got, err := new(tablefile.Reader).Load(t.Context(), u, s, dir, nil)
	check.OK(t, err)
	check.Equal(t, "rows", loaded(u, got), [][]any{{"a:1", "1", "u", int64(1)}, {"a:2", "2", nil, int64(2)}, {"a:3", "3", nil, nil}, {"b:4", "4", "v", nil}})
	s.Where = []table.Condition{{Column: value("int", "n"), Test: table.TestEmpty}}
	u = universe()
	got, err = new(tablefile.Reader).Load(t.Context(), u, s, dir, nil)
	check.OK(t, err)
	check.Equal(t, "rows", loaded(u, got), [][]any{{"a:3", "3", nil, nil}, {"b:4", "4", "v", nil}})
}

// physical is a row of the types that Parquet files have beside those of tagging.
type physical struct {
	Bool   bool      `parquet:"bool"`
	U32    uint32    `parquet:"u32"`
	U64    uint64    `parquet:"u64"`
	F32    float32   `parquet:"f32"`
	Millis time.Time `parquet:"millis,timestamp(millisecond)"`
	Nanos  time.Time `parquet:"nanos,timestamp(nanosecond)"`
	Enum   string    `parquet:"enum,enum"`
	Bytes  []byte    `parquet:"bytes"`
}

func TestLoad_ParquetTypes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := time.Date(1969, 12, 31, 23, 59, 59, 5e8, time.UTC)
	write(t, dir, "t.parquet", parquetOf(t, []physical{{true, 1 << 31, 1 << 63, 0.1, at, at, "E", []byte("b")}}))
	want := []any{"true", "2147483648", "9223372036854775808", 0.1, int64(-1), int64(-1), "E", "b"}
	u := table.NewUniverse([]string{"a", "b", "c", "d", "e"})
	got, err := new(tablefile.Reader).Load(t.Context(), u, spec("t.parquet", nth("", 1), column("u32"), column("u64"), value("float", "f32"),
		value("time", "millis"), value("time", "nanos"), column("enum"), column("bytes")), dir, nil)
	check.OK(t, err)
	check.Equal(t, "rows", loaded(u, got), [][]any{want})
}

// TestLoad_ParquetNames makes names of moments: those of one second differ.
func TestLoad_ParquetNames(t *testing.T) {
	t.Parallel()
	type row struct {
		At time.Time `parquet:"at,timestamp(millisecond)"`
	}
	at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	write(t, dir, "t.parquet", parquetOf(t, []row{{at}, {at.Add(time.Millisecond)}, {at.Add(20 * time.Millisecond)}}))
	u := universe()
	got, err := new(tablefile.Reader).Load(t.Context(), u, spec("t.parquet", column("at")), dir, nil)
	check.OK(t, err)
	check.Equal(t, "rows", loaded(u, got), [][]any{{"2020-01-01T00:00:00Z"}, {"2020-01-01T00:00:00.001Z"}, {"2020-01-01T00:00:00.02Z"}})
}

func TestLoad(t *testing.T) {
	t.Parallel()
	prefixed := column("x")
	prefixed.Prefix = "w"
	tests := []struct {
		name  string
		files map[string]string
		spec  *table.Spec
		want  [][]any
	}{
		{
			"positions",
			map[string]string{"t.tsv": "x\ty\n1\t2\n"},
			spec("t.tsv", nth("", 2), nth("int", 1)),
			[][]any{{"2", int64(1)}},
		},
		{
			"date of three columns",
			map[string]string{"t.dat": "d\tm\ty\n1\t4\t2009\n29\t2\t2024\n"},
			spec("t.dat", value("date", "y", "m", "d")),
			[][]any{{int64(14335)}, {int64(19782)}},
		},
		{
			"a column twice",
			map[string]string{"t.txt": "x\ty\na\tb\n"},
			spec("t.txt", column("x"), column("x"), column("y")),
			[][]any{{"a", "a", "b"}},
		},
		{
			"files in byte order",
			map[string]string{"b.csv": "x\nb\n", "B.csv": "x\nB\n", "a.csv": "x\na\n", "a.tsv": "x\nno\n", ".h.csv": "x\nno\n"},
			spec("*.csv", column("x")),
			[][]any{{"B"}, {"a"}, {"b"}},
		},
		{
			"columns in another order",
			map[string]string{"1.csv": "x,y\na,b\n", "2.csv": "z,y,x\nc,d,e\n"},
			spec("?.csv", column("x"), column("y")),
			[][]any{{"a", "b"}, {"e", "d"}},
		},
		{
			"wildcard before names",
			map[string]string{"en.edit.tsv": "x\n1\n1\n", "de.edit.tsv": "x\n1\n", "de.talk.tsv": "x\n2\n"},
			spec("{w}.edit.tsv", prefixed),
			[][]any{{"de:1"}, {"en:1"}, {"en:1"}},
		},
		{
			"wildcard of folders",
			map[string]string{"en/edit.tsv": "x\n1\n", "de/edit.tsv": "x\n1\n", "fr/talk.tsv": "x\n1\n", "it": ""},
			spec("{w}/edit.tsv", prefixed),
			[][]any{{"de:1"}, {"en:1"}},
		},
		{
			"wildcard twice",
			map[string]string{"en/en.tsv": "x\n1\n", "en/de.tsv": "x\n1\n"},
			spec("{w}/{w}.tsv", prefixed),
			[][]any{{"en:1"}},
		},
		{
			"wildcard unused", map[string]string{"en.tsv": "x\n1\n"}, spec("{w}.tsv", column("x")), [][]any{{"1"}},
		},
		{
			"list of characters",
			map[string]string{"1.tsv": "x\n1\n", "2.tsv": "x\n2\n", "3.tsv": "x\n3\n", "a.b": ""},
			spec("[13].tsv", column("x")),
			[][]any{{"1"}, {"3"}},
		},
		{
			"a dot is a dot",
			map[string]string{"a.tsv": "x\n1\n", "ab.tsv": "x\n2\n", "atsv": "x\n2\n"},
			spec("?.tsv", column("x")),
			[][]any{{"1"}},
		},
		{
			"header alone", map[string]string{"t.csv": "x\n"}, spec("t.csv", column("x")), [][]any{},
		},
		{
			"parts of a path", map[string]string{"d/t.csv": "x\n1\n"}, spec("./d//t.csv", column("x")), [][]any{{"1"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range tt.files {
				write(t, dir, name, []byte(text))
			}
			u := universe()
			got, err := new(tablefile.Reader).Load(t.Context(), u, tt.spec, dir, nil)
			check.OK(t, err)
			check.Equal(t, "rows", loaded(u, got), tt.want)
		})
	}
}

func TestLoad_NoHeader(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "1.log", []byte("a;1\nb;2\n"))
	write(t, dir, "2.log", nil)
	write(t, dir, "3.log", []byte("\"c\";3;more\n"))
	s := spec("*.log", nth("", 1), nth("int", 2))
	s.NoHeader, s.Delimiter = true, ";"
	u := universe()
	got, err := new(tablefile.Reader).Load(t.Context(), u, s, dir, nil)
	check.OK(t, err)
	want := [][]any{{"a", int64(1)}, {"b", int64(2)}, {"c", int64(3)}}
	check.Equal(t, "rows", loaded(u, got), want)
}

func TestLoad_AbsolutePath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "t.csv", []byte("x\n1\n"))
	got, err := new(tablefile.Reader).Load(t.Context(), universe(), spec(filepath.Join(dir, "*.csv"), column("x")), t.TempDir(), nil)
	if err != nil || got.Rows != 1 {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestLoad_SharedTypes checks that tables of one universe share its entities.
func TestLoad_SharedTypes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "t.csv", []byte("x,y\na,b\nb,a\n"))
	s := spec("t.csv", column("x"), column("y"))
	s.Types = []int{1, 1}
	u := universe()
	for range 2 {
		got, err := new(tablefile.Reader).Load(t.Context(), u, s, dir, nil)
		check.OK(t, err)
		want := []table.Column{
			{Kind: table.KindEntity, Type: 1, IDs: []uint32{0, 1}}, {Kind: table.KindEntity, Type: 1, IDs: []uint32{1, 0}},
		}
		check.Equal(t, "columns", got.Columns, want)
	}
	check.Is(t, u.Dicts[1].Len(), 2, "entities")
}

func TestLoad_Progress(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "t.csv", append([]byte("x\n"), bytes.Repeat([]byte("1\n"), 200_000)...))
	var got []int64
	check.OK(t, check.Err(new(tablefile.Reader).Load(t.Context(), universe(), spec("t.csv", column("x")), dir, func(n int64) { got = append(got, n) })))
	check.Equal(t, "progress", got, []int64{0, 65_536, 131_072, 196_608, 200_000})
}

func TestLoad_Cancelled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "t.csv.gz", archivetest.Gzip(append([]byte("x\n"), bytes.Repeat([]byte("1\n"), 2_000_000)...)))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := new(tablefile.Reader).Load(ctx, universe(), spec("t.csv.gz", column("x")), dir, func(n int64) {
		if n > 0 {
			cancel()
		}
	})
	check.ErrorIs(t, err, context.Canceled, "error")
}

// TestLoad_OnlyRowNumbers reads no cell at all.
func TestLoad_OnlyRowNumbers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	type row struct {
		X string `parquet:"x"`
	}
	write(t, dir, "t.parquet", parquetOf(t, []row{{"a"}, {"b"}}))
	write(t, dir, "t.csv", []byte("x\na\nb\n"))
	for _, name := range []string{"t.parquet", "t.csv"} {
		u := universe()
		got, err := new(tablefile.Reader).Load(t.Context(), u, spec(name, table.ColumnSpec{Row: true}), dir, nil)
		check.OK(t, err)
		check.Equal(t, name, loaded(u, got), [][]any{{"1"}, {"2"}})
	}
}

// Rows of blanks in a small archive end with an error that names the file and the row, and a context that ends ends them, even in one row.
func TestOpenRows_Bomb(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "t.csv.zst")
	var runs []archivetest.Run
	for range 80 {
		runs = append(runs, archivetest.Run{Byte: ' ', Times: 15 << 20}, archivetest.Run{Byte: '\n', Times: 1})
	}
	check.OK(t, os.WriteFile(path, archivetest.Repeat(runs...), 0o600))
	rows, err := new(tablefile.Reader).OpenRows(t.Context(), path, &table.Spec{Name: "t", Glob: path})
	check.OK(t, err)
	for err == nil {
		_, err = rows.Next()
	}
	check.ErrorIs(t, err, archive.ErrBomb, "many rows")
	check.ErrorIs(t, err, subgraph.ErrCorrupt, "many rows")
	if text := err.Error(); !strings.HasPrefix(text, path+":69:1: the archive unpacks to more than") {
		t.Errorf("got %q", text)
	}
	check.OK(t, rows.Close())

	check.OK(t, os.WriteFile(path, archivetest.Repeat(archivetest.Run{Byte: 'a', Times: 1}, archivetest.Run{Byte: '\n', Times: 20 << 20}), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	rows, err = new(tablefile.Reader).OpenRows(ctx, path, &table.Spec{Name: "t", Glob: path})
	check.OK(t, err)
	cancel()
	check.ErrorIs(t, check.Err(rows.Next()), context.Canceled, "empty lines")
	check.OK(t, rows.Close())
}
