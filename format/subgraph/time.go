package subgraph

import (
	"cmp"
	"time"

	"resolwe/internal/isotime"
)

// Time is a moment in UTC, to the second, in the years 0 to 9999. The zero value means none.
type Time struct {
	Unix  int64 // seconds since 1970-01-01 without leap seconds; 0 for none
	Known bool
}

// The first and the last second of a Time.
const (
	firstSecond = -62167219200
	lastSecond  = 253402300799
)

// TimeAt returns the time that many seconds after 1970-01-01, and false if it is out of range.
func TimeAt(unix int64) (Time, bool) {
	if unix < firstSecond || unix > lastSecond {
		return Time{}, false
	}
	return Time{unix, true}, true
}

// ParseTime parses the output of Time.String: a date, or a date and time in RFC 3339, whose fraction is cut off.
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

// Compare orders times; none comes first.
func (t Time) Compare(o Time) int {
	if t.Known != o.Known {
		if o.Known {
			return -1
		}
		return 1
	}
	return cmp.Compare(t.Unix, o.Unix)
}

// String returns a date if the time is midnight, otherwise date and time as in RFC 3339, and "" for none.
func (t Time) String() string {
	switch {
	case !t.Known:
		return ""
	case t.Unix%isotime.SecondsOfDay == 0:
		return time.Unix(t.Unix, 0).UTC().Format(time.DateOnly)
	}
	return time.Unix(t.Unix, 0).UTC().Format(time.RFC3339)
}
