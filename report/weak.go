package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"resolwe"
	"resolwe/crossval"
	"resolwe/internal/render"
	"resolwe/kernels/rank"
)

// mostGroups bounds the groups by which a model is judged.
const mostGroups = 12

// quality writes how good the model is, and where it is weak.
func (r *Report) quality(c *Content) {
	if len(r.outOfFold) == 0 || r.Cross == nil || len(r.Cross.Systems) == 0 {
		return
	}
	q := &c.Quality
	for k := range r.Cross.Systems {
		if name := r.Cross.Systems[k].Name; k > 0 && name != "logistic" {
			continue
		}
		name := render.Either(k == 0, "this model", "plain logistic regression")
		runs := rank.Pool(scored(r.outOfFold, k)).Curve
		if found := foundBy(runs); found != nil {
			q.Found = append(q.Found, Line{name, found, k == 0})
			var points []point
			for i := range 101 {
				x := float64(i) / 100
				points = append(points, point{x, r.population.share(precision(runs, x))})
			}
			q.Recall = append(q.Recall, Line{name, points, k == 0})
		}
	}
	if len(q.Found) > 0 {
		q.FoundNote = plain(fmt.Sprintf("The tenth with the highest probabilities holds %s of the true cases.", portion(q.Found[0].Points[10].Y, int64(len(r.outOfFold)))))
	}
	r.calibrate(q, c.Nouns)
	r.byGroup(c)
}

// scored returns the predictions of a system.
func scored(cases []predicted, system int) []rank.Scored {
	out := make([]rank.Scored, len(cases))
	for i, p := range cases {
		out[i] = rank.Scored{P: p.p[system], True: p.truth}
	}
	return out
}

// foundBy returns the share of true cases among the most probable ones, by the share of cases checked; nil if all are true or false. Cases
// of equal probability are found evenly.
func foundBy(runs []rank.Run) []point {
	positives, negatives := totals(runs)
	if positives == 0 || negatives == 0 {
		return nil
	}
	out, at, checked, found := []point{{}}, 0, 0., 0.
	for i := 1; i <= 100; i++ {
		want := float64(float64(i) / 100 * (positives + negatives))
		for at < len(runs) && checked+float64(runs[at].True+runs[at].False) <= want {
			checked, found = checked+float64(runs[at].True+runs[at].False), found+float64(runs[at].True)
			at++
		}
		y := found
		if at < len(runs) {
			y += (want - checked) * float64(runs[at].True) / float64(runs[at].True+runs[at].False)
		}
		out = append(out, point{float64(i) / 100, min(1, y/positives)})
	}
	return out
}

// inClusters counts the true cases, by subgraph. The cases are in any order.
func inClusters(cases []predicted) (out ratio) {
	cases = slices.Clone(cases)
	slices.SortStableFunc(cases, func(a, b predicted) int { return cmp.Compare(a.tested, b.tested) })
	for i, p := range cases {
		if i > 0 && p.tested != cases[i-1].tested {
			out.end()
		}
		out.add(p.truth)
	}
	out.end()
	return out
}

// group returns a group of cases, at the rate of the population.
func (r *Report) group(label string, of ratio, mean float64) Group {
	return Group{Label: label, Cases: of.n, True: of.k, Share: r.corrected(of.interval()), Mean: mean}
}

// calibrate compares probabilities with shares, in 6 to 10 groups of equal size; cases of equal probability are in one group.
func (r *Report) calibrate(q *QualityContent, nouns render.Nouns) {
	cases := slices.Clone(r.outOfFold)
	n := len(cases)
	if n < 6*leastCases {
		return
	}
	slices.SortStableFunc(cases, func(a, b predicted) int { return cmp.Compare(a.p[0], b.p[0]) })
	groups, from := min(10, n/leastCases), 0
	var off []string
	for k := range groups {
		to := max(from, (k+1)*n/groups)
		for to > 0 && to < n && cases[to].p[0] == cases[to-1].p[0] {
			to++
		}
		if to == from {
			continue
		}
		sum := 0.
		for _, p := range cases[from:to] {
			sum += r.population.share(p.p[0])
		}
		label := portion(r.population.share(cases[from].p[0]), int64(n)) + " to " + portion(r.population.share(cases[to-1].p[0]), int64(n))
		g := r.group(label, inClusters(cases[from:to]), sum/float64(to-from))
		if g.Share.Defined() && (g.Mean < g.Share.Low || g.Mean > g.Share.High) {
			off = append(off, label)
		}
		q.Calibration = append(q.Calibration, g)
		from = to
	}
	q.CalibNote = plain("In each group the share of true cases agrees with the probabilities.")
	if len(off) > 0 {
		q.CalibNote = plain(fmt.Sprintf("Of %s with a predicted probability of %s, another share is true than predicted.", render.Clip(nouns.Many, render.MostName), strings.Join(off[:min(len(off), 2)], ", or of ")+render.Either(len(off) > 2, fmt.Sprintf(", and in %s more groups", render.Grouped(int64(len(off)-2))), "")))
	}
}

