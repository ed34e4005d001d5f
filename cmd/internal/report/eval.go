package report

import (
	"fmt"

	"resolwe"
)

// measures are those of an evaluation, by key.
func measures(e *resolwe.Evaluation) Object {
	return Object{
		"map", e.MAP, "auc_roc", e.AUCROC, "auc_roc_pooled", e.AUCROCPooled, "auc_pr", e.AUCPR, "cll", e.CLL, "brier", e.Brier, "calibration_error", e.CalibrationError,
		"map_all_ranks", e.PrecisionAllRanks, "tn_all_ranks", e.TrueNegativeAllRanks,
	}
}

// sampling is how far the marginals behind an evaluation are to be trusted, nil where nothing was sampled or left out.
func sampling(q *resolwe.Quality) any {
	if q.Sampled+q.Skipped == 0 {
		return nil
	}
	worst := func(w resolwe.Worst) any {
		if w.Subgraph == "" {
			return Null
		}
		return Object{"value", w.Value, "subgraph", w.Subgraph}
	}
	return Object{
		"subgraphs", q.Subgraphs, "sampled", q.Sampled, "left_out", OrNothing(q.Skipped),
		"max_rhat", worst(q.RHat), "min_ess", worst(q.ESS), "max_error", worst(q.Error),
	}
}

// Eval is what is printed of an evaluation.
func Eval(ev *resolwe.Evaluation, seconds Seconds) *Document {
	of := measures(ev)
	t := NewTable("lr")
	for i, name := range []string{
		"MAP", "AUC-ROC", "AUC-ROC, pooled", "AUC-PR", "CLL", "Brier score", "calibration error", "precision, all ranks", "true negatives, all ranks",
	} {
		t.Row(name, of[2*i+1])
	}
	return &Document{
		Data: append(of, "subgraphs", ev.Ranked, // that the means are over
			"subgraphs_with_truth", ev.Subgraphs, // that cll is over
			"sampling", sampling(&ev.Quality), "seconds", seconds.Data()),
		Page: Page{t, fmt.Sprintf("\n%d subgraphs with known truth, %d of them with both true and false atoms; %.3f seconds\n",
			ev.Subgraphs, ev.Ranked, seconds.Taken)},
	}
}
