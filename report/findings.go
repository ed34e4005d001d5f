package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"resolwe/format/mln"
	"resolwe/internal/render"
)

// leastCases and leastClusters are how many cases and subgraphs a finding has at least on either side.
const (
	leastCases    = 10
	leastClusters = 5
	mostFindings  = 40
)

// telling is what the formulas about one quantity say, by the one that says most.
type telling struct {
	render.Told
	formulas []int // of the model, first the one that is told
	in, out  ratio // cases of the group, and others
	measured bool  // the group is a side of a number's boundary, not the cases for which the formula has a feature
	gain     float64
	standing mln.Standing
}

// findings writes the section of findings.
func (r *Report) findings(c *Content) {
	f := &c.Findings
	list, rules := r.quantities()
	f.Rules = rules
	weighted := !slices.ContainsFunc(r.Final.Formulas, func(f *mln.Formula) bool { return f.Standing != mln.StandingNone })
	var told []*telling
	for i := range list {
		s := &list[i]
		switch redundant := r.redundant(s, told); {
		case s.Tie || s.in.n+s.out.n == 0:
			f.Also = append(f.Also, sentence(s.title(), " uses the answers of other cases"))
		case s.Number && min(s.in.n, s.out.n) == 0:
			f.Also = append(f.Also, sentence(s.Name))
		case s.in.n == 0:
			f.Also = append(f.Also, sentence(s.title(), ": no case is so"))
		case min(s.in.n, s.out.n) < leastCases:
			f.Rare = append(f.Rare, sentence("Rare: ", counted(c.Nouns, s.in.n), " with ", s.title(), ": ", fmt.Sprintf("%d of %d", s.in.k, s.in.n), " ", render.Name(c.Nouns.True)))
		case r.corrects(s):
			f.Also = append(f.Also, sentence(s.title(), ". Corrects other lines: on its own ", r.against(s), "; with the others equal, the other way"))
		case len(redundant) > 0:
			f.Also = append(f.Also, render.Join(sentence(s.title(), ": ", r.against(s)), " ", redundant))
		case !weighted && s.standing != mln.StandingEstablished, min(s.in.clusters, s.out.clusters) < leastClusters, len(told) == mostFindings:
			f.Also = append(f.Also, sentence(s.title(), ": ", r.against(s)))
		default:
			told = append(told, s)
		}
	}
	for _, s := range told {
		f.Cards = append(f.Cards, r.finding(c, s, told))
	}
	r.lead(f, weighted, c.Nouns)
	f.Note = r.reconciled(told)
}

// reconciled says how the findings go with the models that were tested.
func (r *Report) reconciled(told []*telling) render.Phrase {
	if !r.Task || len(told) == 0 || len(r.first().Formulas) == 0 {
		return nil
	}
	again, folds := make([]string, len(told)), 0
	for i, s := range told {
		var k int
		if k, folds, _ = foundAgain(s.Quantity, r.models); folds == 0 {
			return nil
		}
		again[i] = strconv.Itoa(k)
	}
	list := strings.Join(again[:min(len(again), 10)], ", ")
	return plain(fmt.Sprintf("The models tested had %s formulas; the one described has %d. Its findings were found again in %s of %s.",
		strings.Replace(r.sizes(r.first()), "–", " to ", 1), r.used(), list, render.Count(folds, "fold", "folds")))
}

// used returns the number of weighted formulas of the model beside its unit clauses.
func (r *Report) used() (n int) {
	for _, f := range r.Final.Formulas {
		if f.HasWeight && !r.unit(f) {
			n++
		}
	}
	return n
}

// lead says how many findings there are, or that there are none.
func (r *Report) lead(f *Findings, weighted bool, nouns render.Nouns) {
	n := len(f.Cards)
	switch {
	case n+len(f.Also)+len(f.Rare)+len(f.Rules) == 0:
		f.Nothing = plain("Nothing was found that tells them apart: no pattern predicts cases that the model had not seen better than the share of all.")
		return
	case weighted:
		f.Lead = plain(fmt.Sprintf("The model has %s. It came with its weights, so what is told is counted in these data.", render.Count(n, "pattern", "patterns")))
	case n == 0:
		f.Lead = plain("No pattern is established. Those below help to predict.")
	default:
		f.Lead = plain(fmt.Sprintf("%s established: of all that was tried, %s would hardly look as good by chance.",
			render.Count(n, "pattern is", "patterns are"), render.Either(n == 1, "it", "they")))
	}
	f.Lead = render.Join(f.Lead, " Intervals are 95% intervals over "+render.Either(r.Cross != nil && r.Cross.RowTask() && len(nouns.Many) > 0, render.Clip(nouns.Many, render.MostName), "groups of cases")+
		", each for one share alone.")
}

