package main_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"resolwe/internal/test/check"
)

// size is how large a made-up wiki is.
type size struct{ articles, users, engaged, most int }

// contribution is a row about an article and a user.
type contribution struct {
	article, user string
	day           int
	minor         bool
}

// edge is a user at a bound: so many articles, or articles that so many others contributed to.
type edge struct {
	name     string
	articles []string
	partners int
}

// edges returns users on both sides of the bounds of 15 and 2 articles and of so many partners.
func edges(partners int) (out []edge) {
	var many []string
	for i := range 16 {
		many = append(many, name("A", 6+i))
	}
	for _, n := range []int{1, 2, 15, 16} {
		out = append(out, edge{name: name("E", n), articles: many[:n]})
	}
	for n := partners - 1; n < partners*3/2; n++ { // some of the partners may not count
		out = append(out, edge{name("P", n), []string{name("B", n), name("Only", n)}, n})
	}
	return append(out, edge{name: "Drop", articles: append(slices.Clone(many[:8]), "A2")}, edge{name: "Lone", articles: []string{"Apart"}})
}

// rows makes the contributions of the user on so many days, on the last of them to the last article.
func (e *edge) rows(days int) (rows []contribution) {
	last := len(e.articles) - 1
	for i := range max(days-1, last) {
		rows = append(rows, contribution{article: e.articles[i%max(last, 1)], user: e.name, day: i % max(days-1, 1)})
	}
	rows = append(rows, contribution{article: e.articles[last], user: e.name, day: days - 1})
	for u := range e.partners {
		rows = append(rows, contribution{article: e.articles[0], user: name("V", u)})
	}
	return rows
}

// contributions makes rows: engaged users have up to most articles on about so many days, others a few. Users at the
// bounds come with them.
func (s size) contributions(rng *rand.Rand, days, partners int) (rows []contribution) {
	for _, e := range edges(partners) {
		rows = append(rows, e.rows(days)...)
	}
	for u := range s.users {
		user, articles, dates := name("U", u), 1+rng.IntN(3), 2
		if u < s.engaged {
			articles, dates = 1+rng.IntN(s.most), max(1, days-1+rng.IntN(3))
		}
		own := pick(rng, articles, s.articles)
		for _, a := range own {
			rows = append(rows, contribution{name("A", a), user, rng.IntN(dates), rng.IntN(4) == 0})
		}
		for day := range dates {
			if u < s.engaged {
				rows = append(rows, contribution{name("A", own[day%articles]), user, day, rng.IntN(4) == 0})
			}
		}
	}
	rng.Shuffle(len(rows), func(i, k int) { rows[i], rows[k] = rows[k], rows[i] })
	return rows
}

// article returns an article of the wiki, or now and then one beyond it.
func (s size) article(rng *rand.Rand) string {
	if rng.IntN(10) == 0 {
		return "Apart"
	}
	return name("A", rng.IntN(s.articles+3))
}

// paperWiki has centers on both sides of each of the paper's bounds: 30 days, 30 collaborators, 15 articles.
var paperWiki = size{articles: 40, users: 110, engaged: 24, most: 17}

// history makes the tables of edits and talk, whose third column is when.
func (o *wikiOracle) history(t *testing.T, rng *rand.Rand, dir, header string, when func(day int) []any) {
	t.Helper()
	var edits, talk [][]any
	for _, c := range paperWiki.contributions(rng, 30, 30) {
		edits = append(edits, append([]any{c.article, c.user}, when(c.day)...))
		o.see(c.user)
		o.days.add(c.user, name("", c.day))
		o.contribute(c.article, c.user, true)
	}
	few := paperWiki
	few.engaged = 0
	for _, c := range few.contributions(rng, 30, 0)[:40] {
		talk = append(talk, append([]any{c.article, c.user}, when(c.day)...))
		o.see(c.user)
		o.contribute(c.article, c.user, false)
	}
	writeTable(t, dir, "article_edit.tsv", header, edits)
	writeTable(t, dir, "article_talk.tsv", header, talk)
}

