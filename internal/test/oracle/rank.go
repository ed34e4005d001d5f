package oracle

import (
	"math"
	"slices"
	"strconv"

	"resolwe/kernels/rank"
)

// Figures computes the measures of a subgraph as means over every order of the atoms in which marginals, printed with 12 decimals, do not
// increase. Time grows with the factorial of the number of tied atoms.
func Figures(atoms []rank.Scored) rank.Figures {
	f := rank.Figures{Atoms: len(atoms), CLL: meanLogLikelihood(atoms), Brier: brier(atoms)}
	positives, negatives := countTruth(atoms)
	f.Ranked = positives > 0 && negatives > 0
	if !f.Ranked {
		return f
	}
	orders := 0.0
	eachOrder(nil, atoms, func(order []rank.Scored) {
		orders++
		truePairs, precisions := 0.0, 0.0
		for i := range order {
			above, _ := countTruth(order[:i+1])
			_, below := countTruth(order[i+1:])
			precision := float64(above) / float64(i+1)
			precisions += precision / float64(len(order))
			f.TrueNegativeAllRanks += float64(below) / float64(negatives) / float64(len(order))
			if order[i].True {
				truePairs += float64(below)
				f.AveragePrecision += precision / float64(positives)
			}
		}
		f.PrecisionAllRanks += precisions
		f.AUC += truePairs / float64(positives*negatives)
	})
	f.AUC /= orders
	f.AveragePrecision /= orders
	f.PrecisionAllRanks /= orders
	f.TrueNegativeAllRanks /= orders
	return f
}

// eachOrder calls f for prefix followed by rest, in every order of rest in which marginals do not increase.
func eachOrder(prefix, rest []rank.Scored, f func([]rank.Scored)) {
	if len(rest) == 0 {
		f(prefix)
		return
	}
	for i, next := range rest {
		if slices.ContainsFunc(rest, func(a rank.Scored) bool { return rounded(a.P) > rounded(next.P) }) {
			continue
		}
		others := slices.Delete(slices.Clone(rest), i, i+1)
		eachOrder(append(slices.Clone(prefix), next), others, f)
	}
}

// rounded returns p printed with 12 decimals; as such texts have the same length for all marginals, they compare like the numbers.
func rounded(p float64) string { return strconv.FormatFloat(p, 'f', 12, 64) }

func countTruth(atoms []rank.Scored) (positives, negatives int) {
	for _, a := range atoms {
		if a.True {
			positives++
		} else {
			negatives++
		}
	}
	return positives, negatives
}

func meanLogLikelihood(atoms []rank.Scored) float64 {
	sum := 0.0
	for _, a := range atoms {
		p := a.P
		if !a.True {
			p = 1 - p
		}
		sum += math.Log(min(max(p, 1e-6), 1-1e-6)) / float64(len(atoms))
	}
	return sum
}

func brier(atoms []rank.Scored) float64 {
	sum := 0.0
	for _, a := range atoms {
		sum += math.Pow(a.P-truth(a), 2) / float64(len(atoms))
	}
	return sum
}

func truth(a rank.Scored) float64 {
	if a.True {
		return 1
	}
	return 0
}

// CalibrationError computes the expected calibration error over ten bins by definition: the bin of each atom from the number of atoms
// with a smaller printed marginal, then the two means of each bin.
func CalibrationError(atoms []rank.Scored) float64 {
	bins := map[int][]rank.Scored{}
	for _, a := range atoms {
		lower := 0
		for _, b := range atoms {
			if rounded(b.P) < rounded(a.P) {
				lower++
			}
		}
		bin := int(math.Floor(float64(10*lower) / float64(len(atoms))))
		bins[bin] = append(bins[bin], a)
	}
	sum := 0.0
	for _, bin := range bins {
		p, share, size := 0.0, 0.0, float64(len(bin))
		for _, a := range bin {
			p += a.P / size
			share += truth(a) / size
		}
		sum += math.Abs(p-share) * size / float64(len(atoms))
	}
	return sum
}

// AUCROC computes, pair by pair, the share of pairs of a true and a false atom that are in the right order; tied pairs count one half.
func AUCROC(atoms []rank.Scored) float64 {
	right, pairs := 0.0, 0.0
	for _, a := range atoms {
		for _, b := range atoms {
			if !a.True || b.True {
				continue
			}
			pairs++
			switch p, q := rounded(a.P), rounded(b.P); {
			case p > q:
				right++
			case p == q:
				right += .5
			}
		}
	}
	return right / pairs
}

// Precision returns the expected share of true atoms among the first k, over the orders of tied atoms; NaN if there are fewer atoms.
func Precision(atoms []rank.Scored, k int) float64 {
	found, p := 0., make([]string, len(atoms))
	for i, a := range atoms {
		p[i] = rounded(a.P)
	}
	for i, a := range atoms {
		above, tied := 0, 0
		for _, q := range p {
			if p[i] < q {
				above++
			} else if p[i] == q {
				tied++
			}
		}
		if a.True {
			found += max(0, min(1, float64(k-above)/float64(tied)))
		}
	}
	if k == 0 || k > len(atoms) {
		return math.NaN()
	}
	return found / float64(k)
}

// AUCPR computes the area under the interpolated precision-recall curve from the list of its points: one for each number of true
// positives, and two where only false positives increase. There must be both true and false atoms.
func AUCPR(atoms []rank.Scored) float64 {
	var thresholds []string
	for _, a := range atoms {
		thresholds = append(thresholds, rounded(a.P))
	}
	slices.Sort(thresholds)
	thresholds = slices.Compact(thresholds)
	slices.Reverse(thresholds)

	type point struct{ tp, fp float64 }
	points := []point{{0, 0}}
	for _, t := range thresholds {
		positives, negatives := countTruth(slices.DeleteFunc(slices.Clone(atoms), func(a rank.Scored) bool {
			return rounded(a.P) < t
		}))
		from := points[len(points)-1]
		steps := float64(positives) - from.tp
		for step := 1.0; step < steps; step++ {
			part := step / steps
			points = append(points, point{from.tp + step, from.fp + float64(part*(float64(negatives)-from.fp))})
		}
		points = append(points, point{float64(positives), float64(negatives)})
	}
	precision := func(p point) float64 {
		if p.tp+p.fp == 0 {
			return points[1].tp / (points[1].tp + points[1].fp) // the limit along the first line
		}
		return p.tp / (p.tp + p.fp)
	}
	positives, _ := countTruth(atoms)
	area := 0.0
	for i := 1; i < len(points); i++ {
		width := (points[i].tp - points[i-1].tp) / float64(positives)
		area += float64(width * (precision(points[i-1]) + precision(points[i])) / 2)
	}
	return area
}
