package report_test

import (
	"context"
	"fmt"

	"resolwe"
	"resolwe/internal/test/streamtest"
	"resolwe/report"
)

// A report on a task. Its Write writes the page.
func ExampleMake() {
	m := streamtest.Try(resolwe.ReadModel("../testdata/week.mln", resolwe.ModelOptions{}))
	s := streamtest.Try(resolwe.OpenStream(m, []string{"../testdata/week.db"}, resolwe.StreamOptions{Names: true}))
	defer s.Close()
	var opt report.Options
	opt.Cross.Folds = 2
	r := streamtest.Try(report.Make(context.Background(), m, s, opt))
	fmt.Printf("%d subgraphs, %d candidates, %d formulas\n", r.Data.Subgraphs, r.Candidates, len(r.Formulas))
	for _, system := range r.Cross.Systems[:2] {
		fmt.Printf("%s: MAP %.3f\n", system.Name, system.MAP)
	}
	// Output:
	// 4 subgraphs, 2 candidates, 3 formulas
	// gain: MAP 0.743
	// base: MAP 0.560
}
