package report

import (
	"encoding/json"
	"math"
	"strconv"
)

// Number is a float that, if undefined, is null in JSON and a dash in text.
type Number float64

// Undefined reports whether there is no number.
func (n Number) Undefined() bool { return math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) }

// MarshalJSON prints the number.
func (n Number) MarshalJSON() ([]byte, error) { return n.appendJSON(nil), nil }

// appendJSON appends the number in JSON.
func (n Number) appendJSON(dst []byte) []byte {
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
