package report

import (
	"fmt"
	"math"
	"slices"

	"resolwe/internal/render"
)

// mostBins is the number of bins of cases by rank, where not all are listed.
const mostBins = 1000

// listCases writes the section of cases.
func (r *Report) listCases(c *Content) {
	n := len(r.outOfFold)
	if n == 0 {
		return
	}
	s := &c.Cases
	s.List, s.Total, s.Scale, s.Levels = r.listed, int64(n), r.population.scale(), r.population == nil || r.population.known
	for i := range s.List {
		s.Timed = s.Timed || s.List[i].Time.Known
	}
	for i := range r.outOfFold {
		if r.outOfFold[i].truth {
			s.Trues++
		}
	}
	r.bins(s)
	s.Start = int(min(max(s.Trues, 1), s.Total))
	for i := range s.List {
		s.List[i].P = r.population.share(s.List[i].P)
	}
	for _, k := range s.ranks() {
		s.Table = append(s.Table, r.threshold(k))
	}
	s.Lead = render.Join("Which ones, and why? Each probability comes from a model that had not seen the case. Reasons compare it with the average case.")
	if n > len(s.List) {
		s.Lead = render.Join(s.Lead, fmt.Sprintf(" Here are %s of %s; --predictions writes all.", render.Grouped(int64(len(s.List))), render.Grouped(int64(n))))
	}
}

// ranked returns the cases, most probable first.
func (r *Report) ranked() []predicted {
	out := slices.Clone(r.outOfFold)
	slices.SortStableFunc(out, func(a, b predicted) int { return -compareFloat(a.p[0], b.p[0]) })
	return out
}

func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// bins divides all cases by rank, if not all are listed.
func (r *Report) bins(s *Cases) {
	n := len(r.outOfFold)
	if n <= len(s.List) {
		return
	}
	ranked := r.ranked()
	for b := range min(mostBins, n) {
		from, to := b*n/mostBins, (b+1)*n/mostBins
		bin := Bin{Cases: int64(to - from), Least: r.population.share(ranked[to-1].p[0])}
		for _, p := range ranked[from:to] {
			if p.truth {
				bin.True++
			}
		}
		s.Bins = append(s.Bins, bin)
	}
}

// ranks returns the numbers of cases for which the table says what checking them finds.
func (s *Cases) ranks() (out []int) {
	for _, k := range []int64{10, 20, 30, 50, 100, s.Total / 100, s.Total / 20, s.Total / 10} {
		if k > 0 && k <= s.Total && !slices.Contains(out, int(k)) {
			out = append(out, int(k))
		}
	}
	slices.Sort(out)
	return out
}

// threshold says what checking the k most probable cases finds.
func (r *Report) threshold(k int) Threshold {
	ranked := r.ranked()
	out := Threshold{Checked: int64(k), Least: r.population.share(ranked[k-1].p[0])}
	trues := int64(0)
	for i, p := range ranked {
		if p.truth {
			trues++
			if i < k {
				out.Found++
			}
		}
	}
	out.Precision = r.corrected(wilson(out.Found, out.Checked))
	base := r.population.share(float64(trues) / float64(len(ranked)))
	out.Lift, out.Recall = out.Precision.Value/base, float64(out.Found)/float64(max(1, trues))
	return out
}

// wilson returns a share of independent cases with its interval (Wilson, Journal of the American Statistical Association 22, 1927).
func wilson(k, n int64) Interval {
	const z = 1.95996
	share, size := float64(k)/float64(n), float64(n)
	middle := (share + z*z/(2*size)) / (1 + z*z/size)
	half := z / (1 + z*z/size) * math.Sqrt(share*(1-share)/size+z*z/(4*size*size))
	return Interval{share, max(0, middle-half), min(1, middle+half)}
}
