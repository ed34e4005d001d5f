package selection_test

import (
	"fmt"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/selection"
)

// Of three atoms buys(A, ..) that the candidate selects, two are true.
func ExampleCounter() {
	model, err := mln.Parse("model.mln", []byte(`
		knows(person, person)
		likes(person, item)
		target buys(person, item)
		knows(x, y) ^ likes(y, i) => buys(x, i)`), mln.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	candidates, _, err := mln.Candidates(model)
	if err != nil {
		fmt.Println(err)
		return
	}
	b := subgraph.NewBuilder(&model.Schema)
	b.Reset("s1", "", -1)
	anna, bob := b.Entity(0, "Anna"), b.Entity(0, "Bob")
	b.Add(0, []uint32{anna, bob}, subgraph.True)
	for _, name := range []string{"Book", "Pen", "Cup"} {
		item := b.Entity(1, name)
		b.Add(1, []uint32{bob, item}, subgraph.True)
		if name != "Cup" {
			b.Add(2, []uint32{anna, item}, subgraph.True)
		}
	}
	sub, err := b.Finish()
	if err != nil {
		fmt.Println(err)
		return
	}
	task, err := selection.Compile(&model.Schema, candidates, selection.Paper)
	if err != nil {
		fmt.Println(err)
		return
	}
	counter := selection.NewCounter(task)
	if err := counter.Add(sub); err != nil {
		fmt.Println(err)
		return
	}
	joint := &counter.Totals[0].Joint
	fmt.Println(joint.True, "of", joint.Selected)
	fmt.Println(joint.Keep(selection.Paper, selection.NewThreshold(0.4)))
	// Output:
	// 2 of 3
	// true
}
