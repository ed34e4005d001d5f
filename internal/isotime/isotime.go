// Package isotime reads dates and times in ISO 8601 and in other forms.
package isotime

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SecondsOfDay is the number of seconds in a day, without leap seconds.
const SecondsOfDay = 24 * 60 * 60

// Form is a notation for a date or time. Each form also accepts ISO 8601.
type Form string

// The forms. Dates are numbers separated by slashes, points, hyphens or spaces, in the order given by the name. Years may have two
// digits (69 to 99 mean 1969 to 1999), months may be English names, and a time of day may follow, in 24 or 12 hours.
const (
	FormISO Form = ""
	FormDMY Form = "dmy" // 31/12/2020, 31.12.20 23:59, 31-Dec-2020
	FormMDY Form = "mdy" // 12/31/2020 11:59 PM, Dec 31, 2020
	FormYMD Form = "ymd" // 2020/12/31, 20201231
	FormS   Form = "s"   // seconds since 1970
	FormMS  Form = "ms"  // milliseconds since 1970
)

// Known reports whether the form exists.
func (f Form) Known() bool {
	return slices.Contains([]Form{FormISO, FormDMY, FormMDY, FormYMD, FormS, FormMS}, f)
}

// ParseDay reads the day of a date, or of a date with a time, in days since 1970-01-01.
func (f Form) ParseDay(b []byte) (int64, bool) {
	seconds, ok := f.parse(b)
	return FloorDiv(seconds, SecondsOfDay), ok
}

// ParseTime reads a date with or without a time, as seconds since 1970; with FormISO it also accepts such a number.
func (f Form) ParseTime(b []byte) (int64, bool) {
	seconds, ok := f.parse(b)
	if !ok && f == FormISO {
		return FormS.parse(b)
	}
	return seconds, ok
}

func (f Form) parse(b []byte) (int64, bool) {
	if seconds, ok := parseISO(b); ok || f == FormISO {
		return seconds, ok
	}
	if f == FormS || f == FormMS {
		n, err := strconv.ParseInt(string(b), 10, 64)
		if f == FormMS {
			n = FloorDiv(n, 1000)
		}
		return n, err == nil
	}
	if f == FormYMD && len(b) == len("20201231") {
		if day, ok := DayOf(digits(b[:4]), digits(b[4:6]), digits(b[6:])); ok {
			return day * SecondsOfDay, true
		}
	}
	var parts [3]int64
	name := -1
	for i := range parts {
		n, isName, rest, ok := cutPart(b)
		if !ok || isName && name >= 0 {
			return 0, false
		}
		if isName {
			name = i
		}
		if i < 2 {
			if rest = cutSeparator(rest); rest == nil {
				return 0, false
			}
		}
		parts[i], b = n, rest
	}
	year, month, day := strings.IndexByte(string(f), 'y'), strings.IndexByte(string(f), 'm'), strings.IndexByte(string(f), 'd')
	if name >= 0 && name != month {
		return 0, false
	}
	if y := parts[year]; y < 100 {
		if parts[year] += 1900; y < 69 {
			parts[year] += 100
		}
	}
	days, ok := DayOf(parts[year], parts[month], parts[day])
	if !ok || len(b) == 0 {
		return days * SecondsOfDay, ok
	}
	seconds, ok := parseHours(b)
	return days*SecondsOfDay + seconds, ok
}

// parseISO reads YYYY-MM-DD and a time as for parseClock, as seconds since 1970.
func parseISO(b []byte) (int64, bool) {
	if len(b) < 10 || b[4] != '-' || b[7] != '-' {
		return 0, false
	}
	day, ok := DayOf(digits(b[:4]), digits(b[5:7]), digits(b[8:10]))
	if !ok || len(b) == 10 {
		return day * SecondsOfDay, ok
	}
	seconds, ok := parseClock(b[10:])
	return day*SecondsOfDay + seconds, ok
}

// DayOf returns a date of the years 0 to 9999 as days since 1970-01-01.
func DayOf(year, month, day int64) (int64, bool) {
	if year < 0 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, false
	}
	t := time.Date(int(year), time.Month(month), int(day), 0, 0, 0, 0, time.UTC)
	return FloorDiv(t.Unix(), SecondsOfDay), t.Day() == int(day)
}

// parseClock reads the time after a date, such as "T19:30:12.5+02:00", as seconds of UTC since the date's midnight. The T may be a
// space; seconds, their fraction (which is cut off) and the zone may be missing.
func parseClock(b []byte) (int64, bool) {
	if len(b) < 6 || b[0] != 'T' && b[0] != 't' && b[0] != ' ' || b[3] != ':' {
		return 0, false
	}
	hour, minute, second := digits(b[1:3]), digits(b[4:6]), int64(0)
	if b = b[6:]; len(b) > 2 && b[0] == ':' {
		second = digits(b[1:3])
		if b = b[3:]; len(b) > 1 && (b[0] == '.' || b[0] == ',') && digits(b[1:2]) >= 0 {
			b = bytes.TrimLeft(b[1:], "0123456789")
		}
	}
	zone, ok := parseZone(b)
	return hour*3600 + minute*60 + second - zone, ok && isClock(hour, minute) && second >= 0 && second < 60
}

func isClock(hour, minute int64) bool { return hour >= 0 && hour < 24 && minute >= 0 && minute < 60 }

// parseZone reads "", "Z", "+02", "+0200" or "+02:00" in seconds east of UTC.
func parseZone(b []byte) (int64, bool) {
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
func parseHours(b []byte) (int64, bool) {
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
	seconds, ok := parseClock(bytes.TrimRight(clock, " "))
	const half = SecondsOfDay / 2
	if !ok || seconds < 3600 || seconds >= half+3600 { // no hour 0 or 13
		return 0, false
	}
	if seconds %= half; afternoon {
		seconds += half
	}
	return seconds, true
}
