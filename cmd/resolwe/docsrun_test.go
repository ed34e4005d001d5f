package main_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	cmd "resolwe/cmd/resolwe"
	"resolwe/internal/test/check"
	"resolwe/internal/test/pages"
	"resolwe/internal/test/streamtest"
)

// rules say what happens to commands of pages that are not run as they stand. Everything that is skipped is parsed all the same (TestDocs).
var rules = []rule{
	{"", `^go run ./cmd/resolwe `, "resolwe ", "", always},
	{"", `^go test|^make |^go mod `, "", "tests, programs and modules; README.md's is this test", always},
	{"", `^docker |^java |^go run github.com|^python3 bench/peers|^resolwe-(beam|import)`, "", "needs a network, a database, a cluster or another module", always},
	{"", `\bRECIPE\b|\bMODEL\b|\bTASK\b|\bNAME\b|\bS$|\bCOMMAND\b|--stage \.\.|^docker`, "", "is a form", always},
	{"docs/commands.md", `^go run \.|^resolwe man|^resolwe completion`, "", "TestDocs_Library, TestMan and TestCompletion run it", always},
	{"docs/cluster.md", `^resolwe (build|gen) `, "", "makes the same folder in another way", always},
	{"docs/paper.md", "--scale 1 ", "", "takes hours", always},
	{"", `^examples/(delicious|wikicollabs)/report.sh`, "", "makes a page, as others do, in many minutes", always},
	{"BENCHMARKS.md", "", "", "on large data, each with machine and commit", always},
	{"docs/trust.md", "--data DIR", "--data data/lastfm-2k", "", always},
	{"", "--data DIR", "--data data/DIR", "", always},
	{"", "DATA/", "data/", "", always},
	{"", "2010-01-01", ".5", "", madeUp},

	{"README.md", `^resolwe demo$`, "resolwe demo --systems gain,base", "", same},
	{"README.md", `^resolwe report `, "$0--systems gain,base --folds 2 ", "", smaller},
	{"examples/shop/README.md", `^resolwe report `, "", "README.md has it too", smaller},
	{"docs/report.md", `^resolwe demo `, "", "makes a page, as others do", smaller},
	{"docs/paper.md", "", "", "takes minutes; what it printed is on the page", smaller},
	{"", `gen shop -o`, "gen shop --scale .05 -o", "", smaller},
	{"", `--length 2`, "--length 1", "", smaller},
	{"", `--rows 100000`, "--rows 2000", "", smaller},
	{"", `--scale 0.1`, "--scale 1e-6", "", smaller},
	{"", `^examples/(answers|shop|lastfm|shintowiki|wikichron|imdb|uwcse)/report.sh`, "", "makes a page, as others do", smaller},
	{"", `^resolwe crossval (lastfm|examples/(answers|imdb|lastfm|shintowiki|uwcse|wikichron))\S+`, "$0 --systems single,base", "", smaller},
	{"", `^resolwe crossval (again/|task/|examples/shop)\S+`, "$0 --systems base --folds 2", "", smaller},
	{"", `^resolwe select examples/wikicollabs\S+`, "$0 --criterion paper", "", smaller},
}

// rule replaces what matches a regular expression in the commands of a page, or of all pages if it names none. A replacement by nothing skips the command,
// for a reason.
type rule struct {
	page, match, with, why string
	when
}

// when says when a rule holds.
type when int

const (
	always  when = iota
	madeUp       // where a public data set is missing
	smaller      // unless DOCS=whole
	same         // unless DOCS=whole; what the page shows stays the same, but for blanks
)

// drift makes a task, a model of it, and streams for both.
const drift = `resolwe gen drift --kind none --subgraphs 40 -o data.rsg
resolwe gen drift --kind none --subgraphs 20 --seed 2 -o test.rsg
cp examples/drift/drift.mln task.mln
resolwe learn task.mln --stream data.rsg -o model.mln
`

// before is what readers of a page are to have: files of their own.
var before = map[string]string{
	"docs/recipes.md": "resolwe gen shop --scale .05 -o shop", "docs/report.md": drift, "docs/cluster.md": drift, "docs/methods.md": drift,
	"docs/scale.md": "cp facts.mln task.mln", "docs/import.md": "resolwe gen shop --scale .05 -o tables", "docs/trust.md": "cp examples/lastfm/lastfm.recipe examples/lastfm/lastfm.mln .",
	"examples/f1/README.md": "cp examples/f1/f1.recipe examples/f1/f1.mln .",
}

