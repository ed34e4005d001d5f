package facts_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"resolwe/format/facts"
	"resolwe/internal/test/archivetest"
)

// go test -run - -bench Reader -benchmem ./format/facts.
func BenchmarkReader(b *testing.B) {
	small, large := stream(1000, 200), stream(1, 200000)
	for _, bb := range []struct {
		name string
		text string
		file []byte
	}{
		{"subgraphs=1000/pack=none", small, []byte(small)},
		{"subgraphs=1/pack=none", large, []byte(large)},
		{"subgraphs=1000/pack=gzip", small, archivetest.Gzip(small)},
		{"subgraphs=1000/pack=zstd", small, archivetest.Zstd(small)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.text)))
			b.ReportAllocs()
			for b.Loop() {
				drain(b, bytes.NewReader(bb.file))
			}
		})
	}
}

func drain(b *testing.B, file io.Reader) {
	b.Helper()
	r, err := facts.NewReader(file, "f.db", wiki)
	for err == nil {
		_, err = r.Next()
	}
	if !errors.Is(err, io.EOF) {
		b.Fatal(err)
	}
}
