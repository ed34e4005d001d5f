package main_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// leakBound is how far from .5 the AUC-ROC of random labels may come out: more than three standard errors of these folders.
const leakBound = .05

// leak is a kind of folder of random labels with something that follows them. Of a clean folder nothing does.
type leak struct {
	name   string
	target int // which of leakTargets
	plant  func(f *leakFolder)
	named  string // what has to be named where it is not told, "" for nothing
}

// The targets: labels of customers, each of a day; pairs with a day; pairs without; labels of tickets in their own table.
var leakTargets = [][2]string{
	{"outcomes.asked_on", "outcomes(customer_id, bought)"},
	{"baskets.basket_id", "baskets(basket_id, product_id)"},
	{"fans.fan_id", "fans(fan_id, product_id)"},
	{"tickets.opened_on", "tickets(ticket_id, escalated)"},
}

var leaks = []leak{
	{"clean labels", 0, func(*leakFolder) {}, ""},
	{"clean pairs with days", 1, func(*leakFolder) {}, ""},
	{"clean pairs", 2, func(*leakFolder) {}, ""},
	{"clean tickets", 3, func(*leakFolder) {}, ""},
	{"closed", 0, func(f *leakFolder) {
		f.column("customers", f.pick("closed_on", "edited", "signed"), func(i int) any { return f.when(f.label(i), f.day(500)) })
	}, "customers."},
	{"later date", 0, func(f *leakFolder) {
		f.column("customers", f.pick("day2", "last_seen", "verified"), func(i int) any { return f.day(f.either(f.label(i), 430, 420)) })
	}, "customers."},
	{"closed ticket", 3, func(f *leakFolder) {
		f.column("tickets", "settled", func(i int) any { return f.when(f.label(i), f.day(500)) })
	}, "tickets.settled"},
	{"status", 0, func(f *leakFolder) {
		f.column("customers", f.pick("status", "current_tier", "account_status"), func(i int) any { return f.either(f.label(i), 1, 2) })
	}, "customers."},
	{"total", 0, func(f *leakFolder) {
		f.column("customers", f.pick("total_spent", "score", "n_orders", "balance"), func(i int) any { return f.IntN(50) + f.either(f.label(i), 20, 0) })
	}, "customers."},
	{"state of tickets", 3, func(f *leakFolder) {
		f.column("tickets", f.pick("status", "resolution", "votes"), func(i int) any { return f.either(f.label(i), 1, 2) })
	}, "tickets."},
	{"copy", 2, func(f *leakFolder) { f.copyPairs("fans", "imported") }, "imported"},
	{"copy of pairs with days", 1, func(f *leakFolder) { f.copyPairs("baskets", "imported") }, "imported"},
	{"later rows", 0, func(f *leakFolder) { f.later("outcomes", "customer_id", "asked_on") }, ""},
	{"later rows of tickets", 3, func(f *leakFolder) { f.later("tickets", "ticket_id", "opened_on") }, ""},
	{"rows over all time", 0, func(f *leakFolder) {
		f.later("outcomes", "customer_id", "asked_on")
		rows := f.counts("events", "customer_id")
		f.column("customers", "x7", func(i int) any { return 10*rows[f.cell("customers", i, 0)] + f.IntN(12) })
	}, "customers.x7"},
	{"pairs over all time", 2, func(f *leakFolder) {
		rows := f.counts("fans", "product_id")
		f.column("products", "x7", func(i int) any { return 5*rows[f.cell("products", i, 0)] + f.IntN(30) })
	}, "products.x7"},
}

