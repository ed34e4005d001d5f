package main

import (
	"context"
	"fmt"
	"io"

	"resolwe"
	"resolwe/selftest"
)

type selftestCmd struct {
	Quick bool `help:"About half a minute of work; the default." xor:"effort"`
	Full  bool `help:"About a minute of work: ten times as many cases, and smaller errors found." xor:"effort"`
	resultArgs
}

// Help says what the command does.
func (*selftestCmd) Help() string {
	return `Holds this program, on this machine, against enumeration: samplers and learners on small networks and on those that
samplers are known to get wrong, counts and exact inference against their definition, results for several numbers of
workers and streams written and read against each other. Where chance is involved the tests are bets that together
raise a false alarm with a probability of at most 1e-6. Exit status 1 says that a check failed.

Examples:

	resolwe selftest
	resolwe selftest --full --seed 7 --json`
}

// Run tests, and fails where a check does.
func (c *selftestCmd) Run(ctx context.Context, e *environment) error {
	watch := startWatch()
	r, err := selftest.Run(ctx, selftest.Options{
		Seed: e.common.Seed, Full: c.Full,
		Begin: func(what string, cases int) resolwe.Run { return e.runOver(what, "cases", int64(cases)) },
	})
	if err != nil {
		return err
	}
	if c.JSON {
		err = e.json(newSelftestJSON(r, c.timed(watch)))
	} else {
		err = e.results(func(w io.Writer) error { return selftestText(w, r, watch.seconds()) })
	}
	if err == nil && r.Failed() > 0 {
		err = fmt.Errorf("%d of %d checks failed", r.Failed(), len(r.Checks))
	}
	return err
}

// selftestJSON is what selftest prints with --json.
type selftestJSON struct {
	Seed       uint64      `json:"seed"`
	Passed     bool        `json:"passed"`
	FalseAlarm number      `json:"false_alarm"` // probability, of all bets together
	Bets       int         `json:"bets"`
	Level      number      `json:"level"` // of each bet
	Checks     []checkJSON `json:"checks"`
	Seconds    *number     `json:"seconds,omitempty"`
}

type checkJSON struct {
	Subject     string `json:"subject"`
	Name        string `json:"name"`
	Cases       int    `json:"cases"`
	Comparisons int    `json:"comparisons"`
	Bets        int    `json:"bets"`
	Largest     number `json:"largest_error"`
	Unit        string `json:"unit"`
	P           number `json:"p"`
	Worst       string `json:"worst"`
	Passed      bool   `json:"passed"`
}

func newSelftestJSON(r *selftest.Report, seconds *number) selftestJSON {
	out := selftestJSON{
		Seed: r.Seed, Passed: r.Failed() == 0, FalseAlarm: selftest.FalseAlarm, Bets: r.Bets, Level: number(r.Level),
		Checks: make([]checkJSON, len(r.Checks)), Seconds: seconds,
	}
	for i, c := range r.Checks {
		out.Checks[i] = checkJSON{
			c.Subject, c.Name, c.Cases, c.Comparisons, c.Bets, number(c.Largest), c.Unit, number(c.P), c.Worst, c.Passed,
		}
	}
	return out
}

// selftestText prints a row for each check, then where those failed that did.
func selftestText(w io.Writer, r *selftest.Report, seconds float64) error {
	t := newTable("llrrrlrl", "tested", "on", "cases", "comparisons", "largest error", "", "least p", "")
	comparisons := 0
	for _, c := range r.Checks {
		comparisons += c.Comparisons
		p, verdict := "-", "passed"
		if c.Bets > 0 || c.P < 1 {
			p = number(c.P).Text('g', 2)
		}
		if !c.Passed {
			verdict = "FAILED"
		}
		t.Row(c.Subject, c.Name, c.Cases, c.Comparisons, number(c.Largest).Text('g', 2), c.Unit, p, verdict)
	}
	if err := t.Write(w); err != nil {
		return err
	}
	for _, c := range r.Checks {
		if !c.Passed {
			fmt.Fprintf(w, "\nFAILED: %s, %s: %s, p = %s", c.Subject, c.Name, c.Worst, number(c.P).Text('g', 2))
		}
	}
	_, err := fmt.Fprintf(w, `
seed %d: %d comparisons in %d cases, %d of them bets on chance, each of which fails below p = %.1e:
together they raise a false alarm with a probability of at most %g; %.1f seconds
`, r.Seed, comparisons, r.Cases, r.Bets, r.Level, selftest.FalseAlarm, seconds)
	return err
}
