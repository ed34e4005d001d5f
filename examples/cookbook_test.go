package examples_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/facts"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// cookbook returns the task and the recipe of the examples in the recipes' reference: the indented lines of the chapter, the
// first of which, up to other text, are the task.
func cookbook(t *testing.T) (task, recipe string) {
	t.Helper()
	text, err := os.ReadFile("../docs/recipes.md")
	check.OK(t, err)
	_, chapter, _ := strings.Cut(string(text), "\n## Cookbook\n")
	parts := []string{""}
	for line := range strings.SplitSeq(chapter, "\n") {
		code, isCode := strings.CutPrefix(line, "    ")
		switch last := &parts[len(parts)-1]; {
		case isCode:
			*last += code + "\n"
		case line != "" && *last != "":
			parts = append(parts, "")
		}
	}
	return parts[0], strings.Join(parts[1:], "")
}

// TestCookbook builds the examples of the reference. Question 6 is nobody's; Bob answers it, Ann and Cy were about.
func TestCookbook(t *testing.T) {
	t.Parallel()
	task, recipe := cookbook(t)
	m, err := resolwe.ParseModel("cookbook.mln", []byte(task), resolwe.ModelOptions{})
	check.OK(t, err)
	const posts = `Id,PostTypeId,ParentId,CreationDate,Score,OwnerUserId
1,1,,2016-01-01T10:00:00,1,Ann
2,2,1,2016-01-02T10:00:00,5,Bob
3,2,1,2016-01-03T10:00:00,,Cy
4,1,,2016-01-20T00:00:00,1,Bob
5,2,4,2016-01-21T00:00:00,2,Ann
6,1,,2016-01-25T12:00:00,0,
7,2,6,2016-01-25T13:00:00,3,Bob
8,2,6,2016-01-26T13:00:00,3,
9,1,,2016-01-27T00:00:00,0,Cy
10,5,,,,
`
	dir := t.TempDir()
	check.OK(t, os.WriteFile(filepath.Join(dir, "Posts.csv"), []byte(posts), 0o600))
	got := map[string]string{}
	built, err := resolwe.Build(context.Background(), m, "cookbook.recipe", []byte(recipe), resolwe.BuildOptions{Dir: dir}, func(s *subgraph.Subgraph) error {
		var b strings.Builder
		err := facts.Write(&b, s, m.Schema)
		got[s.Name] = b.String()
		return err
	})
	check.OK(t, err)
	built.Origin = nil                                                                   // it tells the tables' columns
	check.Equal(t, "built", built, &resolwe.Built{Centers: 3, Subgraphs: 2, Refused: 1}) // nobody answers question 9
	const want = `@subgraph 6 center=6
@entity user Ann Bob Cy
@entity number 0 1 2 5
@entity post 6
recently(Ann, 1)
recently(Bob, 1)
recently(Cy, 1)
score(Ann, 2)
score(Bob, 5)
questions(Ann, 1)
questions(Bob, 1)
questions(Cy, 0)
active(Ann)
knows(Ann, Bob)
knows(Bob, Ann)
knows(Cy, Ann)
anonymous(6)
answers(Bob)
!answers(Ann)
!answers(Cy)
`
	check.Equal(t, "question 6", got["6"], want)
}
