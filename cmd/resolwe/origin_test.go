package main_test

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"resolwe/format/rsg"
	"resolwe/internal/test/check"
)

// columnsOfFile returns two columns of a CSV file with a header.
func columnsOfFile(t *testing.T, path, a, b string) (out [][2]string) {
	t.Helper()
	f, err := os.Open(path)
	check.OK(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	check.OK(t, err)
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	for _, row := range rows[1:] {
		out = append(out, [2]string{row[at[a]], row[at[b]]})
	}
	return out
}

// TestInspect_Population compares the draws that a stream states with its tables: a candidate of a mailing has ordered before, and half of those
// in the stream responded by design.
func TestInspect_Population(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stream, tables := filepath.Join(dir, "shop.rsg"), filepath.Join(dir, "tables")
	output(t, "gen", "shop", "--scale=.2", "-o", stream)
	output(t, "gen", "shop", "--scale=.2", "-o", tables)
	first := map[string]string{} // order, by customer
	for _, o := range columnsOfFile(t, filepath.Join(tables, "orders.csv"), "customer_id", "ordered_on") {
		if day, ok := first[o[0]]; !ok || o[1] < day {
			first[o[0]] = o[1]
		}
	}
	responded := map[[2]string]bool{}
	for _, r := range columnsOfFile(t, filepath.Join(tables, "responses.csv"), "mailing_id", "customer_id") {
		responded[r] = true
	}
	want := map[bool]int64{}
	for _, m := range columnsOfFile(t, filepath.Join(tables, "mailings.csv"), "mailing_id", "mailed_on") {
		for customer, day := range first {
			if day < m[1] {
				want[responded[[2]string{m[0], customer}]]++
			}
		}
	}
	var in rsg.Survey
	check.OK(t, json.Unmarshal([]byte(output(t, "inspect", stream, "--json")), &in))
	eligible, kept := map[bool]int64{}, map[bool]int64{}
	for _, d := range in.Origin.Draws {
		eligible[d.Truth] += d.Eligible
		kept[d.Truth] += d.Kept
	}
	check.Equal(t, "eligible", eligible, want)
	held := in.Predicates[0]
	for _, p := range in.Predicates {
		if p.False > 0 {
			held = p
		}
	}
	check.Equal(t, "kept", kept, map[bool]int64{true: int64(held.True), false: int64(held.False)})
	check.Contains(t, output(t, "inspect", stream), "share true", "page")

	// Tables of facts carry it too: they become the same stream.
	asTables, again := filepath.Join(dir, "facts"), filepath.Join(dir, "again.rsg")
	output(t, "inspect", stream, "--tables", asTables)
	output(t, "pack", filepath.Join("..", "..", "examples", "shop", "shop.mln"), asTables, "-o", again)
	before, err := os.ReadFile(stream)
	check.OK(t, err)
	after, err := os.ReadFile(again)
	check.OK(t, err)
	check.Equal(t, "bytes", string(after) == string(before), true)
}
