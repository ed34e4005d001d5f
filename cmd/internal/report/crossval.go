package report

import (
	"fmt"
	"slices"
	"strings"

	"resolwe"
	"resolwe/crossval"
	"resolwe/internal/render"
	"resolwe/internal/stage/selecting"
)

// Crossval presents a cross-validation. With timings, its data and lines include seconds.
func Crossval(cv *crossval.Result, timings bool) *render.Document {
	return &render.Document{Data: crossData(cv, timings), Page: crossPage(cv), Lines: crossLines(cv, timings)}
}

func crossData(cv *crossval.Result, timings bool) render.Object {
	out := render.Object{"folds", cv.Folds, "row_task", render.OrNothing(cv.RowTask())}
	of := func(e *resolwe.Evaluation) render.Object { return measures(e, cv.RowTask()) }
	if cv.Finished < cv.Folds || len(cv.Left) > 0 { // an error or the budget ended the run
		out = append(out, "partial", true, "finished", render.OrNothing(cv.Finished), "left", render.ListOrNothing(cv.Left))
	}
	if cv.Prequential {
		out = append(out, "prequential", true)
	} else {
		out = append(out, crossTraining(cv)...)
	}
	return append(out, "systems", render.Objects(cv.Systems, func(s *crossval.Outcome) render.Object {
		var seconds []render.Object // by fold, like the formulas
		for _, t := range s.Seconds {
			if timings {
				seconds = append(seconds, render.Object{"select", t.Select, "learn", t.Learn})
			}
		}
		return slices.Concat(render.Object{"name", s.Name}, of(&s.Evaluation),
			render.Object{"by_fold", render.Objects(s.Folds, of), "formulas", render.ListOrNothing(s.Formulas), "sampling", sampling(&s.Quality), "seconds", render.ListOrNothing(seconds)})
	}), "doubts", render.ListOrNothing(render.Objects(cv.Doubts, func(d *selecting.Doubt) render.Object {
		return render.Object{"formula", d.Formula, "reason", d.Reason}
	})), "few_subgraphs", render.OrNothing(cv.Few()), "null", nullData(cv.Null), "overlap", render.OrNothing(cv.Overlap), "tests", render.Objects(cv.Tests, func(t *crossval.Comparison) render.Object {
		return render.Object{
			"measure", t.Measure, "against", t.Against, "unit", render.Either(cv.ByFold(), "fold", "subgraph"), "n", t.N, "mean_difference", t.MeanDifference,
			"ci95",
			[2]render.Number{render.Number(t.CI95[0]), render.Number(t.CI95[1])},
			"t", t.T, "df", t.DF, "p", t.P,
		}
	}))
}

// crossTraining says what systems were trained on.
func crossTraining(cv *crossval.Result) (out render.Object) {
	learnedOn := "rest"
	if cv.LearnedOn == crossval.LearnAll {
		learnedOn = "all"
	}
	if len(cv.From) > 0 {
		from := make([]string, len(cv.From))
		for i, t := range cv.From {
			from[i] = t.String()
		}
		out = append(out, "forward_from", from)
	}
	return append(out, "k2", cv.Subgraphs, "theta", cv.Threshold, "criterion", cv.Criterion.String(), "learned_on", learnedOn)
}

// nullData returns what the first system reaches on a null stream, or nil if there is none.
func nullData(n *crossval.Null) any {
	if n == nil {
		return nil
	}
	by, ci95, _ := n.Excess()
	return append(measures(&n.System.Evaluation, n.System.RowTask()), "formulas", n.System.Formulas, "base_map", n.Base.MAP, "n", n.MAP.N, "mean_difference", by,
		"ci95", [2]render.Number{render.Number(ci95[0]), render.Number(ci95[1])}, "tells", n.Tells())
}

// crossHead says how the data were divided.
func crossHead(cv *crossval.Result) string {
	noun := "folds"
	if cv.Folds == 1 {
		noun = "fold" // the last part of the stream
	}
	head := fmt.Sprintf("%d %s", cv.Folds, noun)
	if cv.Prequential {
		head = fmt.Sprintf("%d subgraphs in stream order, each block predicted before it is learned from", len(cv.Tested))
	}
	if len(cv.From) > 0 {
		head += fmt.Sprintf(" forward in time: each begins at one of %v, trained on what is before", cv.From)
	}
	if cv.RowTask() {
		head += ", a row task (subgraphs have one query atom)"
	}
	if cv.Finished < cv.Folds {
		head += fmt.Sprintf(", %d of them finished: A PARTIAL RESULT", cv.Finished)
	}
	var divided []string // systems that divide the training subgraphs for selection and learning
	for _, s := range cv.Systems {
		if cv.Criterion != 0 && s.Name == cv.Criterion.String() || s.Name == "skipSelection" {
			divided = append(divided, s.Name)
		}
	}
	if cv.Criterion != 0 && slices.Contains(divided, cv.Criterion.String()) {
		first := "all"
		if cv.Subgraphs > 0 {
			first = fmt.Sprint("the first ", cv.Subgraphs)
		}
		head += fmt.Sprintf("; %v selects on %s training subgraphs, theta = %v", cv.Criterion, first, cv.Threshold)
	}
	if len(divided) > 0 {
		on := "what selection left"
		if cv.LearnedOn == crossval.LearnAll {
			on = "all"
		}
		head += fmt.Sprintf("; %s: weights learned on %s", strings.Join(divided, ", "), on)
	}
	return head
}

