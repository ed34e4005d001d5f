package derive_test

import (
	"fmt"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/derive"
)

// A counting literal becomes an evidence predicate: here that of the people with at least two friends.
func ExampleScratch_Extend() {
	model, err := mln.Parse("model.mln", []byte(`
		friends(person, person)
		target popular(person)
		#{y: friends(x, y)} >= 2 => popular(x)`), mln.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	b := subgraph.NewBuilder(&model.Schema)
	b.Reset("s1", "", -1)
	anna, bob, carl := b.Entity(0, "Anna"), b.Entity(0, "Bob"), b.Entity(0, "Carl")
	for _, pair := range [][]uint32{{anna, bob}, {anna, carl}, {bob, carl}} {
		b.Add(0, pair, subgraph.True)
	}
	sub, err := b.Finish()
	if err != nil {
		fmt.Println(err)
		return
	}
	relations := derive.New(&model.Schema)
	relations.Formulas(model.Formulas)
	extended, err := derive.NewScratch(relations).Extend(sub)
	if err != nil {
		fmt.Println(err)
		return
	}
	last := len(extended.Relations) - 1
	for _, id := range extended.Relations[last].True.Cols[0] {
		fmt.Println(sub.Domains[0].Names.Name(id))
	}
	// Output: Anna
}