// TestDocs_Run runs what the pages print, each page in a folder of its own, and compares the exit statuses and what stands behind marks (package pages).
// Without data sets that cannot be generated, small ones of the same form take their place, and what depends on them is not compared. Unless DOCS is
// whole, which takes about 20 minutes, generated data are smaller as well. With UPDATE too, as in `make docs`, the pages are written anew.
func TestDocs_Run(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	data := t.TempDir()
	dataSets(t, random, data)
	examples, err := filepath.Abs(root + "examples")
	check.OK(t, err)
	facts := collab(random, 70)
	for _, name := range pageNames(t) {
		t.Run(strings.ReplaceAll(name, "/", "-"), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			check.OK(t, os.Symlink(examples, filepath.Join(dir, "examples")))
			check.OK(t, os.Symlink(data, filepath.Join(dir, "data")))
			check.OK(t, os.Symlink(filepath.Join(data, "f1"), filepath.Join(dir, "f1")))
			check.OK(t, os.WriteFile(filepath.Join(dir, "facts.db"), []byte(facts), 0o600))
			check.OK(t, os.WriteFile(filepath.Join(dir, "facts.mln"), []byte(collabTask), 0o600))
			text, err := os.ReadFile(root + name)
			check.OK(t, err)
			r := &pageRun{T: t, Page: pages.Read(string(text)), name: name, dir: dir, wrote: map[string]wrote{}}
			if script := before[name]; script != "" {
				r.shell(script, 0)
			}
			r.run()
			blocks := r.compare()
			if os.Getenv("UPDATE") != "" {
				check.OK(t, os.WriteFile(root+name, []byte(r.With(blocks)), 0o600))
			}
		})
	}
}

// whole reports whether all is run as printed.
func whole() bool { return os.Getenv("DOCS") == "whole" }

// pageRun is a page whose commands are run.
type pageRun struct {
	*testing.T
	*pages.Page
	name, dir string
	changed   bool // whether a command before was changed, so that what the next ones write may be other than the page shows
	wrote     map[string]wrote
}

// wrote is what a command wrote, and how it compares with the page.
type wrote struct {
	out, err string
	same     bool // but for blanks
}

// run writes the files that the page shows, and runs its commands, in order.
func (r *pageRun) run() {
	marks := r.Marks
	for _, c := range r.Commands {
		for len(marks) > 0 && marks[0].Line < c.Line {
			if marks[0].Kind == "file" {
				path := filepath.Join(r.dir, marks[0].Head)
				check.OK(r, os.MkdirAll(filepath.Dir(path), 0o700))
				check.OK(r, os.WriteFile(path, []byte(strings.Join(marks[0].Block, "\n")+"\n"), 0o600))
			}
			marks = marks[1:]
		}
		if rest, ok := strings.CutPrefix(c.Text, "resolwe "); c.Inline && (!ok || cmd.Parse(words(rest)) != nil) {
			continue // TestDocs says which have to be understood
		}
		line, same, why := r.apply(c.Text)
		if why != "" {
			r.Logf("%s:%d: %s: skipped: %s", r.name, c.Line+1, c.Text, why)
			continue
		}
		if out, ok := r.shell(line, c.Status); ok && !r.changed {
			out.same = same
			r.wrote[c.Text] = out
		}
	}
}

// apply applies the rules to a command. It returns why the command is skipped, or whether it was replaced by one that writes the same.
func (r *pageRun) apply(line string) (replaced string, alike bool, why string) {
	replaced = line
	for _, u := range rules {
		re := regexp.MustCompile(u.match)
		switch {
		case u.page != "" && u.page != r.name, u.when >= smaller && whole(), u.when == madeUp && !r.madeUp(replaced), !re.MatchString(replaced):
			continue
		case u.with == "":
			return "", false, u.why
		case u.when == same:
			alike = true
		case u.when == smaller:
			r.changed = true
		}
		replaced = re.ReplaceAllString(replaced, u.with)
	}
	r.changed = r.changed || r.madeUp(replaced)
	return replaced, alike, ""
}

// madeUp reports whether a command reads data that are made up: in a folder, and not in one that a link leads to.
func (r *pageRun) madeUp(line string) bool {
	name := regexp.MustCompile(`\bdata/([\w-]+)|\bf1\b`).FindString(line)
	info, err := os.Lstat(filepath.Join(r.dir, "data", strings.TrimPrefix(name, "data/")))
	return name != "" && (err != nil || info.IsDir())
}

