package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"resolwe/crossval"
	"resolwe/internal/render"
	"resolwe/internal/stage/inferring"
	"resolwe/kernels/rank"
)

// about writes the title, what was read, and how to make it again.
func (r *Report) about(c *Content) {
	c.Again = Again{Files: r.About.Inputs, Version: r.About.Version}
	if r.About.Command != "" {
		c.Again.Commands = []string{r.About.Command}
	}
	if len(r.outOfFold) == 0 {
		c.Title = render.Join("What predicts ", render.Name(r.targets()), "?")
		return
	}
	pred := r.outOfFold[0].pred
	speaker := render.NewSpeaker(r.Model.Schema)
	c.Title, c.Nouns = speaker.Question(pred), speaker.Nouns(pred)
	sample := float64(r.trues()) / float64(len(r.outOfFold))
	r.population = populationOf(r.origin, r.Model.Schema.Predicates[pred].Name, sample, r.options.Rate)
	over := fmt.Sprintf("%s %s", render.Grouped(int64(len(r.outOfFold))), c.Nouns.Many)
	if first, last := r.Data.span(); first != last {
		over += fmt.Sprintf(", from %v to %v", first, last)
	}
	c.Over = render.Join(over)
	if p := r.population; p != nil {
		c.Drawn = render.Join(fmt.Sprintf("The cases were drawn: %s are true by design. ", render.Percent(sample)), render.Either(p.known,
			"Rates below are those of the population, "+render.Percent(p.rate)+" of which are true.",
			"The rate outside is not known: use the ranking, not the level."))
	}
}

// trues returns the number of true cases.
func (r *Report) trues() (n int) {
	for i := range r.outOfFold {
		if r.outOfFold[i].truth {
			n++
		}
	}
	return n
}

// atAGlance writes the first section; the others must be written.
func (r *Report) atAGlance(c *Content) {
	if len(r.outOfFold) == 0 {
		return
	}
	trues := r.trues()
	r.systemsAtAGlance(&c.Glance)
	r.tiles(c, trues)
	c.Glance.Lead = r.verdict(c, float64(trues)/float64(len(r.outOfFold)))
}

// measured returns the measure by which systems are compared, by system, with its name: of a row task the log-loss of a case, else MAP.
func (r *Report) measured() (values []Interval, name string) {
	rowTask := r.Cross.RowTask()
	for i := range r.Cross.Systems {
		s := &r.Cross.Systems[i]
		if rowTask {
			values = append(values, pooledOf(s)[2])
		} else {
			values = append(values, measuresOf(s.Figures)[0])
		}
	}
	return values, render.Either(rowTask, "log-loss for each case (lower is better)", "mean average precision, MAP (higher is better)")
}

// systemWords name the systems of figure A.
var systemWords = map[string]string{
	"gain": "This model", "model": "This model", "single": "One formula alone", "logistic": "Plain logistic regression", "base": "Base rate", "base rate": "Base rate",
}

func (r *Report) systemsAtAGlance(g *Glance) {
	values, measure := r.measured()
	g.Measure, g.Title = measure, "How well each predicts what it has not seen"
	for i, v := range values {
		if name, ok := systemWords[r.Cross.Systems[i].Name]; ok {
			g.Systems = append(g.Systems, SystemDot{Name: name, Interval: v, This: i == 0})
		}
	}
}

// pooledAUC returns the area under the ROC curve of all cases together, with its interval over clusters.
func (r *Report) pooledAUC() Interval {
	var all rank.Cases
	for _, fold := range r.Cross.Systems[0].Cases {
		all.Atoms, all.Sizes, all.Units = append(all.Atoms, fold.Atoms...), append(all.Sizes, fold.Sizes...), append(all.Units, fold.Units...)
	}
	in := rank.Bootstrap([][]inferring.Cases{{all}}, r.options.Cross.Seed)[0]
	return Interval{rank.Pool(all.Atoms).AUCROC, in.AUCROC[0], in.AUCROC[1]}
}

