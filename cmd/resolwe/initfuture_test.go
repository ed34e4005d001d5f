package main_test

import (
	"cmp"
	"encoding/csv"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"resolwe/internal/test/check"
)

// draft drafts a recipe and a task, and returns their folder.
func (f *future) draft(t *testing.T, dir string, more ...string) string {
	t.Helper()
	out, of := filepath.Join(t.TempDir(), "task"), "thing_id"
	if f.ofKeys {
		of = "check_id"
	}
	args := append([]string{"init", dir, "--center", "checks.checked_on", "--target", "checks(" + of + ", fails)", "-o", out}, more...)
	if f.horizon != "" {
		args = append(args, "--horizon", f.horizon)
	}
	output(t, args...)
	return out
}

// TestInit_Visible drafts random schemas and builds from tables that differ in all that becomes known after an hour: none of it is in the evidence
// before that hour, and some of it is later. As of the day before, none is in any.
func TestInit_Visible(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	differs, n := 0, check.Networks(t, 4)
	for i := range n {
		kind := futures[i%len(futures)]
		first := newFuture(seed+uint64(i), kind, i%24 == 20)
		second := newFuture(seed+uint64(i), kind, first.crowded)
		middle := 150 + int((seed+uint64(i))%120)
		second.salt, second.from = 1<<32, middle*dayHours+13
		dir, other := first.write(t), second.write(t)
		out := first.draft(t, dir)
		asOf := []string{"--as-of", time.Date(2020, 1, middle, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)}
		check.Equal(t, "evidence as of the day before", evidenceOf(t, out, dir, asOf...), evidenceOf(t, out, other, asOf...))
		a, b := evidenceOf(t, out, dir), evidenceOf(t, out, other)
		check.MustIs(t, len(a), len(b), "subgraphs")
		for _, text := range slices.Sorted(maps.Keys(a)) {
			if a[text] == b[text] {
				continue
			}
			if differs++; text < first.text(second.from) {
				t.Fatalf("schema %d, %s, horizon %q: what becomes known from %s on is told in %s:\n%s\nand\n%s\nby\n%s", i, kind, first.horizon, first.text(second.from),
					text, a[text], b[text], contents(t, filepath.Join(out, "task.recipe")))
			}
		}
	}
	check.AtLeast(t, differs, n, "subgraphs with other evidence later")
}

// TestInit_Future learns from drafts of random schemas with a planted future: what they tell predicts nothing. If the plant is known in time, the same
// schemas predict; one in four is tried so.
func TestInit_Future(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes some seconds of CPU")
	}
	n := check.Networks(t, 4)
	for i := range n {
		kind := futures[i%len(futures)]
		f := newFuture(uint64(i), kind, i%40 == 36)
		if auc, slack, recipe := f.auc(t); math.Abs(auc-.5) > slack {
			t.Errorf("schema %d, %s, horizon %q: got an AUC-ROC of %.3f, more than %.3f from .5, of\n%s", i, kind, f.horizon, auc, slack, recipe)
		}
		if i%len(futures) != i/len(futures)%len(futures) {
			continue
		}
		f = newFuture(uint64(i), kind, false)
		f.told, f.ofKeys = true, false
		var more []string
		if kind == "column" {
			more = append(more, "--trust", "things."+f.planted)
		}
		if kind == "label" {
			f.horizon = "0d"
		}
		if auc, _, recipe := f.auc(t, more...); auc < .5+leakBound {
			t.Errorf("schema %d, %s, known in time: got an AUC-ROC of %.3f, of\n%s", i, kind, auc, recipe)
		}
	}
}

// auc learns on four fifths and returns the AUC-ROC on the rest, three standard errors, and the recipe.
func (f *future) auc(t *testing.T, more ...string) (auc, slack float64, recipe string) {
	t.Helper()
	dir := f.write(t)
	out := f.draft(t, dir, more...)
	stream, task, model, found := filepath.Join(out, "s.rsg"), filepath.Join(out, "task.mln"), filepath.Join(out, "m.mln"), filepath.Join(out, "p.csv")
	output(t, "build", filepath.Join(out, "task.recipe"), "--model", task, "--data", dir, "-o", stream)
	length := "2"
	if f.ofKeys { // which are one step further from their things' rows
		length = "3"
	}
	output(t, "select", task, "--stream", stream, "--discover", "--length", length, "--split", ".8", "--only", "train", "-o", model)
	output(t, "infer", model, "--stream", stream, "--split", ".8", "--only", "test", "-o", found)
	rows, err := csv.NewReader(strings.NewReader(string(contents(t, found)))).ReadAll()
	check.OK(t, err)
	var atoms []futureAtom
	for _, row := range rows[1:] {
		a := futureAtom{thing: row[2], yes: row[4] == "1"}
		if check, ofKey := strings.CutPrefix(row[2], "K"); ofKey {
			k, _ := strconv.Atoi(check)
			a.thing = name("T", f.ofCheck[k])
		}
		a.p, err = strconv.ParseFloat(row[3], 64)
		check.OK(t, err)
		atoms = append(atoms, a)
	}
	auc, se := clusteredAUC(atoms)
	return auc, 3*se + 1e-9, string(contents(t, filepath.Join(out, "task.recipe")))
}

type futureAtom struct {
	thing string
	p     float64
	yes   bool
}

// clusteredAUC returns the AUC-ROC and its standard error by the placements of atoms (DeLong, DeLong and Clarke-Pearson, 1988), summed by thing
// (Obuchowski, 1997).
func clusteredAUC(atoms []futureAtom) (auc, se float64) {
	var n [2]float64
	by := map[bool][]float64{}
	for _, a := range atoms {
		by[a.yes] = append(by[a.yes], a.p)
	}
	n = [2]float64{float64(len(by[false])), float64(len(by[true]))}
	for _, list := range by {
		slices.Sort(list)
	}
	// share returns how much of a list is below a value, ties one half.
	share := func(list []float64, p float64) float64 {
		below, _ := slices.BinarySearch(list, p)
		upTo, _ := slices.BinarySearchFunc(list, p, func(x, p float64) int { return cmp.Or(cmp.Compare(x, p), -1) })
		return float64(below+upTo) / 2 / float64(len(list))
	}
	for _, p := range by[true] {
		auc += share(by[false], p) / n[1]
	}
	sums := map[string]float64{}
	for _, a := range atoms {
		if a.yes {
			sums[a.thing] += (share(by[false], a.p) - auc) / n[1]
		} else {
			sums[a.thing] += (1 - share(by[true], a.p) - auc) / n[0]
		}
	}
	for _, s := range sums {
		se += s * s
	}
	m := float64(len(sums))
	return auc, math.Sqrt(se * m / (m - 1))
}
