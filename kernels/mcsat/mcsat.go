// Package mcsat runs Markov chains over the atoms of a log-linear model that are left to sampling: MC-SAT (Poon and Domingos,
// 2006) or Gibbs sweeps. [Inference] gives marginals, by chains and by the exact routes for small components; a [Chain] the
// samples that contrastive divergence needs.
//
// A slice keeps parities as linear equations, whose solutions are its moves. With bilinear factors a chain draws the clusters of a
// slice without looking at each bond. Slices then come once in 32 samples, and between the sweeps atoms that the burn-in found
// undecided are drawn more often. [MethodGibbs] flips no clusters: where bilinear factors are strong it may stay in one mode.
//
// Random numbers come from the caller's source alone; equal sources give equal results. Values are reused from one
// network to the next and do not allocate while they sample. None of them may be used by two goroutines at once.
package mcsat

import (
	"fmt"

	"resolwe/kernels/loglinear"
)

// Method is a way of inference.
type Method uint8

// The methods. Under each of them an atom that nothing ties to another has its marginal in closed form.
const (
	MethodAuto  Method = iota + 1 // enumerates components of at most Options.MaxExact atoms or takes junction trees, MC-SAT for the others
	MethodMCSAT                   // MC-SAT for every component of two or more atoms
	MethodGibbs                   // Gibbs sweeps for every component of two or more atoms
	MethodExact                   // enumerates every component, or takes a junction tree
)

var methodNames = [...]string{MethodAuto: "auto", MethodMCSAT: "mcsat", MethodGibbs: "gibbs", MethodExact: "exact"}

// String returns the method's name.
func (m Method) String() string {
	if m == 0 || int(m) >= len(methodNames) {
		return fmt.Sprintf("method(%d)", uint8(m))
	}
	return methodNames[m]
}

// ParseMethod returns the method of a name: auto, mcsat, gibbs or exact.
func ParseMethod(name string) (Method, error) {
	for i, n := range methodNames {
		if i > 0 && n == name {
			return Method(i), nil
		}
	}
	return 0, &MethodError{Name: name}
}

// UnmarshalText reads a method's name.
func (m *Method) UnmarshalText(text []byte) (err error) {
	*m, err = ParseMethod(string(text))
	return err
}

// Options say how to infer. [DefaultOptions] gives a complete value to start from.
type Options struct {
	Method   Method
	Samples  int // samples of each chain that count, at least 1
	BurnIn   int // samples of each chain before those
	Rounds   int // slices per sample; 0 chooses: several on a small network, one on a large one
	Sweeps   int // Gibbs sweeps after each slice, at least 1
	Blocks   int // random blocks that a sweep of a small network draws together, where it has factors that slices do not move
	MaxExact int // MethodAuto enumerates components of at most so many atoms, at most loglinear.ExactLimit; below 2 none, nor trees

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

// Validate returns an *OptionError for the first option that is out of range.
func (o *Options) Validate() error {
	const many = 1 << 30
	switch {
	case o.Method < MethodAuto || o.Method > MethodExact:
		return &OptionError{"method", int(o.Method), int(MethodAuto), int(MethodExact)}
	case o.Samples < 1 || o.Samples > many:
		return &OptionError{"samples", o.Samples, 1, many}
	case o.BurnIn < 0 || o.BurnIn > many:
		return &OptionError{"burn-in", o.BurnIn, 0, many}
	case o.Rounds < 0 || o.Rounds > many:
		return &OptionError{"rounds", o.Rounds, 0, many}
	case o.Sweeps < 1 || o.Sweeps > many:
		return &OptionError{"sweeps", o.Sweeps, 1, many}
	case o.Blocks < 0 || o.Blocks > many:
		return &OptionError{"blocks", o.Blocks, 0, many}
	case o.MaxExact < 0 || o.MaxExact > loglinear.ExactLimit:
		return &OptionError{"max-exact", o.MaxExact, 0, loglinear.ExactLimit}
	case !(o.Error >= 0 && o.Error < 1):
		return &PrecisionError{o.Error}
	}
	return nil
}

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

// PrecisionError is a target error that is no error of a probability.
type PrecisionError struct{ Value float64 }

// Error implements error.
func (e *PrecisionError) Error() string {
	return fmt.Sprintf("error is %v: want 0 for none, or one below 1", e.Value)
}
