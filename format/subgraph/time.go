package subgraph

import (
	"cmp"
	"time"

	"resolwe/internal/isotime"
)

// Time is a moment in UTC of the years 0 to 9999, to the second. The zero value is none.
type Time struct {
	Unix  int64 // seconds since 1970-01-01, leap seconds not counted; 0 for none
	Known bool
}

// The first and the last second that a Time can be.
const (
	firstSecond = -62167219200
	lastSecond  = 253402300799
)

// TimeAt returns the time that many seconds after 1970-01-01, and false where a Time cannot hold it.
func TimeAt(unix int64) (Time, bool) {
	if unix < firstSecond || unix > lastSecond {
		return Time{}, false
	}
	return Time{unix, true}, true
}

// ParseTime reads what Time.String writes: a date, or a date with a time in RFC 3339, whose fraction is cut off.
func ParseTime(text string) (Time, bool) {
	if len(text) != len(time.DateOnly) {
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			return Time{}, false
		}
	}
	unix, ok := isotime.FormISO.ParseTime([]byte(text))
	if !ok || len(text) < len(time.DateOnly) || text[4] != '-' {
		return Time{}, false
	}
	return TimeAt(unix)
}

// Compare orders times; none is before all.
func (t Time) Compare(o Time) int {
	if t.Known != o.Known {
		if o.Known {
			return -1
		}
		return 1
	}
	return cmp.Compare(t.Unix, o.Unix)
}

// String returns a date where that says all, else a date with a time as RFC 3339 has it, and "" for none.
func (t Time) String() string {
	switch {
	case !t.Known:
		return ""
	case t.Unix%isotime.SecondsOfDay == 0:
		return time.Unix(t.Unix, 0).UTC().Format(time.DateOnly)
	}
	return time.Unix(t.Unix, 0).UTC().Format(time.RFC3339)
}
