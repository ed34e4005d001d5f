package main

import (
	"context"
	"fmt"
	"time"

	"resolwe"
	"resolwe/cmd/internal/report"
	"resolwe/selftest"
)

type selftestCmd struct {
	Quick bool   `help:"Under a minute on two cores; the default." xor:"effort"`
	Full  bool   `help:"Some minutes: ten times as many cases, which detect smaller errors." xor:"effort"`
	Only  string `help:"Only the checks whose subject or name contains TEXT." placeholder:"TEXT"`
	resultArgs
}

func (*selftestCmd) Help() string {
	return `Checks this program, on this machine, against enumeration: samplers and learners on small networks, including some that
samplers are known to get wrong; counts and exact inference against their definition; results with different numbers of workers;
streams written and read back. Tests that involve chance are bets, which together raise a false alarm with a probability of at most
1e-6. Exit status 1 means that a check failed.

Examples:

	resolwe selftest
	resolwe selftest --full --seed 7 --json
	resolwe selftest --only mcsat`
}

// Run runs the checks, and fails if one of them does.
func (c *selftestCmd) Run(ctx context.Context, e *environment) error {
	began := time.Now()
	r, err := selftest.Run(ctx, selftest.Options{
		Seed: e.common.Seed, Full: c.Full, Only: c.Only,
		Begin: func(what string, cases int) resolwe.Run { return e.runOver(what, "cases", int64(cases)) },
	})
	if err != nil {
		return err
	}
	err = e.print(c.JSON, selftestDocument(r, c.Since(began)))
	if err == nil && r.Failed() > 0 {
		err = fmt.Errorf("%d of %d checks failed", r.Failed(), len(r.Checks))
	}
	return err
}

// selftestDocument lists the checks and, on the page, what failed.
func selftestDocument(r *selftest.Report, seconds report.Seconds) *report.Document {
	t := report.NewTable("llrrrlrl", "tested", "on", "cases", "comparisons", "largest error", "", "least p", "")
	page, comparisons := report.Page{t}, 0
	checks := report.Objects(r.Checks, func(c *selftest.Check) report.Object {
		comparisons += c.Comparisons
		p, least, verdict := report.Number(c.P).Text('g', 2), "-", "passed"
		if c.Bets > 0 || c.P < 1 {
			least = p
		}
		if !c.Passed {
			verdict = "FAILED"
			page = append(page, report.Plain(fmt.Sprintf("\nFAILED: %s, %s: %s, p = %s", c.Subject, c.Name, c.Worst, p)))
		}
		t.Row(c.Subject, c.Name, c.Cases, c.Comparisons, report.Number(c.Largest).Text('g', 2), c.Unit, least, verdict)
		return report.Object{
			"subject", c.Subject, "name", c.Name, "cases", c.Cases, "comparisons", c.Comparisons, "bets", c.Bets, "largest_error", c.Largest,
			"unit", c.Unit, "p", c.P, "worst", c.Worst, "passed", c.Passed,
		}
	})
	return &report.Document{
		Data: report.Object{
			"seed", r.Seed, "passed", r.Failed() == 0, "false_alarm", selftest.FalseAlarm, // probability, of all bets together
			"bets", r.Bets, "level", r.Level, "checks", checks, "seconds", seconds.Data(),
		},
		Page: append(page, report.Plain(fmt.Sprintf(`
seed %d: %d comparisons in %d cases, %d of them bets on chance, each of which fails below p = %.1e:
together they raise a false alarm with a probability of at most %g; %.1f seconds
`, r.Seed, comparisons, r.Cases, r.Bets, r.Level, selftest.FalseAlarm, seconds.Taken))),
	}
}
