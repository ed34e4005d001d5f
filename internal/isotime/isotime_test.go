package isotime_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"resolwe/internal/isotime"
	"resolwe/internal/test/check"
)

func TestParseTime(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want string // RFC 3339; "" for a text that is not a time
	}{
		{"2021-12-06T19:30:12Z", "2021-12-06T19:30:12Z"},
		{"2021-12-06T19:30:12", "2021-12-06T19:30:12Z"},
		{"2021-12-06 19:30:12", "2021-12-06T19:30:12Z"},
		{"2021-12-06T19:30", "2021-12-06T19:30:00Z"},
		{"2021-12-06t19:30:12z", "2021-12-06T19:30:12Z"},
		{"2021-12-06T19:30:12.999Z", "2021-12-06T19:30:12Z"},
		{"1969-12-31T23:59:59,5", "1969-12-31T23:59:59Z"},
		{"2021-12-06T00:30:12+02:00", "2021-12-05T22:30:12Z"},
		{"2021-12-06T23:30:12-0230", "2021-12-07T02:00:12Z"},
		{"2021-12-06T23:30+01", "2021-12-06T22:30:00Z"},
		{"2021-12-06", "2021-12-06T00:00:00Z"},
		{"2024-02-29", "2024-02-29T00:00:00Z"},
		{"0000-01-01", "0000-01-01T00:00:00Z"},
		{"1239108012", "2009-04-07T12:40:12Z"},
		{"-1", "1969-12-31T23:59:59Z"},
		{"0", "1970-01-01T00:00:00Z"},
		{text: ""},
		{text: "2023-02-29"},
		{text: "2021-13-01"},
		{text: "2021-00-01"},
		{text: "2021-01-00"},
		{text: "2021-1-1"},
		{text: "2021/01/01"},
		{text: "2021-12-06T"},
		{text: "2021-12-06T24:00"},
		{text: "2021-12-06T19:60"},
		{text: "2021-12-06T19:30:60"},
		{text: "2021-12-06T19:30:1"},
		{text: "2021-12-06T19:30:12."},
		{text: "2021-12-06T19:30:12+2"},
		{text: "2021-12-06T19:30:12+25:00"},
		{text: "2021-12-06T19:30:12 UTC"},
		{text: "2021-12-06T19:30:12ZZ"},
		{text: "12.5"},
		{text: " 12"},
		{text: "9223372036854775808"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			seconds, ok := isotime.FormISO.ParseTime([]byte(tt.text))
			if ok != (tt.want != "") {
				t.Fatalf("ParseTime(%q) = %d, %v", tt.text, seconds, ok)
			}
			if got := time.Unix(seconds, 0).UTC().Format(time.RFC3339); ok && got != tt.want {
				t.Errorf("ParseTime(%q) = %s, want %s", tt.text, got, tt.want)
			}
		})
	}
}

func TestParseDay(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want int64
		ok   bool
	}{
		{"1970-01-01", 0, true},
		{"1969-12-31", -1, true},
		{"2009-04-01", 14335, true},
		{"2009-04-01T23:59:59Z", 14335, true},
		{"2009-04-01T23:59:59-01:00", 14336, true},
		{"2009-04-01T00:30+01:00", 14334, true},
		{"14335", 0, false},
		{"2009-04-31", 0, false},
		{"April", 0, false},
	}
	for _, tt := range tests {
		if got, ok := isotime.FormISO.ParseDay([]byte(tt.text)); ok != tt.ok || ok && got != tt.want {
			t.Errorf("ParseDay(%q) = %d, %v, want %d, %v", tt.text, got, ok, tt.want, tt.ok)
		}
	}
}

