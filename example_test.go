package resolwe_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

const exampleTask = `edits(article, user)
links(article, article)
target modifies(article, user)
template NEAR(t1, t2) = links(t1, t2) | links(t2, t1)
edits(t1, u) ^ NEAR(t1, t2) => modifies(t2, u)
`

const exampleFacts = `@subgraph monday
edits(Go, Ann)
links(Go, C)
links(C, Unix)
modifies(C, Ann)
@subgraph tuesday
edits(Perl, Bob)
edits(C, Ann)
links(Perl, C)
links(C, Unix)
modifies(C, Bob)
@subgraph wednesday
edits(C, Ann)
links(C, Unix)
links(Perl, C)
modifies(Unix, Ann)
@subgraph thursday
edits(Go, Bob)
links(Go, C)
links(Perl, Go)
modifies(C, Bob)
`

// example returns the model and its facts.
func example() (*resolwe.Model, *resolwe.Stream, error) {
	m, err := resolwe.ParseModel("task.mln", []byte(exampleTask), resolwe.ModelOptions{})
	if err != nil {
		return nil, nil, err
	}
	s, err := resolwe.OpenStream(m, []string{"-"}, resolwe.StreamOptions{Names: true, Stdin: strings.NewReader(exampleFacts)})
	return m, s, err
}

func ExampleParseModel() {
	m, err := resolwe.ParseModel("task.mln", []byte(exampleTask), resolwe.ModelOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range m.Formulas {
		fmt.Println(mln.FormatFormula(f))
	}
	_, err = resolwe.ParseModel("task.mln", []byte("edits(article, user)\nedits(a, u) => modifys(a, u)\n"), resolwe.ModelOptions{})
	fmt.Println(errors.As(err, new(mln.ErrorList)))
	// Output:
	// edits(t1, u) ^ links(t1, t2) => modifies(t2, u)
	// edits(t1, u) ^ links(t2, t1) => modifies(t2, u)
	// true
}

func ExampleOpenStream() {
	m, err := resolwe.ParseModel("task.mln", []byte(exampleTask), resolwe.ModelOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := resolwe.OpenStream(m, []string{"testdata/week.db"}, resolwe.StreamOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	entries, err := s.Entries(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range entries {
		fmt.Println(e.Index, e.Name)
	}
	// Output:
	// 0 monday
	// 1 tuesday
	// 2 wednesday
	// 3 thursday
}

func ExampleNewStream() {
	m, err := resolwe.ParseModel("task.mln", []byte(exampleTask), resolwe.ModelOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	b := subgraph.NewBuilder(m.Schema)
	b.Reset("monday", "", -1)
	article, user := m.Schema.Type("article"), m.Schema.Type("user")
	b.Add(m.Schema.Predicate("edits"), []uint32{b.Entity(article, "Go"), b.Entity(user, "Ann")}, subgraph.True)
	monday, err := b.Finish()
	if err != nil {
		fmt.Println(err)
		return
	}
	s := resolwe.NewStream(m, []*subgraph.Subgraph{monday})
	err = resolwe.Counts(context.Background(), m, s, resolwe.Run{}, func(name string, counts []int64) error {
		fmt.Println(name, counts)
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: monday [1 1]
}

func ExampleSelect() {
	m, s, err := example()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	sel, err := resolwe.Select(context.Background(), m, s, resolwe.DefaultSelectOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range sel.Candidates {
		c := &sel.Candidates[i]
		fmt.Printf("%.3f over %d: %s\n", c.Joint.Mean.Value(), c.Joint.Mean.Defined(), mln.FormatFormula(c.Candidate.Formula))
	}
	selected, note := sel.Model(m)
	if err := selected.Write(os.Stdout, note); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0.875 over 4: edits(t1, u) ^ links(t1, t2) => modifies(t2, u)
	// 0.000 over 3: edits(t1, u) ^ links(t2, t1) => modifies(t2, u)
	// edits(article, user)
	// links(article, article)
	// target modifies(article, user)
	//
	// // P(Q | E) = 0.875 over 4 subgraphs; 4 of 5 selected groundings true
	// edits(t1, u) ^ links(t1, t2) ^ modifies(t2, u)
}

func ExampleLearn() {
	m, s, err := example()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	opt := resolwe.DefaultLearnOptions()
	opt.Subgraphs = 4 // standard input does not tell
	learned, err := resolwe.Learn(context.Background(), m, s, opt)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range learned.Model.Formulas {
		fmt.Printf("%+.1f %s\n", f.Weight, mln.FormatFormula(f))
	}
	fmt.Printf("log-likelihood with the prior %.1f\n", learned.Objective)
	// Output:
	// +2.1 edits(t1, u) ^ links(t1, t2) => modifies(t2, u)
	// -0.6 edits(t1, u) ^ links(t2, t1) => modifies(t2, u)
	// -1.6 modifies(a, u)
	// log-likelihood with the prior -5.4
}

func ExampleInfer() {
	m, err := resolwe.ParseModel("task.mln", []byte("edits(article, user)\ntarget modifies(article, user)\n1.5 edits(t, u) => modifies(t, u)\n"), resolwe.ModelOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	stdin := strings.NewReader("@entity user Ann\nedits(Go, Bob)\n")
	s, err := resolwe.OpenStream(m, []string{"-"}, resolwe.StreamOptions{Names: true, Stdin: stdin})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	err = resolwe.Infer(context.Background(), m, s, resolwe.DefaultInferOptions(), func(r *resolwe.Marginals) error {
		for i, p := range r.P {
			fmt.Printf("%s %.3f\n", r.Atom(i), p)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// modifies(Go, Ann) 0.500
	// modifies(Go, Bob) 0.818
}

func ExampleEvaluate() {
	m, err := resolwe.ParseModel("task.mln", []byte(exampleTask+"2 edits(t1, u) ^ links(t1, t2) => modifies(t2, u)\n"), resolwe.ModelOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := resolwe.OpenStream(m, []string{"testdata/week.db"}, resolwe.StreamOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	e, err := resolwe.Evaluate(context.Background(), m, s, resolwe.DefaultInferOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("MAP %.3f, AUC-ROC %.3f, CLL %.3f on %d subgraphs\n", e.MAP, e.AUCROC, e.CLL, e.Subgraphs)
	// Output: MAP 0.938, AUC-ROC 0.975, CLL -0.588 on 4 subgraphs
}

func ExampleCrossValidate() {
	m, err := resolwe.ParseModel("task.mln", []byte(exampleTask), resolwe.ModelOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := resolwe.OpenStream(m, []string{"testdata/week.db"}, resolwe.StreamOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	opt := resolwe.DefaultCrossOptions()
	opt.Folds, opt.Select.Subgraphs = 2, 1
	c, err := resolwe.CrossValidate(context.Background(), m, s, opt)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, system := range c.Systems {
		fmt.Printf("%s: MAP %.3f with %v formulas\n", system.Name, system.MAP, system.Formulas)
	}
	// Output:
	// resolwe: MAP 0.938 with [1 1] formulas
	// skipSelection: MAP 0.938 with [2 2] formulas
}
