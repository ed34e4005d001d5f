package paperscale

import (
	"math/rand/v2"
	"slices"
)

// wikiEditors are the users and what they contribute to. User i is named U(i+1).
type wikiEditors struct {
	start   []int32 // by user: the first of the user's contributions
	did     []contribution
	days    []int32   // by user: distinct days with an edit
	members [][]int32 // by project: its members, centers included
	centers []int32   // who satisfy the rule, counted on the rows
	editors [][]int32 // by article: who contributes to it, in order
}

// contribution is what a user does on one article: on how many days edited, on how many discussed.
type contribution struct {
	article      int32
	edits, talks int32
}

func (w *wiki) contributions(user int32) []contribution {
	return w.did[w.start[user]:w.start[user+1]]
}

// What the kinds of editors do.
const (
	mostCenterDays  = 300
	centerHomeShare = 0.8  // of a center's articles that are in its own project
	leastLoyalty    = 0.5  // a member contributes to this share of the project at least,
	mostLoyalty     = 0.95 // and this at most
	coreLoyalty     = 0.7  // from here on members mostly join the discussion
	leastProlific   = centerArticles + 1
	mostProlific    = 0.3 // of the articles
	obscureReaders  = 8   // casual editors of an obscure article, beside the hermit
	sameProjectRate = 0.3 // that a casual editor's next article is in the project of the first
	quietRows       = centerDays - 1
)

// writeContributions draws for each user the articles and the days. Roles are dealt over the users at random.
func (w *wiki) writeContributions(stats *Stats) error {
	edits, err := w.out.create("article_edit", "article", "user", "day")
	if err != nil {
		return err
	}
	talks, err := w.out.create("article_talk", "article", "user", "day")
	if err != nil {
		return err
	}
	n := w.size.editors
	r := newRand(w.opt.Seed, streamEditors)
	role := permutation(r, n)
	w.start, w.days = make([]int32, n+1), make([]int32, n)
	w.members = make([][]int32, len(w.projects))
	for u := range int32(n) {
		d := w.drawEditor(r, u, int(role[u]))
		w.did = append(w.did, d.did...)
		w.start[u+1] = int32(len(w.did))
		w.days[u] = d.write(u, edits, talks, w.articleNames)
		if u%4096 == 0 {
			if err := w.opt.report("article_edit", int(u), n); err != nil {
				return err
			}
		}
	}
	w.index()
	w.editorFigures(stats, edits.count, talks.count)
	return w.opt.report("article_edit", n, n)
}

// drawEditor draws what a user does, by role: the first numbers are centers, then come members, prolific editors,
// hermits, readers of obscure articles, and casual editors.
func (w *wiki) drawEditor(r *rand.Rand, user int32, role int) *diary {
	d := &diary{rand: r, calendar: w.out.days()}
	d.start = int32(r.IntN(int(d.calendar)))
	for _, kind := range []struct {
		size int
		draw func(d *diary, user int32, index int)
	}{
		{w.size.centers, w.center},
		{w.size.members, w.member},
		{w.size.prolific, w.prolificEditor},
		{w.size.obscure, w.hermit},
		{w.size.obscure * obscureReaders, w.obscureReader},
		{w.size.editors, w.casual},
	} {
		if role < kind.size {
			kind.draw(d, user, role)
			break
		}
		role -= kind.size
	}
	return d
}

// center draws an engaged editor of few articles, most of them of one project.
func (w *wiki) center(d *diary, user int32, _ int) {
	r := d.rand
	k := min(3+geometric(r, 3.7), centerArticles)
	home := w.projectOf[r.IntN(w.known)]
	w.members[home] = append(w.members[home], user)
	list := w.projects[home]
	own := min(max(2, int(float64(centerHomeShare*float64(k))+0.5)), len(list)*3/5)
	for _, a := range w.somePopular(r, list, own, 0.5) {
		d.add(a, 1, d.sometimes(0.5, 1))
	}
	for len(d.did) < k {
		a := w.popular(r)
		if chance(r, 0.5) {
			a = w.inTopic(r, w.topicOf[home])
		}
		d.add(a, 1, d.sometimes(0.2, 0.5))
	}
	d.engaged = min(centerDays+int(8*(pareto(r, 1.3, mostCenterDays)-1)), mostCenterDays)
}

