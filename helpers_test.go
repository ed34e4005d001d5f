package resolwe_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"resolwe"
	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/naive"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func parse(tb testing.TB, text string) *resolwe.Model {
	tb.Helper()
	m, err := resolwe.ParseModel("task.mln", []byte(text), resolwe.ModelOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// subgraphs reads .db text.
func subgraphs(tb testing.TB, m *resolwe.Model, db string) []*subgraph.Subgraph {
	tb.Helper()
	r, err := facts.NewReader(strings.NewReader(db), "facts.db", m.Schema)
	if err != nil {
		tb.Fatal(err)
	}
	var out []*subgraph.Subgraph
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, s)
	}
}

func inMemory(tb testing.TB, m *resolwe.Model, db string) *resolwe.Stream {
	tb.Helper()
	return resolwe.NewStream(m, subgraphs(tb, m, db))
}

func pack(tb testing.TB, schema *mln.Schema, subs []*subgraph.Subgraph, opt subgraph.WriterOptions) []byte {
	tb.Helper()
	var b bytes.Buffer
	w, err := subgraph.NewWriter(&b, schema, opt)
	if err != nil {
		tb.Fatal(err)
	}
	for _, s := range subs {
		if err := w.Write(s); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(tb testing.TB, data []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func zstdPacked(tb testing.TB, data []byte) []byte {
	tb.Helper()
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		tb.Fatal(err)
	}
	return w.EncodeAll(data, nil)
}

// file writes a file of that name in a folder, a new one where dir is "".
func file(tb testing.TB, dir, name string, data []byte) string {
	tb.Helper()
	if dir == "" {
		dir = tb.TempDir()
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

func open(tb testing.TB, m *resolwe.Model, opt resolwe.StreamOptions, paths ...string) *resolwe.Stream {
	tb.Helper()
	s, err := resolwe.OpenStream(m, paths, opt)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// contents returns the subgraphs of a stream as the model sees them, as text.
func contents(tb testing.TB, m *resolwe.Model, s *resolwe.Stream) ([]string, error) {
	tb.Helper()
	var out []string
	err := resolwe.Each(tb.Context(), s, resolwe.Run{}, func(sub *subgraph.Subgraph) error {
		var b strings.Builder
		fmt.Fprintf(&b, "// %d\n", sub.Index)
		err := sub.WriteText(&b, m.Schema)
		out = append(out, b.String())
		return err
	})
	return out, err
}

// random returns a random task.
func random(seed uint64, opt naive.TaskOptions) (model, db string) {
	return naive.RandomTask(rand.New(rand.NewPCG(seed, 17)), opt)
}

// worlds returns the naive view of subgraphs.
func worlds(m *resolwe.Model, subs []*subgraph.Subgraph) []*naive.World {
	out := make([]*naive.World, len(subs))
	for i, s := range subs {
		out[i] = naive.NewWorld(m.Schema, m.Constants, s)
	}
	return out
}

// rules prints formulas with their weights.
func rules(formulas []*mln.Formula) []string {
	out := make([]string, len(formulas))
	for i, f := range formulas {
		out[i] = mln.FormatRule(f)
	}
	return out
}
