package workload_test

import (
	"context"
	"fmt"

	"resolwe"
	"resolwe/bench/demo"
	"resolwe/bench/workload"
	"resolwe/format/subgraph"
)

func ExampleSelect() {
	d := demo.New()
	m, err := resolwe.ParseModel("demo.mln", []byte(d.Model), resolwe.ModelOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var subs []*subgraph.Subgraph
	for s, err := range d.Generate(m.Schema, demo.Options{Subgraphs: 10, Seed: 1}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		subs = append(subs, s)
	}
	src := workload.Source{Model: m, Open: func() (*resolwe.Stream, error) { return resolwe.NewStream(m, subs), nil }}
	r, err := workload.Select(context.Background(), src, workload.Options{Runs: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Subgraphs, "subgraphs,", r.Groundings, "groundings")
	for _, s := range r.Stages {
		fmt.Println(s.Name, s.Wall.Least > 0)
	}
	// Output:
	// 10 subgraphs, 30500 groundings
	// open true
	// select true
}
