package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"resolwe"
	"resolwe/format/export"
	"resolwe/format/mln"
	"resolwe/internal/elementary"
	"resolwe/internal/render"
)

// finding tells an established quantity.
func (r *Report) finding(c *Content, s *telling, others []*telling) Finding {
	group := render.Join(render.Name(c.Nouns.Many), " with ", s.title())
	if len(s.Group) > 0 {
		group = s.Group
	}
	in, out := s.in.interval(), s.out.interval()
	more := ""
	if w := &r.Formulas[s.formulas[0]]; w.Formula.Standing == mln.StandingEstablished || in.Low > out.High || in.High < out.Low {
		more = render.Either(in.Value > out.Value, " more often", " less often")
	}
	f := Finding{Words: sentence(group, " ", render.Name(c.Nouns.True), more, ": ", r.against(s)), Small: r.small(s), Overlap: r.overlaps(s, others)}
	for _, i := range s.formulas {
		w := &r.Formulas[i]
		if m := r.numbers[i]; m != nil && f.Curve == nil {
			f.Curve = r.curve(m, &s.Told)
		}
		if f.SQL == "" {
			f.SQL = r.query(w.Formula)
		}
		f.Formulas = append(f.Formulas, FormulaContent{w.Formula, w.Weight, w.Support, r.corrected(w.Rate), r.corrected(w.Elsewhere), w.Gain})
	}
	return f
}

// query returns a formula as a query in SQL, "" if it has none.
func (r *Report) query(f *mln.Formula) string {
	var text strings.Builder
	m := r.Final
	if export.Write(&text, "sql", &export.Model{Schema: m.Schema, Constants: m.Constants, Formulas: []*mln.Formula{f}}) != nil {
		return ""
	}
	query := strings.TrimSpace(text.String())
	return query[strings.LastIndex(query, "\n\n")+1:] // behind the tables
}

// counted counts cases.
func counted(nouns render.Nouns, n int64) render.Phrase {
	return render.Join(render.Grouped(n)+" ", render.Name(render.Either(n == 1, nouns.One, nouns.Many)))
}

// portion prints the share of true ones among n cases, with at most three significant digits.
func portion(v float64, n int64) string {
	switch p := 100 * v; {
	case math.IsNaN(v):
		return "–"
	case p == 0, p == 100, n < 100 && p >= 9.5 && p < 99.5:
		return render.Fixed(p, 0) + "%"
	case p < .05:
		return "<0.1%"
	case p >= 99.95:
		return ">99.9%"
	default:
		return render.Fixed(p, 1) + "%"
	}
}

// among tells the share of true cases: "14 of 15", "4.7% of the other 339".
func (r *Report) among(of *ratio, other string) string {
	if of.n < 20 {
		return fmt.Sprintf("%d of %s%d", of.k, other, of.n)
	}
	return portion(r.population.share(of.share()), of.n) + " of " + other + render.Grouped(of.n)
}

// against tells both shares.
func (r *Report) against(s *telling) string {
	return r.among(&s.in, "") + render.Either(s.out.n == 0, "", ", against "+r.among(&s.out, "the other "))
}

// corrected returns the interval of a share in the population.
func (r *Report) corrected(v Interval) Interval {
	return Interval{r.population.share(v.Value), r.population.share(v.Low), r.population.share(v.High)}
}

// between tells the bounds of a share: "2.9–7.6%".
func (r *Report) between(of *ratio) string {
	v := r.corrected(of.interval())
	if !v.Defined() {
		return "unknown"
	}
	return portion(v.Low, of.n) + " to " + portion(v.High, of.n)
}

// small tells the intervals, the adjusted shares, the odds, and in how many folds the finding was found again.
func (r *Report) small(s *telling) render.Phrase {
	text := fmt.Sprintf("95%% intervals: %s and %s.", r.between(&s.in), r.between(&s.out))
	if with, without, ok := r.adjusted(s); ok {
		text += fmt.Sprintf(" With the other findings equal: %s against %s", portion(r.population.share(with), s.in.n), portion(r.population.share(without), s.out.n))
		if v := r.Formulas[s.formulas[0]].Weight; v.Defined() && !s.Number && len(s.formulas) == 1 {
			if s.Inverse {
				v = Interval{-v.Value, -v.High, -v.Low}
			}
			text += fmt.Sprintf(", odds ×%s [%s, %s]", odds(v.Value), odds(v.Low), odds(v.High))
		}
		text += "."
	}
	if k, n, ok := foundAgain(s.Quantity, r.models); ok {
		text += fmt.Sprintf(" Found again in %d of %d folds.", k, n)
	}
	return plain(text)
}