// byGroup judges the model among cases of a part of time, and of those with and without each finding, the worst group first.
func (r *Report) byGroup(c *Content) {
	threshold := math.Inf(1) // of the panel
	if sorted := scored(r.outOfFold, 0); c.Cases.Start > 0 {
		slices.SortFunc(sorted, func(a, b rank.Scored) int { return cmp.Compare(b.P, a.P) })
		threshold = sorted[min(c.Cases.Start, len(sorted))-1].P
	}
	add := func(name render.Phrase, in func(predicted) bool) {
		var own []predicted
		found := int64(0)
		for _, p := range r.outOfFold {
			if in(p) {
				if own = append(own, p); p.truth && p.p[0] >= threshold {
					found++
				}
			}
		}
		of := inClusters(own)
		if of.n < leastCases || of.n == int64(len(r.outOfFold)) {
			return
		}
		g := GroupQuality{Name: name, Cases: of.n, True: of.k, AUC: math.NaN(), Found: found}
		if of.k >= leastCases && of.n-of.k >= leastCases {
			g.AUC, _, _ = rank.Ranks(scored(own, 0))
		}
		c.Quality.ByGroup = append(c.Quality.ByGroup, g)
	}
	for i := range c.Findings.Cards {
		if i == mostGroups/2 {
			break
		}
		r.byFinding(&c.Findings.Cards[i], add)
	}
	r.byTime(add)
	slices.SortStableFunc(c.Quality.ByGroup, func(a, b GroupQuality) int {
		return cmp.Compare(or(a.AUC, 2), or(b.AUC, 2))
	})
	c.Quality.ByGroup = c.Quality.ByGroup[:min(len(c.Quality.ByGroup), mostGroups)]
	if slices.ContainsFunc(c.Quality.ByGroup, func(g GroupQuality) bool { return math.IsNaN(g.AUC) }) {
		c.Quality.GroupNote = plain("Groups with fewer than 10 true or 10 false cases have no AUC.")
	}
}

// byFinding adds the cases with and without a finding.
func (r *Report) byFinding(f *Finding, add func(render.Phrase, func(predicted) bool)) {
	speaker := render.NewSpeaker(r.Final.Schema)
	place := slices.Index(r.Final.Formulas, f.Formulas[0].Formula)
	if place = r.beside.place(place); place < 0 {
		return
	}
	name := (&telling{Told: speaker.Tell(f.Formulas[0].Formula, false)}).title()
	for _, held := range []bool{true, false} {
		add(render.Join(render.Either(held, "with: ", "without: "), name), func(p predicted) bool {
			of := r.beside.held[r.Cross.Tested[p.tested].Index]
			return p.atom < len(of) && (of[p.atom]>>place&1 == 1) == held
		})
	}
}

// byTime adds thirds of the time.
func (r *Report) byTime(add func(render.Phrase, func(predicted) bool)) {
	of := func(t crossval.Tested) int64 { return t.Time.Unix }
	known := slices.DeleteFunc(slices.Clone(r.Cross.Tested), func(t crossval.Tested) bool { return !t.Time.Known })
	if len(known) == 0 {
		return
	}
	slices.SortStableFunc(known, func(a, b crossval.Tested) int { return a.Time.Compare(b.Time) })
	low, high := known[len(known)/3], known[2*len(known)/3]
	if of(known[0]) == of(low) || of(low) == of(high) {
		return
	}
	at := func(p predicted) resolwe.Time { return r.Cross.Tested[p.tested].Time }
	add(plain("before "+day(low.Time)), func(p predicted) bool { return at(p).Known && at(p).Compare(low.Time) < 0 })
	add(plain("from "+day(low.Time)+" to before "+day(high.Time)), func(p predicted) bool {
		return at(p).Known && at(p).Compare(low.Time) >= 0 && at(p).Compare(high.Time) < 0
	})
	add(plain("from "+day(high.Time)), func(p predicted) bool { return at(p).Known && at(p).Compare(high.Time) >= 0 })
}