// TestParse_MatchesTime compares with package time at random moments in random zones.
func TestParse_MatchesTime(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 20_000 {
		zone := time.FixedZone("", 60*(rng.IntN(2*14*60)-14*60))
		moment := time.Unix(rng.Int64N(8e9)-4e9, rng.Int64N(1e9)).In(zone)
		layout := []string{time.RFC3339, time.RFC3339Nano}[rng.IntN(2)]
		text := moment.AppendFormat(nil, layout)
		if got, ok := isotime.FormISO.ParseTime(text); !ok || got != moment.Unix() {
			t.Fatalf("seed %d: ParseTime(%q) = %d, %v, want %d", seed, text, got, ok, moment.Unix())
		}
		y, m, d := moment.UTC().Date()
		want := time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60)
		if got, ok := isotime.FormISO.ParseDay(text); !ok || got != want {
			t.Fatalf("seed %d: ParseDay(%q) = %d, %v, want %d", seed, text, got, ok, want)
		}
		if got, ok := isotime.DayOf(int64(y), int64(m), int64(d)); !ok || got != want {
			t.Fatalf("seed %d: DayOf(%d, %d, %d) = %d, %v, want %d", seed, y, m, d, got, ok, want)
		}
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	tests := []struct {
		form       isotime.Form
		text, want string // RFC 3339; "" for a text that is not a time in the form
	}{
		{isotime.FormDMY, "31/12/2020", "2020-12-31T00:00:00Z"},
		{isotime.FormDMY, "1.2.2020", "2020-02-01T00:00:00Z"},
		{isotime.FormDMY, "1. 2. 2020", "2020-02-01T00:00:00Z"},
		{isotime.FormDMY, "31-Dec-1999", "1999-12-31T00:00:00Z"},
		{isotime.FormDMY, "3 september 20", "2020-09-03T00:00:00Z"},
		{isotime.FormDMY, "31.12.69 23:59:58", "1969-12-31T23:59:58Z"},
		{isotime.FormDMY, "31.12.2020 9:05", "2020-12-31T09:05:00Z"},
		{isotime.FormDMY, "2020-12-31T10:00", "2020-12-31T10:00:00Z"},
		{isotime.FormDMY, "2020-12-31", "2020-12-31T00:00:00Z"},
		{isotime.FormDMY, "12/31/2020", ""},
		{isotime.FormDMY, "31/12", ""},
		{isotime.FormDMY, "31/12/", ""},
		{isotime.FormDMY, "31//12/2020", "2020-12-31T00:00:00Z"},
		{isotime.FormDMY, "31/12/020", ""},
		{isotime.FormDMY, "Dec/12/2020", ""},
		{isotime.FormDMY, "31.foo.2020", ""},
		{isotime.FormDMY, "31.12.2020 25:00", ""},
		{isotime.FormDMY, "", ""},
		{isotime.FormMDY, "12/31/2020", "2020-12-31T00:00:00Z"},
		{isotime.FormMDY, "Dec 31, 2020", "2020-12-31T00:00:00Z"},
		{isotime.FormMDY, "12/31/2020 11:59 PM", "2020-12-31T23:59:00Z"},
		{isotime.FormMDY, "12/31/2020 12:05 am", "2020-12-31T00:05:00Z"},
		{isotime.FormMDY, "12/31/2020 12:05:01PM", "2020-12-31T12:05:01Z"},
		{isotime.FormMDY, "12/31/2020, 1:05 PM", "2020-12-31T13:05:00Z"},
		{isotime.FormMDY, "12/31/2020 13:05 PM", ""},
		{isotime.FormMDY, "12/31/2020 0:05 AM", ""},
		{isotime.FormYMD, "2020/2/29", "2020-02-29T00:00:00Z"},
		{isotime.FormYMD, "2019/2/29", ""},
		{isotime.FormYMD, "20200229", "2020-02-29T00:00:00Z"},
		{isotime.FormYMD, "20201329", ""},
		{isotime.FormMS, "1239108012999", "2009-04-07T12:40:12Z"},
		{isotime.FormMS, "-1", "1969-12-31T23:59:59Z"},
		{isotime.FormMS, "x", ""},
		{isotime.FormS, "1239108012", "2009-04-07T12:40:12Z"},
		{"", "2021-12-06 19:30", "2021-12-06T19:30:00Z"},
		{"", "6/12/2021", ""},
	}
	for _, tt := range tests {
		seconds, ok := tt.form.ParseTime([]byte(tt.text))
		got := ""
		if ok {
			got = time.Unix(seconds, 0).UTC().Format(time.RFC3339)
		}
		check.Equal(t, fmt.Sprintf("%s: %q", tt.form, tt.text), got, tt.want)
		day, ok := tt.form.ParseDay([]byte(tt.text))
		if ok != (tt.want != "") || ok && day != isotime.FloorDiv(seconds, isotime.SecondsOfDay) {
			t.Errorf("%s: %q: got day %d, %v", tt.form, tt.text, day, ok)
		}
	}
	if isotime.Form("ydm").Known() || !isotime.Form("").Known() || !isotime.FormMS.Known() {
		t.Error("got an unknown form, or none")
	}
}

// FuzzForm reads arbitrary bytes as dates: ParseDay agrees with ParseTime.
func FuzzForm(f *testing.F) {
	forms := []isotime.Form{"", isotime.FormDMY, isotime.FormMDY, isotime.FormYMD, isotime.FormS, isotime.FormMS}
	for i, text := range []string{
		"2020-12-31T23:59:58Z", "31.12.20 23:59", "Dec 31, 2020 11:59 PM", "20201231", "1609459199", "-1", "0001-01-01", "9999-12-31 24:00",
	} {
		f.Add([]byte(text), uint8(i))
	}
	f.Fuzz(func(t *testing.T, text []byte, kind uint8) {
		form := forms[int(kind)%len(forms)]
		seconds, isTime := form.ParseTime(text)
		day, isDay := form.ParseDay(text)
		if isTime && isDay && isotime.FloorDiv(seconds, isotime.SecondsOfDay) != day {
			t.Errorf("form %q: %q is day %d and second %d", form, text, day, seconds)
		}
	})
}
