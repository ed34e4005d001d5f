package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync/atomic"

	"resolwe"
	"resolwe/cmd/internal/console"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
	"resolwe/internal/atomicfile"
	"resolwe/internal/machine"
	"resolwe/internal/render"

	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
	"resolwe/cmd/resolwe-beam/stage"
)

// Common are the options of all commands.
type Common struct {
	Workers  int          `help:"Goroutines that work on subgraphs on each machine, at most 4096; 0 for one per core. Results do not depend on it. For the command worker: processes at a time, 0 for four per core." default:"0" placeholder:"N" group:"common"`
	Seed     uint64       `help:"Seed of all random numbers; 0 stands for 1." default:"1" group:"common"`
	Memory   machine.Size `help:"Memory limit of this program and of each worker, without mapped shards, such as 512MiB or 4GiB; by default GOMEMLIMIT, or else what the machine has. A command that needs more ends with status 4." placeholder:"SIZE" group:"common"`
	LogLevel slog.Level   `help:"Show messages of this level and above: debug, info, warn or error; debug shows what workers counted." default:"info" group:"common"`

	Runner   string `help:"Where jobs run: ${enum}. local is this process, which opens no port; universal is any Beam runner, at --endpoint." enum:"local,universal,dataflow" default:"local" group:"beam"`
	Endpoint string `help:"Job service of the runner universal." placeholder:"HOST:PORT" group:"beam"`
	Work     string `help:"Folder for intermediate results, on any file system, which the workers must be able to reach." placeholder:"DIR" group:"beam"`
	Retries  int    `help:"How often to repeat a failed job." default:"0" placeholder:"N" group:"beam"`
	Element  int    `help:"Maximum number of subgraphs in an element of the pipeline; 0 for whole shards." default:"0" placeholder:"N" group:"beam"`
}

// environment is the context in which commands run.
type environment struct {
	console.Paths

	stdout io.Writer
	common *Common
	log    *slog.Logger
	over   context.CancelCauseFunc    // ends the command if it takes too much memory
	used   atomic.Pointer[job.Runner] // nil until it has been created
}

func newEnvironment(c *Common, stdout, stderr io.Writer) *environment {
	return &environment{
		stdout: stdout, common: c, log: slog.New(console.NewMessages("resolwe-beam", stderr, c.LogLevel)),
	}
}

// runner creates the runner for the jobs.
func (e *environment) runner() (*job.Runner, error) {
	c := e.common
	if err := flags.CheckWorkers(c.Workers); err != nil {
		return nil, err
	}
	switch {
	case c.Retries < 0:
		return nil, &resolwe.OptionError{Option: "--retries", Reason: "at least 0"}
	case c.Element < 0:
		return nil, &resolwe.OptionError{Option: "--element", Reason: "at least 0"}
	}
	r := &job.Runner{Name: c.Runner, Endpoint: c.Endpoint, Work: c.Work, Retries: c.Retries, Log: e.log}
	err := r.Start()
	e.used.Store(r)
	job.BoundMemory(c.Memory, e.over) // from here on the runner can be abandoned, since it has its folder
	return r, err
}

// abandon removes temporary files when a command is given up.
func (e *environment) abandon() {
	if r := e.used.Load(); r != nil {
		_ = r.Abandon() // nothing more can be done
	}
}

// modelArg is a model on the command line.
type modelArg struct {
	Model  string   `arg:"" help:"Task file (.mln)."`
	Target []string `help:"Target predicates, for a model that marks none." short:"q" placeholder:"P"`
	CNF    bool     `help:"Split formulas into clauses that share the weight, as Alchemy does." name:"cnf"`
}

// streamArg is a stream on the command line.
type streamArg struct {
	Stream      []string `help:"Shards (.rsg): a manifest or its folder; or files and quoted globs, which follow one another. Also gs://.. and s3://.." required:"" placeholder:"S"`
	SkipDamaged bool     `help:"Skip damaged subgraphs, and say how many."`
}

// input is a model and the shards of a stream, with what workers need to know about them, and the runner.
type input struct {
	model  *resolwe.Model
	task   stage.Task
	shards []shard.Shard
	runner *job.Runner
	close  func()
}

