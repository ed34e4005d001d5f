package tablefile_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"
	"go.uber.org/goleak"

	"resolwe/format/mln"
	"resolwe/format/table"
	"resolwe/internal/test/check"
)

// column is a column of entities.
func column(header string) table.ColumnSpec {
	return table.ColumnSpec{Refs: []table.Ref{{Header: header}}}
}

// value is a column of values.
func value(function string, headers ...string) table.ColumnSpec {
	c := table.ColumnSpec{Func: function}
	for _, h := range headers {
		c.Refs = append(c.Refs, table.Ref{Header: h})
	}
	return c
}

// nth returns references to columns by their positions.
func nth(function string, positions ...int) table.ColumnSpec {
	c := table.ColumnSpec{Func: function}
	for _, n := range positions {
		c.Refs = append(c.Refs, table.Ref{Index: n})
	}
	return c
}

// spec is table t of a recipe. Each column of entities has a type of its own.
func spec(glob string, columns ...table.ColumnSpec) *table.Spec {
	s := &table.Spec{Name: "t", Glob: glob, Columns: columns, Pos: mln.Position{File: "my.recipe", Line: 3, Column: 7}}
	types := 0
	for _, c := range columns {
		if c.Func != "" {
			s.Types = append(s.Types, -1)
			continue
		}
		s.Types = append(s.Types, types)
		types++
	}
	return s
}

// universe has as many types as the table needs.
func universe() *table.Universe { return table.NewUniverse([]string{"a", "b", "c", "d"}) }

// write puts a file into a folder.
func write(tb testing.TB, dir, name string, content []byte) {
	tb.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	check.OK(tb, os.MkdirAll(filepath.Dir(path), 0o700))
	check.OK(tb, os.WriteFile(path, content, 0o600))
}

// parquetOf is a Parquet file of rows of a Go type.
func parquetOf[T any](tb testing.TB, rows []T, options ...parquet.WriterOption) []byte {
	tb.Helper()
	var b bytes.Buffer
	check.OK(tb, parquet.Write(&b, rows, options...))
	return b.Bytes()
}

// loaded is what a table holds, entities by their names.
func loaded(u *table.Universe, t *table.Table) [][]any {
	rows := make([][]any, t.Rows)
	for i := range rows {
		for _, c := range t.Columns {
			if c.IsEmpty(i) {
				rows[i] = append(rows[i], nil)
				continue
			}
			switch c.Kind {
			case table.KindEntity:
				rows[i] = append(rows[i], u.Dicts[c.Type].Name(c.IDs[i]))
			case table.KindInt, table.KindDay, table.KindTime:
				rows[i] = append(rows[i], c.Nums[i])
			case table.KindFloat:
				rows[i] = append(rows[i], c.Floats[i])
			}
		}
	}
	return rows
}

func itoa(n int) string { return strconv.Itoa(n) }

// newRand returns a source of random numbers and its seed.
func newRand() (rng *rand.Rand, seed uint64) {
	seed = rand.Uint64()
	return rand.New(rand.NewPCG(seed, 0)), seed
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
