package elementary

import (
	"cmp"
	"math"
	"slices"
)

// RankCorrelation returns Spearman's correlation of pairs of finite numbers, 0 if either side is constant.
func RankCorrelation(a, b []float64) float64 {
	x, y := Ranks(a), Ranks(b)
	middle := float64(float64(len(a)+1) * .5)
	var xx, yy, xy float64
	for i := range x {
		dx, dy := x[i]-middle, y[i]-middle
		xx, yy, xy = xx+float64(dx*dx), yy+float64(dy*dy), xy+float64(dx*dy)
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(float64(xx*yy))
}

// Ranks returns the ranks of finite numbers, from 1; equal ones share their mean rank.
func Ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := make([]float64, len(values))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			out[k] = float64(i+1+j) / 2
		}
		i = j
	}
	return out
}
