package selftest

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"resolwe"
	"resolwe/kernels/loglinear"
	"resolwe/pool"
)

// FalseAlarm bounds the probability that a self-test of a correct library fails, over all its comparisons together.
const FalseAlarm = 1e-6

// Report is the result of a self-test.
type Report struct {
	Seed   uint64
	Cases  int
	Bets   int     // comparisons that involve chance
	Level  float64 // the p-value below which one of them fails: FalseAlarm / Bets
	Checks []Check
}

// Check is the result of one check. All its comparisons are of numbers of the same kind.
type Check struct {
	Subject     string // what is tested
	Name        string // what it is tested on
	Cases       int
	Comparisons int
	Bets        int     // comparisons that involve chance
	Largest     float64 // largest error
	Unit        string  // unit of the error
	P           float64 // the smallest p-value; 1 or 0 if chance is not involved
	Worst       string  // the comparison with that p-value
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

// Run tests a system by one check, or by all if subject is empty, with scale times the usual work. Equal seeds give equal reports for any
// number of workers, and the figures of a check do not depend on the others. The error is that of a library function that should not have
// failed, or of ctx.
func Run(ctx context.Context, tested System, seed uint64, scale float64, run resolwe.Run, subject, name string) (*Report, error) {
	s := &suite{System: tested, seed: seed, scale: scale}
	checks := slices.DeleteFunc(s.checks(), func(c check) bool {
		return subject != "" && (c.subject != subject || c.name != name)
	})
	return s.run(ctx, checks, run)
}

// suite builds the checks.
type suite struct {
	System
	seed  uint64
	scale float64
}

// times scales a number unless it is 0.
func (s *suite) times(n int) int { return max(1, int(float64(n)*s.scale)) }

// single returns the suite limited to the usual work, for cases that a larger test has in larger numbers.
func (s *suite) single() *suite {
	out := *s
	out.scale = min(s.scale, 1)
	return &out
}

// source returns the random numbers of a case of a check.
func (s *suite) source(check string, number int) *rand.Rand {
	stream := uint64(number)
	for _, c := range []byte(check) {
		stream = stream*1099511628211 + uint64(c)
	}
	return rand.New(rand.NewPCG(s.seed, stream))
}

// check is a list of cases.
type check struct {
	subject, name, unit string
	cases               []trial
}

// trial carries out one case. Its comparisons go to a separate check, which is then merged.
type trial func(ctx context.Context, c *Check) error

// on makes a trial on what a function builds.
func on[T any](build func(context.Context) (T, error), test func(context.Context, T, *Check) error) trial {
	return func(ctx context.Context, f *Check) error {
		x, err := build(ctx)
		if err != nil {
			return err
		}
		return test(ctx, x, f)
	}
}

// checks lists all checks.
func (s *suite) checks() []check {
	return slices.Concat(s.definition(), s.sampling(), s.silence(), s.learning(), s.sameness())
}

// run carries out the cases of all checks in parallel, and reports on them in order. The level of each bet is its share of the rate
// of false alarms (Bonferroni).
func (s *suite) run(ctx context.Context, checks []check, run resolwe.Run) (*Report, error) {
	type item struct {
		check int
		trial trial
		found Check
	}
	out := &Report{Seed: s.seed, Level: FalseAlarm}
	var items []*item
	for i, c := range checks {
		out.Checks = append(out.Checks, Check{Subject: c.subject, Name: c.name, Unit: c.unit, Cases: len(c.cases)})
		for _, t := range c.cases {
			items = append(items, &item{check: i, trial: t})
		}
	}
	out.Cases = len(items)
	source := func(ctx context.Context) (*item, error) {
		if len(items) == 0 {
			return nil, io.EOF
		}
		next := items[0]
		items = items[1:]
		return next, context.Cause(ctx)
	}
	work := func(ctx context.Context, _ struct{}, it *item) (*item, error) {
		if err := it.trial(ctx, &it.found); err != nil {
			return nil, fmt.Errorf("%s, %s: %w", checks[it.check].subject, checks[it.check].name, err)
		}
		return it, nil
	}
	err := pool.Map(ctx, run.Workers, source, func() struct{} { return struct{}{} }, work, func(it *item) error {
		if run.Progress != nil {
			run.Progress(1)
		}
		out.Checks[it.check].merge(&it.found)
		out.Bets += it.found.Bets
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.Level /= float64(max(1, out.Bets))
	for i := range out.Checks {
		c := &out.Checks[i]
		c.Passed = c.Comparisons > 0 && c.P >= out.Level
	}
	return out, nil
}

// bet records the result of an e-process.
func (c *Check) bet(e *eProcess, where func() string) {
	c.Bets++
	c.note(e.deviation(), e.level(), where)
}

// equal compares two numbers that must be equal up to a tolerance.
func (c *Check) equal(got, want, tolerance float64, where func() string) {
	size := difference(got, want)
	c.note(size, loglinear.Indicator(size <= tolerance), where)
}

// holds records whether a condition that does not involve chance is met.
func (c *Check) holds(ok bool, where func() string) { c.equal(loglinear.Indicator(ok), 1, 0, where) }

// note adds a comparison: its error and its p-value.
func (c *Check) note(size, p float64, where func() string) {
	if c.Comparisons == 0 || p < c.P {
		c.P, c.Worst = p, where()
	}
	c.Largest = max(c.Largest, size)
	c.Comparisons++
}

// merge adds the comparisons of another check.
func (c *Check) merge(o *Check) {
	if o.Comparisons > 0 {
		c.note(o.Largest, o.P, func() string { return o.Worst })
		c.Comparisons += o.Comparisons - 1
		c.Bets += o.Bets
	}
}

// difference returns |a - b|, 0 for equal infinities, and infinity if a number is NaN.
func difference(a, b float64) float64 {
	switch {
	case a == b:
		return 0
	case math.IsNaN(a - b):
		return math.Inf(1)
	}
	return math.Abs(a - b)
}
