package mln_test

import (
	"fmt"

	"resolwe/format/mln"
)

func ExampleParse() {
	m, err := mln.Parse("task.mln", []byte(`
articleEdit(article, user)
articleTalk(article, user)
hyperLink(article, article)
target listed modifies(article, user)
template EDIT(t, u) compound 2 = articleEdit(t, u) | articleTalk(t, u)
EDIT(t1, u) ^ hyperLink(t1, t2) => modifies(t2, u)
`), mln.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range m.Formulas {
		fmt.Println(mln.FormatFormula(f))
	}
	// Output:
	// articleEdit(t1, u) ^ hyperLink(t1, t2) => modifies(t2, u)
	// articleTalk(t1, u) ^ hyperLink(t1, t2) => modifies(t2, u)
	// articleEdit(t1, u) ^ articleTalk(t1, u) ^ hyperLink(t1, t2) => modifies(t2, u)
}

func ExampleParse_error() {
	_, err := mln.Parse("task.mln", []byte("smokes(person)\n1.5 smoke(x) => smokes(x)\n"), mln.Options{})
	fmt.Println(err)
	// Output:
	// task.mln:2:5: unknown predicate "smoke"; did you mean "smokes"?
	// 1.5 smoke(x) => smokes(x)
	//     ^
}

func ExampleCandidates() {
	m, _ := mln.Parse("task.mln", []byte("friends(user, user)\ntarget smokes(user)\nfriends(x, y) ^ smokes(x) => smokes(y)\n"), mln.Options{})
	candidates, _, _ := mln.Candidates(m)
	c := candidates[0]
	fmt.Println(mln.FormatFormula(c.Joint()))
	for k := range c.Enforcer {
		fmt.Println(mln.FormatFormula(c.Conditional(k)))
	}
	// Output:
	// friends(x, y) ^ smokes(x) ^ smokes(y)
	// friends(x, y) ^ smokes(y) => smokes(x)
	// friends(x, y) ^ smokes(x) => smokes(y)
}
