package database_test

import (
	"context"
	"fmt"
	"time"

	"resolwe/bench/peers/database"
)

func ExampleSQLite() {
	ctx := context.Background()
	db, err := database.SQLite(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	counts, _, err := db.Count(ctx, "SELECT COUNT(*), SUM(x) FROM (SELECT 3 AS x UNION SELECT 4)", time.Minute)
	fmt.Println(counts, err)
	// Output: [2 7] <nil>
}
