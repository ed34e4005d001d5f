package paperscale_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/bench/paperscale"
	"resolwe/internal/test/check"
)

// wikiTables are the tables as plain sets, read back from the files.
type wikiTables struct {
	edit, talk   relation // user to articles
	editors      relation // article to users, of both kinds
	days         relation // user to days with an edit
	allDays      relation // user to days with an edit or a discussion
	userTalk     relation
	links        relation // from, to
	similar      relation // by the paper's bounds
	verySimilar  relation
	category     relation            // article to categories
	external     map[string]relation // by predicate
	rows         map[string]int
	filings      map[string]int
	levelParents relation // category to what stands one level above in a filing
}

func readWiki(tb testing.TB, dir string) *wikiTables {
	tb.Helper()
	w := &wikiTables{
		edit: relation{}, talk: relation{}, editors: relation{}, days: relation{}, allDays: relation{},
		userTalk: relation{}, links: relation{}, similar: relation{}, verySimilar: relation{}, category: relation{},
		external: map[string]relation{}, rows: map[string]int{}, filings: map[string]int{}, levelParents: relation{},
	}
	table := func(name, header string) [][]string {
		rows := read(tb, dir, name, header)
		w.rows[name] = len(rows)
		if name != "external" {
			checkDistinct(tb, name, rows)
		}
		return rows
	}
	for _, r := range table("article_edit", "article user day") {
		w.edit.add(r[1], r[0])
		w.editors.add(r[0], r[1])
		w.days.add(r[1], r[2])
		w.allDays.add(r[1], r[2])
	}
	for _, r := range table("article_talk", "article user day") {
		w.talk.add(r[1], r[0])
		w.editors.add(r[0], r[1])
		w.allDays.add(r[1], r[2])
	}
	for _, r := range table("user_talk", "writer owner") {
		w.userTalk.add(r[0], r[1])
	}
	for _, r := range table("hyperlink", "from to") {
		w.links.add(r[0], r[1])
	}
	for _, r := range table("similarity", "a b cosine") {
		switch cosine := number(tb, r[2]); {
		case cosine > 0.5:
			w.verySimilar.add(r[0], r[1])
		case cosine >= 0.1:
			w.similar.add(r[0], r[1])
		}
	}
	for _, r := range table("category", "article category") {
		w.category.add(r[0], r[1])
	}
	above := ""
	for _, r := range table("external", "article level match category") {
		predicate := "level" + r[1] + strings.ToUpper(r[2][:1]) + r[2][1:]
		if w.external[predicate] == nil {
			w.external[predicate] = relation{}
		}
		w.external[predicate].add(r[0], r[3])
		w.filings[predicate]++
		if r[1] != "1" {
			w.levelParents.add(r[3], above)
		}
		above = r[3]
	}
	return w
}

func (w *wikiTables) users() []string {
	users := set{}
	maps.Copy(users, keys(w.edit))
	maps.Copy(users, keys(w.talk))
	return slices.Sorted(maps.Keys(users))
}

func keys(r relation) set {
	out := set{}
	for k := range r {
		out.add(k)
	}
	return out
}

func union(a, b set) set {
	out := maps.Clone(a)
	if out == nil {
		out = set{}
	}
	maps.Copy(out, b)
	return out
}

// candidates is E_C: who else contributes to the articles.
func (w *wikiTables) candidates(user string, articles set) set {
	out := set{}
	for a := range articles {
		maps.Copy(out, w.editors[a])
	}
	delete(out, user)
	return out
}

