package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"resolwe"
	"resolwe/internal/printable"
	"resolwe/internal/render"
	"resolwe/internal/stage/inferring"
	"resolwe/kernels/rank"
)

// measure is a measure of an evaluation.
type measure struct {
	key, name string
	value     float64
	over      bool        // it is a mean over subgraphs
	ci95      *[2]float64 // its interval; nil if it has none
}

// listed returns the measures of an evaluation; those of a row task only if they pool its atoms.
func listed(e *resolwe.Evaluation, rowTask bool) []measure {
	pooled := [4]*[2]float64{}
	if in := &e.Intervals; in.Clusters > 0 {
		pooled = [4]*[2]float64{&in.AUCROC, &in.AUCPR, &in.LogLoss, &in.Accuracy}
	}
	all := make([]measure, 0, 17)
	all = append(all,
		measure{"map", "MAP", e.MAP, true, nil},
		measure{"auc_roc", "AUC-ROC", e.AUCROC, true, nil},
		measure{"auc_roc_pooled", "AUC-ROC, pooled", e.AUCROCPooled, false, pooled[0]},
		measure{"auc_pr", "AUC-PR", e.AUCPR, false, pooled[1]},
		measure{"log_loss", "log-loss", e.LogLoss, false, pooled[2]},
		measure{"accuracy", "accuracy at 0.5", e.Accuracy, false, pooled[3]},
		measure{"cll", "CLL", e.CLL, true, nil},
		measure{"brier", "Brier score", e.Brier, true, nil},
		measure{"calibration_error", "calibration error", e.CalibrationError, false, nil},
		measure{"map_all_ranks", "precision, all ranks", e.PrecisionAllRanks, true, nil},
		measure{"tn_all_ranks", "true negatives, all ranks", e.TrueNegativeAllRanks, true, nil},
	)
	for what, values := range [...][3]float64{e.Top.Precision, e.Top.Lift} {
		name := [...]string{"precision", "lift"}[what]
		for i, first := range [...]string{"10", "50", "1%"} {
			all = append(all, measure{name + "_" + strings.ReplaceAll(first, "%", "pct"), name + ", first " + first, values[i], false, nil})
		}
	}
	return slices.DeleteFunc(all, func(m measure) bool { return rowTask && m.over })
}

// measures returns the measures of an evaluation, by key, and then their intervals.
func measures(e *resolwe.Evaluation, rowTask bool) (out render.Object) {
	list := listed(e, rowTask)
	for _, m := range list {
		out = append(out, m.key, m.value)
	}
	for _, m := range list {
		if m.ci95 != nil {
			out = append(out, m.key+"_ci95", [2]render.Number{render.Number(m.ci95[0]), render.Number(m.ci95[1])})
		}
	}
	if in := &e.Intervals; in.Clusters > 0 {
		out = append(out, "clusters", in.Clusters, "cluster", render.Either(in.ByUnit, "argument", "subgraph"))
	}
	return out
}

// span prints an interval of a measure.
func (m measure) span() string {
	if m.ci95 == nil || math.IsNaN(m.ci95[0]) {
		return ""
	}
	return "(" + render.Number(m.ci95[0]).Text('f', 3) + ", " + render.Number(m.ci95[1]).Text('f', 3) + ")"
}

// resampled says what intervals are of.
func resampled(in rank.Intervals) string {
	unit := "subgraphs"
	if in.ByUnit {
		unit = "values of the atoms' first argument that is not the center"
	}
	return fmt.Sprintf("95%% intervals: bootstrap over %d %s, 1000 draws", in.Clusters, unit)
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
	t := render.NewTable("lrl")
	for _, m := range listed(ev, ev.RowTask()) {
		t.Row(m.name, m.value, m.span())
	}
	tail := fmt.Sprintf("\n%s with known truth, %d of them with both true and false atoms", printable.Count(ev.Subgraphs, "subgraph"), ev.Ranked)
	if ev.RowTask() {
		tail = fmt.Sprintf("\n%s with known truth, %d of them with one atom: a row task, whose measures pool all atoms", printable.Count(ev.Subgraphs, "subgraph"), ev.Single)
	}
	return &render.Document{
		Data: append(measures(ev, ev.RowTask()), "row_task", render.OrNothing(ev.RowTask()), "subgraphs", ev.Ranked, // number of subgraphs in the means
			"subgraphs_with_truth", ev.Subgraphs, // number of subgraphs in the mean cll
			"sampling", sampling(&ev.Quality), "seconds", seconds.Data()),
		Page: render.Page{t, fmt.Sprintf("%s; %s; %.3f seconds\n", tail, resampled(ev.Intervals), seconds.Taken)},
	}
}
