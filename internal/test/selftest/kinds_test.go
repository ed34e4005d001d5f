package selftest_test

import (
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/selftest"
)

// Marginals of networks that samplers find hard are within .01 on average, or there is a warning, and most networks need none.
func TestMarginals_HardKinds(t *testing.T) {
	t.Parallel()
	networks, all, warnings := 2, 0, 0
	if testing.Short() {
		networks = 1
	}
	for _, kind := range selftest.HardKinds() {
		check.OK(t, selftest.Verdicts(t.Context(), kind, 1, networks, func(mean float64, warned bool) {
			if mean > 0.01 && !warned {
				t.Errorf("%s: mean error %.4f without a warning", kind, mean)
			}
			if all++; warned {
				warnings++
			}
		}))
	}
	if all < 9*networks || warnings > all/2 {
		t.Errorf("%d networks, %d with a warning", all, warnings)
	}
}

// For 30 networks of each kind: the mean error of the marginals, the worst with a warning and without, and the number of warnings.
//
//	go test ./selftest -run - -bench HardKinds -benchtime 1x
func BenchmarkHardKinds(b *testing.B) {
	networks := 30
	if testing.Short() {
		networks = 1
	}
	for _, kind := range selftest.HardKinds() {
		b.Run(kind, func(b *testing.B) {
			for b.Loop() {
				sum, n, warnings, loud, quiet := 0.0, 0.0, 0.0, 0.0, 0.0
				check.OK(b, selftest.Verdicts(b.Context(), kind, 1, networks, func(mean float64, warned bool) {
					n++
					sum += mean
					if warned {
						warnings++
						loud = max(loud, mean)
					} else {
						quiet = max(quiet, mean)
					}
				}))
				b.ReportMetric(sum/max(n, 1), "mean")
				b.ReportMetric(loud, "worst-warned")
				b.ReportMetric(quiet, "worst-unwarned")
				b.ReportMetric(warnings, "warnings")
				b.ReportMetric(n, "networks")
			}
		})
	}
}
