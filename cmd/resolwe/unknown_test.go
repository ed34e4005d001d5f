package main_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"resolwe/format/facts"
	"resolwe/format/rsg"
	"resolwe/internal/test/check"
)

// drafted drafts a task for a folder of tables and builds it.
func drafted(t *testing.T, data, center, target string) (task, stream string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "task")
	output(t, "init", data, "--center", center, "--target", target, "-o", dir)
	task, stream = filepath.Join(dir, "task.mln"), filepath.Join(dir, "task.rsg")
	output(t, "build", filepath.Join(dir, "task.recipe"), "--model", task, "--data", data, "-o", stream)
	return task, stream
}

// asText writes a stream as text twice: as it is, and without its unknown atoms, but with their entities. It returns the unknown atoms, each
// after its subgraph and a space.
func asText(t *testing.T, stream string) (whole, without string, unknown []string) {
	t.Helper()
	f, err := rsg.OpenFile(stream, rsg.ReaderOptions{Names: true})
	check.OK(t, err)
	defer f.Close()
	var texts [2]strings.Builder
	for i := range f.Len() {
		s, err := f.At(i)
		check.OK(t, err)
		var b strings.Builder
		check.OK(t, facts.Write(&b, s, f.Schema()))
		for line := range strings.Lines(b.String()) {
			if texts[0].WriteString(line); line[0] == '?' {
				unknown = append(unknown, s.Name+" "+strings.TrimSpace(line[1:]))
			} else {
				texts[1].WriteString(line)
			}
		}
	}
	dir := t.TempDir()
	whole, without = filepath.Join(dir, "whole.db"), filepath.Join(dir, "without.db")
	check.OK(t, os.WriteFile(whole, []byte(texts[0].String()), 0o600))
	check.OK(t, os.WriteFile(without, []byte(texts[1].String()), 0o600))
	return whole, without, unknown
}

// newCases is a small shop whose last mailing nobody has answered yet, and months of labels of which some are missing.
func newCases(t *testing.T) (mailed, labels string) {
	t.Helper()
	mailed, labels = filepath.Join(t.TempDir(), "shop"), t.TempDir()
	output(t, "gen", "shop", "--scale", ".03", "--seed", "3", "-o", mailed)
	path := filepath.Join(mailed, "mailings.csv")
	check.OK(t, os.WriteFile(path, append(contents(t, path), "M31,2025-07-01,July 2025: news\n"...), 0o600))
	var b, c strings.Builder
	b.WriteString("day,customer_id,left\n")
	c.WriteString("customer_id,city\n")
	for i := range 40 {
		fmt.Fprintf(&c, "c%d,%s\n", i, []string{"Rome", "Oslo", "Bern"}[i%3])
		for month := range 8 {
			label := []string{"yes", "no", "no", "no", ""}[(i*7+month*month+i/(month+1))%5]
			if i%3 == 0 && label != "" {
				label = "yes"
			}
			fmt.Fprintf(&b, "2021-%02d-01,c%d,%s\n", month+1, i, label)
		}
	}
	check.OK(t, os.WriteFile(filepath.Join(labels, "lab.csv"), []byte(b.String()), 0o600))
	check.OK(t, os.WriteFile(filepath.Join(labels, "customers.csv"), []byte(c.String()), 0o600))
	return mailed, labels
}

