package gain_test

import (
	"fmt"

	"resolwe/kernels/features"
	"resolwe/kernels/gain"
)

// People are friends of the center where they share at least two pages with it and have no quarrel.
func Example() {
	const pages, quarrel = 0, 1
	b := features.NewBuilder(2, features.BuilderOptions{Seed: 1})
	for s := range 20 {
		sub := features.Subgraph{Name: fmt.Sprint("center", s)}
		for a := range uint32(20) {
			n, q := int64(a%5), int64(a/5%2)
			sub.Cells = append(sub.Cells, features.Cell{Atom: a, Candidate: pages, Count: n}, features.Cell{Atom: a, Candidate: quarrel, Count: q})
			sub.Truth = append(sub.Truth, (n >= 2 && q == 0) != (int(a) == s)) // one exception in each
		}
		if err := b.Add(&sub); err != nil {
			fmt.Println(err)
			return
		}
	}
	m, err := gain.NewMatrix(b, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := m.Select(gain.Options{Formulas: 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	first := res.Path[0]
	fmt.Printf("%s: %+v\n", res.Family, first.Literals)
	fmt.Printf("P = %.2f, base rate %.2f, weight %.1f\n", first.TrueRate, res.BaseRate, res.Weights[0])
	// Output:
	// rules: [{Candidate:1 AtLeast:1 Negated:true AtMost:false Bound:0} {Candidate:0 AtLeast:2 Negated:false AtMost:false Bound:0}]
	// P = 0.95, base rate 0.32, weight 2.3
}
