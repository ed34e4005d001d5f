package cut_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"resolwe/format/recipe"
	"resolwe/format/table"
)

const wikiModel = `articleEdit(article, user)
hyperLink(article, article)
level1(article, category)
level2(article, category)
level3(article, category)
userTalk(user, user)
target listed modifies(article, user)
`

const wikiRecipe = `table edit(article, user, day) from "edit.tsv" (article, user, date(day))
table link(article, article) from "link.tsv" (a, b)
table external(article, level, category) from "external.tsv" (article, level, category)
table talk(user, user) from "talk.tsv" (a, b)
days(u, count(d)) :- edit(_, u, d)
articles(u, count(a)) :- edit(a, u, _)
center c :- days(c, n), n >= 30, articles(c, m), m <= 15
ac(a) :- edit(a, @center, _)
around(u) :- ac(a), edit(a, u, _), u != @center
near(a) :- around(u), edit(a, u, _)
modifies(a, u) :- ac(a), edit(a, u, _), around(u)
!modifies(a, u) :- ac(a), around(u), !edited(a, u)
edited(a, u) :- edit(a, u, _)
articleEdit(a, u) :- around(u), edit(a, u, _), !ac(a)
articleEdit(a, @center) :- ac(a)
hyperLink(a, b) :- near(a), link(a, b), near(b)
level1(a, c) :- near(a), external(a, "1", c)
level2(a, c) :- near(a), external(a, "2", c)
level3(a, c) :- near(a), external(a, "3", c)
userTalk(u, v) :- around(u), talk(u, v), around(v)
`

// wiki makes tables; with share 1 their subgraphs have some 3,000 articles, 1,000 users and 300,000 facts.
func wiki(tb testing.TB, r *recipe.Recipe, share int) (*table.Universe, []*table.Table) {
	tb.Helper()
	articles, users, centers := 3538/share, 20_000/share, 20
	random := rand.New(rand.NewPCG(1, 1))
	u, tables := noRows(r)
	add := func(t int, cells ...any) { addRow(tb, u, tables[t], fmt.Sprintln(cells...)) }
	for user := range users {
		n := 1 + int(random.ExpFloat64()*8)
		if user < centers {
			n = 10
		}
		for range n {
			article := int(float64(articles) * random.Float64() * random.Float64())
			for range 1 + 5*max(0, centers-user)/centers {
				add(0, article, user, random.IntN(3000))
			}
		}
		for range 1 + random.IntN(20) {
			add(3, user, random.IntN(users))
		}
	}
	for article := range articles {
		for range 13 {
			add(1, article, random.IntN(articles))
		}
		for range 38 {
			add(2, article, 1, random.IntN(40))
			add(2, article, 2, random.IntN(700))
			add(2, article, 3, random.IntN(9000))
		}
	}
	return u, tables
}