// odds prints the factor of odds that belongs to a weight.
func odds(weight float64) string {
	v := elementary.Exp(weight)
	switch {
	case v >= 1e6:
		return "1,000,000 or more"
	case v >= 9.95:
		return render.Fixed(v, 0)
	default:
		return render.Fixed(v, 2)
	}
}

// adjusted returns the shares with and without what a finding says, the other findings as they are.
func (r *Report) adjusted(s *telling) (with, without float64, ok bool) {
	if r.beside == nil || r.beside.place(s.formulas[0]) < 0 {
		return 0, 0, false
	}
	weights, places := make([]float64, len(r.beside.told)), []int(nil)
	for i := range r.Formulas {
		if k := r.beside.place(i); k >= 0 {
			weights[k] = r.Formulas[i].fitted
		}
	}
	for _, i := range s.formulas {
		if k := r.beside.place(i); k >= 0 {
			places = append(places, k)
		}
	}
	with, without, ok = r.beside.adjusted(weights, places)
	if s.Inverse {
		with, without = without, with
	}
	return with, without, ok
}

// corrects reports whether a finding, with the others equal, has the opposite direction.
func (r *Report) corrects(s *telling) bool {
	with, without, ok := r.adjusted(s)
	return ok && float64((with-without)*(s.in.share()-s.out.share())) < 0
}

// foundAgain counts the models that hold a formula about a quantity, of those that are kept.
func foundAgain(quantity string, models []*resolwe.Model) (k, n int, ok bool) {
	for _, m := range models {
		if m == nil {
			continue
		}
		n++
		speaker := render.NewSpeaker(m.Schema)
		if slices.ContainsFunc(m.Formulas, func(f *mln.Formula) bool { return f.HasWeight && speaker.Tell(f, false).Quantity == quantity }) {
			k++
		}
	}
	return k, n, n > 0
}

// common returns how many cases are in the groups of both.
func (r *Report) common(s, o *telling) (int64, bool) {
	if s.measured || o.measured {
		return 0, false
	}
	n, ok := r.beside.both(s.formulas[0], o.formulas[0])
	a, b := r.Formulas[s.formulas[0]].on.n, r.Formulas[o.formulas[0]].on.n
	switch all := s.in.n + s.out.n; {
	case s.Inverse && o.Inverse:
		n = all - a - b + n
	case s.Inverse:
		n = b - n
	case o.Inverse:
		n = a - n
	}
	return n, ok && s.in.n+s.out.n == o.in.n+o.out.n
}

// redundant names an earlier finding that is much of the same: of the cases in either group half are in both, or half of the smaller
// group is inside.
func (r *Report) redundant(s *telling, earlier []*telling) render.Phrase {
	for _, o := range earlier {
		n, ok := r.common(s, o)
		if ok && (2*n >= s.in.n+o.in.n-n || s.in.n <= o.in.n && 2*n >= s.in.n) {
			return r.shared(s, o, n)
		}
	}
	return nil
}

// overlaps names the finding that shares most cases with one, if these are a fifth of it.
func (r *Report) overlaps(s *telling, others []*telling) (out render.Phrase) {
	most := (s.in.n + 4) / 5
	for _, o := range others {
		if n, ok := r.common(s, o); ok && o != s && n >= most {
			most, out = n+1, r.shared(s, o, n)
		}
	}
	return out
}

func (r *Report) shared(s, o *telling, n int64) render.Phrase {
	return sentence(fmt.Sprintf("Overlaps: %s of these %s also: ", render.Grouped(n), render.Grouped(s.in.n)), o.title())
}

// unit reports whether a formula consists of its head alone.
func (r *Report) unit(f *mln.Formula) bool {
	headed, ok := f.Headed(r.Model.Schema)
	if !ok {
		return false
	}
	rest, _ := headed.Head()
	return len(rest) == 0
}
