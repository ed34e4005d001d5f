package subgraph_test

import (
	"testing"

	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

func TestParseTime(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2010-01-31":                "2010-01-31",
		"2010-01-31T00:00:00Z":      "2010-01-31",
		"2010-01-31T01:00:00+02:00": "2010-01-30T23:00:00Z",
		"2010-01-31T19:30:12.9Z":    "2010-01-31T19:30:12Z",
		"0000-01-01":                "0000-01-01",
		"9999-12-31T23:59:59Z":      "9999-12-31T23:59:59Z",
		"9999-12-31T23:59:59-01:00": "",
		"2010-02-30":                "",
		"2010-01-31 19:30:12":       "",
		"2010-01-31T19:30:12":       "",
		"2010-01":                   "",
		"1264896000":                "",
		"":                          "",
	} {
		at, ok := subgraph.ParseTime(text)
		check.Equal(t, text, at.String(), want)
		check.Equal(t, text+" is one", ok, want != "")
		if again, _ := subgraph.ParseTime(want); again != at {
			t.Errorf("%s: got %v again, want %v", text, again, at)
		}
	}
}

func TestTime_Compare(t *testing.T) {
	t.Parallel()
	var list []subgraph.Time
	for _, text := range []string{"", "0000-01-01", "1969-12-31", "1970-01-01", "1970-01-01T00:00:01Z"} {
		at, _ := subgraph.ParseTime(text)
		list = append(list, at)
	}
	for i, a := range list {
		for k, b := range list {
			if got := a.Compare(b); got > 0 != (i > k) || got < 0 != (i < k) {
				t.Errorf("%v and %v: got %d", a, b, got)
			}
		}
	}
}
