package main_test

import (
	"strings"
	"testing"
)

// wikiOracle is the oracle of the recipes of the WikiCollabs kind.
type wikiOracle struct {
	users                // as the tables first mention them
	contributes relation // by article: users
	edits       relation // by article: users, as evidence
	talks       relation // by article: users
	articles    relation // by user, of contributes
	days        relation // by user

	minDays, minPartners, minArticles, maxArticles int

	writes relation             // by user: users
	pairs  map[string][2]string // facts about two articles
	about  map[string]string    // facts about one article
}

func newWikiOracle(minDays, minPartners, minArticles, maxArticles int) *wikiOracle {
	return &wikiOracle{
		contributes: relation{}, edits: relation{}, talks: relation{}, articles: relation{}, days: relation{},
		minDays: minDays, minPartners: minPartners, minArticles: minArticles, maxArticles: maxArticles,
		writes: relation{}, pairs: map[string][2]string{}, about: map[string]string{},
	}
}

// contribute notes that a user edited, or else discussed, an article.
func (o *wikiOracle) contribute(article, user string, edit bool) {
	o.contributes.add(article, user)
	o.articles.add(user, article)
	if edit {
		o.edits.add(article, user)
	} else {
		o.talks.add(article, user)
	}
}

// pair adds a fact about two articles, which stands where both are around.
func (o *wikiOracle) pair(predicate, a, b string) {
	o.pairs[predicate+"("+a+", "+b+")"] = [2]string{a, b}
}

// note adds a fact about an article, which stands where that is around.
func (o *wikiOracle) note(predicate, article, what string) {
	o.about[predicate+"("+article+", "+what+")"] = article
}

func (o *wikiOracle) fold(string) int { return -1 }

func (o *wikiOracle) centers() (out []string) {
	for _, u := range o.order {
		partners := set{}
		for a := range o.articles[u] {
			partners = union(partners, o.contributes[a])
		}
		delete(partners, u)
		n := len(o.articles[u])
		if len(o.days[u]) >= o.minDays && len(partners) >= o.minPartners && n >= o.minArticles && n <= o.maxArticles {
			out = append(out, u)
		}
	}
	return out
}

func (o *wikiOracle) facts(t *testing.T, center string, cut factSet) factSet {
	t.Helper()
	own, editors, around := set{}, set{}, set{}
	for a, users := range o.contributes {
		if users[center] {
			own[a], around[a] = true, true
			editors = union(editors, users)
		}
	}
	delete(editors, center)
	want := factSet{}
	for a := range own {
		for u := range editors {
			want.add(map[bool]string{true: "modifies", false: "!modifies"}[o.contributes[a][u]], a, u)
		}
	}
	for a, users := range o.contributes {
		if own[a] || !users.meets(editors) {
			continue
		}
		around[a] = true
		for u := range editors {
			if o.edits[a][u] {
				want.add("articleEdit", a, u)
			}
			if o.talks[a][u] {
				want.add("articleTalk", a, u)
			}
		}
	}
	for u := range editors {
		for v := range o.writes[u] {
			if editors[v] {
				want.add("userTalk", u, v)
			}
		}
	}
	for fact, pair := range o.pairs {
		if around[pair[0]] && around[pair[1]] {
			want[fact] = true
		}
	}
	for fact, article := range o.about {
		if around[article] {
			want[fact] = true
		}
	}
	checkHidden(t, center, own, cut)
	return want
}

// checkHidden holds that nothing but the target tells who contributed to the center's articles, or what the center did.
func checkHidden(t *testing.T, center string, own set, cut factSet) {
	t.Helper()
	for fact := range cut {
		predicate, rest, _ := strings.Cut(fact, "(")
		args := strings.Split(strings.TrimSuffix(rest, ")"), ", ")
		switch predicate {
		case "articleEdit", "articleTalk":
			if own[args[0]] || args[1] == center {
				t.Errorf("%s: %s is for the target to say", center, fact)
			}
		case "userTalk", "modifies", "!modifies":
			if args[0] == center || args[1] == center {
				t.Errorf("%s: %s is about the center", center, fact)
			}
		}
	}
}
