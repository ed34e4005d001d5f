package main_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"resolwe/internal/test/check"
)

// Candidates of the smokers' declarations are printed, written, and selected from; crossval finds its own.
func TestDiscover(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	model, facts, out := filepath.Join(dir, "m.mln"), filepath.Join(dir, "f.db"), filepath.Join(dir, "out.mln")
	os.WriteFile(model, []byte("friends(person, person)\nhappy(person)\ntarget smokes(person)\n"), 0o600)
	var db strings.Builder
	for _, s := range []string{"s1", "s2", "s3", "s4"} {
		db.WriteString("@subgraph " + s + "\n")
		for _, p := range []string{"A", "B", "C", "D", "E", "F", "G", "H"} {
			db.WriteString("friends(" + p + s + ", X" + p + s + ")\nsmokes(" + p + s + ")\nhappy(X" + p + s + ")\n")
			if p < "E" {
				db.WriteString("friends(X" + p + s + ", Y" + p + s + ")\n")
			}
		}
	}
	os.WriteFile(facts, []byte(db.String()), 0o600)
	task := []string{model, "--stream", facts}
	type candidate struct {
		Formula         string
		Length, Support int
	}
	got := printed[struct {
		Subgraphs, Length int
		Candidates        []candidate
	}](t, append([]string{"discover"}, append(task, "--length", "2", "-o", out)...)...)
	check.Equal(t, "subgraphs and length", []int{got.Subgraphs, got.Length}, []int{4, 2})
	want := candidate{"friends(p1, p2) ^ happy(p2) => smokes(p1)", 2, 32}
	check.Equal(t, "candidates", strings.Contains(output(t, "expand", out), want.Formula), true)
	found := false
	for _, c := range got.Candidates {
		found = found || c == want
	}
	check.Equal(t, want.Formula, found, true)
	for _, args := range [][]string{
		{"select", out, "--stream", facts, "--path", filepath.Join(dir, "1.csv")},
		append([]string{"select", "--discover", "--length", "2", "--path", filepath.Join(dir, "2.csv")}, task...),
	} {
		check.Contains(t, output(t, args...), "happy(", "%v", args)
	}
	cut := printed[struct {
		By []string `json:"candidates_cut_by"`
	}](t, append([]string{"discover", "--max", "1", "--length", "2"}, task...)...)
	check.Equal(t, "cut by", cut.By, []string{"max"})
	for _, command := range []string{"discover", "select --discover"} {
		for limit, said := range map[string]bool{"1": true, "100": false} {
			text := output(t, slices.Concat(strings.Fields(command), []string{"--max", limit, "--length", "2"}, task)...)
			check.Equal(t, command+" says that candidates were left out", strings.Contains(text, "--max left out the candidates with the least gain\n"), said)
		}
	}
	one, _ := os.ReadFile(filepath.Join(dir, "1.csv"))
	two, _ := os.ReadFile(filepath.Join(dir, "2.csv"))
	check.Equal(t, "paths", string(two), string(one))
	text := output(t, append([]string{"crossval", "--discover", "--select", "--length 2", "--systems", "gain,base"}, task...)...)
	check.Contains(t, text, "gain            1.0000", "crossval")
}
