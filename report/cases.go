package report

import (
	"fmt"
	"math"
	"slices"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/elementary"
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
	s.Columns, s.Total, s.Trues, s.Scale, s.Levels = r.fields().names, int64(n), int64(r.trues()), r.population.scale(), r.population == nil || r.population.known
	for i := range r.listed {
		s.List = append(s.List, r.inPopulation(r.listed[i]))
	}
	for i := range r.undecided {
		s.Undecided = append(s.Undecided, r.inPopulation(r.undecided[i].Case))
	}
	s.Timed = slices.ContainsFunc(s.List, func(x Case) bool { return x.Time.Known })
	r.bins(s)
	s.Start = int(min(max(s.Trues, 1), s.Total))
	for _, k := range s.ranks() {
		s.Table = append(s.Table, r.threshold(k))
	}
	s.Lead = render.Join("Which ones, and why? Each probability comes from a model that had not seen the case. Reasons compare it with the average case.")
	if n > len(s.List) {
		s.Lead = render.Join(s.Lead, fmt.Sprintf(" Here are %s of %s; --predictions writes all.", render.Grouped(int64(len(s.List))), render.Grouped(int64(n))))
	}
}

// inPopulation returns a case with its probability at the rate of the population, to which its reasons still add up.
func (r *Report) inPopulation(x Case) Case {
	x.P = r.population.share(x.P)
	x.Start += elementary.Log(r.population.scale())
	return x
}

// bins divides all cases by rank, if not all are listed.
func (r *Report) bins(s *Cases) {
	n := len(r.outOfFold)
	if n <= len(s.List) {
		return
	}
	ranked := r.ranked()
	for b := range mostBins {
		from, to := b*n/mostBins, (b+1)*n/mostBins
		bin := Bin{Cases: int64(to - from), Least: r.population.share(r.outOfFold[ranked[to-1]].p[0])}
		for _, i := range ranked[from:to] {
			if r.outOfFold[i].truth {
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
	ranked, trues := r.ranked(), int64(r.trues())
	out := Threshold{Checked: int64(k), Least: r.population.share(r.outOfFold[ranked[k-1]].p[0])}
	for _, i := range ranked[:k] {
		if r.outOfFold[i].truth {
			out.Found++
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
	middle := (share + float64(z*z/(2*size))) / (1 + float64(z*z/size))
	half := float64(z / (1 + float64(z*z/size)) * math.Sqrt(float64(share*(1-share)/size)+float64(z*z/(4*size*size))))
	return Interval{share, max(0, middle-half), min(1, middle+half)}
}

// fields are the columns of a case's own row: what is known of its first argument.
type fields struct {
	preds   []int
	names   []string
	schema  *mln.Schema
	speaker *render.Speaker
	digits  int
}

// mostFields is the number of columns of a case's own row.
const mostFields = 3

// fields returns the first numbers and properties that are declared for what the cases are about.
func (r *Report) fields() *fields {
	schema := r.Model.Schema
	f := &fields{schema: schema, speaker: render.NewSpeaker(schema), digits: r.options.digits(15)}
	if len(r.outOfFold) == 0 {
		return f
	}
	head := schema.Predicates[r.outOfFold[0].pred].Args[0]
	for i, p := range schema.Predicates {
		own := len(p.Args) == 1 || len(p.Args) == 2 && schema.IsNumber(p.Args[1])
		if len(f.preds) < mostFields && !p.Role.IsTarget() && own && p.Args[0] == head {
			f.preds, f.names = append(f.preds, i), append(f.names, f.speaker.Field(i))
		}
	}
	return f
}

// of returns the values for a query atom, "" where one is not stated.
func (f *fields) of(rows *resolwe.FeatureRows, i int) []string {
	sub := rows.Atoms.Sub
	pred, args := rows.Atoms.Args(i, nil)
	out := make([]string, len(f.preds))
	for k, p := range f.preds {
		of, facts := f.schema.Predicates[p].Args, &sub.Relations[p].True
		if f.schema.Predicates[pred].Args[0] != of[0] {
			continue
		}
		at, found := 0, false
		if facts.Len() > 0 {
			at, found = slices.BinarySearch(facts.Cols[0], args[0])
		}
		switch {
		case len(of) == 1:
			out[k] = render.Either(found, "yes", "no")
		case found:
			name := sub.Domains[of[1]].Names.Name(facts.Cols[1][at])
			if v, ok := mln.ParseNumber(name); ok {
				name = f.speaker.Stated(p, v, f.digits)
			}
			out[k] = name
		}
	}
	return out
}
