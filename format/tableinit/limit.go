package tableinit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// What a draft has at most, so that it can be read: relations, unless the request allows more, and lines of its recipe.
const (
	mostRelations = 100
	mostLines     = 200
)

// limit writes the recipe with the most useful relations: all unless there are too many or it would be too long. Findings that make it too long stand
// apart.
func (w *writer) limit(opt *Options) (recipe, findings string) {
	rules, all := slices.Clone(w.rules), w.predicates
	w.prune()
	recipe = w.compose(opt, true)
	most, lines := mostRelations, mostLines
	if opt.Relations > 0 {
		most, lines = opt.Relations, math.MaxInt
	}
	if len(all) <= most && strings.Count(recipe, "\n") <= lines {
		return recipe, ""
	}
	for tables := w.byUse(); ; tables = tables[:len(tables)-1] {
		w.rules, w.predicates = slices.Clone(rules), mostUseful(all, tables, most)
		w.prune()
		if recipe = w.compose(opt, false); strings.Count(recipe, "\n") < lines || len(tables) == 1 {
			break
		}
	}
	var left []string
	for _, p := range all {
		if !slices.ContainsFunc(w.predicates, func(kept predicate) bool { return kept.name == p.name }) {
			left = append(left, p.name)
			if len(p.table.listed) == 0 {
				p.table.unused = "left out to keep the draft short"
			}
		}
	}
	if len(left) > 0 {
		w.note("%d of %d relations are left out, those further from what is predicted and of columns that vary less; --relations %d includes all", len(left), len(all), len(all))
		recipe = w.compose(opt, false)
	}
	return recipe, w.findings(left)
}

// findings describes what was found of each table, and which relations were left out.
func (w *writer) findings(left []string) string {
	var b strings.Builder
	for _, t := range w.tables {
		w.describe(&b, t)
	}
	if len(left) > 0 {
		b.WriteString("//\n// Relations that are left out: " + strings.Join(left, ", ") + "\n")
	}
	return strings.ReplaceAll(strings.TrimPrefix(b.String(), "//\n"), "// ", "")
}

// mostUseful returns the target and the relations of some tables, in turns the best of each.
func mostUseful(all []predicate, tables []*tabular, most int) []predicate {
	type place struct{ turn, table, index int }
	places := make([]place, 0, len(all))
	for i, t := range tables {
		var own []int
		for k, p := range all {
			if p.table == t {
				own = append(own, k)
			}
		}
		slices.SortStableFunc(own, func(a, b int) int { return cmp.Compare(all[b].use(), all[a].use()) })
		for turn, k := range own {
			places = append(places, place{turn, i, k})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.table, b.table)) })
	keep := map[int]bool{0: true} // the target
	for _, p := range places[:min(len(places), most-1)] {
		keep[p.index] = true
	}
	var out []predicate
	for k, p := range all {
		if keep[k] {
			out = append(out, p)
		}
	}
	return out
}

// use returns how useful a relation is among those of its table: those that connect things, and times, before values, which should vary.
func (p *predicate) use() float64 {
	if c := p.column; c != nil && (c.typ == nil || c.typ.key == nil) {
		return c.spread()
	}
	return 1
}

// spread is the fraction of the rows that do not have the most frequent value of a column, if any.
func (c *column) spread() float64 {
	most := min(c.most(), float64(c.filled))
	return (float64(c.filled) - most) / float64(max(c.rows, 1))
}

// The use of a table beside one that refers to the same things, and of the table of these things.
const (
	step   = .5
	stepUp = .6
)

// byUse returns the tables with the most useful ones first: those of the target and of what is predicted, then by the fraction of the predicted
// things or centers that they mention, a part of that for each step to another table.
func (w *writer) byUse() []*tabular {
	use := map[*tabular]float64{}
	for _, t := range w.tables {
		for _, c := range t.columns {
			switch {
			case t == w.request.table || t.key != nil && t.key.typ == w.member.typ:
				use[t] = 2
			case len(w.anchorsOf(c, "")) > 0 && c.typ == w.member.typ:
				use[t] = max(use[t], w.member.within(&c.sketch))
			case len(w.anchorsOf(c, "")) > 0:
				use[t] = max(use[t], w.group.within(&c.sketch))
			}
		}
	}
	for range w.tables {
		for _, typ := range w.types {
			best := 0.0
			for _, c := range typ.columns {
				best = max(best, use[c.table])
			}
			for _, c := range typ.columns {
				share := step
				if c == c.table.key { // a few relations say what it is
					share = stepUp
				}
				use[c.table] = max(use[c.table], float64(share*best))
			}
		}
	}
	return slices.SortedStableFunc(slices.Values(w.tables), func(a, b *tabular) int { return cmp.Compare(use[b], use[a]) })
}

// crowd leaves out the columns of a table that vary least, if there are more than relations have arguments.
func (d *draft) crowd(t *tabular) {
	var values []*column
	for _, c := range t.columns {
		if c.told() && c != t.key && c.refers == nil && !c.asked && !slices.Contains(t.stamps, c) {
			values = append(values, c)
		}
	}
	more := len(values) - mostColumns
	if more <= 0 {
		return
	}
	spread := map[*column]float64{}
	for _, c := range values {
		spread[c] = c.spread()
	}
	slices.SortStableFunc(values, func(a, b *column) int { return cmp.Compare(spread[a], spread[b]) })
	for _, c := range values[:more] {
		c.typ, c.kind, c.why = nil, kindText, "one of those that vary least"
	}
	d.note("%s has %d columns, of which the %d that vary most are included", t.file, len(t.columns), mostColumns)
}

// annotate says of columns, for the stream, which are not read and why, and for which a person vouched. With what was found it names also those that
// are of no use.
func (w *writer) annotate(b *strings.Builder, findings bool) {
	if w.timed {
		b.WriteString("//= drafted\n")
	}
	for _, t := range w.tables {
		if t.trusted {
			fmt.Fprintf(b, "//= trusted %q\n", t.name)
		}
		for _, c := range t.columns {
			switch {
			case c.ofRow || t.problem != nil:
			case c.trusted:
				fmt.Fprintf(b, "//= trusted %q %q\n", t.name, c.title())
			case c.hidden:
				fmt.Fprintf(b, "//= hidden %q %q: it %s\n", t.name, c.title(), clipLong(c.why))
			case findings && c.typ == nil && (c.kind == kindText || c.kind == kindEmpty):
				fmt.Fprintf(b, "//= unused %q %q: %s\n", t.name, c.title(), clipLong(c.why))
			}
		}
	}
}
