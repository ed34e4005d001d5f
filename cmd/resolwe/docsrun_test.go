package main_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

// drift makes a task, a model of it, and streams for both.
const drift = `exec resolwe gen drift --kind none --subgraphs 40 -o data.rsg
exec resolwe gen drift --kind none --subgraphs 20 --seed 2 -o test.rsg
cp examples/drift/drift.mln task.mln
exec resolwe learn task.mln --stream data.rsg -o model.mln
`

// skipped are forms, the commands of docs/cluster.md that make the same shards in other ways, and those of docs/grow.md with a store,
// which a test of package grow runs, and the demo alone, which .ci/run runs.
var skipped = regexp.MustCompile("^demo$|RECIPE|^build .*--shards|^gen +wikicollabs .*--shards|^grow run|--subgraph s1$")

// pages are those whose commands run, with what a script does before them. The pages of paper, scale and selftest have tests of their own.
var pages = map[string]string{
	"README.md": "", "docs/language.md": "", "docs/grow.md": "", "docs/recipes.md": "exec resolwe gen shop --scale .05 -o shop\n",
	"docs/report.md": drift, "docs/cluster.md": drift, "docs/methods.md": drift, "docs/watch.md": "",
	"docs/trust.md":              "cp examples/lastfm/lastfm.recipe lastfm.recipe\ncp examples/lastfm/lastfm.mln lastfm.mln\n",
	"examples/answers/README.md": "", "examples/delicious/README.md": "", "examples/drift/README.md": "", "examples/f1/README.md": fromF1,
	"examples/imdb/README.md": "", "examples/lastfm/README.md": "", "examples/shintowiki/README.md": "", "examples/shop/README.md": "",
	"examples/smokers/README.md": "", "examples/uwcse/README.md": "", "examples/wikichron/README.md": "", "examples/wikicollabs/README.md": "",
}

const fromF1 = "cp examples/f1/f1.recipe f1.recipe\ncp examples/f1/f1.mln f1.mln\n"

// smaller makes commands quick: generated data are smaller, and pipes are files.
var smaller = strings.NewReplacer(
	"gen shop", "gen shop --scale .05", "--scale 0.1", "--scale 1e-6", "--rows 100000", "--rows 2000", "--subgraphs 6000 --at 3000", "--subgraphs 900 --at 450",
	"-o -", "-o piped.rsg", "--stream -", "--stream piped.rsg", "DATA/", "data/", "DIR", "data/DIR", "2010-01-01", ".5", `"`, `'`,
)

// TestDocs_Run runs the commands of pages, one after the other, on small generated data in the place of data sets.
func TestDocs_Run(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	examples, err := filepath.Abs("../../examples")
	check.OK(t, err)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	dir, data := t.TempDir(), t.TempDir()
	dataSets(t, random, data)
	for name, before := range pages {
		text, err := os.ReadFile(filepath.Join("../..", name))
		check.OK(t, err)
		var script strings.Builder
		script.WriteString(before)
		ran := 0
		for _, line := range commandLines(string(text)) {
			if !skipped.MatchString(line) {
				line = smaller.Replace(line)
				if name == "docs/trust.md" {
					line = strings.Replace(line, "data/DIR", "data/lastfm-2k", 1)
				}
				switch { // otherwise these take minutes in sum
				case strings.HasPrefix(line, "demo"):
					line += " --subgraphs 8"
				case strings.HasPrefix(line, "crossval") && !strings.Contains(line, "--folds"):
					line += " --folds 2"
				case strings.HasPrefix(line, "select examples/wikicollabs"):
					line += " --criterion paper"
				}
				if strings.HasPrefix(line, "crossval examples") {
					line += " --systems single,base"
				}
				fmt.Fprintln(&script, "exec resolwe", line)
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
		return errors.Join(
			os.Symlink(examples, filepath.Join(env.WorkDir, "examples")), os.Symlink(data, filepath.Join(env.WorkDir, "data")),
			os.Symlink(filepath.Join(data, "f1"), filepath.Join(env.WorkDir, "f1")),
		)
	}})
}

// dataSets makes small folders in the place of the data sets that pages name.
func dataSets(t *testing.T, random *rand.Rand, dir string) {
	t.Helper()
	for name, tables := range map[string]func(*testing.T, *rand.Rand, string) recipeOracle{
		"delicious": hetrecTables, "f1": f1Tables, "lastfm-2k": lastfmTables, "shintowiki": shintowikiTables, "wikichron": wikichronTables, "DIR": wikicollabsTables,
	} {
		folder := filepath.Join(dir, name)
		check.OK(t, os.Mkdir(folder, 0o700))
		tables(t, random, folder)
	}
	for _, name := range []string{"imdb", "uwcse"} {
		task, err := os.ReadFile(filepath.Join("../../examples", name, name+".mln"))
		check.OK(t, err)
		schema := streamtest.Parse(t, string(task)).Schema
		check.OK(t, os.Mkdir(filepath.Join(dir, name), 0o700))
		for file := range 5 {
			var b strings.Builder
			for _, p := range schema.Predicates {
				for range 12 {
					args := make([]string, len(p.Args))
					for i := range p.Args {
						args[i] = fmt.Sprint("T", random.IntN(8))
					}
					fmt.Fprintf(&b, "%s(%s)\n", p.Name, strings.Join(args, ", "))
				}
			}
			check.OK(t, os.WriteFile(filepath.Join(dir, name, fmt.Sprint(file, ".db")), []byte(b.String()), 0o600))
		}
	}
}

// TestDocs_Library builds and runs the program of docs/commands.md by the commands below it, in a module of its own.
func TestDocs_Library(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/commands.md")
	check.OK(t, err)
	blocks := fence.FindAllStringSubmatch(string(text), -1)
	root, err := filepath.Abs("../..")
	check.OK(t, err)
	dir := t.TempDir()
	check.OK(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(blocks[0][1]), 0o600))
	data := filepath.Join(root, "testdata", "week.")
	script := strings.NewReplacer("=../resolwe", "="+root, "task.mln", data+"mln", "train.rsg", data+"db").Replace(blocks[1][1])
	c := exec.CommandContext(t.Context(), "sh", "-ec", script) // #nosec G204 -- what the page says
	c.Dir, c.Env = dir, append(os.Environ(), "GOSUMDB=off", "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := c.CombinedOutput()
	if err != nil && regexp.MustCompile("module lookup disabled|dial tcp|no such host|connection refused").Match(out) {
		t.Skipf("modules are missing, and no proxy is reached: %s", out)
	}
	if err != nil || !strings.Contains(string(out), "monday modifies(") {
		t.Errorf("got %v: %s", err, out)
	}
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
