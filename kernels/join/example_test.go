package join_test

import (
	"fmt"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// How many paths x -> z -> y are there from each entity to each?
func ExampleScratch_CountRow() {
	model := &mln.Schema{
		Types:      []string{"page"},
		Predicates: []mln.Predicate{{Name: "link", Args: []int{0, 0}, Role: mln.RoleEvidence}},
	}
	b := subgraph.NewBuilder(model)
	b.Reset("s1", "", -1)
	p, q, r, s := b.Entity(0, "P"), b.Entity(0, "Q"), b.Entity(0, "R"), b.Entity(0, "S")
	for _, link := range [][]uint32{{p, q}, {p, r}, {q, s}, {r, s}, {r, p}} {
		b.Add(0, link, subgraph.True)
	}
	sub, err := b.Finish()
	if err != nil {
		fmt.Println(err)
		return
	}
	const x, y, z = 0, 1, 2
	conj := &plan.Conj{Types: []int{0, 0, 0}}
	conj.Add(plan.Literal{Source: plan.SourceTrue, Pred: 0, Args: []plan.Arg{x, z}})
	conj.Add(plan.Literal{Source: plan.SourceTrue, Pred: 0, Args: []plan.Arg{z, y}})
	prog := plan.NewProgram(model)
	query := prog.Query(conj, []int{x, y})
	scratch := join.NewScratch(prog)
	scratch.Reset(sub)
	err = scratch.Counting(func() error {
		row := scratch.CountRow(query.Mats[0].Node, p)
		for i, id := range row.IDs {
			fmt.Println("P to", sub.Domains[0].Names.Name(id), row.At(i))
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// P to P 1
	// P to S 2
}
