package main_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"resolwe/format/facts"
	"resolwe/format/rsg"
	"resolwe/internal/test/check"
)

// aheadFolder is tables with labels that look 60 days ahead, every 30 days.
type aheadFolder struct {
	name, center, target string
	customers, days      int
	// tables writes the tables. outcome returns what became of customer i after a day: a label, another one, a number that follows the
	// first, and one that is called so.
	tables func(customers, days int, outcome func(i, day int) (yes, other bool, follows, next int)) map[string][][]any
	named  []string // columns that have to be named beside the label
}

func aheadDay(n int) string {
	return time.Date(2020, 1, 1+30*n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// aheadLabels makes a folder of one table of labels, with a row's first cells and head.
func aheadLabels(head []any, row func(n, i, day int) []any) func(int, int, func(int, int) (bool, bool, int, int)) map[string][][]any {
	return func(customers, days int, outcome func(i, day int) (bool, bool, int, int)) map[string][][]any {
		rows := [][]any{append(slices.Clip(head), "churned", "upgraded", "x7", "revenue_next_60_days")}
		for day := range days {
			for i := range customers {
				yes, other, follows, next := outcome(i, day)
				rows = append(rows, append(row(len(rows), i, day), yesNo(yes), yesNo(other), follows, next))
			}
		}
		return map[string][][]any{"lab": rows}
	}
}

var aheadFolders = []aheadFolder{
	{"labels without a key", "lab.day", "lab(customer_id, churned)", 40, 12, aheadLabels([]any{"day", "customer_id"}, func(_, i, day int) []any {
		return []any{aheadDay(day), fmt.Sprint("c", i)}
	}), []string{"lab.upgraded", "lab.x7", "lab.revenue_next_60_days"}},
	{"labels with a key", "lab.day", "lab(customer_id, churned)", 40, 12, aheadLabels([]any{"lab_id", "day", "customer_id"}, func(n, i, day int) []any {
		return []any{5000 + 3*n, aheadDay(day), fmt.Sprint("c", i)}
	}), []string{"lab.upgraded", "lab.x7", "lab.revenue_next_60_days"}},
	{"labels with a clock", "lab.at", "lab(customer_id, churned)", 40, 12, aheadLabels([]any{"at", "customer_id"}, func(_, i, day int) []any {
		return []any{aheadDay(day) + " 10:00:00", fmt.Sprint("c", i)}
	}), []string{"lab.upgraded", "lab.x7"}},
	{"too many labels to state one by one", "lab.day", "lab(customer_id, churned)", 1200, 18, aheadLabels([]any{"day", "customer_id"}, func(_, i, day int) []any {
		return []any{aheadDay(day), fmt.Sprint("c", i)}
	}), []string{"lab.upgraded", "lab.x7"}},
	{
		"tickets", "tickets.opened_on", "tickets(ticket_id, escalated)", 40, 12,
		func(customers, days int, outcome func(i, day int) (bool, bool, int, int)) map[string][][]any {
			rows, notes := [][]any{{"ticket_id", "opened_on", "customer_id", "topic", "escalated", "escalated_to"}}, [][]any{{"customer_id", "city"}}
			for i := range customers {
				notes = append(notes, []any{fmt.Sprint("c", i), []string{"Rome", "Oslo"}[i%2]})
			}
			for day := range days {
				for i := range customers {
					yes, _, _, next := outcome(i, day)
					rows = append(rows, []any{5000 + 3*len(rows), aheadDay(day), fmt.Sprint("c", i), []string{"a", "b"}[i%2], yesNo(yes), fmt.Sprint("level", next%3)})
				}
			}
			return map[string][][]any{"tickets": rows, "customers": notes}
		},
		[]string{"tickets.escalated_to"},
	},
	{
		"a table that repeats them", "lab.day", "lab(customer_id, churned)", 40, 12,
		func(customers, days int, outcome func(i, day int) (bool, bool, int, int)) map[string][][]any {
			labels, copied, late := [][]any{{"day", "customer_id", "churned"}}, [][]any{{"customer_id", "seen_on", "segment"}}, [][]any{{"customer_id", "churned_ever"}}
			for day := range days {
				for i := range customers {
					yes, other, _, _ := outcome(i, day)
					labels = append(labels, []any{aheadDay(day), fmt.Sprint("c", i), yesNo(yes)})
					copied = append(copied, []any{fmt.Sprint("c", i), aheadDay(day), map[bool]string{true: "red", false: "blue"}[yes]})
					if day == 0 {
						late = append(late, []any{fmt.Sprint("c", i), yesNo(other)})
					}
				}
			}
			return map[string][][]any{"lab": labels, "monthly": copied, "customers": late}
		},
		[]string{"monthly.segment", "customers.churned_ever"},
	},
}

// TestInit_Ahead drafts recipes for labels that look ahead, and builds from tables that differ in what came after a day alone. Without
// --horizon no evidence depends on any outcome; with it, evidence about a day depends on outcomes that are as old, and on these it does.
func TestInit_Ahead(t *testing.T) {
	t.Parallel()
	for _, f := range aheadFolders {
		t.Run(strings.ReplaceAll(f.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			if testing.Short() && f.customers > 40 {
				t.Skip("takes some seconds under the race detector")
			}
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			changed := f.days / 2 // outcomes of this day and later differ
			folders := [2]string{t.TempDir(), t.TempDir()}
			for k, dir := range folders {
				f.write(t, dir, func(i, day int) (yes, other bool, follows, next int) {
					salt := uint64(0)
					if k == 1 && day >= changed {
						salt = 1
					}
					rng := rand.New(rand.NewPCG(seed+salt, uint64(100*i+day)))
					yes, other = rng.IntN(3) == 0, rng.IntN(2) == 0
					follows = rng.IntN(100)
					if yes {
						follows += 60
					}
					return yes, other, follows, rng.IntN(50)
				})
			}
			for _, horizon := range []string{"", "60d"} {
				draft := filepath.Join(t.TempDir(), "task")
				args := []string{"init", folders[0], "--center", f.center, "--target", f.target, "-o", draft}
				if horizon != "" {
					args = append(args, "--horizon", horizon)
				}
				notes := resolwe(t, args...)
				check.MustIs(t, notes.status, 0, "%s", notes.stderr)
				check.Is(t, strings.Contains(notes.stderr, "how many days ahead does it look? --horizon 60d states it"), horizon == "", "the question in %s", notes.stderr)
				for _, name := range f.named {
					check.Contains(t, notes.stderr, "--trust "+name, "notes")
				}
				first, second := evidenceOf(t, draft, folders[0]), evidenceOf(t, draft, folders[1])
				check.MustIs(t, len(first), f.days, "subgraphs")
				differs := 0
				for i, day := range slices.Sorted(maps.Keys(first)) {
					if first[day] == second[day] {
						continue
					}
					if differs++; horizon == "" || i < changed+2 {
						t.Fatalf("horizon %q: evidence of subgraph %s differs:\n%s\nand\n%s", horizon, day, first[day], second[day])
					}
				}
				check.Is(t, differs > 0, horizon != "", "horizon %q: known outcomes are stated", horizon)
			}
		})
	}
}

func (f *aheadFolder) write(t *testing.T, dir string, outcome func(i, day int) (bool, bool, int, int)) {
	t.Helper()
	for name, rows := range f.tables(f.customers, f.days, outcome) {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		for _, row := range rows {
			cells := make([]string, len(row))
			for i, c := range row {
				cells[i] = fmt.Sprint(c)
			}
			check.OK(t, w.Write(cells))
		}
		w.Flush()
		check.OK(t, os.WriteFile(filepath.Join(dir, name+".csv"), b.Bytes(), 0o600))
	}
}

// evidenceOf builds a draft and returns the evidence of each subgraph, by its name, as text.
func evidenceOf(t *testing.T, draft, data string, more ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	stream := filepath.Join(t.TempDir(), "s.rsg")
	output(t, append([]string{"build", filepath.Join(draft, "task.recipe"), "--model", filepath.Join(draft, "task.mln"), "--data", data, "-o", stream}, more...)...)
	f, err := rsg.OpenFile(stream, rsg.ReaderOptions{Names: true})
	check.OK(t, err)
	defer f.Close()
	for i := range f.Len() {
		s, err := f.At(i)
		check.OK(t, err)
		var b strings.Builder
		check.OK(t, facts.Write(&b, s, f.Schema()))
		var lines []string
		for line := range strings.Lines(b.String()) {
			if atom := strings.TrimLeft(line, "!?"); !strings.HasPrefix(atom, "@") && !strings.HasPrefix(atom, f.Schema().Predicates[0].Name+"(") {
				lines = append(lines, line)
			}
		}
		out[s.Name] = strings.Join(lines, "")
	}
	return out
}
