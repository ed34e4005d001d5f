package recipe

import (
	"math"

	"resolwe/format/lex"
	"resolwe/format/table"
	"resolwe/internal/isotime"
)

// Freeze sets the day of @asof, in days since 1970-01-01; without it, @asof is the end of time. If no rule compares with @asof, it returns
// a [lex.ErrorList] that says what to write.
func (r *Recipe) Freeze(day int64) error {
	for i := range r.Rules {
		if r.Rules[i].mentions(func(t Term) bool { return t.AsOf }) {
			r.lastDay = &day
			return nil
		}
	}
	var errs lex.Collector
	errs.Add(lex.Sources{}.At(r.Relations[r.Center].Pos, "no rule says which rows are too late for --as-of: "+
		"write t <= @asof, with t for when a row came to be, in each rule that states evidence"))
	return errs.Err()
}

// AsOf returns the day or time that @asof and what is added to it represent, as the term's type requires.
func (r *Recipe) AsOf(t *Term) int64 {
	if r.lastDay == nil {
		return math.MaxInt64
	}
	last := *r.lastDay
	if t.Type.Kind == table.KindTime {
		last = isotime.Moment((last+1)*isotime.SecondsOfDay, r.Zone) - 1
	}
	return last + t.Int
}
