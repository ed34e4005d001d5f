package ground_test

import (
	"fmt"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/ground"
)

// Anna has two smoking friends, so the formula ties her to each of them; of herself it says nothing.
func ExampleGrounder_Ground() {
	model, sub := friends()
	net, atoms, err := ground.NewGrounder(ground.Compile(&model.Schema, model.Formulas, ground.Predicting)).Ground(sub)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("always true:", net.Constant[0])
	for a := range net.NumAtoms {
		for _, c := range net.Unary[net.UnaryStart[a]:net.UnaryStart[a+1]] {
			fmt.Printf("%+d %s\n", c.Mult, atoms.Name(atoms.Query(a)))
		}
	}
	for i, p := range net.Pairs {
		fmt.Printf("%+d %s ^ %s\n", net.PairCoefs[i].Mult, atoms.Name(int(p.A)), atoms.Name(int(p.B)))
	}
	// Output:
	// always true: 9
	// -2 smokes(Anna)
	// +1 smokes(Anna) ^ smokes(Bob)
	// +1 smokes(Anna) ^ smokes(Carl)
}

// friends returns a model, and a subgraph in which Anna has two friends.
func friends() (*mln.Model, *subgraph.Subgraph) {
	model, err := mln.Parse("model.mln", []byte(`
		friends(person, person)
		target smokes(person)
		1.5 friends(x, y) ^ smokes(x) => smokes(y)`), mln.Options{})
	if err != nil {
		panic(err)
	}
	b := subgraph.NewBuilder(&model.Schema)
	b.Reset("s1", "", -1)
	anna := b.Entity(0, "Anna")
	for _, name := range []string{"Bob", "Carl"} {
		b.Add(0, []uint32{anna, b.Entity(0, name)}, subgraph.True)
	}
	sub, err := b.Finish()
	if err != nil {
		panic(err)
	}
	return model, sub
}
