package report_test

import (
	"fmt"
	"math"
	"os"

	"resolwe/cmd/internal/report"
)

func ExampleTable() {
	t := report.NewTable("lr", "measure", "value")
	t.Row("MAP", report.Number(0.86111))
	t.Row("AUC-PR", report.Number(math.NaN()))
	if err := t.Write(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// measure   value
	// MAP      0.8611
	// AUC-PR        -
}
