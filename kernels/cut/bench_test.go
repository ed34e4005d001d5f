package cut_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"resolwe/format/recipe"
	"resolwe/format/subgraph"
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

func BenchmarkCutWiki(b *testing.B) {
	r := parse(b, wikiModel, wikiRecipe)
	u, tables := wiki(b, r, 1)
	plan := compile(b, r, u, tables)
	c := plan.NewCutter()
	var s subgraph.Subgraph
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		if ok, err := c.Cut(&s, i%len(plan.Centers())); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
	b.ReportMetric(float64(s.Domains[0].Size), "articles")
	b.ReportMetric(float64(s.Domains[1].Size), "users")
	facts := 0
	for i := range s.Relations {
		facts += s.Relations[i].True.Len() + s.Relations[i].False.Len()
	}
	b.ReportMetric(float64(facts), "facts")
	b.ReportMetric(float64(len(plan.Centers())), "centers")
}

// BenchmarkCut_Members tests 200,000 of 2,000,000 users for membership in two helper relations, of which one holds most
// users and the other one in 64.
func BenchmarkCut_Members(b *testing.B) {
	const users, followed = 2_000_000, 200_000
	r := parse(b, "follows(user)\ntarget listed aim(user)\n", `table account(user, int) from "a" (u, robot)
table follow(user, user) from "f" (a, b)
human(u) :- account(u, 0)
robot(u) :- account(u, 1)
center c :- follow(c, _)
follows(v) :- follow(@center, v), human(v), !robot(v)
`)
	u, tables := noRows(r)
	for i := range users {
		addRow(b, u, tables[0], fmt.Sprintln(i, i%64/63))
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range followed {
		addRow(b, u, tables[1], fmt.Sprintln(0, random.IntN(users)))
	}
	before := heapBytes()
	plan := compile(b, r, u, tables)
	size := heapBytes() - before
	runtime.KeepAlive(tables)
	c := plan.NewCutter()
	var s subgraph.Subgraph
	b.ReportAllocs()
	for b.Loop() {
		if ok, err := c.Cut(&s, 0); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
	b.ReportMetric(size/1e6, "plan-MB")
	b.ReportMetric(float64(s.Relations[0].True.Len()), "facts")
}

// heapBytes returns how much memory is in use.
func heapBytes() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
