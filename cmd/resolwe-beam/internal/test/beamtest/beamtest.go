// Package beamtest creates sharded streams for tests.
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
	"resolwe/bench/demo"
	"resolwe/format/rsg"
	"resolwe/format/shards"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
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

// New creates a demo with a number of subgraphs, in a number of shards of random lengths.
func New(tb testing.TB, subgraphs, parts int, seed uint64) Demo {
	tb.Helper()
	task := demo.New()
	d := empty(tb, task.Model)
	declarations, _, _ := bytes.Cut([]byte(task.Model), []byte("template"))
	write(tb, d.Weighted, fmt.Appendf(declarations, "%g %s\n%g %s\n%g %s\n%g modifies(t, u)\n",
		task.Strengths[0], task.Planted[0], task.Strengths[1], task.Planted[1], task.Strengths[2], task.Planted[2], task.Base))
	d.fill(tb, streamtest.Demo(tb, d.Model, subgraphs, seed), parts, seed)
	return d
}

// Of creates a demo of a task and facts, without a weighted model.
func Of(tb testing.TB, task, db string, parts int, seed uint64) Demo {
	tb.Helper()
	d := empty(tb, task)
	d.fill(tb, streamtest.Subgraphs(tb, d.Model, db), parts, seed)
	return d
}

// empty returns a demo without a stream.
func empty(tb testing.TB, task string) Demo {
	tb.Helper()
	dir := tb.TempDir()
	d := Demo{
		Path: filepath.Join(dir, "task.mln"), Weighted: filepath.Join(dir, "weighted.mln"), Stream: filepath.Join(dir, "whole.rsg"),
		Folder: filepath.Join(dir, "shards"),
	}
	d.Glob = filepath.Join(d.Folder, "*.rsg")
	write(tb, d.Path, []byte(task))
	var err error
	if d.Model, err = resolwe.ReadModel(d.Path, resolwe.ModelOptions{}); err != nil {
		tb.Fatal(err)
	}
	return d
}

// fill writes the stream and its shards.
func (d *Demo) fill(tb testing.TB, subs []*subgraph.Subgraph, parts int, seed uint64) {
	tb.Helper()
	d.Manifest = &shards.Manifest{Format: shards.Format, Subgraphs: len(subs)}
	write(tb, d.Stream, streamtest.Pack(tb, d.Model.Schema, subs, rsg.WriterOptions{}))
	d.cut(tb, subs, parts, rand.New(rand.NewPCG(seed, 1)))
}

// cut writes the shards and their manifest.
func (d *Demo) cut(tb testing.TB, subs []*subgraph.Subgraph, parts int, rng *rand.Rand) {
	tb.Helper()
	check.OK(tb, os.Mkdir(d.Folder, 0o750))
	first := 0
	for i := range parts {
		left := len(subs) - first
		n := min(1+rng.IntN(2*left/(parts-i)), left-(parts-1-i))
		if i == parts-1 {
			n = left
		}
		data := streamtest.Pack(tb, d.Model.Schema, subs[first:first+n], rsg.WriterOptions{})
		name := fmt.Sprintf("shard-%05d-of-%05d.rsg", i, parts)
		write(tb, filepath.Join(d.Folder, name), data)
		sum := sha256.Sum256(data)
		d.Manifest.Shards = append(d.Manifest.Shards, shards.Shard{
			File: name, First: first, Subgraphs: n, Bytes: int64(len(data)), Work: int64(n), SHA256: hex.EncodeToString(sum[:]),
		})
		first += n
	}
	var b bytes.Buffer
	check.OK(tb, d.Manifest.Write(&b))
	write(tb, filepath.Join(d.Folder, "manifest.json"), b.Bytes())
}

func write(tb testing.TB, path string, data []byte) {
	tb.Helper()
	check.OK(tb, os.WriteFile(path, data, 0o600))
}
