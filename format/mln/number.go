package mln

import (
	"math"
	"strconv"
	"strings"
)

// NumberType is the name of the built-in type whose entities are decimal numbers: equal values are one entity.
const NumberType = "number"

// ParseNumber reads a decimal number, such as 34, -2.5 or 1e6. It reports whether the text is one, and finite.
func ParseNumber(text string) (float64, bool) {
	if text == "" || strings.Trim(text, "+-.0123456789eE") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, false
	}
	return v + 0, true
}

// FormatNumber returns the name of a number as an entity: the shortest digits that read back as the same number, with an exponent
// only where the number is very small or large.
func FormatNumber(v float64) string {
	if v == 0 {
		return "0" // also for -0
	}
	if a := math.Abs(v); a < 1e-6 || a >= 1e21 {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
