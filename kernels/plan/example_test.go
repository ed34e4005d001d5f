package plan_test

import (
	"fmt"

	"resolwe/format/mln"
	"resolwe/kernels/plan"
)

// Two formulas that share a join share its node.
func ExampleProgram() {
	model, err := mln.Parse("model.mln", []byte(`
		category(page, topic)
		edit(page, user)
		target likes(user, page)
		category(x, c) ^ category(y, c) ^ edit(x, u) => likes(u, y)`), mln.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	f := model.Formulas[0]
	selector := f.Body.(*mln.Implies).L.(*mln.And)
	var literals []mln.Literal
	for _, x := range selector.Xs {
		literals = append(literals, mln.Literal{Atom: x.(*mln.Atom)})
	}
	prog := plan.NewProgram(&model.Schema)
	for range 2 {
		conj, binder := prog.Conjunction(f.Vars, literals)
		head := binder.Args(f.Body.(*mln.Implies).R.(*mln.Atom))
		query := prog.Query(conj, []int{int(head[0]), int(head[1])})
		fmt.Println(query.Reduced, query.Mats[0].Node == prog.Queries[0].Mats[0].Node)
	}
	// Output:
	// true true
	// true true
}
