package isotime_test

import (
	"testing"

	"resolwe/internal/isotime"
)

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
