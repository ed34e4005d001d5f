package report_test

import (
	"fmt"
	"math"
	"os"

	"resolwe/cmd/internal/report"
	"resolwe/internal/render"
	"resolwe/internal/stage/learning"
)

func ExampleTable() {
	t := render.NewTable("lr", "measure", "value")
	t.Row("MAP", render.Number(0.86111))
	t.Row("AUC-PR", render.Number(math.NaN()))
	if err := t.Write(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// measure   value
	// MAP      0.8611
	// AUC-PR        -
}

func ExampleWriteCurve() {
	err := report.WriteCurve(os.Stdout, []learning.Point{
		{Pass: 0, Index: 30, Atoms: 4, PLL: -0.6, CLL: -0.7, Exact: true},
		{Pass: 0, Index: 31, Atoms: 9, PLL: -0.2},
		{Pass: 1, Index: 30, Atoms: 4, PLL: -0.3, CLL: -0.4, Exact: true},
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// pass,subgraph,atoms,pll,pll_mean,cll,cll_mean
	// 0,30,4,-0.600000,-0.600000,-0.700000,-0.700000
	// 0,31,9,-0.200000,-0.400000,,-0.700000
	// 1,30,4,-0.300000,-0.300000,-0.400000,-0.400000
}
