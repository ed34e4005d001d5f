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
	Subgraphs int    // use the first N subgraphs; 0 for all
	Workers   int    // 0 for GOMAXPROCS
	Scaling   bool   // also time 1, 2, 4, .. workers, up to Workers
	Runs      int    // timed runs, at least 1, after one that is not timed
	Done      func() // called after each run; may be nil
}

// withDefaults checks the options and sets defaults.
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

// workers returns the numbers of workers to time, with the options' own last.
func (o Options) workers() (out []int) {
	for w := 1; o.Scaling && w < o.Workers; w *= 2 {
		out = append(out, w)
	}
	return append(out, o.Workers)
}

// Rounds returns how often Done is called.
func (o Options) Rounds() int {
	filled, _ := o.withDefaults() // otherwise nothing is run
	return 1 + filled.Runs*len(filled.workers())
}

// Run is Select or Read.
type Run = func(context.Context, Source, Options) (*Report, error)

// Report is the cost of a workload.
type Report struct {
	Subgraphs  int
	Workers    int
	Runs       int
	Bytes      int64     // of mapped files that contain the subgraphs; 0 if the stream is not mapped
	Stages     []Stage   // open, select or read, and pass unless Bytes is 0
	Groundings uint64    // selected by the candidates
	Work       join.Work // of the kernels
	Peak       uint64    // maximum bytes held by the program itself, without mapped pages
	Ratio      Spread    // wall time of the main stage over that of the plain pass, run by run; NaN without a pass
	Points     []Point   // by number of workers, if Options.Scaling
}

// Point is the time of a workload with a number of workers.
type Point struct {
	Workers int
	Wall    Spread // seconds, opening included
	Speedup Spread // one worker's time over this, round by round
}

// Stage is a part of a workload.
type Stage struct {
	Name string
	Wall Spread // seconds
	CPU  Spread // user and system seconds on all cores; NaN if not known
}

// Main returns the main stage of a workload.
func (r *Report) Main() *Stage { return &r.Stages[1] }

// PerSecond divides an amount by the median wall time of the main stage.
func (r *Report) PerSecond(amount float64) float64 { return amount / r.Main().Wall.Median }

// PerCPUSecond divides an amount by the median CPU time of the main stage, which gives a rate per core. It is NaN if the CPU time
// is not known.
func (r *Report) PerCPUSecond(amount float64) float64 { return amount / r.Main().CPU.Median }

// Cost returns the core seconds per subgraph of opening and the main stage.
func (r *Report) Cost() float64 {
	sum := 0.0
	for _, s := range r.Stages[:2] {
		if s.CPU.Median > 0 {
			sum += s.CPU.Median
		} else { // the system does not report CPU time, or it is below the clock's resolution
			sum += s.Wall.Median
		}
	}
	return sum / float64(r.Subgraphs)
}

// Spread is a figure measured in several runs. All three values are NaN if there were none.
type Spread struct {
	Median, Least, Most float64
}

// newSpread summarises the figures of runs, divided run by run by others unless these are nil.
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

// clocks are the clocks for a number of workers.
type clocks struct{ open, main, whole, pass clock }

// clock collects the cost of a part, by run, in seconds.
type clock struct{ wall, cpu []float64 }

func (c *clock) stage(name string) Stage {
	return Stage{name, newSpread(c.wall, nil), newSpread(c.cpu, nil)}
}

// run runs and times the part once.
func (c *clock) run(f func() error) error {
	cpu, start := cpuSeconds(), time.Now()
	err := f()
	c.wall = append(c.wall, time.Since(start).Seconds())
	c.cpu = append(c.cpu, cpuSeconds()-cpu)
	return err
}

// Select times the selection of the model's candidates by the paper's criterion. Its stages are open, which maps the files and
// checks that they fit; select, which reads and counts; and pass, which adds up the words of the same bytes on one core. There is
// no pass if the stream is not mapped. Each round over several numbers of workers reverses the order of the previous one, so that a
// machine that slows down or speeds up favours none.
func Select(ctx context.Context, src Source, opt Options) (*Report, error) {
	return src.measure(ctx, opt, "select", func(s *resolwe.Stream, opt Options, r *Report) error {
		sel, err := resolwe.Select(ctx, src.Model, s, resolwe.SelectOptions{
			Criterion: resolwe.Paper, Subgraphs: opt.Subgraphs, Run: resolwe.Run{Workers: opt.Workers},
		})
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

// Read times the reading of whole subgraphs, in which every part is checked; its stage read replaces select.
func Read(ctx context.Context, src Source, opt Options) (*Report, error) {
	return src.measure(ctx, opt, "read", func(s *resolwe.Stream, opt Options, r *Report) error {
		r.Subgraphs = 0
		return resolwe.Each(ctx, s.Range(0, opt.Subgraphs), resolwe.Run{Workers: opt.Workers}, func(*subgraph.Subgraph) error {
			r.Subgraphs++
			return nil
		})
	})
}

// measure runs a workload with the main stage work, which gets the options with their defaults and a number of workers.
func (src *Source) measure(
	ctx context.Context, opt Options, name string, work func(*resolwe.Stream, Options, *Report) error,
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
	workers := opt.workers()
	last, took := len(workers)-1, make([]clocks, len(workers))
	once := func(i int) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		runtime.GC() // so that this run does not have to collect the garbage of earlier ones
		c, with := &took[i], opt
		with.Workers = workers[i]
		err := c.whole.run(func() error { return src.run(c, func(s *resolwe.Stream) error { return work(s, with, r) }) })
		if err == nil && r.Bytes > 0 {
			err = c.pass.run(func() error { return plainPass(extents) })
		}
		opt.Done()
		return err
	}
	if r.Peak, err = peak(func() error { return once(last) }); err != nil {
		return nil, err
	}
	took[last] = clocks{}
	for round := range opt.Runs {
		for i := range workers {
			if round%2 == 0 {
				i = last - i
			}
			if err := once(i); err != nil {
				return nil, err
			}
		}
	}
	c := &took[last]
	r.Stages = []Stage{c.open.stage("open"), c.main.stage(name)}
	if r.Bytes > 0 {
		r.Stages = append(r.Stages, c.pass.stage("pass"))
	}
	r.Ratio = newSpread(c.main.wall[:len(c.pass.wall)], c.pass.wall)
	for i, n := range workers {
		if all := took[i].whole.wall; opt.Scaling {
			r.Points = append(r.Points, Point{n, newSpread(all, nil), newSpread(took[0].whole.wall, all)})
		}
	}
	return r, nil
}

// run opens the stream and works on it once.
func (src *Source) run(c *clocks, work func(*resolwe.Stream) error) error {
	var s *resolwe.Stream
	err := c.open.run(func() (err error) {
		s, err = src.Open()
		return err
	})
	if err != nil {
		return err
	}
	return errors.Join(c.main.run(func() error { return work(s) }), s.Close())
}

// peak returns the maximum memory that the program held while f ran, in bytes. Mapped files do not count, since their pages belong
// to the system.
func peak(f func() error) (uint64, error) {
	done, most := make(chan error, 1), machine.Held()
	go func() { done <- f() }()
	for tick := time.Tick(time.Millisecond); ; { // short compared with a stage, long compared with a measurement
		select {
		case <-tick:
			most = max(most, machine.Held())
		case err := <-done:
			return max(most, machine.Held()), err
		}
	}
}