// open starts the runner, reads a model, and finds the shards of a stream. Before any work it checks that the outputs, "" for none, can be
// written. The caller closes the input.
func (e *environment) open(ctx context.Context, ma *modelArg, sa *streamArg, outputs ...string) (*input, error) {
	r, err := e.runner()
	if err != nil {
		return nil, err
	}
	in := &input{runner: r, close: func() {
		if err := r.Close(); err != nil {
			e.log.Warn(err.Error())
		}
	}}
	err = e.read(ctx, in, ma, sa)
	for _, path := range outputs {
		if err == nil {
			err = e.output(path)
		}
	}
	if err != nil {
		in.close()
		return nil, err
	}
	return in, nil
}

// read reads a model, and finds the shards of a stream.
func (e *environment) read(ctx context.Context, in *input, ma *modelArg, sa *streamArg) error {
	var constants map[string][]string
	opt := resolwe.ModelOptions{Targets: ma.Target, CNF: ma.CNF}
	opt.Constants = func(m *resolwe.Model, types []int) ([][]string, error) {
		lists, err := sa.constants(ctx, m, types, resolwe.Run{Workers: e.common.Workers})
		constants = map[string][]string{}
		for i, list := range lists {
			constants[m.Schema.Types[types[i]]] = list
		}
		return lists, err
	}
	m, err := resolwe.ReadModel(ma.Model, opt)
	if err != nil {
		return err
	}
	report.Warn(e.log, m.Warnings)
	if in.task, err = stage.NewTask(m, opt, e.common.Workers, sa.SkipDamaged); err != nil {
		return err
	}
	in.model, in.task.Constants, in.task.Memory = m, constants, uint64(e.common.Memory)
	list, err := shard.Find(ctx, sa.Stream)
	if err != nil {
		return err
	}
	if in.shards, err = stage.Measure(ctx, in.runner, in.task, list); err != nil {
		return err
	}
	return e.reads(ctx, m, sa, in.shards)
}

// constants returns, for each of some types, the sorted names of its entities in all shards. This process reads the shards for that, before
// any job.
func (a *streamArg) constants(ctx context.Context, m *resolwe.Model, types []int, run resolwe.Run) ([][]string, error) {
	list, err := shard.Find(ctx, a.Stream)
	if err != nil {
		return nil, err
	}
	out := make([][]string, len(types))
	for _, s := range list {
		o, err := s.Open(ctx, m, resolwe.StreamOptions{Names: true, SkipDamaged: a.SkipDamaged})
		if err != nil {
			return nil, err
		}
		lists, err := o.Constants(ctx, types, run)
		if err = errors.Join(err, o.Close()); err != nil {
			return nil, err
		}
		for i, list := range lists {
			out[i] = append(out[i], list...)
			slices.Sort(out[i])
			out[i] = slices.Compact(out[i])
		}
	}
	return out, nil
}

// reads records the local files that a command reads, which no output may replace.
func (e *environment) reads(ctx context.Context, m *resolwe.Model, sa *streamArg, list []shard.Shard) error {
	paths := m.Files()
	if manifest := shard.Manifest(ctx, sa.Stream); manifest != "" {
		paths = append(paths, manifest)
	}
	for _, s := range list {
		paths = append(paths, s.Path)
	}
	return e.Reads(slices.DeleteFunc(paths, shard.IsRemote)...)
}

// skipped reports how many subgraphs were left out.
func (e *environment) skipped(n uint64) {
	if n > 0 {
		e.log.Warn("damaged subgraphs were skipped", "number", n)
	}
}

// output checks, before any work, that a file can be written and replaces neither an input nor another output.
func (e *environment) output(path string) error {
	if path == "" || shard.IsRemote(path) {
		return nil
	}
	if err := e.Writes(path); err != nil {
		return err
	}
	probe, err := atomicfile.Create(path)
	if err != nil {
		return &resolwe.PathError{Path: path, Err: errors.Unwrap(err)}
	}
	probe.Abort()
	return nil
}

// write writes a file on any file system, whole or not at all; for "" it does nothing.
func (e *environment) write(ctx context.Context, path string, write func(io.Writer) error) error {
	if path == "" {
		return nil
	}
	return job.Write(ctx, path, write)
}

// resultArgs say how to print results.
type resultArgs struct{ report.Args }

// print prints results: as JSON with --json, otherwise as text.
func (a *resultArgs) print(w io.Writer, d *render.Document) error {
	var b bytes.Buffer
	write := d.Text
	if a.JSON {
		write = d.JSON
	}
	if err := write(&b); err != nil {
		return err
	}
	_, err := b.WriteTo(w)
	return err
}
