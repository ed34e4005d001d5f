package reading

import (
	"slices"
	"time"

	"resolwe/internal/isotime"
)

// ShortYears are the dates that state their year in two digits, by year, as isotime reads them by default.
type ShortYears struct {
	spans [100]struct {
		lo, hi int64
		seen   bool
	}
	long bool // some date has a year of four digits
}

// add includes a date.
func (y *ShortYears) add(year int, at int64) {
	if year < 0 {
		y.long = true
		return
	}
	s := &y.spans[year]
	if !s.seen {
		s.lo, s.hi, s.seen = at, at, true
	}
	s.lo, s.hi = min(s.lo, at), max(s.hi, at)
}

// Run returns the first and the last year of the shortest run of years that holds all dates: 1998 to 2003 for 98 to 03. Its last year is the
// one that isotime reads by default. It returns false if there are no such dates, or the year of some has four digits.
func (y *ShortYears) Run() (first, last int, ok bool) {
	var years []int
	for year, s := range y.spans {
		if s.seen {
			years = append(years, isotime.LongYear(year, isotime.FirstYear))
		}
	}
	if y.long || years == nil {
		return 0, 0, false
	}
	slices.Sort(years)
	first, last = years[0], years[len(years)-1]
	for i, year := range years[1:] { // the years up to the one before it follow the others
		if before := years[i]; before+100-year < last-first {
			first, last = year-100, before
		}
	}
	return first, last, true
}

// Since returns the earliest and the latest date if two digits mean the hundred years from one.
func (y *ShortYears) Since(first int) (lo, hi int64) {
	begun := false
	for year, s := range y.spans {
		if !s.seen {
			continue
		}
		years := isotime.LongYear(year, first) - isotime.LongYear(year, isotime.FirstYear)
		from, to := time.Unix(s.lo, 0).UTC().AddDate(years, 0, 0).Unix(), time.Unix(s.hi, 0).UTC().AddDate(years, 0, 0).Unix()
		if !begun {
			lo, hi, begun = from, to, true
		}
		lo, hi = min(lo, from), max(hi, to)
	}
	return lo, hi
}
