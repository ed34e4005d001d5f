package selftest

import (
	"context"
	"slices"

	"resolwe"
)

// What tests use.
type (
	Subject = subject
	Wager   = wager

	Chain    = chain
	Gradient = gradient
)

var (
	Library  = library
	Pack     = pack
	NewWager = newWager
)

func (w *wager) Observe(x float64) { w.observe(x) }
func (w *wager) Level() float64    { return w.level() }

// Examine runs one check, or all where no subject is given, on what is not the library, with so many times the work of a quick
// test.
func Examine(ctx context.Context, s Subject, seed uint64, scale float64, run resolwe.Run, subject, name string) (*Report, error) {
	all := &suite{subject: s, seed: seed, scale: scale}
	checks := slices.DeleteFunc(all.checks(), func(c check) bool {
		return subject != "" && (c.subject != subject || c.name != name)
	})
	return all.run(ctx, checks, func(string, int) resolwe.Run { return run })
}
