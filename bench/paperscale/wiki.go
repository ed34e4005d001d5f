package paperscale

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"resolwe/bench/csvtables"
	"resolwe/bench/draw"
	"resolwe/internal/elementary"
)

// wikiSize holds the number of things of each kind.
type wikiSize struct {
	articles, obscure, editors, centers, members, prolific int
	links, talk, exact, inexact, categories                int
	level1, level2, level3                                 int // external categories
}

// wiki is the state of a WikiCollabs task during generation. The last articles are obscure: outside every project, and edited
// mainly by hermits.
type wiki struct {
	*run
	size wikiSize

	known          int           // number of articles that are not obscure
	projectOf      []int32       // by known article
	projects       [][]int32     // articles of each
	topicOf        []int32       // by project
	topics         [][]int32     // projects of each
	popularity     draw.PowerLaw // over ranks
	ranked, rankOf []int32       // known articles by rank, and the reverse
	articles       []string      // names

	// Users. The i-th is named U(i+1).
	did     [][]contribution // by user
	engaged []int32          // users with as few articles, and edits on as many days, as a center
	members [][]int32        // by project: its members, centers included
	centers []int32          // who satisfy the rule, counted on the rows
	editors [][]int32        // by article: its contributors, in order
}

// WikiCollabs writes the tables for the task of predicting who contributes to which article to dir, which it creates if missing.
// They appear once all are complete.
//
//	article_edit(article, user, day)    article_talk(article, user, day)    user_talk(writer, owner)
//	hyperlink(from, to)                 similarity(a, b, cosine)            category(article, category)
//	external(article, level, match, category)
//
// similarity has each pair in both directions, and also pairs below the paper's 0.1. external has levels 1, 2 and 3 and the matches
// exact and inexact. Days are those of edits to the article or to its talk page.
//
// A center is a user with edits on at least 30 days, at least 30 collaborators (users who contribute to one of the center's
// articles) and at most 15 articles. Counting edits alone or contributions of both kinds makes no difference: the only other users
// with 30 days and at most 15 articles are hermits, whose articles have fewer than 30 contributors.
//
// Articles form projects (14 articles on average) within topics. Members of a project, which include centers, contribute to most of
// its articles. Very similar articles, and links in both directions, are within projects; some communication is between members of
// a project. Similarity, some links, categories and inexact external filings depend on the topic; other links depend on popularity;
// exact external filings, and the rest of the communication, are independent of everything.
//
// Counts have floors: 40 articles, 1,200 editors, 4 centers, 400 hyperlinks, 20,000 communicating pairs.
//
// The random numbers come from PCG keyed by the seed and the step. Memory is about 125 MB at scale 1, and proportional to the
// scale.
func WikiCollabs(ctx context.Context, dir string, opt csvtables.Options) (*Stats, error) {
	rule := fmt.Sprintf("edits on at least %d days, at least %d collaborators, at most %d articles",
		centerDays, centerCollaborators, centerArticles)
	g, err := newRun(ctx, dir, opt, "WikiCollabs", rule, date(2001, 1, 15), date(2009, 10, 21))
	if err != nil {
		return nil, err
	}
	defer g.out.Abort()
	// Each of the paper's counts has a floor, so that even the smallest scale gives a task; the numbers of article categories, and
	// of external categories at the first level, are constant.
	w := &wiki{run: g, size: wikiSize{
		articles: g.scaled(3538, 40), obscure: g.scaled(18, 1), editors: g.scaled(280_068, 1200), centers: g.scaled(1785, 4),
		members: g.scaled(12_000, 100), prolific: g.scaled(1500, 4), links: g.scaled(45_006, 400), talk: g.scaled(7_874_985, 20_000),
		exact: g.scaled(3184, 36), categories: 40, level1: 15, level2: g.scaled(400, 30), level3: g.scaled(5000, 120),
	}}
	w.size.inexact = 77 * w.size.articles // with 0.9 exact ones per article
	w.Noise = []string{"level1Exact", "level2Exact", "level3Exact"}
	w.drawArticles()
	for _, write := range []func(){w.writeLinks, w.writeSimilarity, w.writeCategory, w.writeExternal, w.writeContributions, w.writeTalk} {
		if write(); g.err != nil {
			return nil, g.err
		}
	}
	if err := w.assign("wikicollabs", wikiRole); err != nil {
		return nil, err
	}
	return &g.Stats, g.out.Commit()
}

// The shape of popularity: the most popular of 3,500 articles has about twenty times the mean.
const (
	popularityExponent = 0.8
	popularityOffset   = 0.003
)

// Articles of a project.
const (
	leastProject = 8
	mostProject  = 60
)

