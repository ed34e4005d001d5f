package main_test

import (
	"strings"
	"testing"

	"resolwe/cmd/internal/report"
	cmd "resolwe/cmd/resolwe"
	"resolwe/internal/test/check"
	"resolwe/selftest"
)

func TestSelftest(t *testing.T) {
	t.Parallel()
	got := printed[struct {
		Seed   uint64
		Passed bool
		Alarm  float64 `json:"false_alarm"`
		Bets   int
		Level  float64
		Checks []struct {
			Subject, Name, Unit string
			Comparisons         int
			P                   float64
			Passed              bool
		}
	}](t, "selftest", "--quick", "--seed", "3", "--only", "gradient, sampled")
	if !got.Passed || got.Seed != 3 || len(got.Checks) != 2 || got.Bets == 0 || got.Alarm != 1e-6 || got.Level*float64(got.Bets) > got.Alarm {
		t.Errorf("got %+v", got)
	}
	for _, c := range got.Checks {
		if !strings.Contains(c.Subject+", "+c.Name, "gradient, sampled") || !c.Passed || c.Comparisons == 0 || c.Subject == "" || c.Name == "" || c.Unit == "" || c.P <= 0 {
			t.Errorf("got check %+v", c)
		}
	}
}

func TestSelftest_Text(t *testing.T) {
	t.Parallel()
	found := selftest.Report{Seed: 4, Cases: 3, Bets: 10, Level: 1e-7, Checks: []selftest.Check{
		{Subject: "counts", Name: "true groundings", Cases: 1, Comparisons: 5, Unit: "count", P: 1, Passed: true},
		{
			Subject: "mcsat", Name: "hard H v S, each 2/3", Cases: 2, Comparisons: 12, Bets: 10, Largest: 0.0421,
			Unit: "probability", P: 2.5e-15, Worst: "inference: P(h(A))",
		},
	}}
	var b strings.Builder
	check.OK(t, cmd.SelftestDocument(&found, report.Seconds{Taken: 2.34}).Text(&b))
	want := `tested  on                    cases  comparisons  largest error               least p
counts  true groundings           1            5              0  count              -  passed
mcsat   hard H v S, each 2/3      2           12          0.042  probability  2.5e-15  FAILED

FAILED: mcsat, hard H v S, each 2/3: inference: P(h(A)), p = 2.5e-15
seed 4: 17 comparisons in 3 cases, 10 of them bets on chance, each of which fails below p = 1.0e-07:
together they raise a false alarm with a probability of at most 1e-06; 2.3 seconds
`
	check.Equal(t, "text", b.String(), want)
}
