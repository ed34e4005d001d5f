package rank

import "math"

// Pooled are the measures of a pool of atoms from several subgraphs. Undefined values are NaN.
type Pooled struct {
	// AUCROC is the area under the ROC curve, with ties counted as one half. It is undefined without both true and false atoms.
	AUCROC float64
	// AUCPR is the area under the precision-recall curve. Between the points of adjacent thresholds it is interpolated as in Davis and
	// Goadrich (2006): false positives grow linearly with true positives, there is a point at every whole number of true positives, and
	// points are joined by straight lines. The curve starts at recall 0 with the limit of the precision on its first segment. It is
	// undefined without both true and false atoms.
	AUCPR float64
	// CalibrationError is the expected calibration error (Naeini, Cooper and Hauskrecht, 2015) over ten bins of equal count: the mean
	// over atoms of the distance between the mean marginal and the share of true atoms in the atom's bin. Of n atoms, one with a atoms of
	// lower marginal is in bin 10 a / n, rounded down, so that tied atoms share a bin; a bin may be empty. It is undefined without atoms.
	CalibrationError float64
	// LogLoss is the mean over atoms of minus the log-probability of the truth, clipped as in Figures.CLL. It is undefined without atoms.
	LogLoss float64
	// Accuracy is the share of atoms that are true if their rounded marginal is at least 0.5, and else false. It is undefined without atoms.
	Accuracy float64
	// Curve is the ranking behind these measures, from the highest marginal down: see Run.
	Curve []Run
}

// Run is a sequence of consecutive atoms in the ranking of a pool, whose curves are drawn from the runs' counts. Tied atoms are in the
// same run, and a run lies within one bin of the calibration error. A run ends at the latest with every 200th of the true or of the false
// atoms, so that a pool has at most about 400 runs. Tied atoms at a rank of Top form a run of their own.
type Run struct {
	P           float64 // sum of the marginals
	True, False int     // numbers of atoms
	Bin         int     // of the calibration error, from 0, with the lowest marginals, to 9
}

// Pool computes the measures of a pool of query atoms of known truth. It sorts atoms.
func Pool(atoms []Scored) Pooled {
	r := newRanking(atoms)
	p := Pooled{AUCROC: math.NaN(), AUCPR: math.NaN(), CalibrationError: math.NaN(), LogLoss: math.NaN(), Accuracy: math.NaN()}
	if r.ranked() {
		p.AUCROC, p.AUCPR = auc(r.blocks), r.aucPR()
	}
	if len(atoms) > 0 {
		p.CalibrationError, p.LogLoss, p.Accuracy = r.calibrationError(), -r.cll(), r.accuracy()
		p.Curve = r.curve()
	}
	return p
}

// topRanks are the ranks, among n atoms, for which Top gives figures.
func topRanks(n int) [3]int { return [3]int{10, 50, (n + 99) / 100} }

// Top returns the share of true atoms among the 10, the 50 and the 1% (rounded up) most probable atoms, averaged over the orders of ties,
// NaN if there are fewer atoms. base is the share among all atoms, the divisor for the lift.
func (p *Pooled) Top() (top [3]float64, base float64) {
	n, positives := 0, 0
	for _, r := range p.Curve {
		n, positives = n+r.True+r.False, positives+r.True
	}
	for i, k := range topRanks(n) {
		top[i] = math.NaN()
		if k == 0 || k > n {
			continue
		}
		left, found := float64(k), 0.
		for _, r := range p.Curve {
			size := float64(r.True + r.False)
			found += float64(float64(r.True) * min(1, left/size))
			if left -= size; left <= 0 {
				break
			}
		}
		top[i] = found / float64(k)
	}
	return top, float64(positives) / float64(n)
}

// CurveAUC returns the area under the ROC curve of a pool from its curve, as if the atoms of a run were tied. It is exact if there are at
// most 200 true and 200 false atoms, since then no run joins different marginals. It is NaN if that of the pool is.
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
			left := 1 / (1 + slope) // limit at tp = fp = 0
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

// CalibrationBins is the number of bins of the calibration error.
const CalibrationBins = 10

// calibrationError uses that a bin's weight times the distance of its means is the distance of its sums, divided by the number of atoms.
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

func (r *ranking) accuracy() float64 {
	correct := 0
	for _, a := range r.atoms {
		if a.correct() {
			correct++
		}
	}
	return float64(correct) / float64(len(r.atoms))
}

// curveSteps is the number of parts into which a curve divides the true atoms, and the false ones.
const curveSteps = 200

// curve returns the ranking in runs.
func (r *ranking) curve() []Run {
	var out []Run
	n, last := len(r.atoms), [4]int{-1}
	above, tp, fp := 0, 0, 0
	for _, b := range r.blocks {
		end, ranks := above+b.size(), 0
		for _, k := range topRanks(n) {
			for _, rank := range [2]int{above, end} {
				if k <= rank {
					ranks++
				}
			}
		}
		at := [4]int{
			CalibrationBins * (n - end) / n, curveSteps * tp / max(r.positives, 1), curveSteps * fp / max(r.negatives, 1), ranks,
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
