package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"resolwe"
	"resolwe/bench/demo"
	"resolwe/format/rsg"
)

// data is a task, its stream in shards, and models with weights.
type data struct {
	task, shards      string
	independent, tied string // models whose query atoms are not tied to one another, and are
	samples           int    // of infer and eval
}

// The size of the stream that is generated.
const (
	subgraphs = 120
	shards    = 12
)

// generate makes a small task with planted formulas.
func generate(ctx context.Context, dir, local string) (*data, error) {
	task := demo.New()
	d := &data{
		task: filepath.Join(dir, "task.mln"), shards: filepath.Join(dir, "shards"),
		independent: filepath.Join(dir, "independent.mln"), tied: filepath.Join(dir, "tied.mln"),
	}
	m, err := resolwe.ParseModel(d.task, []byte(task.Model), resolwe.ModelOptions{})
	if err != nil {
		return nil, err
	}
	var stream bytes.Buffer
	w, err := rsg.NewWriter(&stream, m.Schema, rsg.WriterOptions{})
	if err != nil {
		return nil, err
	}
	for s, err := range task.Generate(m.Schema, demo.Options{Subgraphs: subgraphs, Seed: 1}) {
		if err != nil {
			return nil, err
		}
		if err := w.Write(s); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	declarations, _, _ := bytes.Cut([]byte(task.Model), []byte("template"))
	independent := fmt.Appendf(slices.Clip(declarations), "%g %s\n%g %s\n%g modifies(t, u)\n",
		task.Strengths[0], task.Planted[0], task.Strengths[1], task.Planted[1], task.Base)
	whole := filepath.Join(dir, "whole.rsg")
	for path, content := range map[string][]byte{
		d.task: []byte(task.Model), whole: stream.Bytes(), d.independent: independent,
		d.tied: fmt.Appendf(slices.Clip(independent), "%g %s\n", task.Strengths[2], task.Planted[2]),
	} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return nil, err
		}
	}
	pack := exec.CommandContext(ctx, local, "pack", d.task, whole, "--shards", strconv.Itoa(shards), "-o", d.shards) //nolint:gosec // built here
	if out, err := pack.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("resolwe pack: %w: %s", err, out)
	}
	return d, nil
}

// build compiles resolwe and resolwe-beam.
func build(ctx context.Context, dir string) (local, beam string, err error) {
	local, beam = filepath.Join(dir, "resolwe"), filepath.Join(dir, "resolwe-beam")
	for _, c := range []struct{ path, module, main string }{{local, "../..", "./cmd/resolwe"}, {beam, ".", "."}} {
		b := exec.CommandContext(ctx, "go", "build", "-o", c.path, c.main) //nolint:gosec // constants
		b.Dir = c.module
		if out, err := b.CombinedOutput(); err != nil {
			return "", "", fmt.Errorf("go build %s: %w: %s", c.main, err, out)
		}
	}
	return local, beam, nil
}
