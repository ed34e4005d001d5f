// Package isotime reads dates and times in ISO 8601 and in other forms.
package isotime

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones are known on any machine
)

// SecondsOfDay is the number of seconds in a day, without leap seconds.
const SecondsOfDay = 24 * 60 * 60

// Reader reads dates and times. With an offset from UTC a time is a moment; others are those of a zone, and a day is a day there.
type Reader struct {
	Form    Form
	Zone    *time.Location // nil for UTC
	Local   int            // how many were read that have no offset
	Shifted int            // how many have one and another date in the zone
}

// FindZone returns the zone of a name such as Europe/Berlin, and whether there is one.
func FindZone(name string) (*time.Location, bool) {
	zone, err := time.LoadLocation(name)
	return zone, err == nil && name != "" && name != "Local" // which the machine would decide
}

// Day reads the day of a date, or of a date with a time, in days since 1970-01-01.
func (r *Reader) Day(b []byte) (int64, bool) {
	m, ok := r.read(b)
	return FloorDiv(m.in(r.Zone), SecondsOfDay), ok
}

// Clock reads a date with or without a time as the zone's clock shows it, in seconds since its 1970-01-01. With FormISO it also accepts
// a whole number, of seconds since 1970 in UTC.
func (r *Reader) Clock(b []byte) (int64, bool) {
	m, ok := r.readTime(b)
	return m.in(r.Zone), ok
}

// Time reads what Clock reads, as seconds since 1970 in UTC.
func (r *Reader) Time(b []byte) (int64, bool) {
	m, ok := r.readTime(b)
	if !m.fixed {
		return Moment(m.shown, r.Zone), ok
	}
	return m.shown - m.offset, ok
}

func (r *Reader) readTime(b []byte) (moment, bool) {
	m, ok := r.read(b)
	if !ok && r.Form == FormISO {
		return FormS.parse(b)
	}
	return m, ok
}

// read reads a date or time, and counts it.
func (r *Reader) read(b []byte) (moment, bool) {
	m, ok := r.Form.parse(b)
	switch {
	case ok && !m.fixed:
		r.Local++
	case ok && m.offset != 0 && FloorDiv(m.shown, SecondsOfDay) != FloorDiv(m.in(r.Zone), SecondsOfDay):
		r.Shifted++
	}
	return m, ok
}

// moment is a date or time as written.
type moment struct {
	shown  int64 // by a clock, in seconds since its 1970-01-01
	fixed  bool  // the clock's offset is known
	offset int64 // in seconds east of UTC
}

// in returns what a zone's clock shows.
func (m moment) in(zone *time.Location) int64 {
	if !m.fixed {
		return m.shown
	}
	at := m.shown - m.offset
	if zone != nil {
		_, offset := time.Unix(at, 0).In(zone).Zone()
		at += int64(offset)
	}
	return at
}

// Moment returns when a zone's clock shows a time, both in seconds since 1970-01-01. Nil is UTC.
func Moment(shown int64, zone *time.Location) int64 {
	if zone == nil {
		return shown
	}
	t := time.Unix(shown, 0).UTC()
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, zone).Unix()
}

// isCompact reports whether digits may be a date of the years 1900 to 2099.
func isCompact(b []byte) bool {
	year := digits(b[:4])
	return year >= 1900 && year < 2100
}

func (f Form) parse(b []byte) (m moment, ok bool) {
	if f == FormS || f == FormMS {
		if n, err := strconv.ParseInt(string(b), 10, 64); err == nil {
			if f == FormMS {
				n = FloorDiv(n, 1000)
			}
			return moment{shown: n, fixed: true}, true
		}
	}
	if m, ok = parseISO(b); ok || f == FormISO || f == FormS || f == FormMS {
		return m, ok
	}
	if f == FormPeriod {
		day, ok := parsePeriod(b)
		return moment{shown: day * SecondsOfDay}, ok
	}
	days, rest, ok := f.cutDate(b)
	if !ok || len(rest) == 0 {
		return moment{shown: days * SecondsOfDay}, ok
	}
	m, ok = parseHours(rest)
	m.shown += days * SecondsOfDay
	return m, ok
}

// cutDate reads a date of three parts in the order of the form, in days since 1970-01-01.
func (f Form) cutDate(b []byte) (days int64, rest []byte, ok bool) {
	f, first := f.cut()
	if f == FormYMD && len(b) == len("20201231") {
		if days, ok = DayOf(digits(b[:4]), digits(b[4:6]), digits(b[6:])); ok {
			return days, nil, true
		}
	}
	if f == FormYMD && len(b) == len("201231") {
		if days, ok = DayOf(century(digits(b[:2]), first), digits(b[2:4]), digits(b[4:])); ok {
			return days, nil, true
		}
	}
	var parts [3]int64
	name := -1
	for i := range parts {
		n, isName, rest, ok := cutPart(b)
		if !ok || isName && name >= 0 {
			return 0, nil, false
		}
		if isName {
			name = i
		}
		if i < 2 {
			if rest = cutSeparator(rest); rest == nil {
				return 0, nil, false
			}
		}
		parts[i], b = n, rest
	}
	year, month, day := strings.IndexByte(string(f), 'y'), strings.IndexByte(string(f), 'm'), strings.IndexByte(string(f), 'd')
	if name >= 0 && name != month {
		return 0, nil, false
	}
	days, ok = DayOf(century(parts[year], first), parts[month], parts[day])
	return days, b, ok
}

