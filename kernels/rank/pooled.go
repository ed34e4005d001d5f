package rank

import "math"

// Pooled are the measures of the atoms of several subgraphs in one pool. A value that is undefined is NaN.
type Pooled struct {
	// AUCROC is the area under the ROC curve, ties counting one half. It is undefined without a true or without a false atom.
	AUCROC float64
	// AUCPR is the area under the precision-recall curve. Between the points of two neighbouring thresholds it is
	// interpolated as Davis and Goadrich (2006) do: false positives grow linearly with true positives, a point stands at
	// every whole number of true positives, and points are joined by straight lines. The curve starts at recall 0 with the
	// precision that its first segment has there, in the limit. It is undefined without a true or without a false atom.
	AUCPR float64
	// CalibrationError is the expected calibration error (Naeini, Cooper and Hauskrecht, 2015) over ten bins of equal
	// count: the mean over atoms of the distance between the mean marginal of an atom's bin and the part of the bin that is
	// true. Of n atoms, one with a atoms of lower marginal is in bin 10 a / n, rounded down, so that tied atoms are never
	// apart; a bin may be empty. It is undefined without atoms.
	CalibrationError float64
	// Curve is the ranking behind them, from the highest marginal down: see Run.
	Curve []Run
}

// Run is neighbours in the ranking of a pool, whose curves are drawn from their counts. Tied atoms are never apart, nor those of
// two bins of the calibration error together, and a run ends at the latest with every 200th part of the true or of the false
// atoms, so that a pool has about 400 runs at most.
type Run struct {
	P           float64 // sum of the marginals
	True, False int     // atoms
	Bin         int     // of the calibration error, from 0, of the lowest marginals, to 9
}

// Pool computes the measures of a pool of query atoms of known truth. It sorts atoms.
func Pool(atoms []Scored) Pooled {
	r := newRanking(atoms)
	p := Pooled{AUCROC: math.NaN(), AUCPR: math.NaN(), CalibrationError: math.NaN()}
	if r.ranked() {
		p.AUCROC, p.AUCPR = auc(r.blocks), r.aucPR()
	}
	if len(atoms) > 0 {
		p.CalibrationError = r.calibrationError()
		p.Curve = r.curve()
	}
	return p
}

// CurveAUC returns the area under the ROC curve of a pool of which the curve alone is known, as if the atoms of a run were tied: exact
// where there are at most 200 true and 200 false ones, since no run then joins marginals. It is NaN where that of the pool is.
func CurveAUC(curve []Run) float64 {
	blocks := make([]block, len(curve))
	for i, run := range curve {
		blocks[i] = block{run.True, run.False}
	}
	return auc(blocks)
}

func (r *ranking) aucPR() float64 {
	sum, tp, fp := 0.0, 0.0, 0.0
	for _, b := range r.blocks {
		if b.positives > 0 {
			slope := float64(b.negatives) / float64(b.positives)
			left := 1 / (1 + slope) // where tp = fp = 0
			if tp+fp > 0 {
				left = tp / (tp + fp)
			}
			for x := 1.0; x <= float64(b.positives); x++ {
				right := (tp + x) / (tp + x + fp + float64(x*slope))
				sum += float64((left + right) / 2)
				left = right
			}
		}
		tp += float64(b.positives)
		fp += float64(b.negatives)
	}
	return sum / float64(r.positives)
}

// CalibrationBins is how many bins of equal count the calibration error has.
const CalibrationBins = 10

// calibrationError: a bin's part of the atoms times its distance of means is the distance of its sums over all atoms.
func (r *ranking) calibrationError() float64 {
	n := len(r.atoms)
	sum, expected, positives := 0.0, 0.0, 0
	above, last := 0, -1
	for _, b := range r.blocks {
		end := above + b.size()
		if bin := CalibrationBins * (n - end) / n; bin != last {
			sum += math.Abs(expected - float64(positives))
			expected, positives, last = 0, 0, bin
		}
		for _, a := range r.atoms[above:end] {
			expected += a.P
		}
		positives += b.positives
		above = end
	}
	return (sum + math.Abs(expected-float64(positives))) / float64(n)
}

// curveSteps is how many parts of the true, and of the false atoms a curve tells apart.
const curveSteps = 200

// curve returns the ranking in runs.
func (r *ranking) curve() []Run {
	var out []Run
	n, last := len(r.atoms), [3]int{-1}
	above, tp, fp := 0, 0, 0
	for _, b := range r.blocks {
		end := above + b.size()
		at := [3]int{
			CalibrationBins * (n - end) / n, curveSteps * tp / max(r.positives, 1), curveSteps * fp / max(r.negatives, 1),
		}
		if at != last {
			out, last = append(out, Run{Bin: at[0]}), at
		}
		run := &out[len(out)-1]
		for _, a := range r.atoms[above:end] {
			run.P += a.P
		}
		run.True += b.positives
		run.False += b.negatives
		above, tp, fp = end, tp+b.positives, fp+b.negatives
	}
	return out
}
