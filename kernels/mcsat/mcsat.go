package mcsat

import (
	"fmt"

	"resolwe/kernels/loglinear"
)

// Method is an inference method.
type Method string

// The methods. In all of them marginals that have a closed form are exact: see closedForms.
const (
	MethodAuto  Method = "auto"  // enumerates components of at most Options.MaxExact atoms or uses junction trees; MC-SAT for the others
	MethodMCSAT Method = "mcsat" // MC-SAT for every component of two or more atoms; Gibbs sweeps if only pairs connect it and they suffice
	MethodGibbs Method = "gibbs" // Gibbs sweeps for every component of two or more atoms
	MethodExact Method = "exact" // enumerates every component, or uses a junction tree
)

// Options control inference. [DefaultOptions] gives a complete value to start from.
type Options struct {
	Method   Method
	Samples  int // samples used from each chain, at least 1
	BurnIn   int // samples of each chain before these
	Rounds   int // slices per sample, or a multiple of Sweeps for Gibbs sweeps without slices; 0 chooses: more on a small network
	Sweeps   int // Gibbs sweeps after each slice, at least 1
	Blocks   int // random blocks drawn together in a sweep of a small network that has factors that slices do not move
	MaxExact int // MethodAuto enumerates components of at most this size, itself at most loglinear.ExactLimit; below 2 nothing is solved exactly

	// Error, unless 0, ends sampling once the Monte Carlo standard error of every sampled marginal, estimated from batches, is at most this
	// and each chain has EarliestStop samples. Samples is then the maximum.
	Error float64

	// Stop, unless nil, is called before each sample and each component; an error ends the run and is returned.
	Stop func() error
	// Enough, unless nil, is called now and then; true ends sampling with the samples so far.
	Enough func() bool

	// Parallel, unless nil, runs task(0) to task(n-1), possibly concurrently, and returns when all are done. Stop may then be called by
	// several goroutines at once. No result depends on it.
	Parallel func(n int, task func(i int))
	// Lanes, unless nil, returns how many chains may run at once; each takes memory of its own. Without it they run one after another, but
	// side by side if Error or Enough is set.
	Lanes func() int
}

// EarliestStop is the least number of samples of each chain before Options.Error may end sampling.
const EarliestStop = 128

// DefaultOptions returns MethodAuto with 1,000 samples after 100 of burn-in, and enumeration up to 20 atoms.
func DefaultOptions() Options {
	return Options{Method: MethodAuto, Samples: 1000, BurnIn: 100, Sweeps: 1, Blocks: 4, MaxExact: 20}
}

// Validate returns an *OptionError for the first invalid option. Options that no command sets are not checked.
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

// OptionError reports an invalid option.
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
