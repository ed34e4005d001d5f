package tablefile_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"resolwe/format/tablefile"
	"resolwe/internal/test/check"
)

// taggings is a table like that of Delicious: heavy-tailed users, pages and tags, and a day.
func taggings(rows int, delimiter string) []byte {
	rng := rand.New(rand.NewPCG(1, 0))
	var b bytes.Buffer
	fmt.Fprintln(&b, "user"+delimiter+"url"+delimiter+"tag"+delimiter+"day")
	for range rows {
		user, url, tag := rng.ExpFloat64()*2e4, rng.ExpFloat64()*2e5, rng.ExpFloat64()*2e3
		fmt.Fprintf(&b, "U%d%sP%d%sT%d%s20%02d-%02d-%02d\n", int(user), delimiter, int(url), delimiter, int(tag), delimiter,
			rng.IntN(10), 1+rng.IntN(12), 1+rng.IntN(28))
	}
	return b.Bytes()
}

func BenchmarkLoad(b *testing.B) {
	for _, ending := range []string{"tsv", "csv"} {
		b.Run(ending, func(b *testing.B) {
			text := taggings(500_000, map[string]string{"tsv": "\t", "csv": ","}[ending])
			dir := b.TempDir()
			write(b, dir, "t."+ending, text)
			s := spec("t."+ending, column("user"), column("url"), column("tag"), value("date", "day"))
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				check.OK(b, check.Err(new(tablefile.Reader).Load(b.Context(), universe(), s, dir, nil)))
			}
		})
	}
}

func BenchmarkLoad_Parquet(b *testing.B) {
	rows := randomTaggings(rand.New(rand.NewPCG(1, 0)), 200_000)
	for name, codec := range map[string]compress.Codec{"plain": &parquet.Uncompressed, "snappy": &parquet.Snappy, "zstd": &parquet.Zstd} {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			write(b, dir, "t.parquet", parquetOf(b, rows, parquet.Compression(codec)))
			s := spec("t.parquet", taggingColumns...)
			b.ReportAllocs()
			for b.Loop() {
				check.OK(b, check.Err(new(tablefile.Reader).Load(b.Context(), universe(), s, dir, nil)))
			}
		})
	}
}
