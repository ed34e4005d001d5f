package selftest

import (
	"context"
	"slices"

	"resolwe"
)

// What tests use.
type (
	System   = system
	EProcess = eProcess

	Chain    = chain
	Gradient = gradient
)

var (
	Library     = library
	Pack        = pack
	NewEProcess = newEProcess
)

func (e *eProcess) Observe(x float64) { e.observe(x) }
func (e *eProcess) Level() float64    { return e.level() }

// Examine runs one check, or all where no subject is given, on what is not the library, with so many times the work of a quick
// test.
func Examine(ctx context.Context, s System, seed uint64, scale float64, run resolwe.Run, subject, name string) (*Report, error) {
	all := &suite{system: s, seed: seed, scale: scale}
	checks := slices.DeleteFunc(all.checks(), func(c check) bool {
		return subject != "" && (c.subject != subject || c.name != name)
	})
	return all.run(ctx, checks, func(string, int) resolwe.Run { return run })
}
