package report

import (
	"context"
	"slices"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/render"
	"resolwe/internal/stage/inferring"
	"resolwe/kernels/explain"
)

// mostFacts is how many rows are listed behind a reason.
const mostFacts = 5

// behind adds the rows of the data behind the reasons of cases.
func (r *Report) behind(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, values map[caseKey]*explained, cases map[caseKey]*Case) error {
	var list []int
	for key := range cases {
		if cases[key].shown {
			list = append(list, key.index)
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	s = s.Pick(slices.Compact(list))
	w := rowTeller{render.NewSpeaker(m.Schema), m.Schema, r.options.digits(6)}
	type row struct {
		reason *ReasonContent
		facts  []render.Phrase
	}
	work := func(x *explain.Finder, sub *subgraph.Subgraph) (out []row) {
		for key, c := range cases {
			if key.index != sub.Index || !c.shown {
				continue
			}
			of := values[key]
			atom, ok := x.Find(of.pred, of.names)
			for i := range c.Reasons {
				reason := &c.Reasons[i]
				if !ok || reason.formula == nil {
					continue
				}
				rows := x.Behind(slices.Index(m.Formulas, reason.formula), atom, mostFacts)
				out = append(out, row{reason, w.tell(x, rows, of.names)})
			}
		}
		return out
	}
	run := r.options.Begin("facts", s.Len())
	return inferring.Behind(ctx, m, s, &run, work, func(rows []row) error {
		for _, to := range rows {
			to.reason.Facts = to.facts
		}
		return nil
	})
}

// rowTeller tells facts that are true together.
type rowTeller struct {
	*render.Speaker
	schema *mln.Schema
	digits int
}

// tell tells rows: the things that they are about, but those of the case and those that are in all rows, with the numbers that they state.
func (w rowTeller) tell(x *explain.Finder, rows [][]explain.Atom, of []string) (out []render.Phrase) {
	in := map[string]int{} // by thing, the rows that it is in
	for _, facts := range rows {
		w.things(x, facts, func(_ explain.Atom, typ int, name string) { in[w.schema.Types[typ]+" "+name]++ })
	}
	for _, facts := range rows {
		var row render.Phrase
		w.things(x, facts, func(f explain.Atom, typ int, name string) {
			v, number := mln.ParseNumber(name)
			var part any = w.Thing(typ, name)
			switch {
			case w.schema.IsRank(f.Pred):
				return
			case w.schema.IsNumber(typ) && number:
				part = w.Fact(f.Pred, v, w.digits)
			case len(rows) > 1 && in[w.schema.Types[typ]+" "+name] == len(rows), slices.Contains(of, name):
				return
			}
			row = render.Join(row, render.Either(len(row) > 0, ", ", ""), part)
		})
		if len(row) > 0 {
			out = append(out, row)
		}
	}
	return out
}

// things calls yield with each thing that facts are about, once, and with each number that they state.
func (w rowTeller) things(x *explain.Finder, facts []explain.Atom, yield func(f explain.Atom, typ int, name string)) {
	seen := map[string]bool{}
	for _, f := range facts {
		names := x.Names(f)
		for i, typ := range w.schema.Predicates[f.Pred].Args {
			key := w.schema.Types[typ] + " " + names[i]
			if number := w.schema.IsNumber(typ); number || !seen[key] {
				seen[key] = true
				yield(f, typ, names[i])
			}
		}
	}
}
