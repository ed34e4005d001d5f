package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"resolwe/crossval"
	"resolwe/internal/render"
)

// PaperTask is a task of the paper: the cross-validation of selection by its criterion and of no selection, in this order, and the
// minutes in its Table 5 for steps 2 and 3, and for step 3 without selection.
type PaperTask struct {
	Name    string
	Cross   *crossval.Result
	Minutes [3]float64
}

// Paper presents the paper's tasks: accuracy with its significance, and training times, both in the paper's form.
func Paper(tasks []PaperTask, timings bool) *render.Document {
	data := make(render.Object, 0, 2*len(tasks))
	accuracy := render.NewTable("llrrrl", "accuracy", "", "MAP", "AUC-ROC", "CLL", "formulas")
	times := render.NewTable("llrrrrrr", "training time", "", "step 2, s", "step 3, s", "total, s", "paper, min: 2", "3", "total")
	few := ""
	for _, t := range tasks {
		data = append(data, strings.ToLower(t.Name), crossData(t.Cross, timings))
		for i, name := range []string{"RESOLWE", "no selection"} {
			s := &t.Cross.Systems[i]
			accuracy.Row(t.Name, name, s.MAP, s.AUCROC, s.CLL, between(s.Formulas))
			sel, learn := meanSeconds(s)
			step2, theirs, selected, learned := seconds(sel), minutes(t.Minutes[0]), t.Minutes[0], t.Minutes[1+i]
			if i > 0 {
				step2, theirs, selected = "-", "-", 0
			}
			times.Row(t.Name, name, step2, seconds(learn), seconds(sel+learn), theirs, minutes(learned), minutes(selected+learned))
			t.Name = ""
		}
		tests := make([][]any, 2)
		for _, test := range t.Cross.Tests {
			tests[0], tests[1] = append(tests[0], test.MeanDifference), append(tests[1], render.Number(test.P).Text('g', 2))
		}
		for i, what := range []string{"difference", "p"} {
			accuracy.Row(slices.Concat([]any{"", what}, tests[i], []any{""})...)
		}
		if t.Cross.Few() {
			few = "Fewer than ten test subgraphs: the unit is too coarse for tests, p says little.\n"
		}
	}
	cv := tasks[0].Cross
	head := fmt.Sprintf("Generated data; %d folds, k2 = %d, theta = %v. Means over the test subgraphs; p of t-tests that allow for shared training data.\n\n",
		cv.Folds, cv.Subgraphs, cv.Threshold)
	return &render.Document{Data: data, Page: render.Page{head, accuracy, few + "\n", times}}
}

// between returns the range of some numbers as text.
func between(list []int) string {
	least, most := slices.Min(list), slices.Max(list)
	if least == most {
		return strconv.Itoa(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// meanSeconds are the mean times of a system in a fold.
func meanSeconds(s *crossval.Outcome) (sel, learn float64) {
	for _, t := range s.Seconds {
		sel += t.Select / float64(len(s.Seconds))
		learn += t.Learn / float64(len(s.Seconds))
	}
	return sel, learn
}

func seconds(v float64) string { return fmt.Sprintf("%.3f", v) }

func minutes(v float64) string { return fmt.Sprintf("%.2f", v) }
