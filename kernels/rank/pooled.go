package rank

import "math"

// Pooled are the measures of the atoms of several subgraphs in one pool. A value that is undefined is NaN.
type Pooled struct {
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
}

// Pool computes the measures of a pool of query atoms of known truth. It sorts atoms.
func Pool(atoms []Scored) Pooled {
	r := newRanking(atoms)
	p := Pooled{AUCPR: math.NaN(), CalibrationError: math.NaN()}
	if r.ranked() {
		p.AUCPR = r.aucPR()
	}
	if len(atoms) > 0 {
		p.CalibrationError = r.calibrationError()
	}
	return p
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

// calibrationBins is how many bins of equal count the calibration error has.
const calibrationBins = 10

// calibrationError: a bin's part of the atoms times its distance of means is the distance of its sums over all atoms.
func (r *ranking) calibrationError() float64 {
	n := len(r.atoms)
	sum, expected, positives := 0.0, 0.0, 0
	above, last := 0, -1
	for _, b := range r.blocks {
		end := above + b.size()
		if bin := calibrationBins * (n - end) / n; bin != last {
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
