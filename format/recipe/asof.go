package recipe

import (
	"math"

	"resolwe/format/lex"
	"resolwe/format/table"
	"resolwe/internal/isotime"
)

// Freeze lets @asof stand for a day, in days since 1970-01-01: without it, it is the end of time. The error, a [lex.ErrorList], says
// what to write where no rule compares with @asof.
func (r *Recipe) Freeze(day int64) error {
	for i := range r.Rules {
		for _, c := range r.Rules[i].Comparisons {
			if c.A.AsOf || c.B.AsOf {
				r.lastDay = &day
				return nil
			}
		}
	}
	var errs lex.Collector
	errs.Add(&Error{lex.Sources{}.At(r.Relations[r.Center].Pos, "no rule says which rows are too late for --as-of: "+
		"write t <= @asof, with t for when a row came to be, in each rule that states evidence")})
	return errs.Err()
}

// AsOf returns the day or time, as its type has it, that @asof stands for, with what is added to it.
func (r *Recipe) AsOf(t *Term) int64 {
	if r.lastDay == nil {
		return math.MaxInt64
	}
	last := *r.lastDay
	if t.Type.Kind == table.KindTime {
		last = (last+1)*isotime.SecondsOfDay - 1
	}
	return last + t.Int
}
