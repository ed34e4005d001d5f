package report_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"resolwe"
	"resolwe/report"
)

// try returns what gives a value. A program tells people of the error.
func try[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// The page of a model with weights, and how well it predicts the subgraph that it saw.
func ExampleMake() {
	m := try(resolwe.ParseModel("smokers.mln", []byte(`friends(person, person)
target smokes(person)
-1 smokes(x)
2 friends(x, y) ^ smokes(x) => smokes(y)
`), resolwe.ModelOptions{}))
	dir := try(os.MkdirTemp("", ""))
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "facts.db")
	facts := "friends(Anna, Bob)\nfriends(Bob, Anna)\nfriends(Carl, Dan)\nsmokes(Anna)\nsmokes(Bob)\n"
	if err := os.WriteFile(path, []byte(facts), 0o600); err != nil {
		panic(err)
	}
	s := try(resolwe.OpenStream(m, []string{path}, resolwe.StreamOptions{Names: true}))
	defer s.Close()
	r := try(report.Make(context.Background(), m, s, report.Options{}))
	var page bytes.Buffer
	if err := r.Write(&page); err != nil {
		panic(err)
	}
	fmt.Println(len(r.Formulas), "formulas; charts:", bytes.Contains(page.Bytes(), []byte("<svg")))
	// Output: 2 formulas; charts: true
}
