package tableinit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resolwe/format/mln"
	"resolwe/format/tableinit"
	"resolwe/internal/test/check"
)

// The draft says how types, the target and columns read, and marks what it guessed.
func TestInfer_Words(t *testing.T) {
	t.Parallel()
	var loans, trans, accounts, cities strings.Builder
	loans.WriteString("loan_id,account_id,amount_eur,term_days,interest_pct,start_year,date,defaulted\n")
	accounts.WriteString("account_id,city_id,is_young,rate\n")
	cities.WriteString("city_id,title\n")
	trans.WriteString("trans_id,account_id,price,date\n")
	for i := range 120 {
		fmt.Fprintf(&loans, "L%d,A%d,%d,%d,%d.5,%d,2021-%02d-%02d,%d\n", i, i%40, 1000+i*7%990, 30+i%9, i%7, 1990+i%25, 1+i%12, 1+i%28, i%3/2)
		fmt.Fprintf(&trans, "T%d,A%d,%d.25,2020-%02d-11\n", i, i%40, i*3, 1+i%12)
	}
	for i := range 40 {
		fmt.Fprintf(&accounts, "A%d,C%d,%s,%d\n", i, i%8, []string{"yes", "no"}[i%2], i*i)
	}
	for i := range 8 {
		fmt.Fprintf(&cities, "C%d,town %d\n", i, i)
	}
	d := draftOf(t, "loans.loan_id", "loans(loan_id, defaulted)", map[string]string{"loans.csv": loans.String(), "accounts.csv": accounts.String(), "cities.csv": cities.String(), "trans.csv": trans.String()})
	task := string(d.Task)
	for _, line := range []string{
		"//= type loan: loan, loans  // CHECK", "//= type account: account, accounts", "//= type trans: trans, trans  // CHECK",
		"//= loans_target: defaulted | never defaulted  // CHECK", "//= loans_account_id: its account; one", "//= loans_amount_eur: amount [EUR]",
		"//= loans_term_days: term [days]", "//= loans_interest_pct: interest [%]", "//= loans_start_year: start year [year]", "//= accounts_rate: rate; level",
		`//= accounts_is_young "yes": is young  // CHECK`, "//= trans_days: age", "//= trans_latest_account_id: rank", "//= accounts_city_id: its city; one",
	} {
		if !strings.Contains(task, line+"\n") {
			t.Errorf("no line %s in\n%s", line, task)
		}
	}
	check.Equal(t, "marked lines", d.Checks, strings.Count(task, "// CHECK"))
	_, err := mln.Parse("task.mln", d.Task, mln.Options{})
	check.OK(t, err)
}

// However many columns, and whatever they are called, the task is read back and has at most 200 lines.
func TestInfer_WordsOfMany(t *testing.T) {
	t.Parallel()
	names := []string{"a;b", "[x]", "x|y", "{1}", "type", "use", "age", "rank", `q"q`, "a // b", "é è", "...", strings.Repeat("long ", 40)}
	for len(names) < 180 {
		names = append(names, fmt.Sprintf("column %d", len(names)))
	}
	var b strings.Builder
	b.WriteString("customer,product")
	for _, n := range names {
		b.WriteString(`,"` + strings.ReplaceAll(n, `"`, `""`) + `"`)
	}
	for i := range 60 {
		fmt.Fprintf(&b, "\nC%d,P%d", i%10, i%7)
		for k := range names {
			fmt.Fprintf(&b, ",%d", (i*i+k)%(k+5))
		}
	}
	d := draftOf(t, "t.customer", "t(customer, product)", map[string]string{"t.csv": b.String() + "\n"})
	_, err := mln.Parse("task.mln", d.Task, mln.Options{})
	check.OK(t, err)
	if n := strings.Count(string(d.Task), "\n"); n > 200 {
		t.Errorf("%d lines", n)
	}
}

func draftOf(t *testing.T, center, target string, files map[string]string) *tableinit.Draft {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		check.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	d, err := tableinit.Infer(t.Context(), dir, tableinit.Options{Center: center, Target: target})
	check.OK(t, err)
	return d
}
