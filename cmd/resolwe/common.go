package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/alecthomas/kong"
	"github.com/pkg/profile"

	"resolwe"
	"resolwe/internal/atomicfile"
	"resolwe/internal/progress"
	"resolwe/internal/spool"
	"resolwe/kernels/mcsat"
)

// Common are the options of all commands.
type Common struct {
	Workers    int           `help:"Goroutines that work on subgraphs; 0 for one on each core. Results do not depend on it." default:"0" placeholder:"N"`
	Seed       uint64        `help:"Seed of all random numbers." default:"1"`
	Profile    string        `help:"Write a profile for pprof: ${enum}." enum:"none,cpu,mem,mutex,block,trace" default:"none"`
	ProfileDir string        `help:"Folder for the profile." default:"." type:"path"`
	LogLevel   slog.Level    `help:"Least level of messages: debug, info, warn or error." default:"info"`
	Progress   progress.Mode `help:"Progress on standard error: ${enum}." enum:"auto,never" default:"auto"`
}

// maxWorkers bounds --workers: each has memory of its own.
const maxWorkers = 4096

// vars are the defaults that help texts show.
func vars() kong.Vars {
	d := mcsat.DefaultOptions()
	return kong.Vars{
		"samples": strconv.Itoa(d.Samples), "burnin": strconv.Itoa(d.BurnIn), "sweeps": strconv.Itoa(d.Sweeps),
	}
}

// environment is what commands run in.
type environment struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	common         *Common
	log            *slog.Logger
	profile        interface{ Stop() }
	meter          *progress.Meter
}

// start applies the common options.
func (e *environment) start() error {
	e.log = slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: e.common.LogLevel}))
	if e.common.Workers < 0 || e.common.Workers > maxWorkers {
		return usageError(fmt.Sprintf("--workers: 0 to %d", maxWorkers))
	}
	modes := map[string]func(*profile.Profile){
		"cpu": profile.CPUProfile, "mem": profile.MemProfile, "mutex": profile.MutexProfile,
		"block": profile.BlockProfile, "trace": profile.TraceProfile,
	}
	if mode, ok := modes[e.common.Profile]; ok {
		e.profile = profile.Start(mode, profile.ProfilePath(e.common.ProfileDir), profile.NoShutdownHook, profile.Quiet)
	}
	return nil
}

// stop ends progress and profile. It may be called more than once.
func (e *environment) stop() {
	e.endProgress()
	if e.profile != nil {
		e.profile.Stop()
		e.profile = nil
	}
}

// run returns how to carry out a computation over so many subgraphs, -1 where that is not known, with its progress.
func (e *environment) run(what string, total int) resolwe.Run {
	e.endProgress()
	e.meter = progress.New(progress.Options{Mode: e.common.Progress, Writer: e.stderr, Log: e.log, Now: time.Now}, what, "subgraphs", int64(total))
	return resolwe.Run{
		Workers: e.common.Workers, Labels: e.common.Profile == "cpu",
		Progress: func(n int) { e.meter.Add(int64(n)) },
	}
}

func (e *environment) endProgress() {
	if e.meter != nil {
		e.meter.Close()
		e.meter = nil
	}
}

// results runs write, and hands what it wrote to standard output only when all of it is there.
func (e *environment) results(write func(io.Writer) error) (err error) {
	var s spool.Spool
	defer func() { err = errors.Join(err, s.Close()) }()
	w := bufio.NewWriter(&s)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	e.endProgress()
	_, err = s.WriteTo(e.stdout)
	return err
}

// json writes a value as JSON to standard output.
func (e *environment) json(v any) error {
	return e.results(func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		return enc.Encode(v)
	})
}

// file writes an output file, which appears complete or not at all.
func (e *environment) file(path string, inputs []string, write func(io.Writer) error) error {
	if err := atomicfile.SameFile(path, inputs); err != nil {
		return err
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return usageError(err.Error())
	}
	defer f.Abort()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}

// number is a float that is null in JSON, and a dash in text, where it is undefined.
type number float64

func (n number) undefined() bool { return math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) }

// MarshalJSON prints the number.
func (n number) MarshalJSON() ([]byte, error) {
	if n.undefined() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// String prints the number for people.
func (n number) String() string {
	if n.undefined() {
		return "-"
	}
	return strconv.FormatFloat(float64(n), 'f', 4, 64)
}

// modelArg is a model on the command line.
type modelArg struct {
	Model  string   `arg:"" help:"Task file (.mln)."`
	Target []string `help:"Target predicates, for a model that marks none." short:"q" placeholder:"P,Q"`
	CNF    bool     `help:"Split formulas into clauses that share the weight, as Alchemy does." name:"cnf"`
}

func (a *modelArg) read(e *environment) (*resolwe.Model, error) {
	m, err := resolwe.ReadModel(a.Model, resolwe.ModelOptions{Targets: a.Target, CNF: a.CNF})
	if p := (*os.PathError)(nil); errors.As(err, &p) {
		return nil, usageError(err.Error())
	}
	if err != nil {
		return nil, err
	}
	for _, w := range m.Warnings {
		e.log.Warn(w.String())
	}
	return m, nil
}

// streamArg is a stream on the command line.
type streamArg struct {
	Stream      []string `help:"Subgraphs: .rsg or .db files (also .gz, .zst), globs, a folder, or - for standard input." required:"" placeholder:"S"`
	SkipDamaged bool     `help:"Leave out damaged subgraphs, and say how many."`
}

func (a *streamArg) open(e *environment, m *resolwe.Model, names bool) (*resolwe.Stream, error) {
	return resolwe.OpenStream(m, a.Stream, resolwe.StreamOptions{Names: names, SkipDamaged: a.SkipDamaged, Stdin: e.stdin})
}

// close closes a stream, and says what was left out of it.
func (e *environment) close(s *resolwe.Stream) {
	if n := s.Skipped(); n > 0 {
		e.log.Warn("damaged subgraphs were skipped", "number", n)
	}
	if err := s.Close(); err != nil {
		e.log.Warn(err.Error())
	}
}

// unweighted warns of formulas that count as weight 0.
func (e *environment) unweighted(m *resolwe.Model) {
	n := 0
	for _, f := range m.Formulas {
		if !f.HasWeight && !f.Hard {
			n++
		}
	}
	if n > 0 {
		e.log.Warn("formulas without a weight count as weight 0", "number", n)
	}
}
