package building_test

import (
	"os"
	"path/filepath"
	"testing"

	"resolwe/format/mln"
	"resolwe/format/origin"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/building"
	"resolwe/internal/stage/run"
	"resolwe/internal/test/check"
)

// originOf builds from a table of eight people.
func originOf(t *testing.T, notes string) *origin.Origin {
	t.Helper()
	dir := t.TempDir()
	const people = "name,team,age,since,note,plan\n" +
		"ann,a,-1,2020-01-01,,Y\nbob,a,20,2020-01-03,,N\ncid,a,20,2020-01-05,,Y\ndan,a,30,2020-01-07,,Y\n" +
		"eve,b,,2020-01-09,,Y\nfay,b,40,2020-01-11,,Y\ngus, ,9999,2020-01-13,,Y\nhal,b,40,2020-01-13,,Y\n"
	check.OK(t, os.WriteFile(filepath.Join(dir, "people.csv"), []byte(people), 0o600))
	schema, err := mln.Parse("m.mln", []byte("target listed old(person)\nplan(person, plan)\n"), mln.Options{})
	check.OK(t, err)
	const recipe = `table people(person, team, int, day, plan) from "people.csv" (name, team, optional int(age), date(since), plan)
center p :- people(p, "a", _, d, _)
old(@center) :- people(@center, _, n, _, _), n >= 30
!old(@center) :- people(@center, _, n, _, _), n < 30
`
	built, err := building.Build(t.Context(), &run.Model{Schema: &schema.Schema}, "r.recipe", []byte(notes+recipe), building.Options{Dir: dir},
		func(*subgraph.Subgraph) error { return nil })
	check.OK(t, err)
	return built.Origin
}

// TestBuild_Columns tells columns as they were counted by hand.
func TestBuild_Columns(t *testing.T) {
	t.Parallel()
	const eighth = 1. / 8
	check.Equal(t, "columns", originOf(t, "").Columns, []origin.Column{
		{Table: "people", Name: "name", Kind: "identifier", Typical: "ann", Share: eighth, Distinct: 8, Use: "used"},
		{Table: "people", Name: "team", Kind: "category", Typical: "a", Share: .5, Distinct: 3, Use: "used", Alerts: []string{"a blank is a value"}},
		{
			Table: "people", Name: "age", Kind: "number", Typical: "30", Share: 1. / 7, Missing: eighth, Distinct: 5, Use: "used",
			Bars:   []float64{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, .167},
			Alerts: []string{"-1 may mean that there is no value", "9999 may mean that there is no value"},
		},
		{
			Table: "people", Name: "since", Kind: "date", Typical: "2020-01-07", Share: eighth, Distinct: 7, Use: "used",
			Bars: []float64{.5, 0, .5, 0, .5, 0, .5, 0, .5, 0, .5, 1},
		},
		{Table: "people", Name: "plan", Kind: "flag", Typical: "Y", Share: 7 * eighth, Distinct: 2, Use: "not used", Reason: "no rule reads it"},
	})
}

// TestBuild_Notes reads what the recipe says of columns in its comments.
func TestBuild_Notes(t *testing.T) {
	t.Parallel()
	got := originOf(t, "//= drafted\n//= trusted \"people\" \"age\"\n//= trusted \"people\"\n//= hidden \"people\" \"plan\": it is late: \"x\"\n"+
		"//= unused \"people\" \"note\": no cell holds anything\n//= other\n//= hidden \"people\n// //= hidden \"a\" \"b\": c\n")
	check.Is(t, got.Drafted, true, "drafted")
	check.Slices(t, got.Trusted, []string{"people.age", "people"}, "trusted")
	n := len(got.Columns)
	check.Is(t, n, 6, "columns")
	plan, note := got.Columns[n-2], got.Columns[n-1]
	check.Slices(t, []string{plan.Use, plan.Reason, plan.Kind}, []string{"hidden", "it is late: \"x\"", "flag"}, "plan")
	check.Slices(t, []string{note.Table, note.Name, note.Use, note.Reason}, []string{"people", "note", "not used", "no cell holds anything"}, "note")
	bare := originOf(t, "")
	check.Is(t, bare.Drafted, false, "drafted by hand")
	check.Empty(t, bare.Trusted, "trusted by hand")
}
