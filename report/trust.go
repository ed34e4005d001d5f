package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"resolwe"
	"resolwe/internal/render"
)

// fewCases, fewClusters, manyFormulas and mostRHat are where a check says to look.
const (
	fewCases     = 100
	fewClusters  = 10
	manyFormulas = 12
	mostRHat     = 1.01
)

// trust writes the list of checks, and the course over time.
func (r *Report) trust(c *Content) {
	drift := r.overTime(c)
	add := func(state CheckState, name, text string) {
		c.Trust = append(c.Trust, Check{state, name, plain(text)})
	}
	state := func(look bool) CheckState {
		if look {
			return CheckLook
		}
		return CheckPassed
	}
	r.howTested(add)
	atoms, positive := r.atoms()
	add(state(min(positive, atoms-positive) < fewCases), "How many", fmt.Sprintf("%s cases are true and %s false.", render.Grouped(positive), render.Grouped(atoms-positive)))
	switch {
	case c.Course == nil:
		add(CheckOpen, "Change over time", "Cases have no times, so a change cannot be seen.")
	case drift != "":
		add(CheckLook, "Change over time", drift)
	default:
		add(CheckPassed, "Change over time", "The share of true cases at the beginning and at the end do not differ clearly.")
	}
	r.leaks(c, add)
	r.drawn(add)
	used := r.used()
	add(state(used > manyFormulas), "Many formulas", fmt.Sprintf("The model has %s, and %s above.", render.Count(used, "formula", "formulas"), render.Count(len(c.Findings.Cards), "finding is told", "findings are told")))
	if q := &r.Quality; q.Sampled > 0 {
		look := q.Disagree+q.Stuck+q.Imprecise > 0 || q.RHat.Value > mostRHat
		add(state(look), "Sampling", fmt.Sprintf("Probabilities of %s come from random samples%s.", render.Count(q.Sampled, "group of cases", "groups of cases"),
			render.Either(look, ", and some are imprecise", ", which agree with each other")))
	}
	add(CheckOpen, "Intended use", cmp.Or(r.Model.Schema.Use, "Who may use this, and for what, is for its makers to say."))
	slices.SortStableFunc(c.Trust, func(a, b Check) int { return cmp.Compare(a.State, b.State) })
}

// howTested says whether cases were predicted by models of earlier ones, and whether there are enough to test on.
func (r *Report) howTested(add func(CheckState, string, string)) {
	const name = "How it was tested"
	if !r.Task {
		add(CheckOpen, name, "The model came with its weights and was tested on the data given. If it was made from these, the figures flatter it.")
		return
	}
	first, last := r.Data.span()
	n := len(r.Cross.Tested)
	switch mixed := first != last && !r.inTime(); {
	case n < fewClusters:
		add(CheckLook, name, "Only "+render.Count(n, "group of cases was", "groups of cases were")+" tested: too few for tests.")
	case mixed:
		add(CheckLook, name, "Cases were also predicted by models of later cases. With folds forward in time, all training data are earlier.")
	default:
		add(CheckPassed, name, "No case was predicted by a model that had seen it.")
	}
}

// leaks says which columns may give the answer away, which were taken on trust, and whether later data were kept out.
func (r *Report) leaks(c *Content, add func(CheckState, string, string)) {
	const gives = "A column gives the answer away"
	if r.Cross == nil || len(r.Cross.Doubts) == 0 {
		add(CheckPassed, gives, "No column alone tells nearly all true cases from false ones.")
	} else {
		d, more := r.Cross.Doubts[0], len(r.Cross.Doubts)-1
		text := render.Join(render.Name(d.Formula), " "+strings.ReplaceAll(d.Reason, " atoms", " cases")+": it may be the answer in disguise.")
		if more > 0 {
			text = render.Join(text, " There are "+render.Count(more, "more such doubt.", "more such doubts."))
		}
		c.Trust = append(c.Trust, Check{CheckLook, gives, text})
	}
	switch o := r.origin; {
	case o == nil:
		add(CheckOpen, "Nothing from after the case", "The stream does not say how it was made: not checked.")
	case o.Drafted:
		add(CheckPassed, "Nothing from after the case", "The recipe was drafted with rules that leave out what is known only later.")
	default:
		add(CheckOpen, "Nothing from after the case", "The recipe was written by hand: not checked.")
	}
	if o := r.origin; o != nil && len(o.Trusted) > 0 {
		add(CheckLook, "Columns taken on your word", render.Count(len(o.Trusted), "column was", "columns were")+" used because a person vouched for them, first "+render.Clip(o.Trusted[0], render.MostName)+".")
	}
}

// drawn says how cases were drawn, and what was found where there is nothing to find.
func (r *Report) drawn(add func(CheckState, string, string)) {
	sampled := false
	for i, p := range r.Data.Predicates {
		if r.origin != nil && p.Target {
			rate, drawn := r.origin.Rate(r.Model.Schema.Predicates[i].Name)
			if sampled = sampled || drawn; drawn {
				add(CheckLook, "How cases were drawn", fmt.Sprintf("Cases are a draw from all that were eligible, of which %s are true.", render.Percent(rate)))
			}
		}
	}
	if r.origin != nil && !sampled {
		add(CheckPassed, "How cases were drawn", "All cases that were eligible are here.")
	}
	if r.Cross == nil || r.Cross.Null == nil {
		add(CheckOpen, "Chance", "Not tried on shuffled data. A stream by build --null 1 shows what is found there.")
		return
	}
	by, ci, measure := r.Cross.Null.Excess()
	text := fmt.Sprintf("In shuffled data the model exceeds the base rate by %s of %s, with a 95%% interval of %s to %s.", render.Fixed(by, 3), measure, render.Signed(ci[0], 3), render.Signed(ci[1], 3))
	if r.Cross.Null.Tells() {
		add(CheckLook, "Chance", text)
	} else {
		add(CheckPassed, "Chance", text)
	}
}

// overTime draws the share of true cases by equal spans of time, and says how the last third differs from the first, if clearly.
func (r *Report) overTime(c *Content) (drift string) {
	first, last := r.Data.span()
	if first == last {
		return ""
	}
	n, length := min(20, max(8, len(r.Data.moments)/20)), last.Unix-first.Unix
	spans, thirds := make([]ratio, n), [3]ratio{}
	for _, m := range r.Data.moments {
		part := float64(m.at.Unix-first.Unix) / float64(length)
		for _, of := range []*ratio{&spans[min(n-1, int(part*float64(n)))], &thirds[min(2, int(part*3))]} {
			of.here, of.clusterK = int64(m.atoms), int64(m.positive)
			of.end()
		}
	}
	c.Course = &Course{Title: "Share of true cases over time"}
	for i := range spans {
		from := first.Unix + int64(float64(length)*float64(i)/float64(n))
		c.Course.Groups = append(c.Course.Groups, r.group(day(resolwe.Time{Unix: from, Known: true}), spans[i], math.NaN()))
	}
	a, b := &thirds[0], &thirds[2]
	if a.clusters < 2 || b.clusters < 2 {
		return ""
	}
	v, w := a.stderror(), b.stderror()
	if math.Abs(a.share()-b.share()) <= 2*math.Sqrt(float64(v*v)+float64(w*w)) {
		return ""
	}
	drift = fmt.Sprintf("In the first third of the time %s of the cases are true, in the last third %s.",
		portion(r.population.share(a.share()), a.n), portion(r.population.share(b.share()), b.n))
	c.Course.Note = plain(drift)
	return drift
}

// day prints the date of a time.
func day(t resolwe.Time) string { return t.String()[:len("2006-01-02")] }