func (w *wiki) drawArticles() {
	r := draw.New(w.Seed, streamArticles)
	w.known = w.size.articles - w.size.obscure
	for next := 0; next < w.known; {
		size := min(leastProject+int(6*(r.Pareto(2, mostProject)-1)), mostProject, w.known-next)
		if rest := w.known - next - size; rest < leastProject {
			size += rest
		}
		w.projects, w.projectOf = group(w.projects, w.projectOf, size)
		next += size
	}
	for first := 0; first < len(w.projects); first = len(w.topicOf) {
		w.topics, w.topicOf = group(w.topics, w.topicOf, min(3+r.IntN(7), len(w.projects)-first))
	}
	w.popularity = draw.NewPowerLaw(w.known, popularityExponent, popularityOffset)
	w.ranked = r.Permutation(w.known)
	w.rankOf = make([]int32, w.known)
	for rank, a := range w.ranked {
		w.rankOf[a] = int32(rank)
	}
	for _, n := range r.Permutation(w.size.articles) {
		w.articles = append(w.articles, id("A", n))
	}
}

// group makes a group of the next things.
func group(groups [][]int32, groupOf []int32, size int) ([][]int32, []int32) {
	members := make([]int32, size)
	for i := range members {
		members[i] = int32(len(groupOf))
		groupOf = append(groupOf, int32(len(groups)))
	}
	return append(groups, members), groupOf
}

func (w *wiki) topic(article int32) int32 { return w.topicOf[w.projectOf[article]] }

// popular draws a known article by popularity.
func (w *wiki) popular(r draw.Source) int32 { return w.ranked[w.popularity.Rank(r)] }

// inTopic draws an article of a topic.
func (w *wiki) inTopic(r draw.Source, topic int32) int32 {
	return draw.Pick(r, w.projects[draw.Pick(r, w.topics[topic])])
}

// somePopular draws k distinct articles from a list, in proportion to the square root of their popularity, by the Gumbel-max trick
// (Vieira, 2014).
func (w *wiki) somePopular(r draw.Source, list []int32, k int) []int32 {
	keys := make(map[int32]float64, len(list))
	for _, a := range list {
		x := float64(w.rankOf[a])/float64(w.known) + popularityOffset
		gumbel := -elementary.Log(-elementary.Log(1 - float64(r.Float64())))
		keys[a] = gumbel - float64(popularityExponent/2*elementary.Log(x))
	}
	out := slices.SortedFunc(slices.Values(list), func(a, b int32) int { return cmp.Compare(keys[b], keys[a]) })
	return out[:min(k, len(out))]
}

// The kinds of hyperlinks; any other link goes to a popular article.
const (
	mutualLinkRate = 0.1  // two links in opposite directions, within a project
	topicLinkRate  = 0.25 // one way, within a topic
	anyLinkRate    = 0.3  // to any article
)

