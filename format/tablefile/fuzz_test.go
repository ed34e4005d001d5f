package tablefile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"resolwe/format/table"
	"resolwe/format/tablefile"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

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
	names := []string{"t.parquet", "t.csv", "t.csv.gz", "t.csv.zst", "t.tsv", "t.dat.bz2"}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte, kind uint8, encoding string) {
		path := filepath.Join(dir, names[int(kind)%len(names)])
		check.OK(t, os.WriteFile(path, data, 0o600))
		r, err := new(tablefile.Reader).OpenRows(path, &table.Spec{Name: "t", Glob: path, Encoding: encoding})
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
