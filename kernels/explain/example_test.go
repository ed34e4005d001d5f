package explain_test

import (
	"fmt"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/explain"
	"resolwe/kernels/ground"
)

// Anna edited two articles about birds, so the log-odds that she is a birder are -3 + 2 * 1.5.
func ExampleExplainer_Odds() {
	model, err := mln.Parse("model.mln", []byte(`
		edited(user, article)
		aboutBirds(article)
		target birder(user)
		-3 birder(u)
		1.5 edited(u, a) ^ aboutBirds(a) => birder(u)`), mln.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	b := subgraph.NewBuilder(&model.Schema)
	b.Reset("s1", "", -1)
	anna := b.Entity(0, "Anna")
	for _, name := range []string{"Heron", "Wren"} {
		article := b.Entity(1, name)
		b.Add(0, []uint32{anna, article}, subgraph.True)
		b.Add(1, []uint32{article}, subgraph.True)
	}
	sub, err := b.Finish()
	if err != nil {
		fmt.Println(err)
		return
	}
	net, atoms, err := ground.NewGrounder(ground.Compile(&model.Schema, model.Formulas, ground.Predicting)).Ground(sub)
	if err != nil {
		fmt.Println(err)
		return
	}
	weights := []float64{-3, 1.5}
	explainer := explain.NewExplainer(&model.Schema, model.Formulas, weights, 3)
	explainer.Bind(net, atoms, []float64{.5})
	odds := explainer.Odds(0)
	for _, r := range odds.Reasons {
		fmt.Printf("formula %d, %v times: %+.1f\n", r.Formula, r.Feature, r.Value)
	}
	fmt.Printf("log-odds: %.1f\n", odds.LogOdds)
	// Output:
	// formula 0, 1 times: -3.0
	// formula 1, 2 times: +3.0
	// log-odds: 0.0
}
