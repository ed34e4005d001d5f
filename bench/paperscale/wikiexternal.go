package paperscale

import (
	"math/rand/v2"
	"slices"
)

// How external references are filed. The tree has few categories at level 1, hundreds at level 2 and thousands at level 3;
// a category hangs under one of the level above, drawn by a power law, so that some branches are large.
const (
	branchExponent  = 0.5
	filingExponent  = 0.5 // of the third-level categories that are drawn from the whole tree
	homeFilingRate  = 0.8 // that an inexact filing is in one of the topic's categories
	homeCategories  = 30  // third-level categories of a topic
	filingsExponent = 0.7 // of the articles, by number of filings
)

var levels = [...]string{"1", "2", "3"}

// topicTree is the external categories. A third-level category determines the others.
type topicTree struct {
	level2Of []int32 // by third-level category
	level1Of []int32 // by second-level category
}

func drawTree(r *rand.Rand, size *wikiSize) topicTree {
	hang := func(n, under int) []int32 {
		law := newPowerLaw(under, branchExponent, 0.01)
		out := make([]int32, n)
		for i := range out {
			out[i] = int32(law.rank(r))
		}
		return out
	}
	return topicTree{level2Of: hang(size.level3, size.level2), level1Of: hang(size.level2, size.level1)}
}

// path is the categories of the three levels.
func (t *topicTree) path(level3 int32) [3]int32 {
	level2 := t.level2Of[level3]
	return [3]int32{t.level1Of[level2], level2, level3}
}

// writeExternal draws the filings of exact matches, which follow nothing, and of inexact ones, which follow the topic.
// Each is three rows, one for each level.
func (w *wiki) writeExternal(stats *Stats) error {
	t, err := w.out.create("external", "article", "level", "match", "category")
	if err != nil {
		return err
	}
	r := newRand(w.opt.Seed, streamExternal)
	tree := drawTree(r, &w.size)
	home := make([][]int32, len(w.topics))
	for i := range home {
		home[i] = permutation(r, w.size.level3)[:homeCategories]
	}
	anywhere := newPowerLaw(w.size.level3, filingExponent, 0.001)
	for match, name := range []string{"exact", "inexact"} {
		before := t.count
		articles := filings(r, [...]int{w.size.exact, w.size.inexact}[match], w.size.articles)
		for level := range w.external[match] {
			w.external[match][level] = make([][]int32, w.size.articles)
		}
		for a, n := range articles {
			for range n {
				leaf := int32(anywhere.rank(r))
				if match == 1 && a < w.known && chance(r, homeFilingRate) {
					leaf = pick(r, home[w.topic(int32(a))])
				}
				w.file(t, int32(a), match, name, tree.path(leaf))
			}
		}
		perArticle := func(n int64) float64 { return float64(n) / float64(w.size.articles) }
		stats.figure("external filings an article, "+name, perArticle((t.count-before)/3), [...]float64{0.9, 77}[match])
		for level, lists := range w.external[match] {
			distinct := 0
			for a := range lists {
				slices.Sort(lists[a])
				lists[a] = slices.Compact(lists[a])
				distinct += len(lists[a])
			}
			stats.figure("distinct level "+levels[level]+" categories an article, "+name, perArticle(int64(distinct)), 0)
		}
	}
	return w.opt.report("external", w.size.articles, w.size.articles)
}

// filings shares filings out over articles by a power law over a shuffle of them.
func filings(r *rand.Rand, total, articles int) []int {
	law := newPowerLaw(articles, filingsExponent, 0.01)
	out := make([]int, articles)
	order := permutation(r, articles)
	for range total {
		out[order[law.rank(r)]]++
	}
	return out
}

// file writes one filing.
func (w *wiki) file(t *table, article int32, match int, name string, path [3]int32) {
	for level, category := range path {
		t.id('A', w.articleNames[article])
		t.field(levels[level])
		t.field(name)
		t.id("XYZ"[level], category)
		t.end()
		lists := w.external[match][level]
		lists[article] = append(lists[article], category)
	}
}