// member draws one who contributes to most articles of a project and a few others.
func (w *wiki) member(d *diary, user int32, _ int) {
	r := d.rand
	home := w.projectOf[r.IntN(w.known)]
	w.members[home] = append(w.members[home], user)
	loyalty := leastLoyalty + float64((mostLoyalty-leastLoyalty)*r.Float64())
	discusses := 0.1
	if loyalty > coreLoyalty {
		discusses = 0.6
	}
	for _, a := range w.projects[home] {
		if chance(r, loyalty) {
			d.add(a, 1+geometric(r, 0.6), d.sometimes(discusses, 0.5))
		}
	}
	for range 1 + geometric(r, 1) {
		d.add(w.popular(r), 1, d.sometimes(0.03, 0.5))
	}
	d.settle()
}

// prolificEditor draws one with too many articles for a center.
func (w *wiki) prolificEditor(d *diary, _ int32, _ int) {
	n := int(leastProlific * pareto(d.rand, 1.2, max(1, float64(w.known)*mostProlific/leastProlific)))
	seen := make(map[int32]bool, n)
	for len(seen) < n {
		a := w.popular(d.rand)
		if !seen[a] {
			seen[a] = true
			d.did = append(d.did, contribution{a, int32(1 + geometric(d.rand, 0.6)), d.sometimes(0.2, 0.5)})
		}
	}
}

// hermit draws one as engaged as a center, on an article of few contributors.
func (w *wiki) hermit(d *diary, _ int32, index int) {
	d.add(int32(w.known+index), 1, 0)
	d.engaged = min(centerDays+geometric(d.rand, 20), mostCenterDays)
}

func (w *wiki) obscureReader(d *diary, _ int32, index int) {
	d.add(int32(w.known+index/obscureReaders), 1+geometric(d.rand, 0.3), 0)
}

// casual draws one of the many with one or two articles.
func (w *wiki) casual(d *diary, _ int32, _ int) {
	r := d.rand
	for range int(pareto(r, 2, centerArticles)) {
		a := w.popular(r)
		if len(d.did) > 0 && chance(r, sameProjectRate) {
			a = pick(r, w.projects[w.projectOf[d.did[0].article]])
		}
		if days := 1 + geometric(r, 0.3); chance(r, 0.05) {
			d.add(a, 0, int32(days))
		} else {
			d.add(a, days, d.sometimes(0.1, 0.3))
		}
	}
	d.settle()
}

// index lists the contributors of each article, and who are centers.
func (w *wiki) index() {
	w.editors = make([][]int32, w.size.articles)
	for u := range int32(w.size.editors) {
		for _, c := range w.contributions(u) {
			w.editors[c.article] = append(w.editors[c.article], u)
		}
	}
	for u, days := range w.days {
		if days >= centerDays && len(w.contributions(int32(u))) <= centerArticles &&
			len(w.collaborators(int32(u))) >= centerCollaborators {
			w.centers = append(w.centers, int32(u))
		}
	}
}

// collaborators lists, in order, who else contributes to an article of a user's: E_C of a center.
func (w *wiki) collaborators(user int32) []int32 {
	var all []int32
	for _, c := range w.contributions(user) {
		all = append(all, w.editors[c.article]...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(u int32) bool { return u == user })
}

func (w *wiki) editorFigures(stats *Stats, edits, talks int64) {
	stats.figure("editors", float64(len(w.days)), 280_068)
	stats.figure("edits, one a day", float64(edits), 0)
	stats.figure("edits of talk pages, one a day", float64(talks), 0)
	stats.figure("articles an editor", float64(len(w.did))/float64(len(w.days)), 0)
	most := 0
	for u := range w.days {
		most = max(most, len(w.contributions(int32(u))))
	}
	stats.figure("articles of the most prolific editor", float64(most), 0)
	most = 0
	for _, list := range w.editors {
		most = max(most, len(list))
	}
	stats.figure("editors an article", float64(len(w.did))/float64(len(w.editors)), 0)
	stats.figure("editors of the most popular article", float64(most), 0)

	articles, candidates := 0, 0
	for _, c := range w.centers {
		articles += len(w.contributions(c))
		candidates += len(w.collaborators(c))
	}
	n := max(1, float64(len(w.centers)))
	stats.figure("centers", float64(len(w.centers)), 1785)
	stats.figure("articles a center", float64(articles)/n, 0)
	stats.figure("candidate editors a center", float64(candidates)/n, 0)
}