// quantities groups the formulas by what they are about, most useful first, and lists those that are rules.
func (r *Report) quantities() (list []telling, rules []render.Phrase) {
	speaker, at := render.NewSpeaker(r.Final.Schema), map[string]int{}
	for i := range r.Formulas {
		w := &r.Formulas[i]
		f := w.Formula
		if f.Hard {
			t := speaker.Tell(f, false)
			if !t.Plain {
				rules = append(rules, render.Join("Always: ", t.Group, "."))
			} else {
				rules = append(rules, plain("A rule that has no short reading: "+render.Clip(mln.FormatFormula(f), render.MostText)))
			}
			continue
		}
		if r.unit(f) || !f.HasWeight {
			continue
		}
		t, in, out, cut := speaker.Tell(f, false), w.on, w.off, false
		if m := r.numbers[i]; m != nil && t.Cut == nil {
			if at, above, below, ok := m.cut(); ok {
				key := t.Quantity
				cut = true
				t, in, out = speaker.Tell(atLeast(f, r.Final.Schema, at), false), above, below
				if in.n > out.n {
					t, in, out = speaker.Tell(atLeast(f, r.Final.Schema, at), true), below, above
				}
				t.Quantity, t.Cut = key, nil
			}
		}
		if !cut && in.n > out.n && (t.Cut != nil || out.n < leastCases) {
			t, in, out = speaker.Tell(f, true), out, in
		}
		s := telling{t, []int{i}, in, out, cut, w.Gain, f.Standing}
		if math.IsNaN(s.gain) {
			s.gain = math.Abs(w.Weight.Value * w.Deviation)
		}
		k, ok := at[t.Quantity]
		if !ok {
			at[t.Quantity] = len(list)
			list = append(list, s)
			continue
		}
		old := &list[k]
		s.formulas, old.formulas = append(s.formulas, old.formulas...), append(old.formulas, i)
		s.gain += old.gain
		old.gain = s.gain
		if cmp.Or(s.order()-old.order(), cmp.Compare(old.apart(), s.apart())) < 0 {
			*old = s
		}
	}
	slices.SortStableFunc(list, func(a, b telling) int {
		return cmp.Or(a.order()-b.order(), cmp.Compare(or(b.gain, 0), or(a.gain, 0)), strings.Compare(a.Quantity, b.Quantity))
	})
	return list, rules
}

// or replaces what is undefined.
func or(v, other float64) float64 {
	if math.IsNaN(v) {
		return other
	}
	return v
}

// share returns the share of true cases.
func (r *ratio) share() float64 { return float64(r.k) / float64(r.n) }

// apart returns how far the shares of the two sides are apart, in standard errors as if cases were independent.
func (s *telling) apart() float64 {
	n, m := float64(s.in.n), float64(s.out.n)
	if n == 0 || m == 0 {
		return 0
	}
	p := float64(s.in.k+s.out.k) / (n + m)
	return or(math.Abs(s.in.share()-s.out.share())/math.Sqrt(float64(p*(1-p))*(1/n+1/m)), 0)
}

// title names what a line is about.
func (s *telling) title() render.Phrase {
	if s.Plain || len(s.Short) == 0 {
		return plain("a pattern without a short reading")
	}
	return s.Short
}

// sentence begins with a capital and ends in a period.
func sentence(parts ...any) render.Phrase {
	out := render.Join(parts...)
	if len(out) == 0 {
		return nil
	}
	first, size := utf8.DecodeRuneInString(out[0].Text)
	out[0].Text = string(unicode.ToUpper(first)) + out[0].Text[size:]
	return render.Join(out, ".")
}

// order puts established formulas first.
func (s *telling) order() int {
	if s.standing == mln.StandingEstablished {
		return 0
	}
	return 1
}