// writeLinks draws distinct hyperlinks.
func (w *wiki) writeLinks() {
	t, r := w.out.Create("hyperlink", "from", "to"), draw.New(w.Seed, streamLinks)
	seen := make(map[[2]int32]bool, w.size.links)
	add := func(from, to int32) {
		if from == to || seen[[2]int32{from, to}] || len(seen) == w.size.links {
			return
		}
		seen[[2]int32{from, to}] = true
		t.Add(w.articles[from], w.articles[to])
	}
	for len(seen) < w.size.links {
		from := w.popular(r)
		switch x := r.Float64(); {
		case x < mutualLinkRate:
			to := draw.Pick(r, w.projects[w.projectOf[from]])
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
	w.figure("hyperlinks", float64(t.Rows), 45_006)
	w.report("hyperlink", w.size.articles, w.size.articles)
}

// The similarity rates say how often two articles are similar, and how much.
const (
	projectVerySimilar = 0.5  // above 0.5, within a project
	projectSimilar     = 0.35 // 0.2 to 0.5, within a project
	topicSimilar       = 0.3  // 0.06 to 0.3, between projects of one topic
	otherSimilar       = 20   // draws per article: 0.04 to 0.2, between topics
)

// writeSimilarity draws the pairs with a cosine worth keeping.
func (w *wiki) writeSimilarity() {
	t, r := w.out.Create("similarity", "a", "b", "cosine"), draw.New(w.Seed, streamSimilarity)
	add := func(a, b int32, from, to float64) {
		// Four decimals, the last one odd, so that no value is on a bound.
		cosine := float64(2*int(5000*(from+float64(r.Float64()*(to-from))))+1) / 1e4
		text := strconv.FormatFloat(cosine, 'f', 4, 64)
		t.Add(w.articles[a], w.articles[b], text)
		t.Add(w.articles[b], w.articles[a], text)
	}
	for a := range w.each("similarity", w.known) {
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
	seen := map[[2]int32]bool{}
	for range otherSimilar * w.known {
		a, b := int32(r.IntN(w.known)), int32(r.IntN(w.known))
		if a < b && w.topic(a) != w.topic(b) && !seen[[2]int32{a, b}] {
			seen[[2]int32{a, b}] = true
			add(a, b, 0.04, 0.2)
		}
	}
	w.figure("similarity rows, each pair twice", float64(t.Rows), 0)
}

// Categories of an article: that of its topic, or any.
const (
	topicCategory  = 0.5
	secondCategory = 0.1 // that an article has two categories
)

func (w *wiki) writeCategory() {
	t, r := w.out.Create("category", "article", "category"), draw.New(w.Seed, streamCategory)
	home := make([]int32, len(w.topics))
	for i := range home {
		home[i] = int32(r.IntN(w.size.categories))
	}
	anywhere := draw.NewPowerLaw(w.size.categories, 0.6, 0.01)
	for a := range w.each("category", w.size.articles) {
		c := int32(anywhere.Rank(r))
		if int(a) < w.known && r.Chance(topicCategory) {
			c = home[w.topic(a)]
		}
		t.Add(w.articles[a], id("C", c))
		if second := int32(anywhere.Rank(r)); r.Chance(secondCategory) && second != c {
			t.Add(w.articles[a], id("C", second))
		}
	}
	w.figure("articles", float64(w.size.articles), 3538)
	w.figure("articles on a list of a category", float64(t.Rows), 0)
}

// The filing of external references. The tree has few categories at level 1, hundreds at level 2 and thousands at level 3. The
// parent of each category is drawn from the level above by a power law, so that some branches are large.
const (
	branchExponent  = 0.5
	filingExponent  = 0.5 // for third-level categories drawn from the whole tree
	homeFilingRate  = 0.8 // that an inexact filing is in one of the topic's categories
	homeCategories  = 30  // third-level categories of a topic
	filingsExponent = 0.7 // for the numbers of filings of articles
)

// hang returns the parent of each of n categories, among a number of parents.
func hang(r draw.Source, n, under int) []int32 {
	law := draw.NewPowerLaw(under, branchExponent, 0.01)
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(law.Rank(r))
	}
	return out
}

// writeExternal draws the filings of exact matches, which are independent of everything, and of inexact ones, which depend on the
// topic. Each gives three rows, one per level.
func (w *wiki) writeExternal() {
	t, r := w.out.Create("external", "article", "level", "match", "category"), draw.New(w.Seed, streamExternal)
	level2Of, level1Of := hang(r, w.size.level3, w.size.level2), hang(r, w.size.level2, w.size.level1)
	home := make([][]int32, len(w.topics))
	for i := range home {
		home[i] = r.Permutation(w.size.level3)[:homeCategories]
	}
	anywhere := draw.NewPowerLaw(w.size.level3, filingExponent, 0.001)
	for _, match := range []struct {
		name        string
		filings     int
		paper, home float64
	}{{"exact", w.size.exact, 0.9, 0}, {"inexact", w.size.inexact, 77, homeFilingRate}} {
		filings := make([]int, w.size.articles)
		law, order := draw.NewPowerLaw(w.size.articles, filingsExponent, 0.01), r.Permutation(w.size.articles)
		for range match.filings {
			filings[order[law.Rank(r)]]++
		}
		var filed [3][][]int32 // by level and article
		for level := range filed {
			filed[level] = make([][]int32, w.size.articles)
		}
		for a, n := range filings {
			for range n {
				leaf := int32(anywhere.Rank(r))
				if match.home > 0 && a < w.known && r.Chance(match.home) {
					leaf = draw.Pick(r, home[w.topic(int32(a))])
				}
				for level, c := range []int32{level1Of[level2Of[leaf]], level2Of[leaf], leaf} {
					t.Add(w.articles[a], strconv.Itoa(1+level), match.name, id("XYZ"[level:level+1], c))
					filed[level][a] = append(filed[level][a], c)
				}
			}
		}
		perArticle := func(n int) float64 { return float64(n) / float64(w.size.articles) }
		w.figure("external filings an article, "+match.name, perArticle(match.filings), match.paper)
		for level, lists := range filed {
			distinct := 0
			for _, list := range lists {
				slices.Sort(list)
				distinct += len(slices.Compact(list))
			}
			w.figure(fmt.Sprintf("distinct level %d categories an article, %s", 1+level, match.name), perArticle(distinct), 0)
		}
	}
	w.report("external", w.size.articles, w.size.articles)
}

// wikiRole is the role of a formula. Planted is what holds within projects above all.
func wikiRole(formula string) Role {
	body, _, _ := strings.Cut(formula, " => ")
	relation := strings.TrimPrefix(strings.TrimPrefix(body, "articleEdit(t1, u) ^ "), "articleTalk(t1, u) ^ ")
	switch relation {
	case "verySimilar(t1, t2)", "hyperLink(t1, t2) ^ hyperLink(t2, t1)", "similar(t1, t2) ^ hyperLink(t1, t2)",
		"similar(t1, t2) ^ hyperLink(t2, t1)", "userTalk(u1, u2) ^ modifies(t, u1)":
		return Planted
	}
	if strings.Contains(relation, "Exact(") {
		return Noise
	}
	return Follows
}