// messages makes the table of who writes to whom.
func (o *wikiOracle) messages(rng *rand.Rand, s size) (rows [][]any) {
	for range 6 * s.users {
		u, v := name("U", rng.IntN(s.users)), name("U", rng.IntN(s.users))
		rows = append(rows, []any{u, v})
		o.writes.add(u, v)
		o.see(u)
		o.see(v)
	}
	return rows
}

// links makes the table of hyperlinks.
func (o *wikiOracle) links(rng *rand.Rand, s size) (rows [][]any) {
	for range 4 * s.articles {
		a, b := s.article(rng), s.article(rng)
		rows = append(rows, []any{a, b})
		o.pair("hyperLink", a, b)
	}
	return rows
}

// categories makes the table of categories.
func (o *wikiOracle) categories(rng *rand.Rand, s size) (rows [][]any) {
	for range 2 * s.articles {
		a, c := s.article(rng), name("C", rng.IntN(9))
		rows = append(rows, []any{a, c})
		o.note("category", a, c)
	}
	return rows
}

// cosines makes the table of similarities, the bounds 0.1 and 0.5 among them, each pair in one direction or in both.
func (o *wikiOracle) cosines(rng *rand.Rand, s size, both bool) (rows [][]any) {
	for range 8 * s.articles {
		a, b, x := s.article(rng), s.article(rng), rng.IntN(14)
		rows = append(rows, []any{a, b, fmt.Sprintf("0.%02d", 5*x)})
		predicate := map[bool]string{true: "similar", false: "verySimilar"}[x <= 10]
		if x < 2 {
			continue
		}
		o.pair(predicate, a, b)
		if both {
			o.pair(predicate, b, a)
		}
	}
	return rows
}

func wikicollabsTables(t *testing.T, rng *rand.Rand, dir string) recipeOracle {
	t.Helper()
	o := newWikiOracle(30, 30, 0, 15)
	o.history(t, rng, dir, "article\tuser\tday", func(day int) []any { return []any{isoDate(day)} })
	writeTable(t, dir, "user_talk.tsv", "writer\towner", o.messages(rng, paperWiki))
	writeTable(t, dir, "hyperlink.tsv", "from\tto", o.links(rng, paperWiki))
	writeTable(t, dir, "similarity.tsv", "a\tb\tcosine", o.cosines(rng, paperWiki, false))
	writeTable(t, dir, "category.tsv", "article\tcategory", o.categories(rng, paperWiki))
	var rows [][]any
	for range 10 * paperWiki.articles {
		a, level, x := paperWiki.article(rng), 1+rng.IntN(3), name("X", rng.IntN(20))
		match := [...]string{"exact", "inexact", "other"}[rng.IntN(3)]
		rows = append(rows, []any{a, level, match, x})
		if match != "other" {
			o.note(fmt.Sprintf("level%d%s", level, strings.ToUpper(match[:1])+match[1:]), a, x)
		}
	}
	writeTable(t, dir, "external.tsv", "article\tlevel\tmatch\tcategory", rows)
	return o
}

// importedTables has the columns that the importer of MediaWiki writes.
func importedTables(t *testing.T, rng *rand.Rand, dir string) recipeOracle {
	t.Helper()
	o := newWikiOracle(30, 30, 0, 15)
	o.history(t, rng, dir, "article\tuser\ttimestamp\tminor", func(day int) []any {
		return []any{fmt.Sprintf("%sT%02d:30:00Z", isoDate(day), rng.IntN(24)), 0}
	})
	writeTable(t, dir, "user_talk.tsv", "writer\towner", o.messages(rng, paperWiki))
	writeTable(t, dir, "hyperlink.tsv", "from\tto", o.links(rng, paperWiki))
	writeTable(t, dir, "category.tsv", "article\tcategory", o.categories(rng, paperWiki))
	var rows [][]any
	for range 4 * paperWiki.articles {
		a, x := paperWiki.article(rng), name("site", rng.IntN(20))
		rows = append(rows, []any{a, x, "http://" + x + "/"})
		o.note("level1Inexact", a, x)
	}
	writeTable(t, dir, "external.tsv", "article\tdomain\turl", rows)
	return o
}

