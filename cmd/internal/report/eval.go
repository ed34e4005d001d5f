package report

import (
	"fmt"

	"resolwe"
	"resolwe/internal/printable"
	"resolwe/internal/render"
	"resolwe/internal/stage/inferring"
)

// measures returns the measures of an evaluation, by key.
func measures(e *resolwe.Evaluation) render.Object {
	return render.Object{
		"map", e.MAP, "auc_roc", e.AUCROC, "auc_roc_pooled", e.AUCROCPooled, "auc_pr", e.AUCPR, "cll", e.CLL, "brier", e.Brier, "calibration_error", e.CalibrationError,
		"map_all_ranks", e.PrecisionAllRanks, "tn_all_ranks", e.TrueNegativeAllRanks,
		"precision_10", e.Top.Precision[0], "precision_50", e.Top.Precision[1], "precision_1pct", e.Top.Precision[2],
		"lift_10", e.Top.Lift[0], "lift_50", e.Top.Lift[1], "lift_1pct", e.Top.Lift[2],
	}
}

// sampling says how far the marginals behind an evaluation can be trusted; nil if nothing was sampled or left out.
func sampling(q *resolwe.Quality) any {
	if q.Sampled+q.Skipped == 0 {
		return nil
	}
	worst := func(w inferring.Worst) any {
		if w.Subgraph == "" {
			return render.Null
		}
		return render.Object{"value", w.Value, "subgraph", w.Subgraph}
	}
	return render.Object{
		"subgraphs", q.Subgraphs, "sampled", q.Sampled, "left_out", render.OrNothing(q.Skipped),
		"max_rhat", worst(q.RHat), "min_ess", worst(q.ESS), "max_error", worst(q.Error),
	}
}

// Eval presents an evaluation.
func Eval(ev *resolwe.Evaluation, seconds Seconds) *render.Document {
	of := measures(ev)
	t := render.NewTable("lr")
	for i, name := range []string{
		"MAP", "AUC-ROC", "AUC-ROC, pooled", "AUC-PR", "CLL", "Brier score", "calibration error", "precision, all ranks", "true negatives, all ranks",
		"precision, first 10", "precision, first 50", "precision, first 1%", "lift, first 10", "lift, first 50", "lift, first 1%",
	} {
		t.Row(name, of[2*i+1])
	}
	return &render.Document{
		Data: append(of, "subgraphs", ev.Ranked, // number of subgraphs in the means
			"subgraphs_with_truth", ev.Subgraphs, // number of subgraphs in the mean cll
			"sampling", sampling(&ev.Quality), "seconds", seconds.Data()),
		Page: render.Page{t, fmt.Sprintf("\n%s with known truth, %d of them with both true and false atoms; %.3f seconds\n",
			printable.Count(ev.Subgraphs, "subgraph"), ev.Ranked, seconds.Taken)},
	}
}
