package report

import (
	"math"

	"resolwe/internal/stage/inferring"
	"resolwe/kernels/rank"
)

// point is a point of a curve.
type point struct{ X, Y float64 }

// averaged returns the mean over folds of a curve at x = 0, .01, .., 1 (vertical averaging: Fawcett, Pattern Recognition Letters
// 27, 2006). Folds without a curve are left out.
func averaged(folds []inferring.Pooled, curve func(runs []rank.Run, x float64) float64) []point {
	var out []point
	for i := range 101 {
		x, sum, n := float64(i)/100, 0., 0
		for _, f := range folds {
			if y := curve(f.Curve, x); !math.IsNaN(y) {
				sum += y
				n++
			}
		}
		if n == 0 {
			return nil
		}
		out = append(out, point{x, sum / float64(n)})
	}
	return out
}

// totals returns the true and the false atoms of a ranking.
func totals(runs []rank.Run) (positives, negatives float64) {
	for _, r := range runs {
		positives += float64(r.True)
		negatives += float64(r.False)
	}
	return positives, negatives
}

// truePositives returns the share of true atoms above the threshold that has the given share of false atoms above it, interpolated
// linearly within a run of ties: the ROC curve.
func truePositives(runs []rank.Run, x float64) float64 {
	positives, negatives := totals(runs)
	if positives == 0 || negatives == 0 {
		return math.NaN()
	}
	tp, fp := 0., 0.
	for _, r := range runs {
		up, right := float64(r.True)/positives, float64(r.False)/negatives
		if right > 0 && fp+right > x {
			return tp + float64(up*(x-fp)/right)
		}
		tp, fp = tp+up, fp+right
	}
	return 1
}

// precision returns the share of true atoms among those above the threshold that has the given share of true atoms above it,
// interpolated within a run of ties as by Davis and Goadrich (2006): the precision-recall curve.
func precision(runs []rank.Run, x float64) float64 {
	positives, negatives := totals(runs)
	if positives == 0 || negatives == 0 {
		return math.NaN()
	}
	tp, fp, want := 0., 0., float64(x*positives)
	for _, r := range runs {
		up, right := float64(r.True), float64(r.False)
		if up > 0 && tp+up >= want {
			part := (want - tp) / up
			if tp+fp+part == 0 { // at the start
				return up / (up + right)
			}
			return want / (want + fp + float64(part*right))
		}
		tp, fp = tp+up, fp+right
	}
	return positives / (positives + negatives)
}
