package tablefile_test

import (
	"testing"

	"resolwe/format/tablefile"
)

func TestParseFloat(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want float64
		ok   bool
	}{
		{"0.121", 0.121, true},
		{"-1e-3", -0.001, true},
		{"+5", 5, true},
		{"1E400", 0, false},
		{"NaN", 0, false},
		{"Inf", 0, false},
		{"0x10", 0, false},
		{"1_000", 0, false},
		{"1,5", 0, false},
		{"", 0, false},
	}
	for _, tt := range tests {
		if got, ok := tablefile.ParseFloat([]byte(tt.text)); ok != tt.ok || ok && got != tt.want {
			t.Errorf("ParseFloat(%q) = %v, %v, want %v, %v", tt.text, got, ok, tt.want, tt.ok)
		}
	}
}
