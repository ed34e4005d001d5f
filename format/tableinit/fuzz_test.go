package tableinit_test

import (
	"os"
	"path/filepath"
	"testing"

	"resolwe/format/mln"
	"resolwe/format/recipe"
	"resolwe/format/tableinit"
	"resolwe/internal/test/check"
)

// FuzzInfer drafts for any two tables: what comes out is a task and a recipe that parse.
func FuzzInfer(f *testing.F) {
	f.Add("who,what,day\na,x,2020-01-01\nb,y,2020-01-02\na,y,2020-01-03\n", "what,kind,price\nx,1,2.5\ny,2,\n", "buys.who", "buys(who, what)")
	f.Add("who\twhat\na\tx\n", "who;age\na;1\n", "t.who", "buys(what, who)")
	f.Add("who,yes\na,1\nb,0\n", "", "buys.who", "buys(who, yes)")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, buys, others, center, target string) {
		check.OK(t, os.WriteFile(filepath.Join(dir, "buys.csv"), []byte(buys), 0o600))
		check.OK(t, os.WriteFile(filepath.Join(dir, "others.csv"), []byte(others), 0o600))
		d, err := tableinit.Infer(t.Context(), dir, tableinit.Options{Center: center, Target: target})
		if err != nil {
			return
		}
		task, err := mln.Parse("task.mln", d.Task, mln.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, d.Task)
		}
		if _, err := recipe.Parse("task.recipe", d.Recipe, &task.Schema); err != nil {
			t.Fatalf("%v\n%s", err, d.Recipe)
		}
	})
}
