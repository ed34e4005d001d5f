package report

import (
	"resolwe/format/mln"
)

// Texts prints formulas without weights.
func Texts(formulas []*mln.Formula) []string {
	out := make([]string, len(formulas))
	for i, f := range formulas {
		out[i] = mln.FormatFormula(f)
	}
	return out
}