// TestUnknown goes the whole way with cases whose truth is unknown: they are in the stream, nothing else learns of them, and infer predicts
// them.
func TestUnknown(t *testing.T) {
	t.Parallel()
	mailed, labels := newCases(t)
	for name, test := range map[string]struct {
		data, center, target string
		want                 func(t *testing.T, unknown []string)
	}{
		"a new mailing": {mailed, "mailings.mailing_id", "responses(mailing_id, customer_id)", func(t *testing.T, unknown []string) {
			t.Helper()
			var want []string
			for _, row := range rowsOf(t, filepath.Join(mailed, "customers.csv"))[1:] { // all of them joined before
				want = append(want, "M31 responses_target("+row[0]+")")
			}
			slices.Sort(want)
			check.Slices(t, unknown, want, "unknown atoms")
		}},
		"missing labels": {labels, "lab.day", "lab(customer_id, left)", func(t *testing.T, unknown []string) {
			t.Helper()
			var want []string
			for _, row := range rowsOf(t, filepath.Join(labels, "lab.csv"))[1:] {
				if row[2] == "" {
					want = append(want, row[0]+" lab_target("+strconv.Quote(row[1])+")")
				}
			}
			slices.Sort(want)
			check.Slices(t, unknown, want, "unknown atoms")
		}},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			task, stream := drafted(t, test.data, test.center, test.target)
			whole, without, unknown := asText(t, stream)
			sorted := slices.Sorted(slices.Values(unknown))
			test.want(t, sorted)
			check.MustAtLeast(t, len(unknown), 20, "unknown atoms")

			model := filepath.Join(t.TempDir(), "model.mln")
			output(t, "select", task, "--stream", without, "--discover", "--length", "1", "-o", model)
			for _, args := range [][]string{
				{"select", task, "--discover", "--length", "1", "--json"},
				{"select", model, "--criterion", "paper", "--json"},
				{"counts", model, "--json"},
				{"learn", model, "--json"},
				{"eval", model, "--json"},
				{"crossval", task, "--discover", "--select", "--length 1", "--folds", "2", "--systems", "base,single", "--json"},
				{"watch", task, "--start", "6", "--block", "2", "--json"},
			} {
				if args[0] == "watch" { // it takes candidates, not a discovery
					args[1] = model
				}
				if got, want := output(t, append(args, "--stream", whole)...), output(t, append(args, "--stream", without)...); got != want {
					t.Errorf("%s: with unknown atoms\n%.2000s\nwithout them\n%.2000s", args, got, want)
				}
			}
			output(t, "plan", model, "--stream", stream)
			output(t, "features", model, "--stream", stream, "-o", filepath.Join(t.TempDir(), "f.csv"))
			output(t, "verify", stream)
			checkScores(t, model, stream, unknown)
		})
	}
}

// checkScores compares the tables of infer: sorted and of unknown atoms, against the whole list in the order of the stream.
func checkScores(t *testing.T, model, stream string, unknown []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scores.csv")
	output(t, "infer", model, "--stream", stream, "-o", path)
	all := rowsOf(t, path)
	column := func(name string) int { return slices.Index(all[0], name) }
	p, truth := column("probability"), column("truth")
	var open [][]string
	for _, row := range all[1:] {
		if row[truth] == "" {
			open = append(open, row)
		}
	}
	check.Is(t, len(open), len(unknown), "atoms without truth")
	byP := func(rows [][]string) [][]string {
		out := slices.Clone(rows)
		slices.SortStableFunc(out, func(a, b []string) int {
			x, _ := strconv.ParseFloat(a[p], 64)
			y, _ := strconv.ParseFloat(b[p], 64)
			return map[bool]int{true: 1}[x < y] - map[bool]int{true: 1}[x > y]
		})
		return out
	}
	for _, row := range []struct {
		args []string
		want [][]string
	}{
		{[]string{"--unknown"}, open},
		{[]string{"--sort", "probability"}, byP(all[1:])},
		{[]string{"--unknown", "--sort", "probability"}, byP(open)},
	} {
		for _, workers := range []string{"1", "3"} {
			output(t, append([]string{"infer", model, "--stream", stream, "-o", path, "--workers", workers}, row.args...)...)
			check.Equal(t, fmt.Sprint(row.args, " by ", workers), rowsOf(t, path)[1:], row.want)
		}
		var lines strings.Builder
		for _, r := range row.want {
			v, _ := strconv.ParseFloat(r[p], 64)
			fmt.Fprintf(&lines, "%s\t%s\t%s\n", r[0], r[1], strconv.FormatFloat(v, 'g', 6, 64))
		}
		text := output(t, append([]string{"infer", model, "--stream", stream}, row.args...)...)
		check.Is(t, strings.Count(text, "\n"), len(row.want), "lines of text")
		for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
			check.Is(t, strings.HasPrefix(line, row.want[i][0]+"\t"+row.want[i][1]+"\t"), true, "line %d, %s", i, line)
		}
	}
	listed := printed[[]struct {
		Subgraph  string
		Marginals map[string]float64
	}](t, "infer", model, "--stream", stream, "--unknown", "--json")
	n := 0
	for _, s := range listed {
		n += len(s.Marginals)
		check.AtLeast(t, len(s.Marginals), 1, "atoms of %s", s.Subgraph)
	}
	check.Is(t, n, len(unknown), "atoms of JSON")
	check.Is(t, resolwe(t, "infer", model, "--stream", stream, "--sort", "probability", "--json").status, 2, "sorted JSON")
}

