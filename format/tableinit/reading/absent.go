package reading

import (
	"slices"
	"strings"

	"resolwe/internal/isotime"
)

// IsFar reports whether a text is a number, or digits of a date, that often stands for no value.
func IsFar(cell []byte) bool {
	at, ok := int64(0), false
	if len(cell) == len("99991231") {
		at, ok = isotime.FormYMD.ParseTime(cell)
	}
	return ok && isFarDay(at) || isFarNumber(string(cell))
}

// isFarNumber reports whether a text is a number that often stands for no value: -1, -9, 99, -99, 999 and so on.
func isFarNumber(text string) bool {
	if len(text) > 12 || len(text) < 2 {
		return false
	}
	whole, fraction, _ := strings.Cut(text, ".")
	digits := strings.TrimPrefix(whole, "-")
	return strings.Trim(fraction, "0") == "" && strings.Trim(digits, "9") == "" && digits != "" || whole == "-1" && strings.Trim(fraction, "0") == ""
}

// farDays are dates that often stand for no date, besides all from farFrom on.
var (
	farDays = daysOf("0001-01-01", "1753-01-01", "1800-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1970-01-01", "2099-12-31", "2100-01-01")
	farFrom = daysOf("2200-01-01")[0]
)

func daysOf(texts ...string) []int64 {
	days := make([]int64, len(texts))
	for i, text := range texts {
		days[i], _ = isotime.FormISO.ParseDay([]byte(text))
	}
	return days
}

// isFarDay reports whether a time is one of a day that often stands for no date.
func isFarDay(at int64) bool {
	day := isotime.FloorDiv(at, isotime.SecondsOfDay)
	return day >= farFrom || day*isotime.SecondsOfDay == at && slices.Contains(farDays, day)
}

// marks are texts that represent an empty cell anywhere, in any case; words are those that do so only in columns that otherwise hold numbers
// or dates: elsewhere they may be names.
var marks, words = setOf(`\n null n/a #n/a #na <na> <n/a> nan -nan +nan nat - -- --- . .. ... ? ?? (null) <null> [null] <none> n.a. n.a` +
	` #null! #value! #ref! #div/0! #name? #num! -1.#ind 1.#ind 1.#qnan -1.#qnan – —`),
	setOf("na none nil missing unknown undefined unavailable unspecified tbd tba empty blank nodata no_data not_available")

func setOf(list string) map[string]bool {
	set := map[string]bool{}
	for text := range strings.FieldsSeq(list) {
		set[strings.ReplaceAll(text, "_", " ")] = true
	}
	return set
}

// IsNull reports whether a text may represent an empty cell.
func IsNull(cell []byte) bool {
	var lower [16]byte
	if len(cell) == 0 || len(cell) > len(lower) || cell[0] >= '0' && cell[0] <= '9' && len(cell) < len("1.#ind") {
		return false
	}
	for i, b := range cell {
		if b >= 'A' && b <= 'Z' {
			b |= 0x20
		}
		lower[i] = b
	}
	return marks[string(lower[:len(cell)])] || words[string(lower[:len(cell)])]
}

// IsMark reports whether a text represents an empty cell anywhere.
func IsMark(text string) bool { return marks[strings.ToLower(text)] }
