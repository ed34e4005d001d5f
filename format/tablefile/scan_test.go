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
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"resolwe/format/table"
	"resolwe/format/tablefile"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

func TestScan(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		delimiter  rune
		want       [][]string
	}{
		{"empty", "", ',', nil},
		{"empty lines", "\n\r\n\na,b\n\n", ',', [][]string{{"a", "b"}}},
		{"no newline at the end", "a,b", ',', [][]string{{"a", "b"}}},
		{"carriage returns", "a,b\r\nc,d\r\n", ',', [][]string{{"a", "b"}, {"c", "d"}}},
		{"carriage return at the end", "a,b\r", ',', [][]string{{"a", "b"}}},
		{"carriage return within", "a\rb,c\n", ',', [][]string{{"a\rb", "c"}}},
		{"empty cells", ",\n,,\n", ',', [][]string{{"", ""}, {"", "", ""}}},
		{"spaces stay", " a , b \n", ',', [][]string{{" a ", " b "}}},
		{"byte order mark", "\ufeffa,b\n", ',', [][]string{{"a", "b"}}},
		{"mark before a quote", "\ufeff\"a\",b\n", ',', [][]string{{"a", "b"}}},
		{"quotes", "\"a\",\"b,c\",d\n", ',', [][]string{{"a", "b,c", "d"}}},
		{"doubled quotes", "\"a\"\"b\"\"\",\"\"\n", ',', [][]string{{"a\"b\"", ""}}},
		{"newlines in quotes", "\"a\r\n\r\n\nb\",c\nd,e\n", ',', [][]string{{"a\n\n\nb", "c"}, {"d", "e"}}},
		{"quote at the end of the text", "a,\"b\"", ',', [][]string{{"a", "b"}}},
		{"tabs", "a\tb c\td\n", '\t', [][]string{{"a", "b c", "d"}}},
		{"quotes between tabs", "\"Slow\" Gin\t\"\n", '\t', [][]string{{"\"Slow\" Gin", "\""}}},
		{"semicolon", "a,b;\"c;d\"\n", ';', [][]string{{"a,b", "c;d"}}},
		{"wide delimiter", "a│b│\"c│d\"\n│\n", '│', [][]string{{"a", "b", "c│d"}, {"", ""}}},
		{"wide delimiter without quotes", "a│b\n", '│', [][]string{{"a", "b"}}},
		{"long line", strings.Repeat("x", 1<<20) + ",y\nz,w\n", ',', [][]string{{strings.Repeat("x", 1<<20), "y"}, {"z", "w"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tablefile.Scan(strings.NewReader(tt.text), tt.delimiter)
			check.OK(t, err)
			check.Equal(t, "rows", got, tt.want)
			again, err := tablefile.Scan(iotest.OneByteReader(strings.NewReader(tt.text)), tt.delimiter)
			if err != nil || !cmp.Equal(tt.want, again) {
				t.Errorf("byte by byte: %v, rows differ (-want +got):\n%s", err, cmp.Diff(tt.want, again))
			}
		})
	}
}

// oracle reads a text with the standard library.
func oracle(text []byte, delimiter rune) ([][]string, error) {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord = delimiter, -1
	return r.ReadAll()
}

// TestScan_MatchesCSV writes random tables with the standard library's writer, and reads them with both readers.
func TestScan_MatchesCSV(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	pieces := []string{"a", "bc", "\"", ",", ";", "\n", "\r\n", " ", "ü", "日本", "\t", "'", "0"}
	for round := range 500 {
		delimiter := []rune(",;|│")[rng.IntN(4)]
		var text bytes.Buffer
		w := csv.NewWriter(&text)
		w.Comma, w.UseCRLF = delimiter, rng.IntN(2) == 0
		for range 1 + rng.IntN(20) {
			row := make([]string, 2+rng.IntN(4))
			for i := range row {
				for range rng.IntN(4) {
					row[i] += pieces[rng.IntN(len(pieces))]
				}
			}
			check.OK(t, w.Write(row))
		}
		w.Flush()
		want, err := oracle(text.Bytes(), delimiter)
		check.OK(t, err)
		got, err := tablefile.Scan(&text, delimiter)
		check.OKf(t, err, "seed %d, round %d", seed, round)
		check.MustEqual(t, fmt.Sprintf("seed %d, round %d: rows differ", seed, round), got, want)
	}
}

