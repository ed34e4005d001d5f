package streamtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/internal/wire"
)

// Parse reads a model.
func Parse(tb testing.TB, text string) *resolwe.Model {
	tb.Helper()
	m, err := resolwe.ParseModel("task.mln", []byte(text), resolwe.ModelOptions{})
	check.OK(tb, err)
	return m
}

// Subgraphs reads .db text.
func Subgraphs(tb testing.TB, m *resolwe.Model, db string) []*subgraph.Subgraph {
	tb.Helper()
	r, err := facts.NewReader(strings.NewReader(db), "facts.db", m.Schema)
	check.OK(tb, err)
	var out []*subgraph.Subgraph
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		check.OK(tb, err)
		out = append(out, s)
	}
}

// InMemory makes a stream of .db text.
func InMemory(tb testing.TB, m *resolwe.Model, db string) *resolwe.Stream {
	tb.Helper()
	return resolwe.NewStream(m, Subgraphs(tb, m, db))
}

// Pack writes subgraphs as an .rsg file.
func Pack(tb testing.TB, schema *mln.Schema, subs []*subgraph.Subgraph, opt rsg.WriterOptions) []byte {
	tb.Helper()
	var b bytes.Buffer
	w, err := rsg.NewWriter(&b, schema, opt)
	check.OK(tb, err)
	for _, s := range subs {
		check.OK(tb, w.Write(s))
	}
	check.OK(tb, w.Close())
	return b.Bytes()
}

// File writes a file with a name in a folder; a new folder if dir is "".
func File(tb testing.TB, dir, name string, data []byte) string {
	tb.Helper()
	if dir == "" {
		dir = tb.TempDir()
	}
	path := filepath.Join(dir, name)
	check.OK(tb, os.WriteFile(path, data, 0o600))
	return path
}

// Open opens a stream, until the test ends.
func Open(tb testing.TB, m *resolwe.Model, opt resolwe.StreamOptions, paths ...string) *resolwe.Stream {
	tb.Helper()
	s, err := resolwe.OpenStream(m, paths, opt)
	check.OK(tb, err)
	tb.Cleanup(func() {
		check.OK(tb, s.Close())
	})
	return s
}

// Contents returns the subgraphs of a stream as the model sees them, as text.
func Contents(tb testing.TB, m *resolwe.Model, s *resolwe.Stream) ([]string, error) {
	tb.Helper()
	var out []string
	err := resolwe.Each(tb.Context(), s, resolwe.Run{}, func(sub *subgraph.Subgraph) error {
		var b strings.Builder
		fmt.Fprintf(&b, "// %d\n", sub.Index)
		err := facts.Write(&b, sub, m.Schema)
		out = append(out, b.String())
		return err
	})
	return out, err
}

// Random returns a random task.
func Random(seed uint64, opt oracle.TaskOptions) (model, db string) {
	return oracle.RandomTask(rand.New(rand.NewPCG(seed, 17)), opt)
}

// Worlds returns the naive view of subgraphs, for a stage that computes with the model's formulas.
func Worlds(m *resolwe.Model, subs []*subgraph.Subgraph) []*oracle.World {
	out := make([]*oracle.World, len(subs))
	for i, s := range subs {
		out[i] = oracle.NewWorld(m.Schema, m.Schema.Domains(m.Constants, m.Formulas), s)
	}
	return out
}

// Rules prints formulas with their weights.
func Rules(formulas []*mln.Formula) []string {
	out := make([]string, len(formulas))
	for i, f := range formulas {
		out[i] = mln.FormatRule(f)
	}
	return out
}

// Reseal replaces the checksum of changed bytes by the correct one.
func Reseal(data []byte) []byte { return wire.Seal(slices.Clone(wire.Unsealed(data))) }

// Unweighted returns the model's formulas as candidates.
func Unweighted(m *resolwe.Model) (out []*mln.Formula) {
	for _, f := range m.Formulas {
		g := *f
		g.Weight, g.HasWeight = 0, false
		out = append(out, &g)
	}
	return out
}

// Try returns the value of a call that must not fail, in an example.
func Try[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Tied is a task whose atoms are tied, with a formula without a weight.
const Tied = `e(a, a)
target q(a)
e(x, y) ^ q(x) => q(y)
0.7 e(x, y) ^ q(x) ^ q(y)
`

// TiedDB returns n subgraphs of random facts for Tied.
func TiedDB(n int) string {
	r := rand.New(rand.NewPCG(5, 0))
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "@subgraph s%d\n", i)
		for x := range 8 {
			fmt.Fprintf(&b, "e(A%d, A%d)\ne(A%d, A%d)\n", x, r.IntN(8), x, (x+1)%8)
			if r.IntN(2) == 0 {
				fmt.Fprintf(&b, "q(A%d)\n", x)
			}
		}
	}
	return b.String()
}
