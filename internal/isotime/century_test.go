package isotime_test

import (
	"testing"

	"resolwe/internal/isotime"
)

func TestForm_From(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ form, text, day string }{
		{"ymd", "690101", "1969-01-01"},
		{"ymd", "681231", "2068-12-31"},
		{"ymd 1925", "250228", "1925-02-28"},
		{"ymd 1925", "241231", "2024-12-31"},
		{"dmy 1900", "29.2.96", "1996-02-29"},
		{"dmy 1900", "29.2.00", ""},
		{"mdy 1999", "12/31/98 11:59 PM", "2098-12-31"},
		{"mdy 1925", "12/31/1898", "1898-12-31"},
		{"dmy 1925", "1898-12-31", "1898-12-31"},
		{"dmy 1925", "5-May-25", "1925-05-05"},
	} {
		want, known := isotime.FormISO.ParseDay([]byte(tt.day))
		if got, ok := isotime.Form(tt.form).ParseDay([]byte(tt.text)); ok != known || ok && got != want {
			t.Errorf("%q as %q: day %d, %t, want %d, %t", tt.text, tt.form, got, ok, want, known)
		}
	}
	for form, known := range map[isotime.Form]bool{
		"dmy 1925": true, "ymd 1800": true, "mdy 2099": true, "dmy 2100": false, "dmy 1799": false, "dmy 19x5": false, "dmy  925": false, "s 1925": false,
		"per 1925": false, "dmy 1925 ": false, "dmy ": false,
	} {
		if form.Known() != known {
			t.Errorf("form %q: known %t", form, !known)
		}
	}
	for text, year := range map[string]int{"31.12.25": 25, "1/1/69": 69, "31.12.2025": -1, "x": -1, "2025-12-31": -1} {
		if got := isotime.FormDMY.ShortYear([]byte(text)); got != year {
			t.Errorf("year of %s: %d, want %d", text, got, year)
		}
	}
}