// TestInit_Leaks drafts folders of random labels in which one column or table knows the truth: what init includes must not, and what it
// hides is named.
func TestInit_Leaks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes half a minute of CPU")
	}
	const seed = 1 // of another one, one folder in a thousand may go beyond the bound by chance
	for i, l := range leaks {
		t.Run(strings.ReplaceAll(l.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			f := newLeakFolder(rand.New(rand.NewPCG(seed, uint64(i))), l.target)
			l.plant(f)
			dir, out := t.TempDir(), filepath.Join(t.TempDir(), "task")
			f.write(t, dir)
			drafted := resolwe(t, "init", dir, "--center", leakTargets[l.target][0], "--target", leakTargets[l.target][1], "-o", out)
			if drafted.status != 0 {
				t.Fatalf("got status %d and %s", drafted.status, drafted.stderr)
			}
			if hidden := strings.Contains(drafted.stderr, "--trust "+l.named); l.named != "" && !hidden || l.named == "" && strings.Contains(drafted.stderr, "hidden") {
				t.Errorf("got %s, want %q to be hidden", drafted.stderr, l.named)
			}
			recipe, task, stream := filepath.Join(out, "task.recipe"), filepath.Join(out, "task.mln"), filepath.Join(out, "task.rsg")
			output(t, "build", recipe, "--model", task, "--data", dir, "-o", stream)
			got := printed[struct {
				Systems []struct {
					AUC float64 `json:"auc_roc"`
				}
			}](t, "crossval", task, "--stream", stream, "--discover", "--select", "--length 2", "--folds", "2", "--systems", "gain")
			if auc := got.Systems[0].AUC; auc < .5-leakBound || auc > .5+leakBound {
				t.Errorf("got an AUC-ROC of %.3f for random labels, of\n%s", auc, contents(t, recipe))
			}
		})
	}
}

// TestInit_DumpsDay drafts out of a generated dump: what is of the dump's day is named and not included.
func TestInit_DumpsDay(t *testing.T) {
	t.Parallel()
	dir, out := filepath.Join(t.TempDir(), "dump"), filepath.Join(t.TempDir(), "task")
	output(t, "gen", "answers", "--rows", "20000", "-o", dir)
	for _, center := range []string{"Posts.ParentId", "Users.Id"} {
		got := resolwe(t, "init", dir, "--center", center, "--target", "Posts(ParentId, OwnerUserId)", "-o", out, "--force")
		recipe := string(contents(t, filepath.Join(out, "task.recipe")))
		for _, column := range []string{"Users.Reputation", "Users.LastAccessDate", "Posts.Score", "Posts.ClosedDate"} {
			_, name, _ := strings.Cut(column, ".")
			if !strings.Contains(got.stderr, column+" is hidden") || strings.Contains(recipe, "("+name) || strings.Contains(recipe, "_"+name) {
				t.Errorf("%s is included, or not named: got %s and\n%s", column, got.stderr, recipe)
			}
		}
	}
}

// TestInit_Doubt drafts a folder with a column whose name and date tell nothing, but which is filled where the label is true.
func TestInit_Doubt(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for _, told := range []bool{false, true} {
		f := newLeakFolder(rand.New(rand.NewPCG(seed, 0)), 0)
		f.column("customers", "sign", func(i int) any { return f.when(told && f.label(i), "blue") })
		dir := t.TempDir()
		f.write(t, dir)
		got := resolwe(t, "init", dir, "--center", leakTargets[0][0], "--target", leakTargets[0][1], "-o", filepath.Join(t.TempDir(), "task"))
		if doubted := strings.Contains(got.stderr, "customers.sign may be the answer in disguise"); got.status != 0 || doubted != told {
			t.Errorf("%v: got status %d and %s", told, got.status, got.stderr)
		}
	}
}

// leakFolder is a folder of tables with random labels.
type leakFolder struct {
	*rand.Rand
	heads map[string][]string
	rows  map[string][][]any
	names []string // of tables
	truth []bool   // by row of customers or tickets
}

func (f *leakFolder) pick(of ...string) string { return of[f.IntN(len(of))] }

