package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"resolwe/crossval"
)

// CrossvalCSV prints a cross-validation as lines of system, fold, measure and value. What is about all folds has no fold,
// what compares systems names both, and what is undefined has no value. A partial result begins with the number of folds
// that are finished.
func CrossvalCSV(w io.Writer, cv *crossval.Result, timings bool) error {
	out := csv.NewWriter(w)
	line := func(system, fold, measure string, value float64) {
		text := Number(value).Text('g', -1)
		if Number(value).Undefined() {
			text = ""
		}
		_ = out.Write([]string{system, fold, measure, text}) // Error has it
	}
	_ = out.Write([]string{"system", "fold", "measure", "value"})
	if cv.Finished < cv.Folds {
		line("", "", "partial_finished_folds", float64(cv.Finished))
	}
	for i := range cv.Systems {
		s := &cv.Systems[i]
		line(s.Name, "", "map", s.MAP)
		line(s.Name, "", "auc_roc", s.AUCROC)
		line(s.Name, "", "auc_pr", s.AUCPR)
		line(s.Name, "", "cll", s.CLL)
		line(s.Name, "", "brier", s.Brier)
		line(s.Name, "", "calibration_error", s.CalibrationError)
		line(s.Name, "", "map_all_ranks", s.PrecisionAllRanks)
		line(s.Name, "", "tn_all_ranks", s.TrueNegativeAllRanks)
		for k, n := range s.Formulas {
			fold := strconv.Itoa(k + 1)
			line(s.Name, fold, "formulas", float64(n))
			if timings {
				t := s.Seconds[k]
				line(s.Name, fold, "select_seconds", t.Select)
				line(s.Name, fold, "learn_seconds", t.Learn)
				line(s.Name, fold, "total_seconds", t.Select+t.Learn)
			}
		}
	}
	for _, t := range cv.Tests {
		both := cv.Systems[0].Name + " - " + t.Against
		line(both, "", t.Measure+"_n", float64(t.N))
		line(both, "", t.Measure+"_mean_difference", t.MeanDifference)
		line(both, "", t.Measure+"_ci95_low", t.CI95[0])
		line(both, "", t.Measure+"_ci95_high", t.CI95[1])
		line(both, "", t.Measure+"_t", t.T)
		line(both, "", t.Measure+"_df", float64(t.DF))
		line(both, "", t.Measure+"_p", t.P)
	}
	out.Flush()
	return out.Error()
}