func FuzzScan(f *testing.F) {
	for _, text := range []string{
		"", "a,b\nc,d\n", "\"a\"\"b\",c\r\n", "\"a\nb\",\"\"", "\"a", "a\"b", "\"a\"b", "\xff", "\ufeffa", "a\r", "\r\n\r", "\"\r\n\r\r\n\"\r",
		"│\"│\"│", "a\r\r\n\n\r",
	} {
		f.Add([]byte(text), false)
		f.Add([]byte(text), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, wide bool) {
		delimiter := ','
		if wide {
			delimiter = '│'
		}
		got, err := tablefile.Scan(bytes.NewReader(text), delimiter)
		if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
			check.Fails(t, err, "text that is not UTF-8, or has a NUL byte, was read")
			return
		}
		if bytes.IndexByte(text, '\n') < 0 { // lines end as on old Macs
			text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
		}
		want, wantErr := oracle(bytes.TrimPrefix(text, []byte("\ufeff")), delimiter)
		if (err != nil) != (wantErr != nil) {
			t.Fatalf("got error %v, want %v", err, wantErr)
		}
		if err == nil && !cmp.Equal(want, got) {
			t.Errorf("rows differ (-want +got):\n%s", cmp.Diff(want, got))
		}
	})
}

func TestScan_ReadError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	rows, err := tablefile.Scan(io.MultiReader(strings.NewReader("a,b\nc,d\n"), iotest.ErrReader(broken)), ',')
	if !errors.Is(err, broken) || len(rows) != 2 {
		t.Errorf("got %d rows and %v, want 2 and %v", len(rows), err, broken)
	}
}

// FuzzRows reads any bytes as a table of each kind: nothing panics, and no row is wider than the table.
func FuzzRows(f *testing.F) {
	type row struct {
		Name  string   `parquet:"name,dict"`
		Count int64    `parquet:"count,optional"`
		Share *float64 `parquet:"share"`
		List  []int32  `parquet:"list,list"`
	}
	share := 2.5
	rows := []row{{"a", 1, &share, nil}, {"b", 2, nil, []int32{1, 2}}, {"a", 3, &share, nil}}
	text := []byte("name,count\n\"a, b\",1\nc,2\n")
	f.Add(parquetOf(f, rows), uint8(0), "")
	f.Add(parquetOf(f, rows[:1]), uint8(0), "")
	f.Add(text, uint8(1), "")
	f.Add(archivetest.Gzip(text), uint8(2), "latin1")
	f.Add(archivetest.Zstd(text), uint8(3), "utf16le")
	f.Add([]byte("a\tb\n1\t2\n"), uint8(4), "")
	names := []string{"t.parquet", "t.csv", "t.csv.gz", "t.csv.zst", "t.tsv", "t.dat.bz2", "t.jsonl", "year=2020/t.csv"}
	dir := f.TempDir()
	check.OK(f, os.Mkdir(filepath.Join(dir, "year=2020"), 0o700))
	f.Add([]byte("{\"a\": {\"b\": 1, \"c\": [{}]}}\n{\"a\": null}\n"), uint8(6), "")
	f.Add([]byte("# x\n a  \"b \\\" c\" \n1 2\n3\n"), uint8(7+8*15), "")
	f.Fuzz(func(t *testing.T, data []byte, kind uint8, encoding string) {
		path := filepath.Join(dir, names[int(kind)%len(names)])
		check.OK(t, os.WriteFile(path, data, 0o600))
		layout := table.Layout{Encoding: encoding, Trim: kind&8 != 0, Escape: kind&16 != 0, Ragged: kind&32 != 0}
		if kind&64 != 0 {
			layout.Delimiter, layout.Comment, layout.Skip = table.Blanks, "#", 1
		}
		r, err := new(tablefile.Reader).OpenRows(t.Context(), path, &table.Spec{Name: "t", Glob: path, Layout: layout})
		if err != nil {
			return
		}
		defer r.Close()
		for range 1000 {
			cells, err := r.Next()
			if errors.Is(err, io.EOF) || err != nil {
				return
			}
			if _, width := r.Columns(); len(cells) > width {
				t.Fatalf("a row of %d cells in a table of %d columns", len(cells), width)
			}
		}
	})
}
