package naive_test

import (
	"fmt"
	"math/rand/v2"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/naive"
)

func ExampleWorld_Enumerate() {
	// smokes(x) => cancer(x) with weight 1.5.
	schema := &mln.Schema{
		Types: []string{"person"},
		Predicates: []mln.Predicate{
			{Name: "smokes", Args: []int{0}, Role: mln.RoleEvidence},
			{Name: "cancer", Args: []int{0}, Role: mln.RoleTarget},
		},
	}
	x := []mln.Term{{Kind: mln.TermVariable, Name: "x"}}
	formula := &mln.Formula{
		Body:   &mln.Implies{L: &mln.Atom{Pred: 0, Args: x}, R: &mln.Atom{Pred: 1, Args: x}},
		Vars:   []mln.Variable{{Name: "x"}},
		Free:   1,
		Weight: 1.5, HasWeight: true,
	}
	b := subgraph.NewBuilder(schema)
	b.Reset("s", "", -1)
	b.Entity(0, "Bob")
	b.Add(0, []uint32{b.Entity(0, "Anna")}, subgraph.True)
	s, err := b.Finish()
	if err != nil {
		fmt.Println(err)
		return
	}
	w := naive.NewWorld(schema, nil, s)
	rules := naive.Rules{UnknownExist: true}
	d, err := w.Enumerate([]*mln.Formula{formula}, nil, rules)
	if err != nil {
		fmt.Println(err)
		return
	}
	marginals := d.Marginals()
	for i, a := range w.QueryAtoms(rules) {
		fmt.Printf("cancer(%s) %.3f\n", a.Args[0], marginals[i])
	}
	// Output:
	// cancer(Bob) 0.500
	// cancer(Anna) 0.818
}

func ExampleRandomTask() {
	model, db := naive.RandomTask(rand.New(rand.NewPCG(1, 0)), naive.TaskOptions{Formulas: 2, Subgraphs: 1, Entities: 2})
	_, err := mln.Parse("model.mln", []byte(model), mln.Options{})
	fmt.Println(err, len(db) > 0)
	// Output: <nil> true
}
