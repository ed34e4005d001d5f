package tablefile_test

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"resolwe/format/table"
	"resolwe/format/tablefile"
)

// All short texts of a digit, the separators and a sign are numbers of a form where a regular expression says so.
func TestReadNumber_Forms(t *testing.T) {
	t.Parallel()
	for _, form := range []string{table.FormComma, table.FormPoint, table.FormSpace} {
		group, point := form[1:2], form[5:6]
		g, p := regexp.QuoteMeta(group), regexp.QuoteMeta(point)
		is := regexp.MustCompile(`\A[-+]?([0-9]*|[0-9]{1,3}(` + g + `[0-9]{3})+)(` + p + `[0-9]*)?\z`)
		read := tablefile.ReadNumber(form)
		var check func(text string, more int)
		check = func(text string, more int) {
			want, err := strconv.ParseFloat(strings.ReplaceAll(strings.ReplaceAll(text, group, ""), point, "."), 64)
			got, ok := read([]byte(text))
			if isOne := err == nil && is.MatchString(text); ok != isOne || ok && got != want {
				t.Fatalf("%q as %s: %v, %v; want %v, %v", text, form, got, ok, want, isOne)
			}
			if more == 0 {
				return
			}
			for _, c := range []string{"7", group, point} {
				check(text+c, more-1)
			}
		}
		check("", 9)
		check("-", 9)
		check("+1", 3)
		check("1-", 3)
	}
}

// A whole number has one name, whatever zeros are written around it: that of an arbitrary-precision reader.
func TestAppendWhole(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`\A-?[0-9]+(\.0*)?\z`)
	var check func(text string, more int)
	check = func(text string, more int) {
		got, ok := tablefile.AppendWhole([]byte("x:"), []byte(text))
		want := "x:"
		if named.MatchString(text) {
			digits, _, _ := strings.Cut(text, ".")
			n, _ := new(big.Int).SetString(digits, 10)
			want += n.String()
		}
		if ok != named.MatchString(text) || string(got) != want {
			t.Fatalf("%q: got %q, %v, want %q", text, got, ok, want)
		}
		if more > 0 {
			for _, c := range []string{"0", "1", "7", ".", "-", "x"} {
				check(text+c, more-1)
			}
		}
	}
	check("", 6)
	check("90000000000000000000000000000", 3)
}