// day returns a day as text.
func (*leakFolder) day(n int) string {
	return time.Date(2020, 1, 1+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

func (f *leakFolder) label(i int) bool { return f.truth[i] }

// either returns one of two numbers, the other one in one of ten cases.
func (f *leakFolder) either(yes bool, a, b int) int {
	if yes == (f.IntN(10) > 0) {
		return a
	}
	return b
}

// when returns a text where something is so, and sometimes where it is not.
func (f *leakFolder) when(yes bool, text string) string {
	return []string{"", text}[f.either(yes, 1, 0)]
}

func (f *leakFolder) table(name, head string, n int, row func(i int) []any) {
	f.names, f.heads[name] = append(f.names, name), strings.Split(head, " ")
	for i := range n {
		f.rows[name] = append(f.rows[name], row(i))
	}
}

// column adds a column to a table.
func (f *leakFolder) column(table, name string, cell func(i int) any) {
	f.heads[table] = append(f.heads[table], name)
	for i := range f.rows[table] {
		f.rows[table][i] = append(f.rows[table][i], cell(i))
	}
}

func (f *leakFolder) cell(table string, row, column int) string {
	return fmt.Sprint(f.rows[table][row][column])
}

// counts counts the rows of a table by a column.
func (f *leakFolder) counts(table, column string) map[string]int {
	out := map[string]int{}
	for _, row := range f.rows[table] {
		for i, head := range f.heads[table] {
			if head == column {
				out[fmt.Sprint(row[i])]++
			}
		}
	}
	return out
}

// write writes the tables.
func (f *leakFolder) write(t *testing.T, dir string) {
	t.Helper()
	for _, name := range f.names {
		writeTable(t, dir, name+".tsv", strings.Join(f.heads[name], "\t"), f.rows[name])
	}
}

// Sizes of the folders.
const (
	leakCustomers = 1600
	leakProducts  = 60
	leakPairs     = 200 // centers of pairs
)

// newLeakFolder writes tables without a leak.
func newLeakFolder(rng *rand.Rand, target int) *leakFolder {
	f := &leakFolder{Rand: rng, heads: map[string][]string{}, rows: map[string][][]any{}}
	for range leakCustomers {
		f.truth = append(f.truth, f.IntN(2) > 0)
	}
	customer := func() any { return name("c", f.IntN(leakCustomers)) }
	product := func() any { return name("p", min(f.IntN(leakProducts), f.IntN(leakProducts))) } // some more often
	f.table("customers", "customer_id joined_on city age", leakCustomers, func(i int) []any {
		return []any{name("c", i), f.day(f.IntN(100)), f.pick("Rome", "Oslo", "Bern"), 18 + f.IntN(60)}
	})
	f.table("products", "product_id kind price", leakProducts, func(i int) []any { return []any{name("p", i), f.pick("a", "b", "c"), 1 + f.IntN(500)} })
	f.table("visits", "customer_id product_id seen_on", 4*leakCustomers, func(int) []any { return []any{customer(), product(), f.day(100 + f.IntN(500))} })
	asked := func() string { return f.day(200 + 5*f.IntN(40)) }
	switch target {
	case 0:
		f.table("outcomes", "customer_id asked_on bought", leakCustomers, func(i int) []any { return []any{name("c", i), asked(), yesNo(f.truth[i])} })
	case 1:
		f.table("baskets", "basket_id product_id bought_on", 5*leakPairs, func(i int) []any { return []any{name("b", i/5), product(), f.day(200 + i/5)} })
	case 2:
		f.table("fans", "fan_id product_id", 5*leakPairs, func(i int) []any { return []any{name("c", i/5), product()} })
	case 3:
		f.table("tickets", "ticket_id customer_id opened_on topic escalated", leakCustomers, func(i int) []any {
			return []any{name("t", i), customer(), asked(), f.pick("a", "b", "c"), yesNo(f.truth[i])}
		})
	}
	return f
}

func yesNo(yes bool) string { return map[bool]string{true: "Y", false: "N"}[yes] }

// copyPairs adds a table without days that states half of the pairs of another one again, and as many others.
func (f *leakFolder) copyPairs(of, table string) {
	head := f.heads[of]
	f.table(table, head[0]+" "+head[1], 0, nil)
	for _, row := range f.rows[of] {
		if f.IntN(100) < 45 {
			f.rows[table] = append(f.rows[table], row[:2:2])
		}
		if f.IntN(2) > 0 {
			f.rows[table] = append(f.rows[table], []any{row[0], name("p", f.IntN(leakProducts))})
		}
	}
}

// later adds events, more of them after rows whose label is true.
func (f *leakFolder) later(of, key, day string) {
	f.table("events", "event_id "+key+" happened_on sort", 0, nil)
	for i, row := range f.rows[of] {
		at := map[string]any{}
		for k, head := range f.heads[of] {
			at[head] = row[k]
		}
		then, _ := time.Parse(time.DateOnly, at[day].(string))
		for range f.IntN(3) + f.either(f.truth[i], 3, 0) {
			f.rows["events"] = append(f.rows["events"], []any{name("e", len(f.rows["events"])), at[key], then.AddDate(0, 0, f.IntN(20)).Format(time.DateOnly), f.pick("x", "y")})
		}
	}
}
