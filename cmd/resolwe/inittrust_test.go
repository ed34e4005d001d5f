package main_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"resolwe/internal/test/check"
)

var suggested = regexp.MustCompile(`(?m)warning: (.*) is hidden: .*--trust (.*) includes it$`)

// unquoted returns a word as a shell reads it.
func unquoted(word string) string {
	if strings.HasPrefix(word, "'") {
		return strings.ReplaceAll(strings.Trim(word, "'"), `'\''`, "'")
	}
	return word
}

// What init suggests for --trust it accepts, whatever the names of tables and columns, and then includes.
func TestInit_TrustsWhatItSuggests(t *testing.T) {
	t.Parallel()
	heads := []string{
		"total", "total, so far", "it's total", "last seen, with a header of many words that is far beyond forty letters", "  status  ", "score", "score",
		"total.sum", `total\sum`, "#3", "total 'x', \"y\"", "customers.total", "",
	}
	for _, table := range []string{"customers", "the, customers", "a.b", "it's", "a long name of a table which is, as others, beyond forty letters"} {
		dir, out := t.TempDir(), t.TempDir()
		write := func(name string, rows [][]string) {
			f, err := os.Create(filepath.Join(dir, name))
			check.OK(t, err)
			check.OK(t, csv.NewWriter(f).WriteAll(rows))
			check.OK(t, f.Close())
		}
		rows := [][]string{append([]string{"customer_id", "city"}, heads...)}
		buys := [][]string{{"customer", "product"}}
		for i := range 120 {
			id := fmt.Sprint("c", i)
			row := []string{id, []string{"Rome", "Oslo", "Bern"}[i%3]}
			for k := range heads {
				row = append(row, strconv.Itoa((i*(7+k)+k)%23))
			}
			rows = append(rows, row)
			for k := range 4 {
				buys = append(buys, []string{id, fmt.Sprint("p", (i*3+k*k)%17)})
			}
		}
		write(table+".csv", rows)
		write("buys.csv", buys)
		args := []string{"init", dir, "--center", "buys.customer", "--target", "buys(customer, product)", "-o", out, "--force"}
		drafted := resolwe(t, args...)
		check.Equal(t, table+": status", drafted.status, 0)
		hidden := suggested.FindAllStringSubmatch(drafted.stderr, -1)
		check.AtLeast(t, len(hidden), 9, "%s: columns hidden, of\n%s", table, drafted.stderr)
		for _, h := range hidden {
			trusting := resolwe(t, append(slices.Clone(args), "--trust", unquoted(h[2]))...)
			left := len(suggested.FindAllString(trusting.stderr, -1))
			if trusting.status != 0 || left >= len(hidden) {
				t.Errorf("%s: --trust %s: got status %d, %d of %d columns are hidden, %s", h[1], h[2], trusting.status, left, len(hidden), trusting.stderr)
			}
		}
	}
}