// centers are found by the rule: over edits alone, and over contributions of both kinds.
func (w *wikiTables) centers() (byEdits, byBoth []string) {
	editorsOf := relation{}
	for u, articles := range w.edit {
		for a := range articles {
			editorsOf.add(a, u)
		}
	}
	for _, u := range w.users() {
		collaborators := set{}
		for a := range w.edit[u] {
			maps.Copy(collaborators, editorsOf[a])
		}
		delete(collaborators, u)
		if len(w.days[u]) >= 30 && len(collaborators) >= 30 && len(w.edit[u]) <= 15 {
			byEdits = append(byEdits, u)
		}
		articles := union(w.edit[u], w.talk[u])
		if len(w.allDays[u]) >= 30 && len(w.candidates(u, articles)) >= 30 && len(articles) <= 15 {
			byBoth = append(byBoth, u)
		}
	}
	return byEdits, byBoth
}

func TestWikiCollabs_Counts(t *testing.T) {
	t.Parallel()
	dir, stats := generate(t, paperscale.WikiCollabs, 0.01, 1)
	w := readWiki(t, dir)
	check.Equal(t, "articles", len(w.category), 40) // the floor
	check.Equal(t, "articles with editors", len(w.editors), 40)
	check.Equal(t, "editors", len(w.users()), 2801)
	check.Equal(t, "hyperlinks", w.rows["hyperlink"], 450)
	check.Equal(t, "pairs that communicate", w.rows["user_talk"], 78_750)
	for _, level := range []string{"1", "2", "3"} {
		check.Equal(t, "exact filings", w.filings["level"+level+"Exact"], 36)
		check.Equal(t, "inexact filings", w.filings["level"+level+"Inexact"], 77*40)
	}
	for category, parents := range w.levelParents {
		check.Equal(t, category+": categories above", len(parents), 1)
	}
	for name, r := range map[string]relation{"user_talk": w.userTalk, "hyperlink": w.links, "similarity": w.similar} {
		for a := range r {
			if r[a][a] {
				t.Errorf("%s: %s is paired with itself", name, a)
			}
		}
	}
	for a := range w.similar {
		for b := range w.similar[a] {
			if !w.similar[b][a] || w.verySimilar[a][b] {
				t.Errorf("similarity of %s and %s is not symmetric", a, b)
			}
		}
	}
	for name, want := range map[string]int{
		"editors": len(w.users()), "articles": len(w.category), "hyperlinks": w.rows["hyperlink"],
		"edits, one a day": w.rows["article_edit"], "edits of talk pages, one a day": w.rows["article_talk"],
		"pairs of editors that communicate": w.rows["user_talk"],
	} {
		check.Equal(t, "figure "+name, int(stats.Figure(name)), want)
	}
}

// Both readings of the rule give the same centers, as many as the paper has, whatever the seed.
func TestWikiCollabs_Centers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		scale float64
		seed  uint64
		want  int
	}{
		{"seed 1", 0.01, 1, 18},
		{"seed 2", 0.01, 2, 18},
		{"smallest, seed 3", 1e-6, 3, 4},
		{"smallest, seed 4", 1e-6, 4, 4},
		{"larger", 0.02, 5, 36},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, stats := generate(t, paperscale.WikiCollabs, tt.scale, tt.seed)
			w := readWiki(t, dir)
			byEdits, byBoth := w.centers()
			check.Equal(t, "centers", len(byEdits), tt.want)
			check.NoDiff(t, cmp.Diff(byEdits, byBoth), "centers by edits, by both (-edits +both)")
			check.Equal(t, "figure centers", int(stats.Figure("centers")), tt.want)
			articles, candidates := 0, 0
			for _, c := range byEdits {
				own := union(w.edit[c], w.talk[c])
				articles += len(own)
				candidates += len(w.candidates(c, own))
			}
			for name, want := range map[string]int{"articles a center": articles, "candidate editors a center": candidates} {
				check.Is(t, stats.Figure(name), float64(want)/float64(tt.want), "%s", name)
			}
			near := 0 // engaged and focused, but alone
			for u, days := range w.days {
				if len(days) >= 30 && len(w.edit[u]) <= 15 && !slices.Contains(byEdits, u) {
					near++
				}
			}
			if near == 0 {
				t.Error("no user fails the rule by collaborators alone")
			}
		})
	}
}
