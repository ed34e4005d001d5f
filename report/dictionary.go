package report

import (
	"fmt"
	"strings"

	"resolwe/format/origin"
	"resolwe/internal/render"
)

// mostColumns bounds the dictionary.
const mostColumns = 200

// dictionary writes the lines about the columns of the tables or, if the stream does not say what they were, about the predicates.
func (r *Report) dictionary(c *Content) {
	if r.origin == nil || len(r.origin.Columns) == 0 {
		r.predicates(c)
		return
	}
	for i := range r.origin.Columns[:min(len(r.origin.Columns), mostColumns)] {
		c.Data = append(c.Data, noteOf(&r.origin.Columns[i]))
	}
	if n := len(r.origin.Columns) - len(c.Data); n > 0 {
		c.DataNote = plain(render.Count(n, "more column is", "more columns are") + " not shown.")
	}
}

func noteOf(o *origin.Column) ColumnNote {
	clip := func(text string) string { return render.Clip(text, render.MostName) }
	n := ColumnNote{
		Table: clip(o.Table), Column: clip(o.Name), Words: plain(clip(o.Kind)), Bars: o.Bars, Median: clip(o.Typical),
		Missing: o.Missing, Distinct: o.Distinct, Use: plain(clip(o.Use)),
	}
	if o.Unit != "" {
		n.Words = render.Join(n.Words, " in ", render.Name(o.Unit))
	}
	if len(o.Bars) == 0 && o.Typical != "" {
		n.Median += fmt.Sprintf(" (%s)", render.Percent(o.Share))
	}
	if o.Reason != "" {
		n.Use = render.Join(n.Use, ": "+render.Clip(o.Reason, 300))
	}
	for _, a := range o.Alerts {
		n.Alerts = append(n.Alerts, plain(render.Clip(a, 300)))
	}
	return n
}

// predicates says what the survey knows of each predicate, as a column of what its first argument is.
func (r *Report) predicates(c *Content) {
	schema := r.Model.Schema
	words := func(name string) string {
		return render.Clip(strings.TrimSpace(strings.ReplaceAll(name, "_", " ")), render.MostName)
	}
	for i := range r.Data.Predicates[:min(len(r.Data.Predicates), mostColumns)] {
		p, s := schema.Predicates[i], &r.Data.Predicates[i]
		n := ColumnNote{Column: words(p.Name), Words: plain(render.Grouped(s.Facts) + " stated"), Use: plain(render.Either(s.Target, "to be predicted", "offered to the model"))}
		if len(p.Args) > 0 {
			n.Table = words(schema.Types[p.Args[0]])
			if all := r.Data.Entities[p.Args[0]]; all > 0 && !s.Target {
				n.Missing = max(0, 1-float64(s.Having)/float64(all))
			}
		}
		if s.Facts == 0 {
			n.Alerts = append(n.Alerts, plain("never stated"))
		}
		c.Data = append(c.Data, n)
	}
	c.DataNote = plain("The stream does not say which columns it was made of: these are its relations.")
}