// tiles writes the headline figures that can be computed.
func (r *Report) tiles(c *Content, trues int) {
	g := &c.Glance
	add := func(value, text, note string) { g.Tiles = append(g.Tiles, Tile{value, text, note}) }
	between := func(v Interval) string {
		if !v.Defined() {
			return ""
		}
		return "95% interval " + render.Percent(v.Low) + " to " + render.Percent(v.High)
	}
	base, levels := r.population.share(float64(trues)/float64(len(r.outOfFold))), r.population == nil || r.population.known
	if !r.Cross.RowTask() {
		if v := measuresOf(r.first().Figures)[1]; !math.IsNaN(v.Value) {
			add(render.Percent(v.Value), "of pairs of a true and a false case of one group are ranked rightly", strings.Trim(between(v)+"; chance 50%", "; "))
		}
		if k, share := r.firstOfGroup(); levels {
			add(render.Percent(r.population.share(share)), render.Either(k == 1, "of the most probable case", fmt.Sprintf("of the %d most probable cases", k))+" of each group "+c.Nouns.True, "of all cases "+render.Percent(base))
		}
	} else if v := r.pooledAUC(); !math.IsNaN(v.Value) {
		add(render.Percent(v.Value), "of pairs of a true and a false case are ranked rightly", strings.Trim(between(v)+"; chance 50%", "; "))
	}
	if k := roundedCount(trues); r.Cross.RowTask() && k <= len(r.outOfFold) && levels {
		t := r.threshold(k)
		value, text, random := fmt.Sprintf("%d of %d", t.Found, k), "of the most probable ", render.Fixed(float64(k*trues)/float64(len(r.outOfFold)), 1)
		if r.population != nil {
			value, text, random = render.Percent(t.Precision.Value), fmt.Sprintf("of the %s most probable ", render.Grouped(int64(k))), render.Percent(base)
		}
		add(value, text+c.Nouns.Many+" "+c.Nouns.True, fmt.Sprintf("%s; at random about %s", between(t.Precision), random))
	}
	if i := slices.IndexFunc(r.Cross.Systems, func(o crossval.Outcome) bool { return o.Name == "base" || o.Name == "base rate" }); i > 0 {
		loss := func(i int) float64 { return pooledOf(&r.Cross.Systems[i])[2].Value }
		if less := 1 - loss(0)/loss(i); !math.IsNaN(less) {
			add(render.Percent(math.Abs(less)), render.Either(less >= 0, "lower", "higher")+" log-loss than the base rate's", render.Fixed(loss(0), 3)+" against "+render.Fixed(loss(i), 3))
		}
	}
	used := r.used()
	if n := len(c.Findings.Cards); used > 0 {
		add(render.Count(n, "finding", "findings"), "established, of "+render.Count(used, "formula", "formulas")+" used", "")
	}
}

// firstOfGroup returns how many cases of a subgraph are looked at first, by the median number of its cases, and the mean share of true ones
// among the most probable so many, over subgraphs that have as many. There are cases.
func (r *Report) firstOfGroup() (k int, share float64) {
	groups := map[int][]int{} // by subgraph, most probable first
	for _, i := range r.ranked() {
		t := r.outOfFold[i].tested
		groups[t] = append(groups[t], i)
	}
	sizes := make([]int, 0, len(groups))
	for _, g := range groups {
		sizes = append(sizes, len(g))
	}
	slices.Sort(sizes)
	switch median := sizes[len(sizes)/2]; {
	case median >= 20:
		k = 10
	case median >= 5:
		k = 5
	default:
		k = 1
	}
	found, of := 0, 0
	for _, g := range groups {
		if len(g) < k {
			continue
		}
		of += k
		for _, i := range g[:k] {
			if r.outOfFold[i].truth {
				found++
			}
		}
	}
	return k, float64(found) / float64(of)
}

// roundedCount returns the number of true cases as 1, 2 or 5 times a power of ten, at least 10.
func roundedCount(n int) int {
	best := 10
	for power := 10; power <= n; power *= 10 {
		for _, k := range []int{1, 2, 5} {
			if k*power <= n {
				best = k * power
			}
		}
	}
	return best
}

// verdict says whether the model is better than the base rate and plain logistic regression, and what must be settled first.
func (r *Report) verdict(c *Content, sample float64) render.Phrase {
	base := r.population.share(sample)
	text := fmt.Sprintf("%s of %s %s. ", render.Percent(base), c.Nouns.Many, c.Nouns.True)
	text += r.compared()
	var open []string
	for _, check := range c.Trust {
		if check.State == CheckLook && len(open) < 2 {
			open = append(open, strings.ToLower(check.Name[:1])+check.Name[1:])
		}
	}
	if len(open) > 0 {
		text += " To be settled first: " + strings.Join(open, "; ") + "."
	}
	return render.Join(text)
}

// compared says whether the model predicts better than the base rate and than plain logistic regression, by tests that allow for their number.
func (r *Report) compared() string {
	if !r.Task {
		return "The model came with its weights: its figures are of the data given, which it may have seen."
	}
	base, logistic := r.standing("base"), r.standing("logistic")
	switch {
	case base == untested:
		return "No test compares the model with the base rate."
	case base == worse:
		return "The model predicts worse than the base rate."
	case base == alike:
		return "The model predicts no better than the base rate."
	case logistic == better:
		return "The model predicts better than the base rate and than plain logistic regression."
	case logistic != untested:
		return "The model predicts better than the base rate, not clearly better than plain logistic regression."
	}
	return "The model predicts better than the base rate."
}

// standing is how the model compares with another system.
type standing uint8

const (
	untested standing = iota
	worse
	alike // no difference is established
	better
)

// standing compares the model with a system by the conditional log-likelihood.
func (r *Report) standing(name string) standing {
	adjusted := holm(r.Cross.Tests)
	for i, t := range r.Cross.Tests {
		switch {
		case t.Against != name || t.Measure != "cll" || math.IsNaN(t.P):
		case adjusted[i] >= .05:
			return alike
		case t.MeanDifference > 0:
			return better
		default:
			return worse
		}
	}
	return untested
}
