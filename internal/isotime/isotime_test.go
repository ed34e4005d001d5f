package isotime_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"resolwe/internal/isotime"
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
