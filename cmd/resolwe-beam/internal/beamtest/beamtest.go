// Package beamtest makes streams that are cut into shards, for tests.
package beamtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"resolwe"
	"resolwe/bench"
	"resolwe/format/mln"
	"resolwe/format/shards"
	"resolwe/format/subgraph"
)

// Demo is a generated task: its model, its stream in one file and in shards.
type Demo struct {
	Model    *resolwe.Model
	Path     string // of the model
	Weighted string // path of a model with the planted formulas and their weights
	Stream   string // path of the whole stream
	Folder   string // of the shards and their manifest
	Glob     string // of the shards
	Manifest *shards.Manifest
}

// New makes a demo of so many subgraphs in so many shards of random lengths.
func New(tb testing.TB, subgraphs, parts int, seed uint64) Demo {
	tb.Helper()
	dir := tb.TempDir()
	demo := bench.NewDemo()
	d := Demo{
		Path: filepath.Join(dir, "task.mln"), Weighted: filepath.Join(dir, "weighted.mln"), Stream: filepath.Join(dir, "whole.rsg"),
		Folder: filepath.Join(dir, "shards"), Manifest: &shards.Manifest{Format: shards.Format, Subgraphs: subgraphs},
	}
	d.Glob = filepath.Join(d.Folder, "*.rsg")
	write(tb, d.Path, []byte(demo.Model))
	var err error
	if d.Model, err = resolwe.ReadModel(d.Path, resolwe.ModelOptions{}); err != nil {
		tb.Fatal(err)
	}
	declarations, _, _ := bytes.Cut([]byte(demo.Model), []byte("template"))
	write(tb, d.Weighted, fmt.Appendf(declarations, "%g %s\n%g %s\n%g %s\n%g modifies(t, u)\n",
		demo.Strengths[0], demo.Planted[0], demo.Strengths[1], demo.Planted[1], demo.Strengths[2], demo.Planted[2], demo.Base))
	var subs []*subgraph.Subgraph
	for s, err := range demo.Generate(d.Model.Schema, bench.DemoOptions{Subgraphs: subgraphs, Seed: seed}) {
		if err != nil {
			tb.Fatal(err)
		}
		subs = append(subs, s)
	}
	write(tb, d.Stream, pack(tb, d.Model.Schema, subs))
	d.cut(tb, subs, parts, rand.New(rand.NewPCG(seed, 1)))
	return d
}

// cut writes the shards and their manifest.
func (d *Demo) cut(tb testing.TB, subs []*subgraph.Subgraph, parts int, rng *rand.Rand) {
	tb.Helper()
	if err := os.Mkdir(d.Folder, 0o750); err != nil {
		tb.Fatal(err)
	}
	first := 0
	for i := range parts {
		left := len(subs) - first
		n := min(1+rng.IntN(2*left/(parts-i)), left-(parts-1-i))
		if i == parts-1 {
			n = left
		}
		data := pack(tb, d.Model.Schema, subs[first:first+n])
		name := fmt.Sprintf("shard-%05d-of-%05d.rsg", i, parts)
		write(tb, filepath.Join(d.Folder, name), data)
		sum := sha256.Sum256(data)
		d.Manifest.Shards = append(d.Manifest.Shards, shards.Shard{
			File: name, First: first, Subgraphs: n, Bytes: int64(len(data)), Work: int64(n), SHA256: hex.EncodeToString(sum[:]),
		})
		first += n
	}
	var b bytes.Buffer
	if err := d.Manifest.Write(&b); err != nil {
		tb.Fatal(err)
	}
	write(tb, filepath.Join(d.Folder, "manifest.json"), b.Bytes())
}

// pack returns subgraphs as a stream.
func pack(tb testing.TB, schema *mln.Schema, subs []*subgraph.Subgraph) []byte {
	tb.Helper()
	var b bytes.Buffer
	w, err := subgraph.NewWriter(&b, schema, subgraph.WriterOptions{})
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

func write(tb testing.TB, path string, data []byte) {
	tb.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		tb.Fatal(err)
	}
}
