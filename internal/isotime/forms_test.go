package isotime_test

import (
	"fmt"
	"testing"
	"time"

	"resolwe/internal/isotime"
	"resolwe/internal/test/check"
)

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
