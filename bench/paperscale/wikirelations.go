package paperscale

import (
	"math/rand/v2"
	"strconv"
)

// wikiRelations are the relations between articles, by article.
type wikiRelations struct {
	linksTo, linkedFrom  [][]int32
	similar, verySimilar [][]int32
	categories           [][]int32
	external             [2][3][][]int32 // exact and inexact, by level: categories
}

// How hyperlinks come about: each is one of these, else it goes to a popular article.
const (
	mutualLinkRate = 0.1  // two links in opposite directions, within a project
	topicLinkRate  = 0.25 // one way, within a topic
	anyLinkRate    = 0.3  // to any article
)

// writeLinks draws distinct hyperlinks.
func (w *wiki) writeLinks(stats *Stats) error {
	t, err := w.out.create("hyperlink", "from", "to")
	if err != nil {
		return err
	}
	r := newRand(w.opt.Seed, streamLinks)
	w.linksTo, w.linkedFrom = make([][]int32, w.size.articles), make([][]int32, w.size.articles)
	seen := make(map[[2]int32]bool, w.size.links)
	add := func(from, to int32) {
		if from == to || seen[[2]int32{from, to}] || len(seen) == w.size.links {
			return
		}
		seen[[2]int32{from, to}] = true
		w.linksTo[from] = append(w.linksTo[from], to)
		w.linkedFrom[to] = append(w.linkedFrom[to], from)
		t.id('A', w.articleNames[from])
		t.id('A', w.articleNames[to])
		t.end()
	}
	for len(seen) < w.size.links {
		from := w.popular(r)
		switch x := r.Float64(); {
		case x < mutualLinkRate:
			to := pick(r, w.projects[w.projectOf[from]])
			add(from, to)
			add(to, from)
		case x < mutualLinkRate+topicLinkRate:
			add(from, w.inTopic(r, w.topic(from)))
		case x < mutualLinkRate+topicLinkRate+anyLinkRate:
			add(from, int32(r.IntN(w.size.articles)))
		default:
			add(int32(r.IntN(w.size.articles)), w.popular(r))
		}
	}
	stats.figure("hyperlinks", float64(t.count), 45_006)
	return w.opt.report("hyperlink", w.size.articles, w.size.articles)
}

// similarityRates are how often two articles are similar, and how much.
const (
	projectVerySimilar = 0.5  // above 0.5, within a project
	projectSimilar     = 0.35 // 0.2 to 0.5, within a project
	topicSimilar       = 0.3  // 0.06 to 0.3, between projects of one topic
	otherSimilar       = 20   // draws for each article: 0.04 to 0.2, between topics
	similarFrom        = 0.1  // the paper's bounds
	verySimilarFrom    = 0.5
)

// writeSimilarity draws the pairs with a cosine worth keeping.
func (w *wiki) writeSimilarity(stats *Stats) error {
	t, err := w.out.create("similarity", "a", "b", "cosine")
	if err != nil {
		return err
	}
	r := newRand(w.opt.Seed, streamSimilarity)
	w.similar, w.verySimilar = make([][]int32, w.size.articles), make([][]int32, w.size.articles)
	add := func(a, b int32, from, to float64) {
		// Four decimals, of which the last is odd: never on a bound.
		cosine := float64(2*int(5000*(from+float64(r.Float64()*(to-from))))+1) / 1e4
		for _, pair := range [][2]int32{{a, b}, {b, a}} {
			t.id('A', w.articleNames[pair[0]])
			t.id('A', w.articleNames[pair[1]])
			t.field(strconv.FormatFloat(cosine, 'f', 4, 64))
			t.end()
			switch {
			case cosine > verySimilarFrom:
				w.verySimilar[pair[0]] = append(w.verySimilar[pair[0]], pair[1])
			case cosine > similarFrom:
				w.similar[pair[0]] = append(w.similar[pair[0]], pair[1])
			}
		}
	}
	for a := range int32(w.known) {
		w.topicSimilarity(r, a, add)
	}
	seen := map[[2]int32]bool{}
	for range otherSimilar * w.known {
		a, b := int32(r.IntN(w.known)), int32(r.IntN(w.known))
		if a < b && w.topic(a) != w.topic(b) && !seen[[2]int32{a, b}] {
			seen[[2]int32{a, b}] = true
			add(a, b, 0.04, 0.2)
		}
	}
	stats.figure("similarity rows, each pair twice", float64(t.count), 0)
	return w.opt.report("similarity", w.size.articles, w.size.articles)
}

// topicSimilarity draws how an article is similar to later ones of its topic.
func (w *wiki) topicSimilarity(r *rand.Rand, a int32, add func(a, b int32, from, to float64)) {
	for _, project := range w.topics[w.topic(a)] {
		for _, b := range w.projects[project] {
			x := r.Float64()
			switch same := project == w.projectOf[a]; {
			case b <= a:
			case same && x < projectVerySimilar:
				add(a, b, 0.5, 0.95)
			case same && x < projectVerySimilar+projectSimilar:
				add(a, b, 0.2, 0.5)
			case !same && x < topicSimilar:
				add(a, b, 0.06, 0.3)
			}
		}
	}
}

// Categories of the lists that an article is on: that of its topic, or any.
const (
	topicCategory  = 0.5
	secondCategory = 0.1 // an article is on two lists
)

func (w *wiki) writeCategory(stats *Stats) error {
	t, err := w.out.create("category", "article", "category")
	if err != nil {
		return err
	}
	r := newRand(w.opt.Seed, streamCategory)
	home := make([]int32, len(w.topics))
	for i := range home {
		home[i] = int32(r.IntN(w.size.categories))
	}
	anywhere := newPowerLaw(w.size.categories, 0.6, 0.01)
	w.categories = make([][]int32, w.size.articles)
	for a := range w.categories {
		c := int32(anywhere.rank(r))
		if a < w.known && chance(r, topicCategory) {
			c = home[w.topic(int32(a))]
		}
		w.categories[a] = []int32{c}
		if second := int32(anywhere.rank(r)); chance(r, secondCategory) && second != c {
			w.categories[a] = append(w.categories[a], second)
		}
		for _, c := range w.categories[a] {
			t.id('A', w.articleNames[a])
			t.id('C', c)
			t.end()
		}
	}
	stats.figure("articles", float64(len(w.categories)), 3538)
	stats.figure("articles on a list of a category", float64(t.count), 0)
	return w.opt.report("category", w.size.articles, w.size.articles)
}