// crossPage shows how good the systems are, whether differences are significant, and the times of the paper's steps.
func crossPage(cv *crossval.Result) render.Page {
	systems := render.NewTable("lrrrrrl", "over subgraphs", "MAP", "AUC-ROC", "CLL", "Brier", "calib.", "formulas")
	if cv.RowTask() {
		systems = render.NewTable("lrl", "", "calib.", "formulas")
	}
	pooled := render.NewTable("lllll", "over atoms", "AUC-ROC, 95%", "AUC-PR, 95%", "log-loss, 95%", "accuracy, 95%")
	top := render.NewTable("lrrrrrr", "precision, lift", "first 10", "first 50", "first 1%", "lift 10", "lift 50", "lift 1%")
	times := render.NewTable("lrrr", "seconds a fold", "select", "learn", "total")
	line := func(s *crossval.Outcome, formulas any) {
		cells := []any{s.Name, s.MAP, s.AUCROC, s.CLL, s.Brier, s.CalibrationError, formulas}
		if cv.RowTask() {
			cells = slices.Delete(cells, 1, 5)
		}
		systems.Row(cells...)
		cells = append(make([]any, 0, 5), s.Name)
		for _, m := range listed(&s.Evaluation, true)[:4] {
			cells = append(cells, strings.TrimSpace(render.Number(m.value).Text('f', 3)+" "+m.span()))
		}
		pooled.Row(cells...)
	}
	for _, s := range cv.Systems {
		formulas := any(s.Formulas)
		if cv.Prequential {
			formulas = ""
		}
		line(&s, formulas)
		cells := append(make([]any, 0, 7), s.Name)
		for _, v := range slices.Concat(s.Top.Precision[:], s.Top.Lift[:]) {
			cells = append(cells, render.Number(v).Text('f', 3))
		}
		top.Row(cells...)
		sel, learn := meanSeconds(&s)
		times.Row(s.Name, seconds(sel), seconds(learn), seconds(sel+learn))
	}
	out := render.Page{crossHead(cv) + "\n\n", pooled, resampled(cv.Systems[0].Intervals) + "\n\n", systems, "\n", top, "\n"}
	if n := cv.Null; n != nil {
		line(&n.System, n.System.Formulas)
		by, ci95, of := n.Excess()
		base := n.Base.MAP
		if n.System.RowTask() {
			base = .5
		}
		out = append(out, fmt.Sprintf("null: %s where the target has nothing to do with the rest; %s of the base rates there %s, difference %s (%s to %s)\n\n",
			cv.Systems[0].Name, of, render.Number(base).Text('f', 3), render.Number(by).Text('f', 3), render.Number(ci95[0]).Text('f', 3), render.Number(ci95[1]).Text('f', 3)))
	}
	if len(cv.Tests) > 0 {
		tests, last := render.NewTable("llrrrrrr", cv.Systems[0].Name+" less", "", "mean", "95% from", "to", "t", "df", "p"), ""
		for _, t := range cv.Tests {
			against := t.Against
			if against == last {
				against = ""
			}
			last = t.Against
			tests.Row(against, t.Measure, t.MeanDifference, t.CI95[0], t.CI95[1], render.Number(t.T).Text('f', 2), t.DF, render.Number(t.P).Text('g', 2))
		}
		out = append(out, tests, cv.Testing()+"\n")
		if cv.Few() {
			out = append(out, fmt.Sprintf("%d test subgraphs: the unit is too coarse for tests, t and p say little\n", len(cv.Tested)))
		}
		out = append(out, "\n")
	}
	if cv.Prequential {
		return out
	}
	return append(out, times)
}

// crossLines returns lines of system, fold, measure and value. Figures over all folds have the fold "all", comparisons name both
// systems, and undefined figures have no value. A partial result begins with the number of finished folds.
func crossLines(cv *crossval.Result, timings bool) [][]any {
	out := [][]any{{"system", "fold", "measure", "value"}}
	add := func(system string, fold any, prefix string, of render.Object) {
		for pair := range slices.Chunk(of, 2) {
			switch key := prefix + pair[0].(string); v := pair[1].(type) {
			case string:
			case [2]render.Number:
				out = append(out, []any{system, fold, key + "_low", float64(v[0])}, []any{system, fold, key + "_high", float64(v[1])})
			default:
				out = append(out, []any{system, fold, key, v})
			}
		}
	}
	if cv.Finished < cv.Folds {
		add("", "all", "", render.Object{"partial_finished_folds", cv.Finished})
	}
	outcome := func(s *crossval.Outcome, timings bool, more ...any) {
		add(s.Name, "all", "", append(measures(&s.Evaluation, cv.RowTask()), more...))
		for k, n := range s.Formulas {
			add(s.Name, k+1, "", append(measures(&s.Folds[k], cv.RowTask()), "formulas", n))
			if t := s.Seconds; timings {
				add(s.Name, k+1, "", render.Object{"select_seconds", t[k].Select, "learn_seconds", t[k].Learn, "total_seconds", t[k].Select + t[k].Learn})
			}
		}
	}
	for i := range cv.Systems {
		outcome(&cv.Systems[i], timings)
	}
	if n := cv.Null; n != nil {
		outcome(&n.System, false, "base_map", n.Base.MAP, "map_mean_difference", n.MAP.MeanDifference, "tells", n.Tells())
	}
	for _, t := range cv.Tests {
		add(cv.Systems[0].Name+" - "+t.Against, "all", t.Measure, render.Object{
			"_n", t.N, "_mean_difference", t.MeanDifference, "_ci95_low", t.CI95[0], "_ci95_high", t.CI95[1], "_t", t.T, "_df", t.DF, "_p", t.P,
		})
	}
	return out
}
