package main_test

import (
	"fmt"
	"html"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"resolwe/internal/test/check"
)

// TestReport_Again runs the commands that pages show to make them again, which gives the same bytes.
func TestReport_Again(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	dir := t.TempDir()
	facts := collab(rand.New(rand.NewPCG(seed, 0)), 30)
	day := 0
	timed := regexp.MustCompile("center=U0").ReplaceAllStringFunc(facts, func(center string) string {
		day++
		return fmt.Sprintf("%s time=2020-01-%02d", center, day)
	})
	folds := regexp.MustCompile("time=2020-01-(.)").ReplaceAllString(timed, "fold=$1 time=2020-01-$1")
	for name, text := range map[string]string{
		"it's a task.mln": collabTask, "collab.mln": collabTask, "model.mln": strings.ReplaceAll(collabTask, "articleEdit(t1", "1.5 articleEdit(t1"), "plain.db": strings.ReplaceAll(facts, "@subgraph s", "@subgraph p"), "timed.db": timed, "folds.db": folds,
	} {
		check.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	run := func(line string) {
		c := exec.CommandContext(t.Context(), "sh", "-c", line) // #nosec G204 -- a test's, and what pages show
		c.Dir = dir
		out, err := c.CombinedOutput()
		check.OKf(t, err, "%s: %s", line, out)
	}
	run("resolwe pack collab.mln timed.db --shards 2 -o shards; resolwe grow collab.mln --stream shards -o policy.json; resolwe grow eval policy.json --stream shards --csv grow.csv")
	const report = "report collab.mln --systems gain,base --select '--support 5' "
	shown := regexp.MustCompile(`>(resolwe [^<]*)</code>`)
	for _, line := range []string{
		report + "--stream plain.db", report + "--stream folds.db --seed 7", report + "--stream timed.db --forward 3 --test 4", report + "--stream timed.db --split 0.8",
		report + "--stream timed.db --split 2020-01-21 --memory 1GB", "report \"it's a task.mln\" --systems gain --systems single,paper --stream 'timed.db,plain.db' --folds 3 --select '--k2 5 --theta .2 --criterion paper'",
		"report collab.mln --systems gain,base --stream shards --discover --select '--support 5 --length 1 --parsimony 0 --inner random' --checkpoint run.ckpt --workers 3 --grow grow.csv", report + "--stream plain.db --null folds.db --folds 2",
		"report model.mln --stream plain.db --stream timed.db",
	} {
		run("resolwe " + line + " -o first.html")
		first, err := os.ReadFile(filepath.Join(dir, "first.html"))
		check.OK(t, err)
		command := shown.FindSubmatch(first)
		if command == nil {
			t.Fatalf("the page of %s shows no command", line)
		}
		again := html.UnescapeString(string(command[1]))
		run(again)
		second, err := os.ReadFile(filepath.Join(dir, "report.html"))
		check.OK(t, err)
		check.OK(t, os.Remove(filepath.Join(dir, "report.html")))
		if string(first) != string(second) {
			t.Errorf("%s makes another page than %s", again, line)
		}
		forward := strings.Contains(line, "timed.db --") || strings.Contains(line, "folds.db --seed")
		check.Is(t, strings.Contains(string(first), "each block of subgraphs is predicted from those before it"), forward, "inner folds of %s go forward", line)
		check.Is(t, strings.Contains(string(first), "the smallest within one standard error"), forward, "parsimony of %s", line)
		if strings.Contains(line, "--forward") {
			check.Contains(t, string(first), "the 3 test parts, which begin at 2020-01-", "folds")
			check.Contains(t, string(first), "Of a test part at most 4 subgraphs were tested", "folds")
		}
	}
}