// shell runs lines in the page's folder.
func (r *pageRun) shell(lines string, status int) (wrote, bool) {
	var out, faults strings.Builder
	c := exec.CommandContext(r.Context(), "sh", "-ec", lines) // #nosec G204 -- what the page says
	c.Dir, c.Stdout, c.Stderr, c.Env = r.dir, &out, &faults, append(os.Environ(), quickExit)
	err := c.Run()
	got := c.ProcessState.ExitCode()
	if got != status {
		r.Errorf("%s: %s: got exit status %d, want %d: %v\n%s", r.name, lines, got, status, err, faults.String())
	}
	return wrote{out: out.String(), err: faults.String()}, got == status
}

// compare compares what stands behind marks, and returns it as it should be.
func (r *pageRun) compare() map[int][]string {
	blocks := map[int][]string{}
	for i, m := range r.Marks {
		from, ok := r.wrote[m.Head]
		if head, begins := strings.CutSuffix(m.Head, " .."); begins {
			for line := range r.wrote {
				if strings.HasPrefix(line, head) {
					from, ok = r.wrote[line], true
				}
			}
		}
		if i := slices.IndexFunc(r.Marks, func(o pages.Mark) bool { return o.Kind == "out" && o.Head == m.Head }); !ok && i >= 0 && m.Kind == "figures" {
			from, ok = wrote{out: strings.Join(r.Marks[i].Block, "\n")}, true // figures agree with the excerpt, whatever that is worth
		}
		if !ok {
			continue
		}
		var want []string
		var err error
		switch m.Kind {
		case "out":
			want, err = pages.Select(from.out, m.Body)
		case "err":
			want, err = pages.Select(from.err, m.Body)
		default:
			want, err = pages.Fill(m.Block, m.Body, from.out)
		}
		check.OKf(r, err, "%s:%d", r.name, m.Line+1)
		want = pages.Keep(m.Block, want, m.Body)
		got, show := strings.Join(m.Block, "\n"), strings.Join(want, "\n")
		if from.same {
			got, show = strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(show), " ")
		}
		if os.Getenv("UPDATE") == "" || from.same {
			check.Equal(r, fmt.Sprintf("%s:%d: what follows the mark; make docs writes it anew", r.name, m.Line+1), got, show)
		}
		if !from.same {
			blocks[i] = want
		}
	}
	return blocks
}

// dataSets makes small folders in the place of the data sets that pages name and that are not here.
func dataSets(t *testing.T, random *rand.Rand, dir string) {
	t.Helper()
	for name, tables := range map[string]func(*testing.T, *rand.Rand, string) recipeOracle{
		"delicious": hetrecTables, "f1": f1Tables, "lastfm-2k": lastfmTables, "shintowiki": shintowikiTables, "wikichron": wikichronTables, "DIR": wikicollabsTables,
	} {
		if folder, missing := dataSet(t, dir, name); missing {
			tables(t, random, folder)
		}
	}
	for _, name := range []string{"imdb", "uwcse"} {
		folder, missing := dataSet(t, dir, name)
		if !missing {
			continue
		}
		task, err := os.ReadFile(filepath.Join(root+"examples", name, name+".mln"))
		check.OK(t, err)
		schema := streamtest.Parse(t, string(task)).Schema
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
			check.OK(t, os.WriteFile(filepath.Join(folder, fmt.Sprint(file, ".db")), []byte(b.String()), 0o600))
		}
	}
}

// dataSet makes a folder for a data set, or with DOCS=whole a link to it, where RESOLWE_DATA is the folder that holds it.
func dataSet(t *testing.T, dir, name string) (folder string, missing bool) {
	t.Helper()
	folder = filepath.Join(dir, name)
	here := filepath.Join(os.Getenv("RESOLWE_DATA"), name)
	if _, err := os.Stat(here); err == nil && whole() {
		check.OK(t, os.Symlink(here, folder))
		return folder, false
	}
	check.OK(t, os.Mkdir(folder, 0o700))
	return folder, true
}

// TestDocs_Library builds and runs the program of docs/commands.md by the commands below it, in a module of its own.
func TestDocs_Library(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(root + "docs/commands.md")
	check.OK(t, err)
	blocks := regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```$").FindAllStringSubmatch(string(text), -1)
	root, err := filepath.Abs(root)
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

// collabTask declares the predicates of collab.
const collabTask = `articleEdit(article, user)
articleTalk(article, user)
hyperLink(article, article)
similar(article, article)
target listed modifies(article, user)
articleEdit(t1, u) ^ hyperLink(t1, t2) => modifies(t2, u)
articleTalk(t1, u) ^ similar(t1, t2) => modifies(t2, u)
`

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
