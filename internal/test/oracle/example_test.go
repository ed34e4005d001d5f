package oracle_test

import (
	"fmt"
	"math/rand/v2"

	"resolwe/format/mln"
	"resolwe/internal/test/oracle"
)

func ExampleRandomTask() {
	model, db := oracle.RandomTask(rand.New(rand.NewPCG(1, 0)), oracle.TaskOptions{Formulas: 2, Subgraphs: 1, Entities: 2})
	_, err := mln.Parse("model.mln", []byte(model), mln.Options{})
	fmt.Println(err, len(db) > 0)
	// Output: <nil> true
}
