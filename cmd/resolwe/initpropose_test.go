package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"resolwe/internal/test/check"
)

// asking is the folder of a shop: customers with a date of signing up, a status of two texts and a flag; dated labels; orders of products.
func asking(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, header string, n int, row func(i int) string) {
		lines := []string{header}
		for i := range n {
			lines = append(lines, row(i))
		}
		check.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	}
	write("customers.csv", "customer_id,signed_up,stance,vip,grade", 200, func(i int) string {
		return fmt.Sprintf("c%d,2020-01-%02d,%s,%s,%s", i, 1+i%28, map[bool]string{true: "pro", false: "contra"}[i%4 == 0], map[bool]string{true: "y", false: "n"}[i%10 == 0], []string{"a", "b", "c"}[i%3])
	})
	write("labels.csv", "day,customer_id,left", 300, func(i int) string {
		return fmt.Sprintf("2021-%02d-01,c%d,%d", 1+i/50, i*7%200, i*i%5%2)
	})
	write("orders.csv", "order_id,customer_id,product_id,ordered", 900, func(i int) string {
		return fmt.Sprintf("o%d,c%d,p%d,2020-%02d-%02d", i, i*11%200, i*i%40, 2+i%10, 1+i%28)
	})
	write("products.csv", "product_id,kind,price", 40, func(i int) string { return fmt.Sprintf("p%d,k%d,%d", i, i%5, 3+i%17) })
	return dir
}

var proposed = regexp.MustCompile(`(?m)^ *\d+\. (.*)\n    resolwe init (\S+) --center (\S+) --target '([^']*)'(?: --yes (\S+))? -o task$`)

// TestInit_Proposes lists what may be predicted with its rows and base rate; each command that it prints drafts what can be built.
func TestInit_Proposes(t *testing.T) {
	t.Parallel()
	dir := asking(t)
	listed := output(t, "init", dir)
	found := proposed.FindAllStringSubmatch(listed, -1)
	want := []string{
		"left of a customer, as of day: 300 rows, 40.0% yes", "vip of a customer: 200 rows, 10.0% yes", "stance of a customer, whether pro: 200 rows, 25.0% yes",
		"which product has a row with a customer: 900 rows",
	}
	var got []string
	for _, f := range found {
		got = append(got, f[1])
		out := filepath.Join(t.TempDir(), "task")
		args := []string{"init", dir, "--center", f[3], "--target", f[4], "-o", out}
		if f[5] != "" {
			args = append(args, "--yes", f[5])
		}
		output(t, args...)
		built := resolwe(t, "build", filepath.Join(out, "task.recipe"), "--model", filepath.Join(out, "task.mln"), "--data", dir, "-o", filepath.Join(out, "task.rsg"))
		if built.status != 0 || strings.HasPrefix(built.stderr, "0 subgraphs") {
			t.Errorf("%s: got status %d and %s", f[1], built.status, built.stderr)
		}
	}
	check.Slices(t, got, want, "proposals")
	for _, half := range [][]string{{"--center", "labels.day"}, {"--target", "labels(customer_id, left)"}} {
		got := resolwe(t, append([]string{"init", dir}, half...)...)
		if got.status != 2 || !strings.Contains(got.stderr, "init DIR alone lists what may be predicted") {
			t.Errorf("%v: got status %d and %s", half, got.status, got.stderr)
		}
	}
}

// TestInit_Asks has labels that say neither yes nor no: init asks which text means yes, and builds as many true and false atoms as rows say so.
func TestInit_Asks(t *testing.T) {
	t.Parallel()
	dir, out := asking(t), filepath.Join(t.TempDir(), "task")
	args := []string{"init", dir, "--center", "customers.customer_id", "--target", "customers(customer_id, stance)", "-o", out, "--force"}
	asked := resolwe(t, args...)
	const want = "resolwe: customers.stance says contra in 150 rows and pro in 50 rows: which of the two means yes? Add --yes pro or --yes contra; " +
		"--as customers.stance=id has them be things that each customer_id is paired with\n"
	if asked.status != 2 || asked.stderr != want {
		t.Errorf("got status %d and %swant %s", asked.status, asked.stderr, want)
	}
	never := resolwe(t, append(args, "--yes", "maybe")...)
	if never.status != 2 || !strings.Contains(never.stderr, `--yes: customers.stance never says "maybe"; it says contra in 150 rows, pro in 50 rows`) {
		t.Errorf("got status %d and %s", never.status, never.stderr)
	}
	for _, tt := range []struct {
		column, yes   string
		trues, falses int
	}{{"stance", "pro", 50, 150}, {"stance", "contra", 150, 50}, {"grade", "b", 67, 133}, {"vip", "n", 180, 20}} {
		args[5] = "customers(customer_id, " + tt.column + ")"
		drafted := resolwe(t, append(args, "--yes", tt.yes)...)
		check.Is(t, drafted.status, 0, "status of %s: %s", tt.column, drafted.stderr)
		check.Contains(t, drafted.stderr, "so that nothing of labels, orders can be known; if "+tt.column+" is of a later day", "warnings")
		stream := filepath.Join(out, "task.rsg")
		output(t, "build", filepath.Join(out, "task.recipe"), "--model", filepath.Join(out, "task.mln"), "--data", dir, "-o", stream)
		held := regexp.MustCompile(`target listed \w+\(customer\) +(\d+) +(\d+)`).FindStringSubmatch(output(t, "inspect", stream))
		check.Slices(t, held[1:], []string{strconv.Itoa(tt.trues), strconv.Itoa(tt.falses)}, "%s: true and false atoms", tt.column)
	}
	paired := resolwe(t, "init", dir, "--center", "customers.customer_id", "--target", "customers(customer_id, stance)", "-o", out, "--force", "--as", "customers.stance=id")
	check.Is(t, paired.status, 0, "status of pairs: %s", paired.stderr)
}
