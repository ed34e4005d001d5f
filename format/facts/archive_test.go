package facts_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"resolwe/format/facts"
	"resolwe/format/subgraph"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

// stream returns a text of several subgraphs, with ten facts for each entity of a type.
func stream(subgraphs, facts int) string {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for i := range subgraphs {
		fmt.Fprintf(&b, "@subgraph s%d center=U%d fold=%d\n", i, i, i%4)
		for range facts {
			fmt.Fprintf(&b, "articleEdit(A%d, U%d)\n", rng.IntN(facts/10), rng.IntN(facts/10))
		}
	}
	return b.String()
}

func TestReader_Archives(t *testing.T) {
	t.Parallel()
	text := stream(3, 5000)
	want := mustReadAll(t, strings.NewReader(text), "f.db", wiki)
	half := strings.Index(text, "@subgraph s1")
	skippable := []byte("\x51\x2a\x4d\x18\x03\x00\x00\x00abc")
	tests := []struct {
		name string
		file []byte
	}{
		{"gzip", archivetest.Gzip(text)},
		{"zstd", archivetest.Zstd(text)},
		{"two members of gzip", append(archivetest.Gzip(text[:half]), archivetest.Gzip(text[half:])...)},
		{"two frames of zstd", append(archivetest.Zstd(text[:half]), archivetest.Zstd(text[half:])...)},
		{"a skippable frame first", append(skippable, archivetest.Zstd(text)...)},
		{"byte order mark in zstd", archivetest.Zstd("\ufeff" + text)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := mustReadAll(t, iotest.HalfReader(bytes.NewReader(tt.file)), "any name", wiki)
			check.Equal(t, "result", got, want)
		})
	}
}

// TestReader_TruncatedArchive cuts archives everywhere behind the magic bytes.
func TestReader_TruncatedArchive(t *testing.T) {
	t.Parallel()
	text := stream(3, 20)
	tests := []struct {
		name  string
		file  []byte
		magic int
	}{
		{"gzip", archivetest.Gzip(text), 2},
		{"zstd", archivetest.Zstd(text), 4},
		{"zstd without checksum", archivetest.Zstd(text, zstd.WithEncoderCRC(false)), 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for n := tt.magic; n < len(tt.file); n++ {
				_, err := readAll(bytes.NewReader(tt.file[:n]), "f.db", wiki)
				var damage *facts.CorruptError
				if !errors.As(err, &damage) {
					t.Fatalf("%d of %d bytes: got %v, want a CorruptError", n, len(tt.file), err)
				}
				if damage.Offset != int64(n) || !errors.Is(err, io.ErrUnexpectedEOF) || !errors.Is(err, subgraph.ErrCorrupt) {
					t.Fatalf("%d of %d bytes: got offset %d, %v", n, len(tt.file), damage.Offset, err)
				}
			}
		})
	}
}

func TestReader_DamagedArchive(t *testing.T) {
	t.Parallel()
	text := stream(3, 5000)
	for name, file := range map[string][]byte{"gzip": archivetest.Gzip(text), "zstd": archivetest.Zstd(text)} {
		whole := len(file)
		file[whole*2/3] ^= 0x55
		_, err := readAll(bytes.NewReader(file), "f.db.gz", wiki)
		var damage *facts.CorruptError
		if !errors.As(err, &damage) {
			t.Fatalf("%s: got %v, want a CorruptError", name, err)
		}
		if damage.Path != "f.db.gz" || damage.Record == 0 || damage.Offset < int64(whole/2) || damage.Offset > int64(whole) {
			t.Errorf("%s of %d bytes, damaged at %d: got %+v", name, whole, whole*2/3, damage)
		}
	}
}

// TestReader_WrongTextInArchive holds that wrong text in a whole archive is not called damage.
func TestReader_WrongTextInArchive(t *testing.T) {
	t.Parallel()
	text := stream(1, 5000) + "admin(u1)\n" + stream(1, 5000)
	for name, file := range map[string][]byte{"gzip": archivetest.Gzip(text), "zstd": archivetest.Zstd(text)} {
		_, err := readAll(bytes.NewReader(file), "f.db.gz", wiki)
		var input facts.InputError
		if !errors.As(err, &input) || input.Pos.Line != 5002 {
			t.Errorf("%s: got %v, want an InputError", name, err)
		}
	}
}

// TestReader_BrokenFile holds that an archive whose file cannot be read is not called damaged.
func TestReader_BrokenFile(t *testing.T) {
	t.Parallel()
	broken := errors.New("cable pulled")
	for name, file := range map[string][]byte{"gzip": archivetest.Gzip(stream(1, 50)), "zstd": archivetest.Zstd(stream(1, 50))} {
		_, err := readAll(io.MultiReader(bytes.NewReader(file[:len(file)/2]), iotest.ErrReader(broken)), "f.db", wiki)
		if !errors.Is(err, broken) || errors.Is(err, subgraph.ErrCorrupt) {
			t.Errorf("%s: got %v, want %v", name, err, broken)
		}
	}
}
