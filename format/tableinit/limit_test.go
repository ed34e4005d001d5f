package tableinit_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"resolwe/format/mln"
	"resolwe/format/recipe"
	"resolwe/format/tableinit"
	"resolwe/internal/test/check"
)

// joined returns n cells, each behind a comma.
func joined(n int, cell func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("," + cell(i))
	}
	return b.String()
}

// hospital is the dump of a hospital: patients, doctors, wards, 27 tables of events with ten columns of values, and readmissions.
func hospital(rows, values int) (files [][2]string, columns []string) {
	add := func(name, header string, n int, row func(i int) string) {
		files = append(files, [2]string{name + ".csv", rowsOf(header, n, row)})
		for column := range strings.SplitSeq(header, ",") {
			columns = append(columns, name+"."+column)
		}
	}
	day := func(i int) string { return fmt.Sprintf("2020-%02d-%02d", 1+i%12, 1+i*7%28) }
	add("patients", "patient_id,city,born,ward_id", 300, func(i int) string { return fmt.Sprintf("%d,C%d,19%02d-03-04,W%d", 5000+i, i%9, i%90, i%20) })
	add("wards", "ward_id,floor,wing", 20, func(i int) string { return fmt.Sprintf("W%d,F%d,wing%d", i, i%3, i*i%4) })
	add("doctors", "doctor_id,field", 40, func(i int) string { return fmt.Sprintf("D%d,S%d", i, i%7) })
	for k := range 27 {
		header := "event_id,patient_id,taken_on,doctor_id" + joined(values, func(v int) string { return fmt.Sprintf("value%d", v) })
		add(fmt.Sprintf("events%c", 'a'+k), header, rows, func(i int) string {
			row := fmt.Sprintf("%c%d,%d,%s,D%d", 'a'+k, i, 5000+(i*(k+3))%300, day(i*(k+1)), i%40)
			return row + joined(values, func(v int) string { return strconv.Itoa(i * (v + k + 2) % (5 + v)) })
		})
	}
	add("readmissions", "date,patient_id,came_back", 200, func(i int) string { return fmt.Sprintf("2021-0%d-01,%d,%d", 1+i%9, 5000+i*11%300, i%3%2) })
	return files, columns
}

// TestInfer_Large drafts from 31 tables: at most 100 relations in at most 200 lines, unless the request allows more; what is left out is named, and
// every column is described.
func TestInfer_Large(t *testing.T) {
	t.Parallel()
	relation := regexp.MustCompile(`(?m)^(?:target listed )?([A-Za-z]\w*)\(`)
	files, columns := hospital(300, 9)
	check.MustAtLeast(t, len(columns), 350, "columns")
	dir := folder(t, false, files...)
	draft := func(relations int) (d *tableinit.Draft, names []string) {
		d, err := tableinit.Infer(t.Context(), dir, tableinit.Options{Center: "readmissions.date", Target: "readmissions(patient_id, came_back)", Relations: relations})
		check.OK(t, err)
		m, err := mln.Parse("task.mln", d.Task, mln.Options{})
		check.OK(t, err)
		_, err = recipe.Parse("task.recipe", d.Recipe, &m.Schema)
		check.OK(t, err)
		for _, found := range relation.FindAllStringSubmatch(string(d.Task), -1) {
			names = append(names, found[1])
		}
		return d, names
	}
	short, some := draft(0)
	full, all := draft(10_000)
	if lines := strings.Count(string(short.Recipe), "\n"); len(some) > 100 || lines > 200 || len(some) < 80 {
		t.Errorf("got %d relations in %d lines", len(some), lines)
	}
	check.MustAtLeast(t, len(all), 300, "relations without a limit")
	check.Empty(t, full.Findings, "findings beside a full recipe")
	findings := string(short.Findings)
	_, left, _ := strings.Cut(findings, "Relations that are left out: ")
	check.Slices(t, slices.Sorted(slices.Values(append(strings.Split(strings.TrimSpace(left), ", "), some...))), slices.Sorted(slices.Values(all)), "kept and left out")
	for _, name := range columns {
		table, column, _ := strings.Cut(name, ".")
		_, section, _ := strings.Cut(findings, table+".csv: ")
		section, _, _ = strings.Cut(section, "\n//\n")
		check.Contains(t, section, "  "+column+": ", "findings of %s", table)
	}
	for _, nearest := range []string{"patients_city(", "wards_wing("} {
		check.Contains(t, string(short.Task), nearest, "task")
	}
	check.Contains(t, strings.Join(short.Notes, "\n"), fmt.Sprintf("%d of %d relations are left out", len(all)-len(some), len(all)), "notes")
}

// TestInfer_Wide drafts from a table of 300 columns those that vary most, whatever their order.
func TestInfer_Wide(t *testing.T) {
	t.Parallel()
	header := "patient_id,bad" + joined(300, func(c int) string { return fmt.Sprintf("c%d", c) })
	wide := rowsOf(header, 120, func(i int) string {
		return fmt.Sprintf("p%d,%d", i, i%3%2) + joined(300, func(c int) string {
			n := 1000 + i*(c+7)%97
			if c < 200 || c >= 240 {
				n = 1000 + n/1090 // seldom more
			}
			return strconv.Itoa(n)
		})
	})
	d := infer(t, folder(t, false, [2]string{"patients.csv", wide}), "patients.patient_id", "patients(patient_id, bad)")
	for c := 200; c < 240; c++ {
		check.Contains(t, string(d.Task), fmt.Sprintf("patients_c%d(", c), "task")
	}
	check.Contains(t, strings.Join(d.Notes, "\n"), "patients.csv has 302 columns, of which the 50 that vary most are included", "notes")
}

// TestInfer_RowsOfOthers predicts what customers have in common: the visits of all others are stated in each subgraph, unless there are too many.
func TestInfer_RowsOfOthers(t *testing.T) {
	t.Parallel()
	for each, left := range map[int]bool{5: false, 30: true} {
		d := infer(t, folder(t, false,
			[2]string{"customers.csv", rowsOf("customer_id,town,age", 1000, func(i int) string { return fmt.Sprintf("c%d,T%d,%d", i, i%3, 20+i%50) })},
			[2]string{"visits.csv", rowsOf("visit_id,customer_id,page", 1000*each, func(i int) string { return fmt.Sprintf("v%d,c%d,p%d", i, i%1000, i%7) })},
		), "customers.customer_id", "customers(customer_id, town)")
		const rule = "of_visits(k) :- of_customers(x), visits_rows(k, x, _)\n"
		if strings.Contains(string(d.Recipe), rule) == left {
			t.Errorf("%d visits each: got\n%s", each, d.Recipe)
		}
		if note := "rows of visits.csv by other things than the center are left out"; strings.Contains(strings.Join(d.Notes, "\n"), note) != left {
			t.Errorf("%d visits each: got %q", each, d.Notes)
		}
	}
}
