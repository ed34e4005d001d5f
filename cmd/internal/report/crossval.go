package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"resolwe/cmd/internal/terminal"
	"resolwe/crossval"
)

// Crossval is what crossval prints with --json.
type Crossval struct {
	Folds     int           `json:"folds"`
	Partial   bool          `json:"partial,omitempty"`  // an error ended the run
	Finished  int           `json:"finished,omitempty"` // folds that the figures are of, where it did
	K2        int           `json:"k2"`
	Theta     float64       `json:"theta"`
	Criterion string        `json:"criterion"`
	LearnedOn string        `json:"learned_on"`
	Systems   []crossSystem `json:"systems"`
	Tests     []crossTest   `json:"tests"`
}

type crossSystem struct {
	Name string `json:"name"`
	Measures
	Formulas []int          `json:"formulas"` // by fold
	Sampling *Quality       `json:"sampling,omitempty"`
	Seconds  []crossSeconds `json:"seconds,omitempty"`
}

type crossSeconds struct {
	Select Number `json:"select"`
	Learn  Number `json:"learn"`
}

type crossTest struct {
	Measure    string    `json:"measure"`
	Against    string    `json:"against"` // the system that the first is compared with
	N          int       `json:"n"`
	Difference Number    `json:"mean_difference"`
	CI95       [2]Number `json:"ci95"`
	T          Number    `json:"t"`
	DF         int       `json:"df"`
	P          Number    `json:"p"`
}

// NewCrossval returns what is printed of a cross-validation.
func NewCrossval(cv *crossval.Result, timings bool) Crossval {
	out := Crossval{
		Folds: cv.Folds, K2: cv.Subgraphs, Theta: cv.Threshold, Criterion: cv.Criterion.String(), LearnedOn: "rest",
		Tests: []crossTest{},
	}
	if cv.LearnedOn == crossval.LearnAll {
		out.LearnedOn = "all"
	}
	if cv.Finished < cv.Folds {
		out.Partial, out.Finished = true, cv.Finished
	}
	for i := range cv.Systems {
		s := &cv.Systems[i]
		j := crossSystem{
			Name: s.Name, Measures: NewMeasures(&s.Evaluation), Formulas: s.Formulas, Sampling: NewQuality(&s.Quality),
		}
		for _, t := range s.Seconds {
			if timings {
				j.Seconds = append(j.Seconds, crossSeconds{Number(t.Select), Number(t.Learn)})
			}
		}
		out.Systems = append(out.Systems, j)
	}
	for _, t := range cv.Tests {
		out.Tests = append(out.Tests, crossTest{
			t.Measure, t.Against, t.N, Number(t.MeanDifference), [2]Number{Number(t.CI95[0]), Number(t.CI95[1])}, Number(t.T), t.DF, Number(t.P),
		})
	}
	return out
}

// CrossvalText prints how good the systems are, whether the differences count, and the times of the paper's steps.
func CrossvalText(w io.Writer, cv *crossval.Result) error {
	noun := "folds"
	if cv.Folds == 1 {
		noun = "fold" // the last part of the stream
	}
	head := fmt.Sprintf("%d %s", cv.Folds, noun)
	if cv.Finished < cv.Folds {
		head += fmt.Sprintf(", %d of them finished: A PARTIAL RESULT", cv.Finished)
	}
	divided := dividing(cv)
	if slices.Contains(divided, cv.Criterion.String()) {
		head += fmt.Sprintf("; %v selects on the first %d training subgraphs, theta = %v", cv.Criterion, cv.Subgraphs, cv.Threshold)
	}
	if len(divided) > 0 {
		on := "what selection left"
		if cv.LearnedOn == crossval.LearnAll {
			on = "all"
		}
		head += fmt.Sprintf("; %s: weights learned on %s", strings.Join(divided, ", "), on)
	}
	if err := terminal.Paragraph(w, head+"\n\n"); err != nil {
		return err
	}

	measures := NewTable("lrrrrrrl", "", "MAP", "AUC-ROC", "AUC-PR", "CLL", "Brier", "calib.", "formulas")
	seconds := NewTable("lrrr", "seconds a fold", "select", "learn", "total")
	for _, s := range cv.Systems {
		measures.Row(s.Name, Number(s.MAP), Number(s.AUCROC), Number(s.AUCPR), Number(s.CLL),
			Number(s.Brier), Number(s.CalibrationError), s.Formulas)
		var sel, learn float64
		for _, t := range s.Seconds {
			sel += t.Select / float64(len(s.Seconds))
			learn += t.Learn / float64(len(s.Seconds))
		}
		seconds.Row(s.Name, seconds3(sel), seconds3(learn), seconds3(sel+learn))
	}
	tests := NewTable("llrrrrrr", cv.Systems[0].Name+" less", "", "mean", "95% from", "to", "t", "df", "p")
	last := ""
	for _, t := range cv.Tests {
		against := t.Against
		if against == last {
			against = ""
		}
		last = t.Against
		tests.Row(against, t.Measure, Number(t.MeanDifference), Number(t.CI95[0]), Number(t.CI95[1]),
			Number(t.T).Text('f', 2), t.DF, Number(t.P).Text('g', 2))
	}
	tables := []*Table{measures, tests, seconds}
	if len(cv.Tests) == 0 {
		tables = []*Table{measures, seconds}
	}
	for i, t := range tables {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := t.Write(w); err != nil {
			return err
		}
	}
	return nil
}

// dividing returns the systems that divide the training subgraphs for selection and learning.
func dividing(cv *crossval.Result) (names []string) {
	for _, s := range cv.Systems {
		if s.Name == cv.Criterion.String() || s.Name == "skipSelection" {
			names = append(names, s.Name)
		}
	}
	return names
}

// seconds3 prints seconds to the millisecond.
func seconds3(s float64) string { return fmt.Sprintf("%.3f", s) }
