package workload

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"time"

	"resolwe"
	"resolwe/format/subgraph"
	"resolwe/internal/machine"
	"resolwe/kernels/join"
)

// Source is a task, and how to open its stream.
type Source struct {
	Model *resolwe.Model
	Open  func() (*resolwe.Stream, error)
}

// Options say how to run a workload.
type Options struct {
	Subgraphs int    // how many to use, from the beginning of the stream; 0 for all
	Workers   int    // 0 for GOMAXPROCS
	Runs      int    // timed runs, at least 1; one more before them is not timed
	Done      func() // called after each run; may be nil
}

// withDefaults checks the options and puts values for what is left open.
func (o Options) withDefaults() (Options, error) {
	switch {
	case o.Subgraphs < 0:
		return o, &resolwe.OptionError{Option: "--k2", Reason: "at least 0"}
	case o.Runs < 1:
		return o, &resolwe.OptionError{Option: "--runs", Reason: "at least 1"}
	}
	if o.Subgraphs == 0 {
		o.Subgraphs = math.MaxInt
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Done == nil {
		o.Done = func() {}
	}
	return o, nil
}

// Report is what a workload cost.
type Report struct {
	Subgraphs  int
	Workers    int
	Runs       int
	Bytes      int64     // of mapped files in which the subgraphs lie, 0 where the stream is not mapped
	Stages     []Stage   // open, the main one, and pass unless Bytes is 0
	Groundings uint64    // that the candidates select; 0 for a workload without candidates
	Work       join.Work // of the kernels
	Peak       uint64    // the most bytes that the program held itself; mapped pages are the system's
	Ratio      Spread    // wall time of the main stage over that of the plain pass, run by run; NaN without a pass
}

// Stage is a part of a workload.
type Stage struct {
	Name string
	Wall Spread // seconds
	CPU  Spread // seconds of all cores, of the program and of the system for it; NaN where that is not known
}

// Main returns the stage that the workload is about.
func (r *Report) Main() *Stage { return &r.Stages[1] }

// PerSecond divides an amount by the median wall time of the main stage.
func (r *Report) PerSecond(amount float64) float64 { return amount / r.Main().Wall.Median }

// PerCPUSecond divides an amount by the median CPU time of the main stage: a rate for each core. It is NaN where the CPU
// time is not known.
func (r *Report) PerCPUSecond(amount float64) float64 { return amount / r.Main().CPU.Median }

// Spread is a figure measured in several runs. All three are NaN where there were none.
type Spread struct {
	Median, Least, Most float64
}

// newSpread sums up the figures of runs, divided run by run by others unless these are nil.
func newSpread(runs, by []float64) Spread {
	n := len(runs)
	if n == 0 {
		return Spread{math.NaN(), math.NaN(), math.NaN()}
	}
	s := slices.Clone(runs)
	for i := range by {
		s[i] /= by[i]
	}
	slices.Sort(s)
	return Spread{Median: (s[(n-1)/2] + s[n/2]) / 2, Least: s[0], Most: s[n-1]}
}

// clock collects what a part costs, by run, in seconds.
type clock struct{ wall, cpu []float64 }

// run does the part once.
func (c *clock) run(f func() error) error {
	cpu, start := cpuSeconds(), time.Now()
	err := f()
	c.wall = append(c.wall, time.Since(start).Seconds())
	c.cpu = append(c.cpu, cpuSeconds()-cpu)
	return err
}

// Select times the selection of the model's candidates by the paper's criterion. Its stages are open, which maps the
// files and checks that they fit, select, which reads and counts, and pass, which adds up the words of the same bytes on
// one core; the last is missing where the stream is not mapped.
func Select(ctx context.Context, src Source, opt Options) (*Report, error) {
	return src.measure(ctx, opt, "select", func(s *resolwe.Stream, opt *Options, r *Report) error {
		sel, err := selectOn(ctx, src.Model, s, opt)
		if err != nil {
			return err
		}
		r.Subgraphs, r.Work, r.Groundings = sel.Subgraphs, sel.Work, 0
		for i := range sel.Candidates {
			r.Groundings += sel.Candidates[i].Joint.Selected
		}
		return nil
	})
}

// selectOn selects with the paper's parameters.
func selectOn(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt *Options) (*resolwe.Selection, error) {
	o := resolwe.SelectOptions{Criterion: resolwe.Paper, Subgraphs: opt.Subgraphs}
	o.Run.Workers = opt.Workers
	return resolwe.Select(ctx, m, s, o)
}

// Read times the reading of whole subgraphs, whose every part is checked. Its stages are those of [Select], with read in
// place of select.
func Read(ctx context.Context, src Source, opt Options) (*Report, error) {
	return src.measure(ctx, opt, "read", func(s *resolwe.Stream, opt *Options, r *Report) error {
		r.Subgraphs = 0
		return resolwe.Each(ctx, s.Range(0, opt.Subgraphs), resolwe.Run{Workers: opt.Workers}, func(*subgraph.Subgraph) error {
			r.Subgraphs++
			return nil
		})
	})
}

// measure runs a workload, whose main stage is work.
func (src *Source) measure(
	ctx context.Context, opt Options, name string, work func(*resolwe.Stream, *Options, *Report) error,
) (*Report, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	r := &Report{Workers: opt.Workers, Runs: opt.Runs}
	extents, err := src.extents(opt.Subgraphs)
	if err != nil {
		return nil, err
	}
	for _, e := range extents {
		r.Bytes += e.bytes
	}
	var open, main, pass clock
	once := func() error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		runtime.GC() // what earlier runs have left is not this one's to clear
		err := src.run(&open, &main, func(s *resolwe.Stream) error { return work(s, &opt, r) })
		if err == nil && r.Bytes > 0 {
			err = pass.run(func() error { return plainPass(extents) })
		}
		opt.Done()
		return err
	}
	if r.Peak, err = peak(once); err != nil {
		return nil, err
	}
	open, main, pass = clock{}, clock{}, clock{}
	for range opt.Runs {
		if err := once(); err != nil {
			return nil, err
		}
	}
	for _, s := range []struct {
		name string
		of   *clock
	}{{"open", &open}, {name, &main}, {"pass", &pass}} {
		if len(s.of.wall) > 0 {
			r.Stages = append(r.Stages, Stage{s.name, newSpread(s.of.wall, nil), newSpread(s.of.cpu, nil)})
		}
	}
	r.Ratio = newSpread(main.wall[:len(pass.wall)], pass.wall)
	return r, nil
}

