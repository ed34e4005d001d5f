package workload

import (
	"context"
	"math"
	"runtime"

	"resolwe"
	"resolwe/kernels/join"
)

// Source is a task, and how to open its stream.
type Source struct {
	Model *resolwe.Model
	Open  func() (*resolwe.Stream, error)
}

// Options say how to run a workload.
type Options struct {
	Subgraphs int    // the first so many of the stream, 0 for all
	Workers   int    // 0 for GOMAXPROCS
	Runs      int    // that are timed, at least 1; one that is not goes before them
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

// Main returns the stage that the workload is about.
func (r *Report) Main() *Stage { return &r.Stages[1] }

// PerSecond divides an amount by the median wall time of the main stage.
func (r *Report) PerSecond(amount float64) float64 { return amount / r.Main().Wall.Median }

// PerCPUSecond divides an amount by the median CPU time of the main stage: a rate for each core. It is NaN where the CPU
// time is not known.
func (r *Report) PerCPUSecond(amount float64) float64 { return amount / r.Main().CPU.Median }

// measurement is a workload while it runs.
type measurement struct {
	src              Source
	work             func(*resolwe.Stream) error
	extents          []extent
	open, main, pass stage
}

// measure runs a workload, whose main stage is work.
func measure(
	ctx context.Context, src Source, opt Options, name string, work func(*resolwe.Stream) error,
) (*Report, error) {
	m := &measurement{src: src, work: work}
	r := &Report{Workers: opt.Workers, Runs: opt.Runs}
	var err error
	if m.extents, r.Bytes, err = src.extents(opt.Subgraphs); err != nil {
		return nil, err
	}
	if r.Peak, err = peak(m.run); err != nil {
		return nil, err
	}
	opt.Done()
	m.open, m.main, m.pass = stage{name: "open"}, stage{name: name}, stage{name: "pass"}
	for range opt.Runs {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := m.run(); err != nil {
			return nil, err
		}
		opt.Done()
	}
	r.Stages = []Stage{m.open.spread(), m.main.spread()}
	r.Ratio = NewSpread(nil)
	if r.Bytes > 0 {
		r.Stages = append(r.Stages, m.pass.spread())
		r.Ratio = NewSpread(quotients(m.main.wall, m.pass.wall))
	}
	return r, nil
}

// run goes through the stages once.
func (m *measurement) run() error {
	runtime.GC() // what earlier runs have left is not this one's to clear
	var s *resolwe.Stream
	err := m.open.run(func() (err error) {
		s, err = m.src.Open()
		return err
	})
	if err != nil {
		return err
	}
	err = m.main.run(func() error { return m.work(s) })
	if err := closed(s, err); err != nil {
		return err
	}
	if len(m.extents) == 0 {
		return nil
	}
	return m.pass.run(func() error { return plainPass(m.extents) })
}
