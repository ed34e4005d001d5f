package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

// What selection by gain comes to stands in the text and in the JSON, and goes by the parameters of select.
func TestPlan_Gain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	task, db := filepath.Join(dir, "towns.mln"), filepath.Join(dir, "towns.db")
	check.OK(t, os.WriteFile(task, []byte(streamtest.Towns), 0o600))
	check.OK(t, os.WriteFile(db, []byte(streamtest.TownsDB(1, 20)), 0o600))
	args := []string{"plan", task, "--stream", db}
	if got := output(t, args...); !strings.Contains(got, "select, whole stream") || !strings.Contains(got, "that it selects by") {
		t.Errorf("got\n%s\nwant a table of selection", got)
	}
	type plan struct {
		Gain *struct {
			Candidates, Subgraphs int
			Rows                  float64
		}
	}
	read := func(more ...string) (p plan) {
		check.OK(t, json.Unmarshal([]byte(output(t, append(append(args, "--json"), more...)...)), &p))
		return p
	}
	if g := read("--select", "--k2 5 --rows 10").Gain; g == nil || g.Subgraphs != 5 || g.Rows != 20 || g.Candidates < 5 {
		t.Errorf("got %+v, want 10 rows for each of two targets, of 5 subgraphs", g)
	}
	if g := read("--select", "--criterion paper").Gain; g != nil {
		t.Errorf("got %+v for another criterion", g)
	}
}
