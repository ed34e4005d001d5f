package demo_test

import (
	"fmt"

	"resolwe/bench/demo"
	"resolwe/format/mln"
)

func ExampleTask() {
	d := demo.New()
	m, err := mln.Parse("demo.mln", []byte(d.Model), mln.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(m.Formulas), "formulas; planted:")
	for i, f := range d.Planted {
		fmt.Println(d.Strengths[i], f)
	}
	user, modifies := m.Schema.Type("user"), m.Schema.Predicate("modifies")
	for s, err := range d.Generate(&m.Schema, demo.Options{Subgraphs: 3, Seed: 1}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		r := &s.Relations[modifies]
		fmt.Printf("%s: %d users, modifies true %d, false %d\n", s.Name, s.Domains[user].Size, r.True.Len(), r.False.Len())
	}
	// Output:
	// 44 formulas; planted:
	// 4.5 articleEdit(t1, u) ^ articleTalk(t1, u) ^ similar(t1, t2) ^ hyperLink(t1, t2) => modifies(t2, u)
	// 4 member(u, c) ^ level2Topic(t, c) => modifies(t, u)
	// 3.5 userTalk(u1, u2) ^ modifies(t, u1) => modifies(t, u2)
	// s1: 29 users, modifies true 12, false 104
	// s2: 24 users, modifies true 16, false 80
	// s3: 26 users, modifies true 8, false 96
}
