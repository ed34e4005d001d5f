package isotime

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Form is a notation for a date or time. Each form also accepts ISO 8601.
type Form string

// The forms. Dates are numbers separated by slashes, points, hyphens or spaces, in the order given by the name. Years may have two
// digits, months may be English names, and a time of day may follow, in 24 or 12 hours. Years of two digits are 1969 to 2068, or the hundred
// years from the one that follows the order, as in "dmy 1925".
const (
	FormISO Form = ""
	FormDMY Form = "dmy" // 31/12/2020, 31.12.20 23:59, 31-Dec-2020
	FormMDY Form = "mdy" // 12/31/2020 11:59 PM, Dec 31, 2020
	FormYMD Form = "ymd" // 2020/12/31, 20201231, 201231
	FormS   Form = "s"   // seconds since 1970
	FormMS  Form = "ms"  // milliseconds since 1970
	// FormPeriod is a quarter, ISO 8601 week or month, which stands for its first day: 2020Q3, Q3 2020, 2020-W05, 2020-05.
	FormPeriod Form = "period"
)

// FirstYear is the first of the hundred years that years of two digits mean, unless the form states another.
const FirstYear = 1969

// Known reports whether the form exists.
func (f Form) Known() bool {
	if order, first := f.cut(); order != f {
		return order.HasYears() && first >= 1800 && first < 2100
	}
	return f.HasYears() || slices.Contains([]Form{FormISO, FormS, FormMS, FormPeriod}, f)
}

// HasYears reports whether years of the form may have two digits, so that the first of the hundred that they mean may follow it.
func (f Form) HasYears() bool { return f == FormDMY || f == FormMDY || f == FormYMD }

// From returns the form with years of two digits that mean the hundred from a year.
func (f Form) From(year int) Form {
	if year == FirstYear {
		return f.Order()
	}
	return f.Order() + Form(" "+strconv.Itoa(year))
}

// Order returns the form without the years that two digits mean.
func (f Form) Order() Form {
	order, _ := f.cut()
	return order
}

// cut returns the order of a form, and the first of the hundred years that two digits mean; -1 if that is no year.
func (f Form) cut() (order Form, first int64) {
	if len(f) != len("dmy 1925") || f[3] != ' ' {
		return f, FirstYear
	}
	return f[:3], digits([]byte(f[4:]))
}

// ShortYear returns the year that a date of the form states in two digits; -1 if it has another year, or the text is no date.
func (f Form) ShortYear(b []byte) int {
	before, _ := f.From(FirstYear - 100).parse(b)
	m, ok := f.From(FirstYear).parse(b)
	if !ok || m == before {
		return -1
	}
	return time.Unix(m.shown, 0).UTC().Year() % 100
}

// LongYear returns the year that one of two digits means in the hundred from another.
func LongYear(year, first int) int { return int(century(int64(year), int64(first))) }

// ParseDay reads the day of a date, or of a date with a time, in days since 1970-01-01, as [Reader.Day] does in UTC.
func (f Form) ParseDay(b []byte) (int64, bool) { return (&Reader{Form: f}).Day(b) }

// ParseTime reads a date with or without a time, as [Reader.Time] does in UTC.
func (f Form) ParseTime(b []byte) (int64, bool) { return (&Reader{Form: f}).Time(b) }

// parsePeriod returns the first day of a quarter, week or month.
func parsePeriod(b []byte) (day int64, ok bool) {
	const separators = "-/ "
	if len(b) > 2 && b[0]|0x20 == 'q' {
		rest := bytes.TrimLeft(b[2:], separators)
		day = firstOf('q', digits(b[1:2]), digits(rest))
		return day, day != none && len(rest) == len("2020")
	}
	if len(b) < len("2020Q3") || len(b) > len("2020-W05") {
		return 0, false
	}
	year, rest := digits(b[:4]), b[4:]
	unit := byte('m')
	if strings.IndexByte(separators, rest[0]) >= 0 {
		rest = rest[1:]
	} else if rest[0] >= '0' && rest[0] <= '9' {
		return 0, false
	}
	if c := rest[0] | 0x20; len(rest) > 1 && (c == 'q' || c == 'w' || c == 'm') {
		unit, rest = c, rest[1:]
	}
	if len(rest) != 2 && (unit != 'q' || len(rest) != 1) {
		return 0, false
	}
	day = firstOf(unit, digits(rest), year)
	return day, day != none
}

const none = math.MinInt64

// firstOf returns the first day of a quarter, a week or a month of a year, or none.
func firstOf(unit byte, n, year int64) int64 {
	months := map[byte]int64{'q': 3, 'm': 1}[unit]
	if year < 1000 || n < 1 {
		return none
	}
	if unit != 'w' {
		if day, ok := DayOf(year, months*(n-1)+1, 1); ok {
			return day
		}
		return none
	}
	fourth, _ := DayOf(year, 1, 4) // is in the first week
	monday := func(day int64) int64 { return day - (day + 3 - 7*FloorDiv(day+3, 7)) }
	day := monday(fourth) + 7*(n-1)
	if next, _ := DayOf(year+1, 1, 4); day >= monday(next) {
		return none
	}
	return day
}
