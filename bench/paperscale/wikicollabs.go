package paperscale

import (
	"fmt"
	"time"
)

// The rule of the paper for the centers of WikiCollabs.
const (
	centerDays          = 30
	centerCollaborators = 30
	centerArticles      = 15
)

// wikiSize is how many of each there are.
type wikiSize struct {
	articles, obscure, editors, centers, members, prolific int
	links, talk, exact, inexact, categories                int
	level1, level2, level3                                 int // external categories
}

// wikiSizeAt scales the paper's counts. Each has a floor, so that the smallest scale is a task too; the categories of the
// articles and the first level of the external ones keep their number.
func wikiSizeAt(opt *Options) wikiSize {
	articles := opt.scaled(3538, 40)
	return wikiSize{
		articles:   articles,
		obscure:    opt.scaled(18, 1),
		editors:    opt.scaled(280_068, 1200),
		centers:    opt.scaled(1785, 4),
		members:    opt.scaled(12_000, 100),
		prolific:   opt.scaled(1500, 4),
		links:      opt.scaled(45_006, 400),
		talk:       opt.scaled(7_874_985, 20_000),
		exact:      opt.scaled(3184, 36), // 0.9 an article
		inexact:    77 * articles,
		categories: 40,
		level1:     15,
		level2:     opt.scaled(400, 30),
		level3:     opt.scaled(5000, 120),
	}
}

// wiki is a WikiCollabs task while it is generated.
type wiki struct {
	opt  Options
	size wikiSize
	out  *tables

	wikiArticles
	wikiRelations
	wikiEditors
	talk [][]int32 // by writer: whose talk pages the writer edits
}

// WikiCollabs writes the tables of the task to predict who contributes to which article. They appear in dir, which is
// made where it is missing, once all are complete.
//
//	article_edit(article, user, day)    article_talk(article, user, day)    user_talk(writer, owner)
//	hyperlink(from, to)                 similarity(a, b, cosine)            category(article, category)
//	external(article, level, match, category)
//
// similarity has each pair both ways, and pairs below the paper's 0.1. external has levels 1, 2 and 3 and the matches
// exact and inexact. Days are those of an edit of the article, or of its talk page.
//
// A center is a user with edits on at least 30 days, at least 30 collaborators (users who contribute to an article of the
// center's) and at most 15 articles. Counting edits alone or contributions of both kinds makes no difference: no other
// user has both 30 days and at most 15 articles, but for the hermits, whose articles have fewer than 30 contributors.
//
// Articles form projects (14 on average) within topics. Members of a project contribute to most of its articles; so do
// centers, who are members too. Very similar articles and links in both directions are within projects, communication
// is in part between members of one project. Similarity, some links, categories and inexact external filings follow the
// topic; other links follow popularity; exact external filings, and the rest of communication, follow nothing.
//
// Counts have floors: 40 articles, 1,200 editors, 4 centers, 400 hyperlinks, 20,000 pairs that communicate.
//
// The random numbers come from PCG keyed by the seed and the step. Memory is about 200 MB at scale 1, in proportion to it.
func WikiCollabs(dir string, opt Options) (*Stats, error) {
	if err := opt.setDefaults(); err != nil {
		return nil, err
	}
	day := func(year int, month time.Month, day int) time.Time {
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	out, err := newTables(dir, day(2001, 1, 15), day(2009, 10, 21))
	if err != nil {
		return nil, err
	}
	defer out.abort()
	w := &wiki{opt: opt, size: wikiSizeAt(&opt), out: out}
	stats := w.newStats()
	w.drawArticles()
	for _, step := range []func(*Stats) error{
		w.writeLinks, w.writeSimilarity, w.writeCategory, w.writeExternal, w.writeContributions, w.writeTalk,
	} {
		if err := step(stats); err != nil {
			return nil, err
		}
	}
	w.measure(stats)
	if err := out.commit(); err != nil {
		return nil, err
	}
	return stats, nil
}

func (w *wiki) newStats() *Stats {
	return &Stats{
		Task: "WikiCollabs", Scale: w.opt.Scale, Seed: w.opt.Seed,
		Rule: fmt.Sprintf("edits on at least %d days, at least %d collaborators, at most %d articles",
			centerDays, centerCollaborators, centerArticles),
		Noise: []string{"level1Exact", "level2Exact", "level3Exact"},
	}
}
