package subgraph_test

import (
	"fmt"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// A subgraph of three people, read back through the index of a binary relation.
func ExampleBuilder() {
	schema := &mln.Schema{
		Types: []string{"person"},
		Predicates: []mln.Predicate{
			{Name: "friends", Args: []int{0, 0}, Role: mln.RoleEvidence},
			{Name: "smokes", Args: []int{0}, Role: mln.RoleTarget},
		},
	}
	b := subgraph.NewBuilder(schema)
	b.Reset("monday", "Anna", -1)
	anna, bob, carl := b.Entity(0, "Anna"), b.Entity(0, "Bob"), b.Entity(0, "Carl")
	b.Add(0, []uint32{anna, bob}, subgraph.True)
	b.Add(0, []uint32{anna, carl}, subgraph.True)
	b.Add(1, []uint32{bob}, subgraph.Unknown)
	s, err := b.Finish()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, friend := range s.Relations[0].True.Forward.Row(anna) {
		fmt.Println(s.Domains[0].Names.Name(friend))
	}
	fmt.Println(s.Relations[1].Unknown.Len(), "query atom")
	// Output:
	// Bob
	// Carl
	// 1 query atom
}
