package render

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Number is a float that, if undefined, is null in JSON and a dash in text.
type Number float64

// Undefined reports whether there is no number.
func (n Number) Undefined() bool { return math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) }

// MarshalJSON prints the number.
func (n Number) MarshalJSON() ([]byte, error) { return n.AppendJSON(nil), nil }

// AppendJSON appends the number in JSON.
func (n Number) AppendJSON(dst []byte) []byte {
	if size := math.Abs(float64(n)); n == 0 || size >= 1e-6 && size < 1e21 {
		return strconv.AppendFloat(dst, float64(n), 'f', -1, 64)
	}
	if n.Undefined() {
		return append(dst, "null"...)
	}
	b, _ := json.Marshal(float64(n)) // a number that has a JSON form
	return append(dst, b...)
}

// String prints the number for people.
func (n Number) String() string { return n.Text('f', 4) }

// Text prints the number as strconv.FormatFloat does.
func (n Number) Text(format byte, precision int) string {
	if n.Undefined() {
		return "-"
	}
	return strconv.FormatFloat(float64(n), format, precision, 64)
}

// Fixed prints a number with a fixed number of decimals, or a dash if it is undefined.
func Fixed(v float64, digits int) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case math.IsInf(v, 0):
		return strings.NewReplacer("+Inf", "∞", "-Inf", "−∞").Replace(strconv.FormatFloat(v, 'f', 0, 64))
	case math.Abs(v) >= 1e9:
		return typeset(strconv.FormatFloat(v, 'g', 3, 64))
	}
	return typeset(strconv.FormatFloat(v, 'f', digits, 64))
}

// Signed prints a number with its sign.
func Signed(v float64, digits int) string {
	if v > 0 {
		return "+" + Fixed(v, digits)
	}
	return Fixed(v, digits)
}

// Percent prints a share.
func Percent(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return Fixed(100*v, 1) + "%"
}

// Grouped prints a whole number with commas.
func Grouped(n int64) string { return typeset(strconv.FormatInt(n, 10)) }

// Probability prints a p-value.
func Probability(p float64) string {
	switch {
	case math.IsNaN(p):
		return "–"
	case p < .001:
		return "< 0.001"
	}
	return Fixed(p, 3)
}

// Count prints a number with its noun.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Grouped(int64(n)) + " " + many
}

// typeset prints a number with a typographic minus sign, and with commas between thousands.
func typeset(number string) string {
	digits, negative := strings.CutPrefix(number, "-")
	whole, _, _ := strings.Cut(digits, ".")
	if strings.Contains(digits, "e") {
		whole = ""
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if negative && strings.Trim(digits, "0.,") != "" {
		return "−" + digits
	}
	return digits
}
