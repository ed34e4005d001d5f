package cut_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"resolwe/format/mln"
	"resolwe/format/recipe"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/format/table"
	"resolwe/internal/test/check"
	"resolwe/kernels/cut"
)

func modelOf(tb testing.TB, text string) *mln.Schema {
	tb.Helper()
	m, err := mln.Parse("task.mln", []byte(text), mln.Options{})
	check.OK(tb, err)
	return &m.Schema
}

// parse reads a recipe.
func parse(tb testing.TB, model, text string) *recipe.Recipe {
	tb.Helper()
	r, err := recipe.Parse("test.recipe", []byte(text), modelOf(tb, model))
	check.OK(tb, err)
	return r
}

// noRows makes a recipe's tables, in their order, without rows.
func noRows(r *recipe.Recipe) (*table.Universe, []*table.Table) {
	tables := make([]*table.Table, len(r.Tables))
	for i, spec := range r.Tables {
		tables[i] = &table.Table{Columns: make([]table.Column, len(spec.Types))}
		for c := range tables[i].Columns {
			tables[i].Columns[c] = table.Column{Kind: r.Relations[i].Columns[c].Kind, Type: max(spec.Types[c], 0)}
		}
	}
	return table.NewUniverse(r.Types), tables
}

// addRow adds a row of words; a dot stands for none.
func addRow(tb testing.TB, u *table.Universe, t *table.Table, row string) {
	tb.Helper()
	for i, word := range strings.Fields(row) {
		if word == "." {
			t.Columns[i].AddEmpty()
			continue
		}
		var err error
		switch c := &t.Columns[i]; c.Kind {
		case table.KindEntity:
			c.IDs = append(c.IDs, u.Dicts[c.Type].Intern([]byte(word)))
		case table.KindFloat:
			var f float64
			f, err = strconv.ParseFloat(word, 64)
			c.Floats = append(c.Floats, f)
		case table.KindInt, table.KindDay, table.KindTime:
			var n int64
			n, err = strconv.ParseInt(word, 10, 64)
			c.Nums = append(c.Nums, n)
		}
		check.OK(tb, err)
	}
	t.Rows++
}

// fill makes the recipe's tables, in their order, from rows between semicolons.
func fill(tb testing.TB, r *recipe.Recipe, texts ...string) (*table.Universe, []*table.Table) {
	tb.Helper()
	u, tables := noRows(r)
	for i, t := range tables {
		for row := range strings.SplitSeq(texts[i], ";") {
			if strings.TrimSpace(row) != "" {
				addRow(tb, u, t, row)
			}
		}
	}
	return u, tables
}

// compile makes the plan of a recipe over tables.
func compile(tb testing.TB, r *recipe.Recipe, u *table.Universe, tables []*table.Table) *cut.RecipePlan {
	tb.Helper()
	plan, err := cut.Compile(r, u, tables)
	check.OK(tb, err)
	return plan
}

// cutAll returns what is cut around each center of tables as fill makes them, "none" where a requirement fails.
func cutAll(tb testing.TB, r *recipe.Recipe, texts ...string) []string {
	tb.Helper()
	u, tables := fill(tb, r, texts...)
	plan := compile(tb, r, u, tables)
	c := plan.NewCutter()
	out := make([]string, len(plan.Centers()))
	for i, at := range plan.Centers() {
		var s subgraph.Subgraph
		ok, err := c.Cut(&s, i)
		check.OK(tb, err)
		out[i] = at.Name + ": none"
		if ok {
			out[i] = s.Name + ": " + strings.Join(linesOf(r, &s), " ")
		}
	}
	return out
}

// cutOne returns what is cut around the first center.
func cutOne(tb testing.TB, r *recipe.Recipe, u *table.Universe, tables []*table.Table) string {
	tb.Helper()
	var s subgraph.Subgraph
	_, err := compile(tb, r, u, tables).NewCutter().Cut(&s, 0)
	check.OK(tb, err)
	return strings.Join(linesOf(r, &s), " ")
}

// linesOf returns the facts and entities of a subgraph as sorted lines.
func linesOf(r *recipe.Recipe, s *subgraph.Subgraph) []string {
	var lines []string
	for i, p := range r.Schema.Predicates {
		for sign, t := range map[string]*subgraph.Table{"": &s.Relations[i].True, "!": &s.Relations[i].False, "?": &s.Relations[i].Unknown} {
			for row := range t.Len() {
				var names []string
				for c, typ := range p.Args {
					names = append(names, s.Domains[typ].Names.Name(t.Cols[c][row]))
				}
				lines = append(lines, sign+p.Name+"("+strings.Join(names, ",")+")")
			}
		}
	}
	for t, d := range s.Domains {
		for id := range d.Size {
			lines = append(lines, "@"+r.Schema.Types[t]+" "+d.Names.Name(uint32(id)))
		}
	}
	slices.Sort(lines)
	return lines
}

// bytesOf returns a stream of one subgraph.
func bytesOf(tb testing.TB, r *recipe.Recipe, c *cut.Cutter, center int) []byte {
	tb.Helper()
	var b bytes.Buffer
	var s subgraph.Subgraph
	ok, err := c.Cut(&s, center)
	if !ok || err != nil {
		tb.Errorf("center %d: got %v, %v", center, ok, err)
		return nil
	}
	w, err := rsg.NewWriter(&b, r.Schema, rsg.WriterOptions{})
	if err == nil {
		err = w.Write(&s)
	}
	if err != nil {
		tb.Error(err)
	}
	return b.Bytes()
}

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
