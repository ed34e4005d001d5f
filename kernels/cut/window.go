package cut

import (
	"slices"
	"sort"

	"resolwe/format/lex"
	"resolwe/format/recipe"
)

// window is a bound on the first column of an index: a comparison with a slot plus a shift. It only limits the rows visited; the comparison
// is still checked.
type window struct {
	op    lex.Comparison
	slot  int
	shift recipe.Shift
	float bool
}

// windowsOf returns the bounds that variables of component a put on one column of atom b, with variables instead of slots; none if there is
// no such column.
func (p *rulePlanner) windowsOf(a, b *component) (column int, bounds []window) {
	for _, c := range p.comparisons {
		if c.IsQuotient() {
			continue
		}
		sides := []recipe.Comparison{c}
		if c.Shift.Float == 0 { // else rounding would differ
			sides = append(sides, recipe.Comparison{Op: c.Op.Mirrored(), A: c.B, B: c.A, Shift: recipe.Shift{Int: -c.Shift.Int}})
		}
		for _, c := range sides {
			if c.A.Kind != recipe.TermVariable || c.B.Kind != recipe.TermVariable || !slices.Contains(a.vars, c.B.Var) {
				continue
			}
			at, ok := b.table.column[c.A.Var]
			if !ok || c.Op == lex.OtherThan || len(bounds) > 0 && at != column {
				continue
			}
			column, bounds = at, append(bounds, window{c.Op, c.B.Var, c.Shift, isFloat(c.B.Type)})
		}
	}
	return column, bounds
}

// narrow returns the part of the rows from lo to hi inside a window.
func (x *index) narrow(w *window, frame []uint64, lo, hi int) (int, int) {
	from := func(least int) int { // the first row whose comparison is at least least
		return lo + sort.Search(hi-lo, func(i int) bool {
			return compareShifted(x.codecs[0].value(x.codes[0][lo+i]), frame[w.slot], w.shift, w.float) >= least
		})
	}
	switch w.op {
	case lex.SameAs:
		return from(0), from(1)
	case lex.Less:
		return lo, from(0)
	case lex.AtMost:
		return lo, from(1)
	case lex.Greater:
		return from(1), hi
	case lex.AtLeast:
		return from(0), hi
	case lex.OtherThan:
	}
	return lo, hi
}
