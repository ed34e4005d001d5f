package relational_test

import (
	"fmt"
	"io"
	"strings"

	"resolwe/format/facts"
	"resolwe/format/mln"

	"resolwe/bench/peers/relational"
)

func ExampleQuery() {
	m, err := mln.Parse("task.mln", []byte(`
friends(person, person)
target listed smokes(person)
friends(x, y) ^ smokes(x) => smokes(y)
`), mln.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	candidates, _, err := mln.Candidates(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := facts.NewReader(strings.NewReader("friends(A, B)\nsmokes(A)\n!smokes(B)\n"), "facts.db", &m.Schema)
	if err != nil {
		fmt.Println(err)
		return
	}
	sub, err := r.Next()
	if err != nil && err != io.EOF { //nolint:errorlint // the example's text is sound
		fmt.Println(err)
		return
	}
	query := relational.Query(candidates[0], sub, 0, relational.FormExists)
	for _, word := range []string{" FROM (", " FROM p1", " WHERE ", " AND EXISTS"} {
		query = strings.ReplaceAll(query, word, "\n"+word[1:])
	}
	fmt.Println(query)
	// Output:
	// SELECT COUNT(*), COALESCE(SUM(t1), 0), COALESCE(SUM(t0), 0), COALESCE(SUM(t0 * t1), 0)
	// FROM (SELECT q0.truth AS t0, q1.truth AS t1
	// FROM p1 q0, p1 q1
	// WHERE q0.s = 0 AND q1.s = 0 AND NOT (q0.a0 = q1.a0)
	// AND EXISTS (SELECT 1 FROM p0 e0
	// WHERE e0.s = 0 AND e0.a0 = q0.a0 AND e0.a1 = q1.a0)) g
}