// rowsOf reads a CSV file.
func rowsOf(t *testing.T, path string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(string(contents(t, path)))).ReadAll()
	check.OK(t, err)
	return rows
}

// What is undefined without an atom of known truth is a dash, null or an empty cell, never a number, and a warning says why.
func TestNoTruth(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		check.OK(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	model := write("m.mln", "reads(person)\ntarget listed buys(person)\n0.5 reads(x) => buys(x)\n0 buys(x)\n")
	task := write("t.mln", "reads(person)\ntarget listed buys(person)\nreads(x) => buys(x)\n")
	var db strings.Builder
	for i := range 60 {
		fmt.Fprintf(&db, "@subgraph s%d\nreads(P1)\n?buys(P1)\n?buys(P2)\n", i)
	}
	unknown, none := write("unknown.db", db.String()), write("false.db", strings.ReplaceAll(db.String(), "?", "!"))
	curve := filepath.Join(dir, "curve.csv")
	const warning = "warning: no query atom "
	for _, test := range []struct {
		args    []string
		defined bool // there is truth, but no true atom
		want    []string
	}{
		{[]string{"watch", model, "--stream", unknown, "--curve", curve}, false, []string{"\nwatch              -       -       -           -\n"}},
		{[]string{"watch", model, "--stream", unknown, "--json"}, false, []string{`"watch":{"cll":null,"calibration_error":null,"map":null,"auc_roc":null}`}},
		{[]string{"watch", model, "--stream", none, "--json"}, true, []string{`"map":null,"auc_roc":null`, `"calibration_error":0.`}},
		{[]string{"watch", model, "--stream", none}, true, []string{"       -       - "}},
		{[]string{"learn", model, "--stream", unknown}, false, []string{"1 pass, no query atom of known truth;"}},
		{[]string{"learn", model, "--stream", unknown, "--passes", "2"}, false, []string{"2 passes, no query atom of known truth;"}},
		{[]string{"learn", model, "--stream", unknown, "--json"}, false, []string{`"converged":false, "gradient":null, "weights"`}},
		{[]string{"learn", model, "--stream", none}, true, []string{"at the optimum"}},
		{[]string{"eval", model, "--stream", unknown}, false, []string{"CLL                        -\n"}},
		{[]string{"crossval", task, "--stream", unknown, "--systems", "gain,base"}, false, []string{"base"}},
		{[]string{"crossval", model, "--stream", unknown, "--prequential"}, false, []string{"base"}},
	} {
		got := resolwe(t, test.args...)
		check.Is(t, got.status, 0, "status of %v: %s", test.args, got.stderr)
		check.Is(t, strings.Contains(got.stderr, warning), !test.defined, "%v warns: %s", test.args, got.stderr)
		for _, want := range test.want {
			check.Contains(t, strings.Join(strings.Fields(strings.ReplaceAll(got.stdout, ": ", ":")), " "), strings.Join(strings.Fields(want), " "), "%v", test.args)
		}
	}
	data, err := os.ReadFile(curve)
	check.OK(t, err)
	rows, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
	check.OK(t, err)
	for i, name := range rows[0] {
		for _, figure := range []string{"_cll", "_map", "_auc", "_calibration"} {
			if strings.HasSuffix(name, figure) {
				check.Is(t, rows[1][i], "", "%s", name)
			}
		}
	}
}