// run opens the stream and works on it once.
func (src *Source) run(open, main *clock, work func(*resolwe.Stream) error) error {
	var s *resolwe.Stream
	err := open.run(func() (err error) {
		s, err = src.Open()
		return err
	})
	if err != nil {
		return err
	}
	if s.ReadOnce() {
		return errors.Join(resolwe.ErrReadOnce, s.Close())
	}
	err = main.run(func() error { return work(s) })
	return errors.Join(err, s.Close())
}

// peak returns the most memory that the program held itself while f ran, in bytes. Mapped files do not count: their
// pages are the system's.
func peak(f func() error) (uint64, error) {
	done, most := make(chan error, 1), machine.Held()
	go func() { done <- f() }()
	for tick := time.Tick(time.Millisecond); ; { // short beside a stage, long beside a look
		select {
		case <-tick:
			most = max(most, machine.Held())
		case err := <-done:
			return max(most, machine.Held()), err
		}
	}
}

// Point is what a number of workers takes for a selection.
type Point struct {
	Workers int
	Wall    Spread // seconds, opening included
	Speedup Spread // one worker's time over this, round by round
}

// Scale times a selection with 1, 2, 4.. workers up to opt.Workers, opt.Runs rounds of all of them. Each round has the
// reverse order of the one before, so that a machine that slows down or speeds up favours none.
func Scale(ctx context.Context, src Source, opt Options) ([]Point, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	workers := ladder(opt.Workers)
	clocks, order := make([]clock, len(workers)), []int{0} // the first run fills caches
	for round := range 1 + opt.Runs {
		for _, i := range order {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			runtime.GC()
			o := opt
			o.Workers = workers[i]
			err := clocks[i].run(func() error {
				return src.run(&clock{}, &clock{}, func(s *resolwe.Stream) error {
					_, err := selectOn(ctx, src.Model, s, &o)
					return err
				})
			})
			if err != nil {
				return nil, err
			}
			opt.Done()
		}
		if round == 0 {
			clocks[0], order = clock{}, nil
			for i := range workers {
				order = append(order, len(workers)-1-i)
			}
		}
		slices.Reverse(order)
	}
	out := make([]Point, len(workers))
	for i, n := range workers {
		out[i] = Point{Workers: n, Wall: newSpread(clocks[i].wall, nil), Speedup: newSpread(clocks[0].wall, clocks[i].wall)}
	}
	return out, nil
}

// Rounds returns how often Scale calls opt.Done.
func Rounds(opt Options) int {
	opt, err := opt.withDefaults()
	if err != nil {
		return 0
	}
	return 1 + opt.Runs*len(ladder(opt.Workers))
}

// ladder returns the powers of two below n, and n.
func ladder(n int) []int {
	var out []int
	for w := 1; w < n; w *= 2 {
		out = append(out, w)
	}
	return append(out, n)
}