// century returns the year that two digits mean in the hundred years from first, or a year of more digits.
func century(year, first int64) int64 {
	if year < 0 || year >= 100 {
		return year
	}
	if year += first - first%100; year < first {
		year += 100
	}
	return year
}

// parseISO reads YYYY-MM-DD, and a time as for parseClock, or YYYYMMDD of the years 1900 to 2099.
func parseISO(b []byte) (m moment, ok bool) {
	if len(b) == len("20201231") && isCompact(b) {
		day, ok := DayOf(digits(b[:4]), digits(b[4:6]), digits(b[6:]))
		return moment{shown: day * SecondsOfDay}, ok
	}
	if len(b) < 10 || b[4] != '-' || b[7] != '-' {
		return m, false
	}
	day, ok := DayOf(digits(b[:4]), digits(b[5:7]), digits(b[8:10]))
	if !ok || len(b) == 10 {
		return moment{shown: day * SecondsOfDay}, ok
	}
	m, ok = parseClock(b[10:])
	m.shown += day * SecondsOfDay
	return m, ok
}

// DayOf returns a date of the years 0 to 9999 as days since 1970-01-01.
func DayOf(year, month, day int64) (int64, bool) {
	if year < 0 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, false
	}
	t := time.Date(int(year), time.Month(month), int(day), 0, 0, 0, 0, time.UTC)
	return FloorDiv(t.Unix(), SecondsOfDay), t.Day() == int(day)
}

// parseClock reads the time after a date, such as "T19:30:12.5+02:00". The T may be a space; seconds, their fraction (which is cut off) and
// the offset may be missing.
func parseClock(b []byte) (m moment, ok bool) {
	if len(b) < 6 || b[0] != 'T' && b[0] != 't' && b[0] != ' ' || b[3] != ':' {
		return m, false
	}
	hour, minute, second := digits(b[1:3]), digits(b[4:6]), int64(0)
	if b = b[6:]; len(b) > 2 && b[0] == ':' {
		second = digits(b[1:3])
		if b = b[3:]; len(b) > 1 && (b[0] == '.' || b[0] == ',') && digits(b[1:2]) >= 0 {
			b = bytes.TrimLeft(b[1:], "0123456789")
		}
	}
	offset, ok := parseOffset(b)
	return moment{hour*3600 + minute*60 + second, len(b) > 0, offset}, ok && isClock(hour, minute) && second >= 0 && second < 60
}

func isClock(hour, minute int64) bool { return hour >= 0 && hour < 24 && minute >= 0 && minute < 60 }

// parseOffset reads "", "Z", "+02", "+0200" or "+02:00" in seconds east of UTC.
func parseOffset(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) == 1 && (b[0] == 'Z' || b[0] == 'z') {
		return 0, true
	}
	hour, minute := int64(-1), int64(0)
	switch {
	case len(b) == 3:
		hour = digits(b[1:])
	case len(b) == 5:
		hour, minute = digits(b[1:3]), digits(b[3:])
	case len(b) == 6 && b[3] == ':':
		hour, minute = digits(b[1:3]), digits(b[4:])
	}
	seconds, ok := hour*3600+minute*60, isClock(hour, minute)
	if b[0] == '-' {
		return -seconds, ok
	}
	return seconds, ok && b[0] == '+'
}

// digits reads a few decimal digits; it returns -1 if there is anything else.
func digits(b []byte) int64 {
	n := int64(0)
	for _, c := range b {
		if c < '0' || c > '9' {
			return -1
		}
		n = 10*n + int64(c-'0')
	}
	return n
}

// FloorDiv returns a / b, rounded down; b is positive.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

const months = "janfebmaraprmayjunjulaugsepoctnovdec"

// cutPart reads a number of one, two or four digits, or the name of a month, of which the first three letters count.
func cutPart(b []byte) (n int64, isName bool, rest []byte, ok bool) {
	rest = bytes.TrimLeft(b, "0123456789")
	if end := len(b) - len(rest); end > 0 {
		return digits(b[:min(end, 4)]), false, rest, end <= 2 || end == 4
	}
	rest = bytes.TrimLeftFunc(b, func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' })
	end := len(b) - len(rest)
	if end < 3 || end > len("September") {
		return 0, false, nil, false
	}
	at := strings.Index(months, strings.ToLower(string(b[:3])))
	return int64(at/3 + 1), true, rest, at >= 0 && at%3 == 0
}

// cutSeparator removes the separator between the parts of a date; it returns nil if there is none.
func cutSeparator(b []byte) []byte {
	rest := bytes.TrimLeft(b, "/.-, ")
	if n := len(b) - len(rest); n == 0 || n > 2 || len(rest) == 0 {
		return nil
	}
	return rest
}

// parseHours reads the time of day after a date, as in ISO 8601 or in 12 hours; the hour may have one digit.
func parseHours(b []byte) (m moment, ok bool) {
	b = bytes.TrimPrefix(b, []byte(","))
	if len(b) > 2 && b[2] == ':' { // " 9:05"
		b = append([]byte{b[0], '0'}, b[1:]...)
	}
	b = bytes.ToUpper(b)
	clock, afternoon := bytes.CutSuffix(b, []byte("PM"))
	if !afternoon {
		var morning bool
		if clock, morning = bytes.CutSuffix(b, []byte("AM")); !morning {
			return parseClock(b)
		}
	}
	m, ok = parseClock(bytes.TrimRight(clock, " "))
	const half = SecondsOfDay / 2
	if !ok || m.shown < 3600 || m.shown >= half+3600 { // no hour 0 or 13
		return m, false
	}
	if m.shown %= half; afternoon {
		m.shown += half
	}
	return m, true
}
