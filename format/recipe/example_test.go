package recipe_test

import (
	"fmt"

	"resolwe/format/mln"
	"resolwe/format/recipe"
)

func ExampleParse() {
	model, err := mln.Parse("task.mln", []byte("follows(user, user)\ntarget listed likes(user)\n"), mln.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	const text = `table follow(user, user) from "follow.csv" (from, to)
fans(u, count(f)) :- follow(f, u)
center c          :- fans(c, n), n >= 2
near(u)           :- follow(u, @center)
follows(u, v)     :- near(u), follow(u, v)
likes(u)          :- near(u), !follow(@center, u)
`
	r, err := recipe.Parse("fans.recipe", []byte(text), &model.Schema)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, rel := range r.Relations {
		fmt.Print(rel.Name)
		for _, c := range rel.Columns {
			fmt.Print(" ", r.TypeName(c))
		}
		fmt.Println(" differs from center to center:", rel.Local)
	}
	// Output:
	// follow user user differs from center to center: false
	// fans user int differs from center to center: false
	// center user differs from center to center: false
	// near user differs from center to center: true
	// follows user user differs from center to center: true
	// likes user differs from center to center: true
}
