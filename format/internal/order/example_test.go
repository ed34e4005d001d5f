package order_test

import (
	"fmt"

	"resolwe/format/internal/order"
)

func Example() {
	// A table of the rows 0, 2 and 3 of four.
	rows, cols := []uint32{0, 0, 2, 3, 3}, []uint32{1, 5, 0, 0, 2}
	falls, largest := order.PairFalls(rows, cols)
	fmt.Println("pairs that do not ascend:", falls, "largest column:", largest)
	offsets := []uint32{0, 2, 2, 3, 5}
	fmt.Println("offsets are those of the rows:", order.AreBounds(offsets, rows))

	// Columns fall between rows only.
	all, _ := order.Falls(cols)
	between, _ := order.StartFalls(offsets, cols)
	fmt.Println("falls:", all, "between rows:", between)
	// Output:
	// pairs that do not ascend: 0 largest column: 5
	// offsets are those of the rows: true
	// falls: 2 between rows: 2
}
