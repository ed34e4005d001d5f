// Package selftest holds the library, as it was built and on the machine where it runs, against enumeration: samplers and
// learners on networks small enough for it, counts against their definition, streams and numbers of workers against each
// other.
//
// Comparisons that involve chance are bets, whose rate of false alarms holds whatever the distribution of what is observed:
// a sound library fails a self-test with a probability of at most [FalseAlarm]. All else has to be equal, or equal but for
// rounding.
package selftest

import (
	"context"
	"fmt"
	"io"

	"resolwe"
	"resolwe/pool"
)

// FalseAlarm bounds the probability that a self-test of a sound library fails: of all its comparisons together.
const FalseAlarm = 1e-6

// Options say how to test. The zero value is good.
type Options struct {
	Seed  uint64
	Full  bool                                     // more cases, and smaller errors found: about a minute instead of seconds
	Begin func(what string, cases int) resolwe.Run // called as the work begins, for its workers and progress; may be nil
}

// Report is the outcome.
type Report struct {
	Seed   uint64
	Cases  int
	Bets   int     // comparisons that involve chance
	Level  float64 // the p-value below which one of them fails: FalseAlarm / Bets
	Checks []Check
}

// Check is the outcome of one check.
type Check struct {
	Subject     string // what is tested
	Name        string // on what
	Cases       int
	Comparisons int
	Bets        int     // those of them that involve chance
	Largest     float64 // error
	Unit        string  // of that
	P           float64 // the least p-value; without chance 1 or 0
	Worst       string  // where that is
	Passed      bool
}

// Failed returns how many checks failed.
func (r *Report) Failed() int {
	n := 0
	for i := range r.Checks {
		if !r.Checks[i].Passed {
			n++
		}
	}
	return n
}

// Run tests the library. Equal seeds give equal reports, whatever the number of workers. An error is that of a library
// function which should have had none, or of ctx.
func Run(ctx context.Context, opt Options) (*Report, error) {
	s := &suite{system: library(), seed: opt.Seed, scale: quick}
	if opt.Full {
		s.scale = full
	}
	begin := opt.Begin
	if begin == nil {
		begin = func(string, int) resolwe.Run { return resolwe.Run{} }
	}
	return s.run(ctx, s.checks(), begin)
}

// How much work the tests do.
const (
	quick = 1
	full  = 10
)

// suite makes the checks.
type suite struct {
	system
	seed  uint64
	scale float64
}

// times scales a number, but for 0.
func (s *suite) times(n int) int { return max(1, int(float64(n)*s.scale)) }

// single returns the suite with the work of a quick test at most: for cases of which a full test has more.
func (s *suite) single() *suite {
	out := *s
	out.scale = min(s.scale, quick)
	return &out
}

// check is a list of cases. All of them compare numbers of one kind.
type check struct {
	subject, name, unit string
	cases               []trial
}

// trial carries out one case.
type trial func(ctx context.Context) (finding, error)

// checks lists them all.
func (s *suite) checks() []check {
	var out []check
	for _, group := range [][]check{s.counting(), s.inference(), s.modes(), s.sampling(), s.silence(), s.learning(), s.sameness()} {
		out = append(out, group...)
	}
	return out
}

// run carries out the cases of all checks side by side, and reports on them in order.
func (s *suite) run(ctx context.Context, checks []check, begin func(string, int) resolwe.Run) (*Report, error) {
	type item struct {
		check int
		trial trial
	}
	var items []item
	for i, c := range checks {
		for _, t := range c.cases {
			items = append(items, item{i, t})
		}
	}
	run := begin("selftest", len(items))
	next := 0
	source := func(ctx context.Context) (item, error) {
		if next == len(items) {
			return item{}, io.EOF
		}
		next++
		return items[next-1], context.Cause(ctx)
	}
	type outcome struct {
		check   int
		finding finding
	}
	work := func(ctx context.Context, _ struct{}, it item) (outcome, error) {
		f, err := it.trial(ctx)
		if err != nil {
			return outcome{}, fmt.Errorf("%s, %s: %w", checks[it.check].subject, checks[it.check].name, err)
		}
		return outcome{it.check, f}, nil
	}
	findings := make([]finding, len(checks))
	err := pool.Map(ctx, run.Workers, source, func() struct{} { return struct{}{} }, work, func(o outcome) error {
		if run.Progress != nil {
			run.Progress(1)
		}
		findings[o.check].merge(&o.finding)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.report(checks, findings), nil
}

// report judges what was found. The level of each bet is its share of the rate of false alarms (Bonferroni).
func (s *suite) report(checks []check, findings []finding) *Report {
	out := &Report{Seed: s.seed, Level: FalseAlarm}
	for i := range findings {
		out.Bets += findings[i].bets
		out.Cases += len(checks[i].cases)
	}
	if out.Bets > 0 {
		out.Level /= float64(out.Bets)
	}
	for i, f := range findings {
		c := checks[i]
		out.Checks = append(out.Checks, Check{
			Subject: c.subject, Name: c.name, Unit: c.unit, Cases: len(c.cases), Comparisons: f.comparisons, Bets: f.bets,
			Largest: f.largest, P: f.p, Worst: f.worst, Passed: f.comparisons > 0 && f.p >= out.Level,
		})
	}
	return out
}
