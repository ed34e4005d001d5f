package isotime

import (
	"bytes"
	"strconv"
	"strings"
)

// Form is another way to write a date or time than that of ISO 8601, which each form takes too.
type Form string

// The forms. Dates are numbers between slashes, points, hyphens or spaces, in the order that the name gives; years may have
// two digits (69 to 99 are of 1969 to 1999), months may be English names, and a time of day may follow, on 24 or 12 hours.
const (
	FormDMY Form = "dmy" // 31/12/2020, 31.12.20 23:59, 31-Dec-2020
	FormMDY Form = "mdy" // 12/31/2020 11:59 PM, Dec 31, 2020
	FormYMD Form = "ymd" // 2020/12/31, 20201231
	FormS   Form = "s"   // seconds since 1970
	FormMS  Form = "ms"  // milliseconds since 1970
)

// Known reports whether there is such a form. "" is ISO 8601.
func (f Form) Known() bool {
	switch f {
	case "", FormDMY, FormMDY, FormYMD, FormS, FormMS:
		return true
	}
	return false
}

// ParseDay reads the day of a date, or of a date with a time, in days since 1970-01-01.
func (f Form) ParseDay(b []byte) (int64, bool) {
	if day, ok := ParseDay(b); ok || f == "" {
		return day, ok
	}
	seconds, ok := f.parse(b)
	return FloorDiv(seconds, SecondsOfDay), ok
}

// ParseTime reads a date with or without a time in seconds since 1970; of "" also a number of these.
func (f Form) ParseTime(b []byte) (int64, bool) {
	if f == "" {
		return ParseTime(b)
	}
	if day, rest, ok := cutDay(b); ok {
		if len(rest) == 0 {
			return day * SecondsOfDay, true
		}
		seconds, ok := parseClock(rest)
		return day*SecondsOfDay + seconds, ok
	}
	return f.parse(b)
}

func (f Form) parse(b []byte) (int64, bool) {
	if unit := map[Form]int64{FormS: 1, FormMS: 1000}[f]; unit > 0 {
		n, err := strconv.ParseInt(string(b), 10, 64)
		return FloorDiv(n, unit), err == nil
	}
	if day, ok := compact(b); ok && f == FormYMD {
		return day * SecondsOfDay, true
	}
	var parts [3]int64
	name := -1
	for i := range parts {
		n, isName, rest, ok := cutPart(b)
		if !ok || i < 2 && len(rest) == 0 || isName && name >= 0 {
			return 0, false
		}
		if isName {
			name = i
		}
		parts[i], b = n, rest
		if i < 2 {
			if b = cutSeparator(b); b == nil {
				return 0, false
			}
		}
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

// compact reads YYYYMMDD.
func compact(b []byte) (int64, bool) {
	if len(b) != 8 {
		return 0, false
	}
	year, ok1 := digits(b[:4])
	month, ok2 := digits(b[4:6])
	day, ok3 := digits(b[6:])
	if !ok1 || !ok2 || !ok3 {
		return 0, false
	}
	return DayOf(year, month, day)
}

const months = "janfebmaraprmayjunjulaugsepoctnovdec"

// cutPart reads a number of one, two or four digits, or the name of a month, of which three letters count.
func cutPart(b []byte) (n int64, isName bool, rest []byte, ok bool) {
	end := 0
	for end < len(b) && b[end] >= '0' && b[end] <= '9' {
		end++
	}
	if end > 0 {
		n, _ = digits(b[:min(end, 4)])
		return n, false, b[end:], end <= 2 || end == 4
	}
	for end < len(b) && (b[end]|0x20) >= 'a' && (b[end]|0x20) <= 'z' {
		end++
	}
	if end < 3 || end > len("September") {
		return 0, false, nil, false
	}
	at := strings.Index(months, strings.ToLower(string(b[:3])))
	return int64(at/3 + 1), true, b[end:], at >= 0 && at%3 == 0
}

// cutSeparator takes off what stands between the parts of a date, nil where nothing does.
func cutSeparator(b []byte) []byte {
	rest := bytes.TrimLeft(b, "/.-, ")
	if n := len(b) - len(rest); n == 0 || n > 2 || len(rest) == 0 {
		return nil
	}
	return rest
}

// parseHours reads the time of day behind a date: as in ISO 8601, or on 12 hours; the hour may have one digit.
func parseHours(b []byte) (int64, bool) {
	b = bytes.TrimPrefix(b, []byte(","))
	if len(b) > 2 && b[2] == ':' { // " 9:05"
		b = append([]byte{b[0], '0'}, b[1:]...)
	}
	clock := b
	afternoon, twelve := bytes.CutSuffix(bytes.ToUpper(b), []byte("PM"))
	morning, isMorning := bytes.CutSuffix(bytes.ToUpper(b), []byte("AM"))
	switch {
	case twelve:
		clock = bytes.TrimRight(afternoon, " ")
	case isMorning:
		clock = bytes.TrimRight(morning, " ")
	}
	seconds, ok := parseClock(clock)
	if !twelve && !isMorning || !ok {
		return seconds, ok
	}
	const half = SecondsOfDay / 2
	if seconds < 3600 || seconds >= half+3600 { // there is no hour 0, nor 13
		return 0, false
	}
	seconds %= half
	if twelve {
		seconds += half
	}
	return seconds, true
}
