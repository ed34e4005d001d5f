// Package isotime reads dates and times as ISO 8601 writes them.
package isotime

import (
	"strconv"
	"time"
)

// SecondsOfDay is how many seconds a day has: leap seconds do not count.
const SecondsOfDay = 24 * 60 * 60

// ParseDay reads the day of a date, or of a date with a time, in days since 1970-01-01.
func ParseDay(b []byte) (int64, bool) {
	day, rest, ok := cutDay(b)
	if !ok || len(rest) == 0 {
		return day, ok
	}
	seconds, ok := parseClock(rest)
	return day + FloorDiv(seconds, SecondsOfDay), ok
}

// ParseTime reads a date with or without a time, or a number of seconds since 1970.
func ParseTime(b []byte) (int64, bool) {
	if n, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		return n, true
	}
	day, rest, ok := cutDay(b)
	if !ok || len(rest) == 0 {
		return day * SecondsOfDay, ok
	}
	seconds, ok := parseClock(rest)
	return day*SecondsOfDay + seconds, ok
}

// cutDay reads YYYY-MM-DD at the beginning of b.
func cutDay(b []byte) (day int64, rest []byte, ok bool) {
	if len(b) < 10 || b[4] != '-' || b[7] != '-' {
		return 0, nil, false
	}
	year, okYear := digits(b[:4])
	month, okMonth := digits(b[5:7])
	date, okDay := digits(b[8:10])
	if !okYear || !okMonth || !okDay {
		return 0, nil, false
	}
	day, ok = DayOf(year, month, date)
	return day, b[10:], ok
}

// DayOf returns a date of the years 0 to 9999 as days since 1970-01-01.
func DayOf(year, month, day int64) (int64, bool) {
	if year < 0 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, false
	}
	t := time.Date(int(year), time.Month(month), int(day), 0, 0, 0, 0, time.UTC)
	return FloorDiv(t.Unix(), SecondsOfDay), t.Day() == int(day)
}

// parseClock reads what stands behind a date, as in "T19:30:12.5+02:00", in seconds of UTC since the date's midnight. A
// space may stand for the T; seconds, their fraction, which is cut off, and the zone may be left out.
func parseClock(b []byte) (int64, bool) {
	if len(b) < 6 || b[0] != 'T' && b[0] != 't' && b[0] != ' ' || b[3] != ':' {
		return 0, false
	}
	hour, okHour := digits(b[1:3])
	minute, okMinute := digits(b[4:6])
	if !okHour || !okMinute || hour > 23 || minute > 59 {
		return 0, false
	}
	seconds, b := hour*3600+minute*60, b[6:]
	if len(b) > 0 && b[0] == ':' {
		if len(b) < 3 {
			return 0, false
		}
		second, ok := digits(b[1:3])
		if !ok || second > 59 {
			return 0, false
		}
		seconds += second
		if b, ok = cutFraction(b[3:]); !ok {
			return 0, false
		}
	}
	zone, ok := parseZone(b)
	return seconds - zone, ok
}

// cutFraction takes the fraction of a second off, where there is one.
func cutFraction(b []byte) ([]byte, bool) {
	if len(b) == 0 || b[0] != '.' && b[0] != ',' {
		return b, true
	}
	end := 1
	for end < len(b) && b[end] >= '0' && b[end] <= '9' {
		end++
	}
	return b[end:], end > 1
}

// parseZone reads "", "Z", "+02", "+0200" or "+02:00" in seconds east of UTC.
func parseZone(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) == 1 && (b[0] == 'Z' || b[0] == 'z') {
		return 0, true
	}
	sign := int64(1)
	if b[0] == '-' {
		sign = -1
	} else if b[0] != '+' {
		return 0, false
	}
	hours, minutes := b[1:], []byte("00")
	switch {
	case len(b) == 5:
		hours, minutes = b[1:3], b[3:5]
	case len(b) == 6 && b[3] == ':':
		hours, minutes = b[1:3], b[4:6]
	}
	if len(hours) != 2 {
		return 0, false
	}
	hour, okHour := digits(hours)
	minute, okMinute := digits(minutes)
	return sign * (hour*3600 + minute*60), okHour && okMinute && hour < 24 && minute < 60
}

// digits reads a few decimal digits.
func digits(b []byte) (int64, bool) {
	n := int64(0)
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}

// FloorDiv returns a / b, rounded down; b is positive.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