// shintowikiTables has bots, users without an account, users that the table of editors lacks, minor edits, and articles
// that are left out.
func shintowikiTables(t *testing.T, rng *rand.Rand, dir string) recipeOracle {
	t.Helper()
	o := newWikiOracle(10, 30, 0, 15)
	s := size{articles: 40, users: 140, engaged: 30, most: 17}
	twins := [][]any{{"A1", "A2"}, {"A1", "A3"}, {"A4", "A5"}}
	dropped := set{"A2": true, "A3": true, "A5": true}
	human, registered := set{}, set{}
	var editors [][]any
	for _, e := range edges(30) {
		editors = append(editors, []any{e.name, 0, 0, 1, 1, 1, 1})
		human[e.name], registered[e.name] = true, true
	}
	for i := range 2 * s.users {
		user, anon, bot := name([]string{"U", "V"}[i%2], i/2), rng.IntN(5)/4, rng.IntN(9)/8
		if rng.IntN(20) == 0 {
			continue
		}
		editors = append(editors, []any{user, anon, bot, 1, 1, 1, 1})
		human[user], registered[user] = bot == 0, bot+anon == 0
	}
	rows := [][]any{}
	for _, c := range s.contributions(rng, 10, 30) {
		rows = append(rows, []any{c.article, c.user, isoDate(c.day) + "T19:30:12Z", map[bool]int{true: 1}[c.minor]})
		o.see(c.user)
		if registered[c.user] && !dropped[c.article] {
			o.days.add(c.user, name("", c.day))
		}
		if human[c.user] && !dropped[c.article] && !c.minor {
			o.contribute(c.article, c.user, true)
		}
	}
	writeTable(t, dir, "edits.tsv", "article\teditor\ttimestamp\tminor", rows)
	compress(t, filepath.Join(dir, "edits.tsv"), filepath.Join(dir, "edits.tsv.gz"))
	check.OK(t, os.Remove(filepath.Join(dir, "edits.tsv")))
	writeTable(t, dir, "editors.tsv", "editor\tanon\tbot\tedits\tnonminor\tarticles\tdays", editors)
	writeTable(t, dir, "duplicates.tsv", "article1\tarticle2", twins)
	writeTable(t, dir, "hyperlink.tsv", "from\tto", o.links(rng, s))
	writeTable(t, dir, "similarity.tsv", "article1\tarticle2\tcosine", o.cosines(rng, s, true))
	writeTable(t, dir, "category.tsv", "article\tcategory", o.categories(rng, s))
	var domains [][]any
	for range 4 * s.articles {
		a, x := s.article(rng), name("site", rng.IntN(20))
		domains = append(domains, []any{a, x})
		o.note("level1Inexact", a, x)
	}
	writeTable(t, dir, "external_domain.tsv", "article\tdomain", domains)
	return o
}

// wikichronTables are two wikis with the same numbers for different pages and users.
func wikichronTables(t *testing.T, rng *rand.Rand, dir string) recipeOracle {
	t.Helper()
	o := newWikiOracle(0, 10, 2, 15)
	s := size{articles: 25, users: 40, engaged: 12, most: 18}
	wikis := []string{"one", "two"}
	for _, kind := range []string{"article_edit", "article_talk"} {
		for _, wiki := range wikis {
			var rows [][]any
			for _, c := range s.contributions(rng, 1, 10) {
				rows = append(rows, []any{c.article, c.user, 1})
				o.see(wiki + ":" + c.user)
				o.contribute(wiki+":"+c.article, wiki+":"+c.user, kind == "article_edit")
			}
			writeTable(t, dir, wiki+"."+kind+".tsv", "page_id\tuser\tn", rows)
		}
	}
	for _, wiki := range wikis {
		var rows [][]any
		for range 200 {
			u, v := name("U", rng.IntN(s.users)), name("U", rng.IntN(s.users))
			rows = append(rows, []any{u, v, 1})
			o.writes.add(wiki+":"+u, wiki+":"+v)
			o.see(wiki + ":" + u)
			o.see(wiki + ":" + v)
		}
		writeTable(t, dir, wiki+".user_talk.tsv", "from_user\tto_user\tn", rows)
	}
	return o
}
