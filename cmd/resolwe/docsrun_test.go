package main_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"resolwe/internal/test/check"
)

// TestDocs_Run runs the commands of pages that need no data set, one after the other, on generated tables that are smaller.
func TestDocs_Run(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	examples, err := filepath.Abs("../../examples")
	check.OK(t, err)
	smaller := strings.NewReplacer("gen shop", "gen shop --scale .05", "--rows 100000", "--rows 2000", `"`, `'`)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	for name, before := range map[string]string{
		"README.md": "", "examples/answers/README.md": "", "examples/drift/README.md": "", "examples/shop/README.md": "", "examples/smokers/README.md": "",
		"docs/language.md": "", "docs/recipes.md": "gen shop -o shop",
	} {
		text, err := os.ReadFile(filepath.Join("../..", name))
		check.OK(t, err)
		var script strings.Builder
		ran := 0
		for _, line := range append([]string{before}, commandLines(string(text))...) {
			if line != "" && !strings.Contains(line, "RECIPE") { // that one is a form
				fmt.Fprintln(&script, "exec resolwe", smaller.Replace(line))
				ran++
			}
		}
		if ran == 0 {
			t.Errorf("%s has no commands", name)
		}
		for _, block := range fence.FindAllStringSubmatch(string(text), -1) {
			if strings.HasPrefix(block[1], "// collab.mln") {
				fmt.Fprintf(&script, "-- collab.mln --\n%s-- train.db --\n%s-- test.db --\n%s", block[1], collab(random, 30), collab(random, 10))
			}
		}
		file := strings.NewReplacer("/", "-", ".md", ".txtar").Replace(name)
		check.OK(t, os.WriteFile(filepath.Join(dir, file), []byte(script.String()), 0o600))
	}
	testscript.Run(t, testscript.Params{Dir: dir, Setup: func(env *testscript.Env) error {
		return os.Symlink(examples, filepath.Join(env.WorkDir, "examples"))
	}})
}

// collab returns subgraphs of the example of the task language: who edited an article mostly edits the one that it links to.
func collab(random *rand.Rand, subgraphs int) string {
	var b strings.Builder
	for s := range subgraphs {
		fmt.Fprintf(&b, "@subgraph s%d center=U0\nhyperLink(A1, A2)\nsimilar(A3, A2)\narticleTalk(A3, U0)\n", s)
		for u := range 8 {
			share := .2
			if random.Float64() < .5 {
				share = .8
				fmt.Fprintf(&b, "articleEdit(A1, U%d)\n", u)
			}
			sign := "!"
			if random.Float64() < share {
				sign = ""
			}
			fmt.Fprintf(&b, "%smodifies(A2, U%d)\n", sign, u)
		}
	}
	return b.String()
}
