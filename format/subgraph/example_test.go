package subgraph_test

import (
	"fmt"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

func ExampleBuilder() {
	schema := &mln.Schema{
		Types:      []string{"user"},
		Predicates: []mln.Predicate{{Name: "friends", Args: []int{0, 0}, Role: mln.RoleEvidence}},
	}
	b := subgraph.NewBuilder(schema)
	b.Reset("s1", "Ann", -1)
	ann, bob, cat := b.Entity(0, "Ann"), b.Entity(0, "Bob"), b.Entity(0, "Cat")
	b.Add(0, []uint32{ann, cat}, subgraph.True)
	b.Add(0, []uint32{ann, bob}, subgraph.True)
	s, err := b.Finish()
	if err != nil {
		fmt.Println(err)
		return
	}
	friends := &s.Relations[0].True
	for _, id := range friends.Forward.Row(ann) {
		fmt.Println("Ann has the friend", s.Domains[0].Names.Name(id))
	}
	fmt.Println(len(friends.Backward.Row(ann)), "have the friend Ann")
	// Output:
	// Ann has the friend Bob
	// Ann has the friend Cat
	// 0 have the friend Ann
}
