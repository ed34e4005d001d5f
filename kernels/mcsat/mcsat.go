package mcsat

import (
	"fmt"

	"resolwe/kernels/loglinear"
)

// Method is a way of inference.
type Method string

// The methods. Under each of them an atom that nothing ties to another has its marginal in closed form.
const (
	MethodAuto  Method = "auto"  // enumerates components of at most Options.MaxExact atoms or takes junction trees, MC-SAT for the others
	MethodMCSAT Method = "mcsat" // MC-SAT for every component of two or more atoms; Gibbs sweeps where pairs alone tie it and these do
	MethodGibbs Method = "gibbs" // Gibbs sweeps for every component of two or more atoms
	MethodExact Method = "exact" // enumerates every component, or takes a junction tree
)

// Options say how to infer. [DefaultOptions] gives a complete value to start from.
type Options struct {
	Method   Method
	Samples  int // samples of each chain that count, at least 1
	BurnIn   int // samples of each chain before those
	Rounds   int // slices per sample, or of Gibbs sweeps without slices as many times Sweeps; 0 chooses: more on a small network
	Sweeps   int // Gibbs sweeps after each slice, at least 1
	Blocks   int // random blocks that a sweep of a small network draws together, where it has factors that slices do not move
	MaxExact int // MethodAuto enumerates components of at most this many atoms, itself at most loglinear.ExactLimit; below 2 none, nor trees

	// Error, unless 0, ends sampling early: once the Monte Carlo standard error of every sampled marginal is at most so
	// large, as far as batches of samples show it, and each chain has EarliestStop samples. Samples is then the most.
	Error float64

	// Stop, unless nil, is asked before each sample and each component; an error ends the run and is returned.
	Stop func() error
	// Enough, unless nil, is asked now and then; true ends sampling with the samples so far.
	Enough func() bool

	// Parallel, unless nil, runs task(0) to task(n-1), some of them at once where it can, and returns when all are done.
	// Stop is then called by several goroutines at once. No result depends on it.
	Parallel func(n int, task func(i int))
	// Lanes, unless nil, tells now and then how many chains may run at once; each takes memory of its own. Without it they
	// run one after the other, but side by side where Error or Enough is set.
	Lanes func() int
}

// EarliestStop is the least number of samples of each chain before Options.Error may end sampling.
const EarliestStop = 128

// DefaultOptions returns MethodAuto with 1,000 samples after 100 of burn-in, and enumeration up to 20 atoms.
func DefaultOptions() Options {
	return Options{Method: MethodAuto, Samples: 1000, BurnIn: 100, Sweeps: 1, Blocks: 4, MaxExact: 20}
}

// Validate returns an *OptionError for the first option that is out of range. Those that no command sets are left out.
func (o *Options) Validate() error {
	const many = 1 << 30
	switch o.Method {
	case MethodAuto, MethodMCSAT, MethodGibbs, MethodExact:
	default:
		return &OptionError{"method", "auto, mcsat, gibbs or exact"}
	}
	for _, r := range [...]struct {
		option       string
		value, least int
	}{{"samples", o.Samples, 1}, {"burn-in", o.BurnIn, 0}, {"sweeps", o.Sweeps, 1}} {
		if r.value < r.least || r.value > many {
			return &OptionError{r.option, fmt.Sprintf("%d to %d", r.least, many)}
		}
	}
	if !(o.Error >= 0 && o.Error < 1) {
		return &OptionError{"error", "0 for none, or a number above 0 and below 1"}
	}
	return nil
}

// OptionError is an option out of its range.
type OptionError struct{ Option, Want string }

// Error implements error.
func (e *OptionError) Error() string { return e.Option + ": want " + e.Want }

// exact returns the largest component that the method enumerates.
func (o *Options) exact() int {
	switch o.Method {
	case MethodAuto:
		return max(1, o.MaxExact)
	case MethodExact:
		return loglinear.ExactLimit
	case MethodMCSAT, MethodGibbs:
	}
	return 1
}
