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

// try returns what gives a value. A program tells people of the error.
func try[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// example returns the model and its facts.
func example() (*resolwe.Model, *resolwe.Stream) {
	m := try(resolwe.ParseModel("task.mln", []byte(exampleTask), resolwe.ModelOptions{}))
	return m, try(resolwe.OpenStream(m, []string{"-"}, resolwe.StreamOptions{Names: true, Stdin: strings.NewReader(exampleFacts)}))
}

func ExampleParseModel() {
	m := try(resolwe.ParseModel("task.mln", []byte(exampleTask), resolwe.ModelOptions{}))
	for _, f := range m.Formulas {
		fmt.Println(mln.FormatFormula(f))
	}
	_, err := resolwe.ParseModel("task.mln", []byte("edits(article, user)\nedits(a, u) => modifys(a, u)\n"), resolwe.ModelOptions{})
	fmt.Println(errors.As(err, new(mln.ErrorList)))
	// Output:
	// edits(t1, u) ^ links(t1, t2) => modifies(t2, u)
	// edits(t1, u) ^ links(t2, t1) => modifies(t2, u)
	// true
}

func ExampleOpenStream() {
	m := try(resolwe.ParseModel("task.mln", []byte(exampleTask), resolwe.ModelOptions{}))
	s := try(resolwe.OpenStream(m, []string{"testdata/week.db"}, resolwe.StreamOptions{}))
	defer s.Close()
	entries := try(s.Entries(context.Background()))
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
	m := try(resolwe.ParseModel("task.mln", []byte(exampleTask), resolwe.ModelOptions{}))
	b := subgraph.NewBuilder(m.Schema)
	b.Reset("monday", "", -1)
	article, user := m.Schema.Type("article"), m.Schema.Type("user")
	b.Add(m.Schema.Predicate("edits"), []uint32{b.Entity(article, "Go"), b.Entity(user, "Ann")}, subgraph.True)
	monday := try(b.Finish())
	s := resolwe.NewStream(m, []*subgraph.Subgraph{monday})
	for counts, err := range resolwe.Counts(context.Background(), m, s, resolwe.Run{}) {
		fmt.Println(counts, err)
	}
	// Output: [1 1] <nil>
}

// Subgraphs that a program makes itself, as many as it likes: they are made anew whenever they are read.
func ExampleStreamOf() {
	const task = `follows(user, user)
target buys(user, thing)
follows(u, v) ^ buys(v, t) => buys(u, t)
follows(v, u) ^ buys(v, t) => buys(u, t)
`
	m := try(resolwe.ParseModel("task.mln", []byte(task), resolwe.ModelOptions{}))
	b := subgraph.NewBuilder(m.Schema)
	group := func(n int, known bool) (*subgraph.Subgraph, error) { // a leader, three who follow, and three whom the leader follows
		b.Reset(fmt.Sprint("group ", n), "", -1)
		truth := subgraph.Unknown
		if known {
			truth = subgraph.True
		}
		b.Fact("buys", subgraph.True, "leader", "book")
		for i := range 3 {
			b.Fact("follows", subgraph.True, fmt.Sprint("fan", i), "leader")
			b.Fact("follows", subgraph.True, "leader", fmt.Sprint("star", i))
			if (n+i)%5 > 0 {
				b.Fact("buys", truth, fmt.Sprint("fan", i), "book")
			}
		}
		return b.Finish()
	}
	groups := func(yield func(*subgraph.Subgraph, error) bool) {
		for n := range 60 {
			if !yield(group(n, true)) {
				return
			}
		}
	}
	ctx := context.Background()
	s := resolwe.StreamOf(m, groups)
	sel := try(resolwe.Select(ctx, m, s, resolwe.SelectOptions{Criterion: resolwe.Paper}))
	chosen, _ := sel.Model(m)
	learned := try(resolwe.Learn(ctx, chosen, s, resolwe.LearnOptions{}))
	for _, f := range learned.Model.Formulas {
		fmt.Printf("%+.1f %s\n", f.Weight, mln.FormatFormula(f))
	}
	next := try(group(60, false))
	scores := try(resolwe.Score(ctx, learned.Model, next, resolwe.InferOptions{Given: true}))
	for i, p := range scores.P {
		if scores.Truth(i) == subgraph.Unknown {
			fmt.Printf("%s %.2f\n", scores.Atom(i), p)
		}
	}
	// Output:
	// -5.0 follows(u, v) ^ buys(u, t) => buys(v, t)
	// +1.4 follows(u, v) ^ buys(v, t) => buys(u, t)
	// -0.2 buys(u, t)
	// buys("fan1", "book") 0.77
	// buys("fan2", "book") 0.77
}

func ExampleSelect() {
	m, s := example()
	defer s.Close()
	sel := try(resolwe.Select(context.Background(), m, s, resolwe.SelectOptions{Criterion: resolwe.Paper}))
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
	m, s := example()
	defer s.Close()
	opt := resolwe.LearnOptions{Objective: true}
	opt.Subgraphs = 4 // standard input does not tell
	learned := try(resolwe.Learn(context.Background(), m, s, opt))
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
	m := try(resolwe.ParseModel("task.mln", []byte("edits(article, user)\ntarget modifies(article, user)\n1.5 edits(t, u) => modifies(t, u)\n"), resolwe.ModelOptions{}))
	stdin := strings.NewReader("@entity user Ann\nedits(Go, Bob)\n")
	s := try(resolwe.OpenStream(m, []string{"-"}, resolwe.StreamOptions{Names: true, Stdin: stdin}))
	defer s.Close()
	for r, err := range resolwe.Infer(context.Background(), m, s, resolwe.InferOptions{}) {
		if err != nil {
			fmt.Println(err)
			break
		}
		for i, p := range r.P {
			fmt.Printf("%s %.3f\n", r.Atom(i), p)
		}
	}
	// Output:
	// modifies(Go, Ann) 0.500
	// modifies(Go, Bob) 0.818
}

func ExampleMap() {
	task := "likes(user, user)\ntarget reads(user, paper)\n2 likes(u, v) ^ reads(u, p) => reads(v, p)\n0.5 reads(u, p)\nreads(u, p) ^ reads(u, q) => p = q.\n"
	m := try(resolwe.ParseModel("task.mln", []byte(task), resolwe.ModelOptions{}))
	stdin := strings.NewReader("@entity paper Times Post\nlikes(Ann, Bob)\nreads(Ann, Post)\n")
	s := try(resolwe.OpenStream(m, []string{"-"}, resolwe.StreamOptions{Names: true, Stdin: stdin}))
	defer s.Close()
	for r, err := range resolwe.Map(context.Background(), m, s, resolwe.MapOptions{Given: true}) {
		if err != nil {
			fmt.Println(err)
			break
		}
		for i, x := range r.X {
			fmt.Println(r.Atom(i), x)
		}
		fmt.Println("log-weight", r.LogWeight)
	}
	// Output:
	// reads(Ann, Times) false
	// reads(Ann, Post) true
	// reads(Bob, Times) false
	// reads(Bob, Post) true
	// log-weight 17
}

func ExampleEvaluate() {
	m := try(resolwe.ParseModel("task.mln", []byte(exampleTask+"2 edits(t1, u) ^ links(t1, t2) => modifies(t2, u)\n"), resolwe.ModelOptions{}))
	s := try(resolwe.OpenStream(m, []string{"testdata/week.db"}, resolwe.StreamOptions{}))
	defer s.Close()
	e := try(resolwe.Evaluate(context.Background(), m, s, resolwe.InferOptions{}))
	fmt.Printf("MAP %.3f, AUC-ROC %.3f, CLL %.3f on %d subgraphs\n", e.MAP, e.AUCROC, e.CLL, e.Subgraphs)
	// Output: MAP 0.938, AUC-ROC 0.975, CLL -0.588 on 4 subgraphs
}

func ExampleDiscover() {
	m := try(resolwe.ReadModel("testdata/week.mln", resolwe.ModelOptions{})).With(nil) // the declarations alone
	s := try(resolwe.OpenStream(m, []string{"testdata/week.db"}, resolwe.StreamOptions{}))
	defer s.Close()
	found := try(resolwe.Discover(context.Background(), m, s, resolwe.DiscoverOptions{Length: 2, Support: 4}))
	fmt.Println(len(found.Model.Formulas), "candidates, such as", mln.FormatFormula(found.Model.Formulas[14]))
	// Output:
	// 27 candidates, such as links(a2, a1) ^ edits(a2, u1) => modifies(a1, u1)
}

func ExampleCounts() {
	m, s := example()
	for counts, err := range resolwe.Counts(context.Background(), m, s, resolwe.Run{}) {
		fmt.Println(counts, err)
	}
	// Output:
	// [9 9] <nil>
	// [17 17] <nil>
	// [9 8] <nil>
	// [9 8] <nil>
}

func ExampleBuild() {
	dir := try(os.MkdirTemp("", "tables"))
	defer os.RemoveAll(dir)
	_ = os.WriteFile(dir+"/friends.csv", []byte("a,b\nAnn,Bob\nBob,Cleo\n"), 0o600)
	m := try(resolwe.ParseModel("task.mln", []byte("knows(user)\ntarget listed friend(user)\n"), resolwe.ModelOptions{}))
	const recipe = `table f(user, user) from "friends.csv" (a, b)
center c        :- f(c, _)
friend(x)       :- f(@center, x)
knows(x)        :- f(x, _), f(@center, x)
`
	_, err := resolwe.Build(context.Background(), m, "task.recipe", []byte(recipe), resolwe.BuildOptions{Dir: dir}, func(s *subgraph.Subgraph) error {
		fmt.Println(s.Name, "has", s.Relations[1].True.Len(), "query atom")
		return nil
	})
	fmt.Println(err)
	// Output:
	// Ann has 1 query atom
	// Bob has 1 query atom
	// <nil>
}
