package isotime_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
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
		{isotime.FormYMD, "000229", "2000-02-29T00:00:00Z"},
		{isotime.FormYMD, "690101", "1969-01-01T00:00:00Z"},
		{isotime.FormYMD, "681231", "2068-12-31T00:00:00Z"},
		{isotime.FormYMD, "010229", ""},
		{isotime.FormDMY, "010203", ""},
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

// In a zone, times without an offset are its own and a day is a day there, as package time has it; others are moments.
func TestReader_Zone(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland", "UTC"} {
		zone, ok := isotime.FindZone(name)
		check.MustIs(t, ok, true, "%s", name)
		r := isotime.Reader{Zone: zone}
		local, shifted := 0, 0
		for range 4000 {
			moment := time.Unix(rng.Int64N(2e9), 0)
			there := moment.In(zone)
			day := isotime.FloorDiv(time.Date(there.Year(), there.Month(), there.Day(), 0, 0, 0, 0, time.UTC).Unix(), isotime.SecondsOfDay)
			text, elsewhere := there.Format(time.DateTime), time.FixedZone("", 60*(rng.IntN(2*14*60)-14*60))
			if rng.IntN(2) == 0 {
				text = moment.In(elsewhere).Format(time.RFC3339)
				if moment.In(elsewhere).Format(time.DateOnly) != there.Format(time.DateOnly) && text[19] != 'Z' {
					shifted += 3
				}
			} else {
				local += 3
			}
			got, ok := r.Time([]byte(text))
			if again := time.Unix(got, 0).In(zone); !ok || again.Format(time.DateTime) != there.Format(time.DateTime) {
				t.Fatalf("seed %d: %s: %q is %v, want %v", seed, name, text, again, there)
			}
			if got != moment.Unix() && moment.Unix()-got != 3600 && got-moment.Unix() != 3600 { // an hour that comes twice
				t.Fatalf("seed %d: %s: %q is %d, want %d", seed, name, text, got, moment.Unix())
			}
			if got, ok := r.Day([]byte(text)); !ok || got != day {
				t.Fatalf("seed %d: %s: the day of %q is %d, want %d", seed, name, text, got, day)
			}
			if got, ok := r.Clock([]byte(text)); !ok || time.Unix(got, 0).UTC().Format(time.DateTime) != there.Format(time.DateTime) {
				t.Fatalf("seed %d: %s: the clock of %q shows %d, want %v", seed, name, text, got, there)
			}
		}
		check.Equal(t, name+" without an offset", r.Local, local)
		check.Equal(t, name+" with another date", r.Shifted, shifted)
	}
	for _, name := range []string{"", "Local", "Nowhere", "../UTC", "Europe/Berlin\x00"} {
		_, ok := isotime.FindZone(name)
		check.Is(t, ok, false, "%q is a zone", name)
	}
}

// Whole numbers of eight digits that are dates of these centuries are dates; others are seconds.
func TestReader_Compact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"20240301": "2024-03-01", "19000101": "1900-01-01", "20991231": "2099-12-31", "20240229": "2024-02-29",
		"20230229": "1970-08-23", "18991231": "1970-08-08", "21000101": "1970-09-01", "2024030": "1970-01-24", "202403010": "1976-05-31", "-2024030": "1969-12-08",
	} {
		at, ok := isotime.FormISO.ParseTime([]byte(text))
		check.Equal(t, text, time.Unix(at, 0).UTC().Format(time.DateOnly), want)
		day, isDay := isotime.FormISO.ParseDay([]byte(text))
		isDate := want[:4] != "1970" && want[:4] != "1969" && want[:4] != "1976"
		if !ok || isDay != isDate || isDay && day*isotime.SecondsOfDay != at {
			t.Errorf("%s: got day %d, %v", text, day, isDay)
		}
		if at, ok := isotime.FormS.ParseTime([]byte(text)); !ok || strconv.FormatInt(at, 10) != text {
			t.Errorf("%s: got %d, %v as seconds", text, at, ok)
		}
	}
}

// FuzzForm reads arbitrary bytes as dates: ParseDay agrees with ParseTime.
func FuzzForm(f *testing.F) {
	forms := []isotime.Form{"", isotime.FormDMY, isotime.FormMDY, isotime.FormYMD, isotime.FormS, isotime.FormMS}
	for i, text := range []string{
		"2020-12-31T23:59:58Z", "31.12.20 23:59", "Dec 31, 2020 11:59 PM", "20201231", "201231", "1609459199", "-1", "0001-01-01", "9999-12-31 24:00",
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

// TestPeriod compares quarters, months and weeks of four centuries with those that package time tells.
func TestPeriod(t *testing.T) {
	t.Parallel()
	read := func(text string, want time.Time) {
		got, ok := isotime.FormPeriod.ParseDay([]byte(text))
		check.Is(t, ok, true, "%q is read", text)
		check.Is(t, got, want.Unix()/isotime.SecondsOfDay, "%q", text)
	}
	for at := time.Date(1972, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2372; at = at.AddDate(0, 0, 1) {
		year, week := at.ISOWeek()
		if at.Weekday() == time.Monday {
			read(fmt.Sprintf("%04d-W%02d", year, week), at)
			read(fmt.Sprintf("%04dw%02d", year, week), at)
		}
		if _, next := at.AddDate(0, 0, 7).ISOWeek(); next == 1 && week == 52 {
			_, ok := isotime.FormPeriod.ParseDay(fmt.Appendf(nil, "%04d-W53", year))
			check.Is(t, ok, false, "week 53 of %d is read", year)
		}
		if at.Day() == 1 {
			read(at.Format("2006-01"), at)
			read(at.Format("2006M01"), at)
			if quarter := (int(at.Month()) + 2) / 3; at.Month()%3 == 1 {
				read(fmt.Sprintf("%dQ%d", at.Year(), quarter), at)
				read(fmt.Sprintf("%d-q%d", at.Year(), quarter), at)
				read(fmt.Sprintf("Q%d %d", quarter, at.Year()), at)
			}
		}
	}
	for _, text := range []string{"2020", "202005", "2020Q5", "2020Q0", "Q1 20", "2020-13", "2020-00", "2020-5", "2020-W00", "2020-W54", "2020--5", "20Q1", "Q 2020", "2020Q", "2020-Q33", "x020Q1"} {
		_, ok := isotime.FormPeriod.ParseDay([]byte(text))
		check.Is(t, ok, false, "%q is read", text)
	}
}
