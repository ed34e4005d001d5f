package report

import (
	"fmt"
	"io"

	"resolwe"
	"resolwe/cmd/internal/terminal"
)

// Eval is what eval prints with --json.
type Eval struct {
	Measures
	Subgraphs int      `json:"subgraphs"`            // that the means are over
	WithTruth int      `json:"subgraphs_with_truth"` // that cll is over
	Sampling  *Quality `json:"sampling,omitempty"`
	Seconds   *Number  `json:"seconds,omitempty"`
}

// Measures are the measures of an evaluation.
type Measures struct {
	MAP      Number `json:"map"`
	AUCROC   Number `json:"auc_roc"`
	AUCPR    Number `json:"auc_pr"`
	CLL      Number `json:"cll"`
	Brier    Number `json:"brier"`
	Error    Number `json:"calibration_error"`
	MAPRanks Number `json:"map_all_ranks"`
	TNRanks  Number `json:"tn_all_ranks"`
}

// NewMeasures returns the measures in the form in which they are printed.
func NewMeasures(e *resolwe.Evaluation) Measures {
	return Measures{
		Number(e.MAP), Number(e.AUCROC), Number(e.AUCPR), Number(e.CLL), Number(e.Brier), Number(e.CalibrationError),
		Number(e.PrecisionAllRanks), Number(e.TrueNegativeAllRanks),
	}
}

// NewEval returns what is printed of an evaluation; no seconds are left out.
func NewEval(e *resolwe.Evaluation, seconds *Number) Eval {
	return Eval{NewMeasures(e), e.Ranked, e.Subgraphs, NewQuality(&e.Quality), seconds}
}

// EvalText prints an evaluation for people.
func EvalText(w io.Writer, ev *resolwe.Evaluation, seconds float64) error {
	t := NewTable("lr")
	t.Row("MAP", Number(ev.MAP))
	t.Row("AUC-ROC", Number(ev.AUCROC))
	t.Row("AUC-PR", Number(ev.AUCPR))
	t.Row("CLL", Number(ev.CLL))
	t.Row("Brier score", Number(ev.Brier))
	t.Row("calibration error", Number(ev.CalibrationError))
	t.Row("precision, all ranks", Number(ev.PrecisionAllRanks))
	t.Row("true negatives, all ranks", Number(ev.TrueNegativeAllRanks))
	if err := t.Write(w); err != nil {
		return err
	}
	return terminal.Paragraph(w, fmt.Sprintf("\n%d subgraphs with known truth, %d of them with both true and false atoms; %.3f seconds\n",
		ev.Subgraphs, ev.Ranked, seconds))
}
